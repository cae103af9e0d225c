# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What masked lanes hold, from the loads that leave them undefined to the reductions that take them in."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import NOTHING, Cases, Guard, Value, cases_of, compatible, each_value, reachable
from flakelint.kernel.polynomials import is_kept
from flakelint.kernel.shapes import reduced_axes
from flakelint.kernel.tiles import Tiles
from flakelint.kernel.unmasked import is_whole, plain
from flakelint.project.imports import last_name

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access

# through these a lane holds what it held, or something made of it
_LANES = frozenset({
    'cast', 'assign', 'view', 'trans', 'neg', 'abs', 'add', 'sub', 'mul', 'div', 'floordiv', 'mod', 'min', 'max', 'phi', 'pow',
})
# functions of one value that give something for each lane
_ELEMENTWISE = frozenset({
    'exp', 'exp2', 'log', 'log2', 'sigmoid', 'sqrt', 'rsqrt', 'sin', 'cos', 'tanh', 'erf', 'abs', 'fma', 'fdiv', 'div_rn',
    'sqrt_rn', 'floor', 'ceil', 'clamp',
})
_TESTS = frozenset({'lt', 'le', 'gt', 'ge', 'eq', 'ne', 'and', 'or', 'all'})
_REDUCTIONS = frozenset({'sum', 'max', 'min', 'argmax', 'argmin'})


class Undefined(NamedTuple):
    """A load whose masked lanes are undefined.

    Args:
        access (Access):
            The load.
        length (str):
            The spelled length of the block's dimension that is masked.
        direct (bool):
            Whether nothing but its type changes on the way.
    """

    access: 'Access'
    length: str
    direct: bool


class Consumed(NamedTuple):
    """An undefined lane that reaches something that takes all lanes in.

    Args:
        access (Access):
            The load.
        consumer (Value):
            The reduction, or the product of matrices.
        direct (bool):
            Whether the lane reaches it as it was loaded.
    """

    access: 'Access'
    consumer: Value
    direct: bool


