# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The accesses of a kernel as tiles: which vectors of indices an address spans, and which of them its mask bounds, by what."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import NOTHING, Cases, Guard, Value, cases_of, compatible, reachable
from flakelint.kernel.launches import FLAG
from flakelint.kernel.origins import bases_of
from flakelint.kernel.polynomials import (
    ONE,
    Atom,
    Monomial,
    Polynomial,
    Polynomials,
    added,
    divided_by,
    frozen,
    multiplied,
    scaled,
)

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.model import Model

_CONJUNCTIONS = frozenset({'and', 'all', 'mul'})
_THROUGH = frozenset({'view', 'cast', 'assign', 'trans'})
_LESS = {'lt': False, 'le': False, 'gt': True, 'ge': True}
# what tells from tile to tile
TOLD = frozenset({'program', 'round', 'load', 'other'})


class Vector(NamedTuple):
    """A vector of indices: an arange, and where its tile begins.

    Args:
        tile (Atom):
            The arange.
        base (frozenset):
            The terms that lead to the beginning of the tile.
    """

    tile: Atom
    base: frozenset


class Bound(NamedTuple):
    """What a comparison in a mask says of a vector.

    Args:
        vector (Vector):
            The vector.
        limit (Polynomial):
            What it stays below.
        value (Value):
            The comparison.
        index (Polynomial):
            What is compared.
    """

    vector: Vector
    limit: Polynomial
    value: Value
    index: Polynomial


class TiledAccess(NamedTuple):
    """An access under one set of compile-time conditions.

    Args:
        access (Access):
            The access.
        guard (Guard):
            The conditions.
        pointer (str):
            The tensor, or nothing where it is not clear which.
        address (Polynomial):
            The address.
        vectors (tuple[Vector, ...]):
            The vectors that it spans, those left out that are wrapped or gone through a loaded index.
        bounds (tuple[Bound, ...]):
            What its mask says of vectors.
        masked (frozenset[Atom]):
            The aranges in its mask, whatever that says of them.
    """

    access: 'Access'
    guard: Guard
    pointer: str
    address: Polynomial
    vectors: tuple[Vector, ...]
    bounds: tuple[Bound, ...]
    masked: frozenset[Atom]


