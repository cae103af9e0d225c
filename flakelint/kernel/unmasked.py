# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Accesses without a mask over a vector that the same kernel bounds elsewhere, and what excuses them.

Of no mask nothing follows: most accesses need none. What is told is a contradiction within one kernel, that one access takes care of a tail and another one of the same vector does not.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.graph import Cases, Value, compatible, each_value, is_none, reachable
from flakelint.kernel.launches import EXPRESSION, NUMBER
from flakelint.kernel.polynomials import ONE, Atom, Polynomial, frozen
from flakelint.kernel.tiles import Bound, TiledAccess, Tiles, Vector

if TYPE_CHECKING:
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.launches import Launch

# flags under which a tile has no tail, and sizes that the host rounds up
_FLAG = re.compile(r'even|divis|align|full|mask|pad|bound|check|exact|tail|multiple', re.IGNORECASE)
_PADDED = re.compile(r'round|padd?ed|aligned', re.IGNORECASE)
# of a flag that promises whole tiles only the truth excuses, of one that asks for a mask either may
_PROMISE = re.compile(r'even|divis|align|full|exact|multiple', re.IGNORECASE)
_DEMAND = re.compile(r'\bnot\b|\bun|mask|bound|check|tail|==|!=', re.IGNORECASE)
# what a compiler calls the blocks of the kernels that it writes
_GENERATED = frozenset({'XBLOCK', 'RBLOCK', 'YBLOCK', 'R0_BLOCK'})
_AXIS_LETTERS = 3


class Unmasked(NamedTuple):
    """An access that lacks a mask.

    Args:
        access (TiledAccess):
            The access.
        sibling (TiledAccess):
            One that has it.
        bound (Bound):
            The part of its mask that bounds the vector.
    """

    access: TiledAccess
    sibling: TiledAccess
    bound: Bound


def unmasked(tiles: Tiles, anywhere: bool = False) -> Iterator[Unmasked]:
    """The accesses that lack a mask, one for each vector, in the order of the source.

    Args:
        tiles (Tiles):
            The accesses of a kernel.
        anywhere (bool, Optional):
            Whether the bound of another load counts even if it was not at hand yet. Default: `False`.
    """
    if _is_generated(tiles):
        return
    told: set[tuple[Vector, frozenset]] = set()
    for access in tiles.in_order:
        if access.access.mask is not None and not is_none(access.access.mask):
            continue
        for vector in access.vectors:
            found = _evidence(tiles, access, vector, anywhere=anywhere)
            if found is not None and (place := (vector, frozen(found.bound.limit))) not in told:
                told.add(place)
                yield found


def part_masked(tiles: Tiles) -> Iterator[Unmasked]:
    """The accesses whose mask bounds one vector of a tile, while another access bounds two of them."""
    if _is_generated(tiles):
        return
    told: set[tuple[Vector, str]] = set()
    for access in tiles.in_order:
        covered = {bound.vector for bound in access.bounds} & set(access.vectors)
        for vector in access.vectors:
            if not covered or vector.tile in access.masked:
                continue
            found = _evidence(tiles, access, vector, covered)
            if found is not None and (vector, access.pointer) not in told:
                told.add((vector, access.pointer))
                yield found


def behind(tiles: Tiles) -> Iterator[tuple[TiledAccess, Bound]]:
    """The accesses in loops whose mask compares where the first round is, with the whole size that the loop goes through."""
    told: set[Vector] = set()
    for access in tiles.in_order:
        for vector in access.vectors:
            rounds = {atom for monomial, _ in vector.base for atom in monomial if atom.kind == 'round'}
            if not rounds or vector in told or any(bound.vector == vector for bound in access.bounds):
                continue
            first = frozenset((monomial, number) for monomial, number in vector.base if not rounds & set(monomial))
            for bound in access.bounds:
                name = plain(bound.limit)
                if not name or bound.vector != Vector(vector.tile, first) or is_whole(tiles, vector, bound.limit, name):
                    continue
                if _is_flagged(access, name) or not any(_goes_through(tiles, one, name) for one in rounds):
                    continue
                told.add(vector)
                yield access, bound
                break


def misplaced(tiles: Tiles) -> Iterator[tuple[TiledAccess, Bound]]:
    """The accesses whose mask bounds the tile of another program axis than the one that the address goes to."""
    told: set[tuple[Vector, Vector]] = set()
    for access in tiles.in_order:
        for vector in access.vectors:
            if any(bound.vector == vector for bound in access.bounds):
                continue
            for bound in access.bounds:
                if bound.vector.tile != vector.tile or not plain(bound.limit) or (vector, bound.vector) in told:
                    continue
                axes, other = _axes(vector), _axes(bound.vector)
                if axes and other and axes != other:
                    told.add((vector, bound.vector))
                    yield access, bound