class Pads:
    """The undefined lanes of a kernel.

    Args:
        tiles (Tiles):
            The accesses of the kernel.
    """

    def __init__(self, tiles: Tiles) -> None:
        self._tiles = tiles
        self._loads = {
            (id(access.node), id(access.frame)): access for access in tiles.model.accesses
            if access.kind == 'load' and access.mask is not None and access.other is None
        }
        self._known: dict[tuple[int, Guard], frozenset[Undefined]] = {}

    def consumed(self) -> Iterator[Consumed]:
        """The undefined lanes that reach a reduction along their dimension, or both sides of a product of matrices."""
        if not self._loads:
            return
        for value in reachable(part for access in self._tiles.model.accesses for part in access.parts):
            if value.op == 'reduce' and value.detail in _REDUCTIONS:
                yield from self._reduced(value)
            elif value.op == 'dot':
                yield from self._contracted(value)

    def _reduced(self, value: Value) -> Iterator[Consumed]:
        for case in each_value(value.operands[:1]):
            axes = reduced_axes(case.shape, value.node)
            for lane in self.of(case, value.guard):
                if case.shape is not None and any(case.shape[axis] == lane.length for axis in axes) and _is_told(case, lane):
                    yield Consumed(lane.access, value, lane.direct)

    def _contracted(self, value: Value) -> Iterator[Consumed]:
        left, right = value.operands[:2] if len(value.operands) > 1 else (None, None)
        for one in each_value([left]) if left is not None else ():
            for other in each_value([right]):
                if not one.shape or not other.shape or len(one.shape) < 2 or len(other.shape) < 2:
                    continue
                first = self._along(one, one.shape[-1], value.guard)
                second = self._along(other, other.shape[-2], value.guard)
                if first and second:
                    yield from (Consumed(lane.access, value, lane.direct) for lane in (*first, *second))

    def _along(self, value: Value, length: str, guard: Guard) -> list[Undefined]:
        """What is undefined along the dimension of a block with this length."""
        return [lane for lane in self.of(value, guard) if lane.length == length and _is_told(value, lane)]

    def of(self, value: Value | Cases, guard: Guard = NOTHING) -> frozenset[Undefined]:
        """The loads that leave lanes of a value undefined under some conditions."""
        found: set[Undefined] = set()
        for condition, case in cases_of(value):
            if compatible(condition, guard) and compatible(case.guard, guard):
                found |= self._of(case, guard)
        return frozenset(found)

    def _of(self, value: Value, guard: Guard) -> frozenset[Undefined]:
        key = (id(value), guard)
        if key not in self._known:
            # what a loop carries is made of itself
            self._known[key] = frozenset()
            self._known[key] = self._find(value, guard)
        return self._known[key]

    def _find(self, value: Value, guard: Guard) -> frozenset[Undefined]:
        op = value.op
        if op == 'load':
            access = self._loads.get((id(value.node), id(value.frame)))
            return frozenset() if access is None else frozenset(self._undefined(access, guard))
        if op == 'view' and not is_kept(value) and last_name(value.node.func) not in _ELEMENTWISE:
            # sorted, gathered or joined lanes are others
            return frozenset()
        if op == 'where':
            return self._chosen(value, guard)
        if op == 'mul' and self._is_masked(value, guard):
            return frozenset()
        if op == 'reduce':
            return self._left(value, guard)
        if op in ('add', 'sub') and self._is_added(value):
            return frozenset()
        if op in _LANES or (op == 'call' and value.detail in _ELEMENTWISE):
            found = [lane for operand in value.operands for lane in self.of(operand, guard)]
            kept = op in ('cast', 'assign', 'trans') or (op == 'view' and is_kept(value))
            return frozenset(lane if kept else lane._replace(direct=False) for lane in found)
        return frozenset()

    def _undefined(self, access: 'Access', guard: Guard) -> Iterator[Undefined]:
        for bound in self._tiles.bounds_of(access.mask, access.guard | guard):
            name = plain(bound.limit)
            if name and is_whole(self._tiles, bound.vector, bound.limit, name):
                continue
            yield Undefined(access, bound.vector.tile.key[0], direct=True)

    def _chosen(self, value: Value, guard: Guard) -> frozenset[Undefined]:
        """What a choice leaves undefined: a condition on a vector is taken to decide its masked lanes."""
        masked = self._tiles.masked(value.detail) if value.detail is not None else frozenset()
        decided = {tile.key[0] for tile in masked}
        found = [lane for operand in value.operands for lane in self.of(operand, guard)]
        return frozenset(lane._replace(direct=False) for lane in found if lane.length not in decided)

    def _is_masked(self, product: Value, guard: Guard) -> bool:
        """Whether one side of a product may be a mask, or zero where the other one is undefined."""
        for operand in product.operands:
            for case in each_value([operand]):
                inner = case
                while inner.op in ('cast', 'view', 'assign') and type(inner.operands[0]) is Value:
                    inner = inner.operands[0]
                if inner.op in _TESTS or inner.type == types.BOOL or self._is_chosen(inner):
                    return True
        left, right = (self.of(operand, guard) for operand in product.operands)
        # a lane that is undefined on one side only may be multiplied by the zero of a masked one
        return bool(left) != bool(right) and any(self._has_zero(operand) for operand in product.operands)

    def _has_zero(self, value: Value | Cases) -> bool:
        """Whether a value may hold a given number in masked lanes."""
        loads = (one for one in reachable([value], lambda one: one.operands if one.op != 'load' else ()) if one.op == 'load')
        keys = {(id(one.node), id(one.frame)) for one in loads}
        return any((id(one.node), id(one.frame)) in keys and _is_zero(one.other) for one in self._tiles.model.accesses)

    def _is_added(self, total: Value) -> bool:
        """Whether a bias such as minus infinity is added that a mask chose."""
        return any(self._is_chosen(case) for case in each_value(total.operands))

    def _is_chosen(self, value: Value) -> bool:
        """Whether a condition on some vector chose a value."""
        return value.op == 'where' and (value.detail is None or bool(self._tiles.masked(value.detail)))

    def _left(self, value: Value, guard: Guard) -> frozenset[Undefined]:
        """What a reduction leaves undefined: the dimensions that it does not take in."""
        found: set[Undefined] = set()
        for case in each_value(value.operands[:1]):
            axes = reduced_axes(case.shape, value.node)
            lengths = {case.shape[axis] for axis in axes} if case.shape is not None else set()
            found |= {lane._replace(direct=False) for lane in self.of(case, guard) if lane.length not in lengths}
        return frozenset(found) if found and value.detail != 'cumsum' else frozenset()


def _is_zero(other: Value | Cases | None) -> bool:
    """Whether what masked lanes hold is zero, or is not known."""
    return other is not None and all(value.literal is None or value.literal == 0 for value in each_value([other]))


def _is_told(value: Value, lane: Undefined) -> bool:
    """Whether the masked dimension is the only one of its length."""
    return value.shape is not None and value.shape.count(lane.length) == 1
