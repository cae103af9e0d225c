# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Fixes that give accesses a mask which the kernel has already: the model runs on the mended text, and has to find the accesses bounded."""

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Fix
from flakelint.engine.rule import unsafe
from flakelint.kernel.graph import Value, is_none
from flakelint.kernel.polynomials import Atom
from flakelint.kernel.tiles import TOLD, TiledAccess, Tiles
from flakelint.kernel.unmasked import plain
from flakelint.source.expressions import argument
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel

# where `tl.load` and `tl.store` take their mask, if it has no name
_PLACES = {'load': 1, 'store': 2}

# a constant distance, such as that of a second tile, would have to be in the mask too
_ELSEWHERE = TOLD | {'arange'}


def mask_of(call: ast.Call, kind: str) -> ast.expr | None:
    """The mask that a call is given, as it is written."""
    return argument(call, 'mask', _PLACES.get(kind))


def with_mask(
    accesses: 'Iterable[Access]', mask: str, limits: set[str], kernel: 'Kernel', file: 'File', other: str = '',
) -> Fix | None:
    """The fix that masks some accesses, if the model then finds every one of them below one of the limits.

    Args:
        accesses (Iterable[Access]):
            The accesses.
        mask (str):
            The mask, as it is written elsewhere.
        limits (set[str]):
            The arguments that it compares with.
        kernel (Kernel):
            The kernel.
        file (File):
            Its file.
        other (str, Optional):
            What masked lanes of loads hold, as it is written. Default: nothing.
    """
    edits, places = [], set()
    for access in accesses:
        call = access.node
        if access.frame.kernel.path != file.path or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        filled = f', other={other}' if other and access.kind == 'load' else ''
        edits.append(_edit(call, mask_of(call, access.kind), f'{mask}{filled}', file))
        places.add((call.lineno, call.col_offset))
    if not edits or not _are_bounded(places, limits, kernel, file, edits):
        return None
    # the tensor may have room for whole tiles, and the mask cost time for nothing
    return unsafe(f'Add mask={mask}', *edits)


def _edit(call: ast.Call, given: ast.expr | None, text: str, file: 'File') -> Edit:
    if given is not None:
        return Edit(file.range(given), text)
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    last = max(arguments, key=lambda one: (one.end_lineno, one.end_col_offset))
    end = file.range(last).end
    return Edit(Range(end, end), f', mask={text}')


def _are_bounded(places: set[tuple[int, int]], limits: set[str], kernel: 'Kernel', file: 'File', edits: list[Edit]) -> bool:
    mended = file.edited(edits)
    position = file.kernels.index(kernel) if kernel in file.kernels else -1
    if position < 0 or len(mended.kernels) != len(file.kernels):
        return False
    tiles: Tiles = mended.tiles(mended.kernels[position])
    found = [one for one in tiles.accesses if (one.access.node.lineno, one.access.node.col_offset) in places]
    seen = {(one.access.node.lineno, one.access.node.col_offset) for one in found}
    return seen == places and all(_is_bounded(one, limits, tiles) for one in found)


def _is_bounded(found: TiledAccess, limits: set[str], tiles: Tiles) -> bool:
    """Whether a mask fits an access: it has the shape of the pointer, and bounds what the address spans, from where it does."""
    mask, address = found.access.mask, found.access.address
    if type(mask) is not Value or type(address) is not Value or is_none(mask):
        return False
    if mask.shape is None or mask.shape != address.shape or not any(plain(bound.limit) in limits for bound in found.bounds):
        return False
    beyond, pointer = tiles.beyond(found), (Atom('parameter', (found.pointer,)),)
    return beyond is not None and all(
        monomial == pointer or any(atom.kind in _ELSEWHERE for atom in monomial) for monomial in beyond
    )