class Tiles:
    """The accesses of a kernel as tiles.

    Args:
        model (Model):
            The kernel.
    """

    def __init__(self, model: 'Model') -> None:
        self.model = model
        self.polynomials = Polynomials()
        for counter in model.counters:
            # loops whose counter nothing reads have a last round too
            self.polynomials.of(counter)

    @cached_property
    def accesses(self) -> list[TiledAccess]:
        """The accesses by pointer whose address is resolved, once for each set of conditions."""
        return [
            found for access in self.model.accesses if access.kind in ('load', 'store', 'atomic')
            for guard, pointer in cases_of(access.address) if self._is_compiled(access.guard | guard)
            if (found := self._tiled(access, access.guard | guard, pointer)) is not None
        ]

    @cached_property
    def in_order(self) -> list[TiledAccess]:
        """The accesses in the order of their lines."""
        return sorted(self.accesses, key=lambda one: one.access.node.lineno)

    def _is_compiled(self, guard: Guard) -> bool:
        """Whether some launch may ask for a variant; tests count here, too."""
        facts = self.model.facts
        launches = facts.repository.launches(facts.kernel) if guard and facts.repository is not None else ()
        for text, truth in guard if launches else ():
            passed = [launch.parameters.get(text) for launch in launches]
            if all(one is not None and one.kind == FLAG and one.value is (not truth) for one in passed):
                return False
        return True

    def extent(self, tile: Atom) -> Polynomial | None:
        """The length of an arange."""
        value = self.polynomials.tiles.get(tile)
        return None if value is None else self.polynomials.of(value.operands[1])

    def bounds_of(self, mask: Value | Cases | None, guard: Guard = NOTHING) -> list[Bound]:
        """What a mask says of vectors, as far as all of it has to hold."""
        found: list[Bound] = []
        for value in self._conjuncts(mask, guard):
            if value.op in _LESS:
                found.extend(self._compared(value))
        return found

    def masked(self, mask: Value | Cases | None) -> frozenset[Atom]:
        """The aranges in a mask."""
        found: set[Atom] = set()
        for value in reachable([mask] if mask is not None else (), lambda one: one.operands if one.op != 'load' else ()):
            polynomial = self.polynomials.of(value)
            if polynomial is not None:
                found |= self.polynomials.aranges(polynomial)
        return frozenset(found)

    def beyond(self, access: TiledAccess) -> Polynomial | None:
        """The terms of an address in which none of the indices is that its mask bounds; `None` where they cannot be told apart."""
        left: Polynomial | None = access.address
        for bound in access.bounds:
            tile = bound.vector.tile
            strides = {_without(monomial, tile): number for monomial, number in access.address.items() if tile in monomial}
            spanned = multiplied(bound.index, strides) if len(strides) == 1 else None
            left = None if left is None or spanned is None else added(left, spanned, -1)
        return left

    def vectors_of(self, polynomial: Polynomial) -> list[Vector]:
        """The vectors that an index or an address is the sum of, each times something."""
        found: list[Vector] = []
        for tile in sorted({atom for monomial in polynomial for atom in monomial if atom.kind == 'arange'}, key=repr):
            strides = {_without(monomial, tile) for monomial in polynomial if tile in monomial}
            if len(strides) == 1 and all(monomial.count(tile) < 2 for monomial in polynomial):
                stride = strides.pop()
                number = polynomial[tuple(sorted((*stride, tile), key=repr))]
                found.append(Vector(tile, self._base(polynomial, tile, stride, number)))
        return found

    def _tiled(self, access: 'Access', guard: Guard, pointer: Value) -> TiledAccess | None:
        address = self.polynomials.of(pointer)
        if address is None or pointer.type == types.BLOCK_POINTER:
            return None
        names = bases_of([pointer])
        bounds = tuple(self.bounds_of(access.mask, guard))
        name = names.pop() if len(names) == 1 else ''
        return TiledAccess(access, guard, name, address, tuple(self.vectors_of(address)), bounds, self.masked(access.mask))

    def _base(self, polynomial: Polynomial, tile: Atom, stride: Monomial, number: int) -> frozenset:
        """The terms that lead to the beginning of a tile: a number of tiles times the length of one."""
        length = self.extent(tile)
        terms: dict[Monomial, int] = {}
        for monomial, factor in divided_by(polynomial, stride):
            if factor % number or tile in monomial:
                continue
            if length is not None and _leads(monomial, factor // number, length):
                terms[monomial] = factor // number
        return frozen(terms)

    def _conjuncts(self, mask: Value | Cases | None, guard: Guard) -> Iterator[Value]:
        stack = [mask] if mask is not None else []
        while stack:
            one = stack.pop()
            cases = [case for condition, case in cases_of(one) if compatible(guard, condition)]
            if len(cases) != 1:
                continue
            value = cases[0]
            if value.op in _CONJUNCTIONS:
                stack.extend(value.operands)
            elif value.op in _THROUGH and value.operands:
                stack.append(value.operands[0])
            else:
                yield value

    def _compared(self, value: Value) -> Iterator[Bound]:
        """What one comparison says: an index on one side stays below the rest."""
        small, large = value.operands[::-1] if _LESS[value.op] else value.operands
        low, high = self.polynomials.of(small), self.polynomials.of(large)
        if low is None or high is None:
            return
        room = added(high, low, -1)
        if value.op in ('le', 'ge'):
            # `i <= n - 1` is `i < n`
            room = added(room, {ONE: 1}, 1)
        negative = {monomial: number for monomial, number in room.items() if any(atom.kind == 'arange' for atom in monomial)}
        if len(negative) != 1:
            return
        ((monomial, number),) = negative.items()
        if len(monomial) != 1 or number != -1:
            return
        tile = monomial[0]
        index = scaled(room, -1)
        base = self._base(index, tile, ONE, 1)
        limit = added(added(room, {monomial: 1}, 1), dict(base), 1)
        yield Bound(Vector(tile, base), limit, value, low)


def _leads(monomial: Monomial, factor: int, length: Polynomial) -> bool:
    """Whether a term is a number of tiles, told by programs or rounds, times the length of one."""
    if not any(atom.kind in TOLD for atom in monomial) or len(length) != 1:
        return False
    ((symbols, number),) = length.items()
    if factor % number:
        return False
    left = list(monomial)
    for symbol in symbols:
        if symbol not in left:
            return False
        left.remove(symbol)
    return True


def _without(monomial: Monomial, atom: Atom) -> Monomial:
    left = list(monomial)
    left.remove(atom)
    return tuple(left)
