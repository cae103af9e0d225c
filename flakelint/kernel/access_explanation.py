# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Say what an access spans, what its mask bounds, which lanes are undefined, and why nothing is said of it."""

import ast
from collections.abc import Iterator

from flakelint.kernel.pads import Consumed, Pads
from flakelint.kernel.polynomials import spelled
from flakelint.kernel.tiles import TiledAccess, Tiles, Vector
from flakelint.kernel.unmasked import excuse, is_whole, plain

_VERBS = {'load': 'reads', 'store': 'writes', 'atomic': 'changes'}


def access_lines(tiles: Tiles, path: str, line: int) -> Iterator[str]:
    """What is known of the accesses on a line, once for each set of conditions that makes a difference.

    Args:
        tiles (Tiles):
            The accesses of the kernel.
        path (str):
            The file.
        line (int):
            The line, from 1.
    """
    consumed = list(Pads(tiles).consumed())
    told: set[tuple[str, ...]] = set()
    for access in tiles.accesses:
        node = access.access.node
        if access.access.frame.kernel.path != path or not node.lineno <= line <= node.end_lineno:
            continue
        lines = tuple(_told(tiles, access, consumed))
        if lines not in told:
            told.add(lines)
            yield from lines


def _told(tiles: Tiles, access: TiledAccess, consumed: list[Consumed]) -> Iterator[str]:
    yield f'access in line {access.access.node.lineno}: {_VERBS[access.access.kind]} `{access.pointer or "a tensor"}`'
    yield f'  spans:  {", ".join(map(_vector, access.vectors)) or "no vector that is plainly there"}'
    if access.access.mask is None:
        yield '  mask:   none'
    for bound in access.bounds:
        compared = ast.unparse(bound.value.node)
        yield f'  mask:   `{compared}` keeps {_vector(bound.vector)} below {spelled(bound.limit)}'
    if access.access.kind == 'load' and access.access.mask is not None and access.access.other is None:
        takers = sorted({
            f'`tl.{one.consumer.detail or "dot"}` in line {one.consumer.node.lineno}'
            for one in consumed if one.access.node is access.access.node
        })
        yield f'  lanes:  undefined where the mask is false; taken in by {", ".join(takers) or "nothing that matters"}'
    yield from _elsewhere(tiles, access)


def _elsewhere(tiles: Tiles, access: TiledAccess) -> Iterator[str]:
    """What other accesses bound and this one does not, and why that may be."""
    own = {bound.vector for bound in access.bounds}
    for vector in access.vectors:
        for sibling in tiles.accesses if vector not in own else ():
            bound = next((one for one in sibling.bounds if one.vector == vector and vector in sibling.vectors), None)
            name = plain(bound.limit) if bound is not None else ''
            if not name:
                continue
            is_exact = is_whole(tiles, vector, bound.limit, name)
            reason = 'the tile is as long as it' if is_exact else excuse(tiles, access, vector, name)
            line = sibling.access.node.lineno
            yield f'  beside: line {line} keeps {_vector(vector)} below `{name}`; {reason or "nothing excuses this access"}'
            break


def _vector(vector: Vector) -> str:
    return f'{vector.tile.key[0]} from {spelled(dict(vector.base))}'