def _is_generated(tiles: Tiles) -> bool:
    """Whether a compiler wrote the kernel."""
    return not _GENERATED.isdisjoint(tiles.model.parameters)


def _axes(vector: Vector) -> set[object]:
    """The axes of the grid that lead to a tile."""
    return {atom.key[0] for monomial, _ in vector.base for atom in monomial if atom.kind == 'program'}


def _goes_through(tiles: Tiles, one: Atom, name: str) -> bool:
    """Whether a loop goes on until a size is done, its tail included."""
    stop = tiles.polynomials.stops.get(one)
    if stop is None or any(value.op == 'floordiv' and not _rounds_up(value) for value in each_value([stop])):
        return False
    polynomial = tiles.polynomials.of(stop)
    return polynomial is not None and Atom('parameter', (name,)) in tiles.polynomials.atoms(polynomial)


def _rounds_up(quotient: Value) -> bool:
    """Whether a quotient is that of `(n + block - 1) // block`."""
    return any(value.op in ('add', 'sub') for value in each_value(quotient.operands[:1]))


def _evidence(
    tiles: Tiles, access: TiledAccess, vector: Vector, beside: set[Vector] | None = None, anywhere: bool = False,
) -> Unmasked | None:
    """A sibling that bounds the vector, and one of those beside it if there are any, if nothing excuses the access."""
    for sibling in tiles.accesses:
        if sibling.access.node is access.access.node or vector not in sibling.vectors:
            continue
        if beside is not None and not beside & {bound.vector for bound in sibling.bounds}:
            continue
        for bound in sibling.bounds:
            if bound.vector != vector or not compatible(access.guard, sibling.guard):
                continue
            name = plain(bound.limit)
            if not name or is_whole(tiles, vector, bound.limit, name):
                continue
            if sibling.access.kind == 'load' and not anywhere and not _is_at_hand(bound, sibling, access):
                continue
            if not excuse(tiles, access, vector, name):
                return Unmasked(access, sibling, bound)
    return None


def plain(limit: Polynomial) -> str:
    """The parameter that a bound is, if it is one and nothing else."""
    if len(limit) != 1:
        return ''
    ((monomial, number),) = limit.items()
    return monomial[0].key[0] if number == 1 and len(monomial) == 1 and monomial[0].kind == 'parameter' else ''


def is_whole(tiles: Tiles, vector: Vector, limit: Polynomial, name: str) -> bool:
    """Whether a bound never binds, since the tile is as long as what it bounds, or is itself the length of a tile."""
    length = tiles.extent(vector.tile)
    if length == limit:
        return True
    if any(plain(other) == name for tile in tiles.polynomials.tiles if (other := tiles.extent(tile)) is not None):
        return True
    block = plain(length) if length is not None else ''
    if length == {ONE: 1} or (block and tiles.model.kernel.block_sizes.get(block) == (1,)):
        return True
    launches = tiles.model.facts.launches
    return bool(launches) and all(
        _has_no_tail(launch, name) or (block and _same_size(launch, block, name)) for launch in launches
    )


def _has_no_tail(launch: 'Launch', name: str) -> bool:
    """Whether conditions on the way to a launch show that a size is a multiple of the tile."""
    bound = launch.parameters.get(name)
    return bound is not None and any(one.identity == bound.identity for one in launch.whole)


def _same_size(launch: 'Launch', block: str, name: str) -> bool:
    """Whether a launch makes a tile as long as a dimension, or an exact part of it."""
    one, other = launch.parameters.get(block), launch.parameters.get(name)
    if one is None or other is None:
        return False
    return one == other or one.value == 1 or (one.head == '//' and one.operands[0] == other)


def _is_at_hand(bound: Bound, sibling: TiledAccess, access: TiledAccess) -> bool:
    """Whether the comparison was made before the access, in a function that has both or calls for them."""
    lines = dict(_calls(access.access.frame, access.access.node.lineno))
    made = _calls(bound.value.frame, bound.value.node.lineno)
    frames = (bound.value.frame, sibling.access.frame)
    return any(line <= lines[frame] for frame, line in made if frame in frames and frame in lines)


def _calls(frame: 'Frame | None', line: int) -> 'Iterator[tuple[Frame, int]]':
    """A line of a function, and those of the calls that led to it."""
    while frame is not None:
        yield frame, line
        frame, line = frame.caller, frame.call.lineno if frame.call is not None else 0


def excuse(tiles: Tiles, access: TiledAccess, vector: Vector, name: str) -> str:
    """Why an access may do without a bound, in words; nothing where no reason is seen."""
    symbols = {atom.key[0] for monomial in access.address for atom in monomial if atom.kind == 'parameter'}
    reasons = {
        'a flag on the way says that there is no tail': lambda: _is_flagged(access, name),
        'a run-time condition on the way asks for it': lambda: _mentions(tiles, access.access.path, vector, name),
        'the same access stands there with a mask, too': lambda: _has_twin(tiles, access, vector),
        'the host rounds a size up': lambda: any(_PADDED.search(str(symbol)) for symbol in symbols),
        'every launch has whole tiles only': lambda: _is_divided(tiles, vector),
        'the index was brought within bounds': lambda: _is_scattered(tiles, access, vector),
        'the tensor has room for whole tiles': lambda: _is_padded(tiles, access, vector, name),
    }
    return next((reason for reason, holds in reasons.items() if holds()), '')


def _is_flagged(access: TiledAccess, name: str) -> bool:
    """Whether a flag on the way says that there is no tail."""
    return any(
        _excuses(text, name) for text, truth in access.guard
        if _FLAG.search(text) and (truth or not _PROMISE.search(text) or _DEMAND.search(text))
    )


def _excuses(flag: str, name: str) -> bool:
    """Whether a flag may say that this size leaves no tail: one that names an axis speaks of that axis only."""
    axis = re.sub(r'\W', '', flag).rpartition('_')[2]
    if not axis or len(axis) > _AXIS_LETTERS:
        return True
    return any(letter in name.upper() for letter in axis.upper())


def _mentions(tiles: Tiles, path: 'tuple[Value | Cases, ...]', vector: Vector, name: str) -> bool:
    """Whether a run-time condition on the way asks for the bound, or for where the tile is."""
    asked = {atom for monomial, _ in vector.base for atom in monomial if atom.kind != 'parameter'} | {vector.tile}
    for value in reachable(path):
        if value.op == 'parameter' and value.name == name:
            return True
        polynomial = tiles.polynomials.of(value)
        if polynomial is not None and asked & tiles.polynomials.atoms(polynomial):
            return True
    return False


def _has_twin(tiles: Tiles, access: TiledAccess, vector: Vector) -> bool:
    """Whether the same access stands there with a mask as well, on another path or behind the loop."""
    for other in tiles.accesses:
        is_alike = (other.pointer, other.access.kind) == (access.pointer, access.access.kind)
        if not is_alike or other.access.node is access.access.node:
            continue
        if vector.tile in other.masked and (
            not compatible(other.guard, access.guard) or other.access.path != access.access.path or _is_peeled(access, other)
        ):
            return True
    return False


def _is_peeled(access: TiledAccess, other: TiledAccess) -> bool:
    """Whether one access stands in a loop, and the other one behind it takes what the loop leaves."""
    return bool(_rounds(access)) and other.access.node.lineno > access.access.node.lineno


def _rounds(access: TiledAccess) -> set[Atom]:
    return {atom for monomial in access.address for atom in monomial if atom.kind == 'round'}


def _is_divided(tiles: Tiles, vector: Vector) -> bool:
    """Whether every launch has a program for each whole tile only."""
    axes = _axes(vector)
    grids = [launch.grid for launch in tiles.model.facts.launches if launch.grid is not None]
    return bool(axes and grids) and all(
        isinstance(axis, int) and axis < len(grid) and grid[axis].head == '//' for grid in grids for axis in axes
    )


def _is_padded(tiles: Tiles, access: TiledAccess, vector: Vector, name: str) -> bool:
    """Whether the author writes the padding on purpose, or every launch shows that the tensor has room for whole tiles."""
    stored = access.access.stored
    if stored is not None and any(
        bound.vector.tile == vector.tile
        for value in each_value([stored]) if value.op == 'where' for bound in tiles.bounds_of(value.detail)
    ):
        return True
    launches = tiles.model.facts.launches
    return bool(launches) and all(_has_room(launch, access.pointer, name) for launch in launches)


def _has_room(launch: 'Launch', pointer: str, name: str) -> bool:
    """Whether a launch passes a tensor whose last dimension is another one than the bound."""
    bound, tensor = launch.parameters.get(name), launch.parameters.get(pointer)
    dims = tensor.dims if tensor is not None else ()
    return bool(dims) and bound not in dims and dims[-1].kind in (NUMBER, EXPRESSION)


def _is_scattered(tiles: Tiles, access: TiledAccess, vector: Vector) -> bool:
    """Whether an address goes through an index that was brought within bounds, as a whole."""
    atoms = {atom for monomial in access.address for atom in monomial}
    return any(tiles.polynomials.is_wrapped(atom) and vector.tile in tiles.polynomials.aranges({(atom,): 1}) for atom in atoms)
