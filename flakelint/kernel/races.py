# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Stores by which all programs along an axis of the grid write one place, so that the last one wins.

What is told has to show in the kernel itself. Where an address, a mask or a condition holds anything that the model does not follow, nothing is said.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.alone import may_be_alone
from flakelint.kernel.graph import NOTHING, Cases, Guard, Value, cases_of, compatible, is_none, reachable
from flakelint.kernel.origins import base_of, bases_of
from flakelint.kernel.updates import operation

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access, Frame
    from flakelint.kernel.model import Model

# what is made of these only is understood
_FOLLOWED = frozenset({
    'add', 'all', 'and', 'any', 'arange', 'assign', 'attribute', 'block pointer', 'cast', 'cdiv', 'constant', 'counter', 'div',
    'ends', 'eq', 'fill', 'floordiv', 'ge', 'global', 'gt', 'invert', 'is', 'is not', 'le', 'load', 'lt', 'max', 'min', 'mod',
    'mul', 'ne', 'neg', 'none', 'not', 'num_programs', 'or', 'parameter', 'phi', 'program_id', 'reduce', 'shl', 'shr',
    'static counter', 'sub', 'trans', 'tuple', 'view', 'where', 'xor',
})
_AXES = (0, 1, 2)
# what programs that wait for each other call
_LOCKS = frozenset({'atomic_cas', 'atomic_xchg'})


class Overwritten(NamedTuple):
    """A store by which programs write one place.

    Args:
        access (Access):
            The store.
        axis (int):
            The axis of the grid along which they do.
        source (Value):
            The program id that what they write depends on.
    """

    access: 'Access'
    axis: int
    source: Value


def waits(model: 'Model') -> bool:
    """Whether programs may wait for each other: a lock, or a loop until something that is loaded changes."""
    if any(access.kind == 'atomic' and operation(access) in _LOCKS for access in model.accesses):
        return True
    loads = {id(access.node) for access in model.accesses if access.kind != 'store'}
    frames = {id(access.frame): access.frame for access in model.accesses}
    return any(
        id(node) in loads for frame in frames.values() for loop in frame.kernel.body if isinstance(loop, ast.While)
        for node in ast.walk(loop.test)
    )


class Programs:
    """What the programs of a kernel have in common along an axis of the grid.

    Args:
        model (Model):
            The kernel.
    """

    def __init__(self, model: 'Model') -> None:
        self._model = model
        self._masks = {(id(one.node), id(one.frame)): one.mask for one in model.accesses if one.mask is not None}
        self._written = bases_of(one.address for one in model.accesses if one.kind in ('store', 'atomic'))
        roots = [part for one in model.accesses for part in (one.address, one.stored) if part is not None]
        # the graph is large, and most addresses have all axes
        self._axes = self._axes_of(roots)

    def overwritten(self) -> Iterator[Overwritten]:
        """The stores of a value that a program axis tells apart, to an address that it does not."""
        if not waits(self._model):
            for access in self._model.accesses:
                # where a variant of the address has an axis, the others are for grids without it
                missing = self._axes - self._axes_of([access.address]) if access.kind == 'store' else NOTHING
                if missing and access.stored is not None:
                    yield from self._shared(access, missing)

    def _shared(self, access: 'Access', missing: frozenset[int]) -> Iterator[Overwritten]:
        """The axes, among those that the address misses, along which programs write one place, for each variant of it."""
        for condition, pointer in cases_of(access.address):
            guard = access.guard | condition
            if not compatible(access.guard, condition):
                continue
            written = [
                (guard | other, self._sources(stored, guard | other))
                for other, stored in cases_of(access.stored) if compatible(guard, other)
            ]
            for axis in sorted(missing & {axis for _, sources in written for axis in sources}):
                if not self._misses(access, pointer, axis):
                    continue
                told = [(inner, sources[axis]) for inner, sources in written if axis in sources]
                for inner, source in told:
                    # what tells variants of the value apart matters only if one of them does without the axis
                    if not self._may_be_alone(guard if len(told) == len(written) else inner, axis):
                        yield Overwritten(access, axis, source)

    def _sources(self, value: Value, guard: Guard) -> dict[int, Value]:
        """The program ids that a value depends on under some conditions, by their axes."""
        found = {one.detail: one for one in _made_of(value, guard) if one.op == 'program_id'}
        return {axis: one for axis, one in found.items() if axis in _AXES}

    def _axes_of(self, roots: Iterable[Value | Cases]) -> frozenset[int]:
        """The axes of the program ids that values are made of, all of them where one is not known."""
        found = {value.detail for value in reachable(roots, self._parts) if value.op == 'program_id'}
        return frozenset(_AXES if None in found else found)

    def _depends(self, roots: Iterable[Value | Cases], axis: int) -> bool:
        """Whether values are made of the program id of an axis, or of one whose axis is not known."""
        return axis in self._axes_of(roots)

    def _misses(self, access: 'Access', pointer: Value, axis: int) -> bool:
        """Whether neither the address nor anything that is asked on the way has to do with an axis."""
        bases = {(base.name, base.type) for base in base_of(pointer)}
        rounds = self._rounds(access.node, access.frame)
        if len(bases) != 1 or bases.pop()[1] != types.POINTER or rounds is None:
            return False
        masks = [access.mask] if access.mask is not None and not is_none(access.mask) else []
        return self._is_same([pointer, *masks, *access.path, *rounds], axis)

    def _is_same(self, roots: Iterable[Value | Cases], axis: int) -> bool:
        """Whether values are surely the same for all programs along an axis."""
        for value in reachable(roots, self._parts):
            if value.op not in _FOLLOWED or (value.op == 'program_id' and value.detail in (axis, None)):
                return False
            if (value.op == 'load' and not self._is_kept(value)) or (value.op == 'phi' and not self._has_rounds(value, axis)):
                return False
        return True

    def _is_kept(self, load: Value) -> bool:
        """Whether something is loaded that the kernel leaves as it is."""
        bases = {(base.name, base.type) for base in base_of(load.operands[0])}
        if not isinstance(load.node, ast.Call) or getattr(load.node.func, 'attr', '') != 'load' or len(bases) != 1:
            return False
        ((name, kind),) = bases
        return kind == types.POINTER and name not in self._written

    def _has_rounds(self, carried: Value, axis: int) -> bool:
        """Whether a value is what a loop makes of it, in as many rounds for all programs along an axis."""
        if not isinstance(carried.node, ast.For):
            return False
        counters = [one for one in self._model.counters if one.node is carried.node.target and one.frame is carried.frame]
        return bool(counters) and not self._depends(counters, axis)

    def _rounds(self, node: ast.AST, frame: 'Frame | None') -> list[Value] | None:
        """How often the loops around a place run; `None` where that is not known."""
        found: list[Value] = []
        while frame is not None:
            for loop in frame.kernel.body:
                if not isinstance(loop, ast.For | ast.While) or not _is_in(node, loop.body):
                    continue
                if isinstance(loop, ast.While):
                    return None
                counters = [one for one in self._model.counters if one.node is loop.target and one.frame is frame]
                if not counters and 'static_range' not in ast.unparse(loop.iter):
                    return None
                found.extend(counters)
            frame, node = frame.caller, frame.call
        return found

    def _parts(self, value: Value) -> tuple[Value | Cases, ...]:
        """What a value is made of, what chose it and what masked it included."""
        if value.op == 'where' and value.detail is not None:
            return (*value.operands, value.detail)
        mask = self._masks.get((id(value.node), id(value.frame))) if value.op == 'load' else None
        return value.operands if mask is None else (*value.operands, mask)

    def _may_be_alone(self, guard: Guard, axis: int) -> bool:
        """Whether the grid may have one program only along an axis, where conditions hold."""
        others = [
            access for access in self._model.accesses if access.kind in ('store', 'atomic')
            and (access.kind == 'atomic' or self._depends([access.address, *access.path], axis))
        ]
        # where something else happens that cares for the axis, this is for grids without it
        if any((text, not truth) in access.guard for text, truth in guard for access in others):
            return True
        return may_be_alone(self._model, guard, axis)


def _is_in(node: ast.AST, statements: list[ast.stmt]) -> bool:
    return statements[0].lineno <= node.lineno <= (statements[-1].end_lineno or 0)


def _made_of(value: Value, guard: Guard) -> Iterator[Value]:
    """What a value is made of under some conditions."""
    def parts(one: Value) -> Iterator[Value]:
        for part in (*one.operands, one.detail) if one.op == 'where' and one.detail is not None else one.operands:
            for condition, case in cases_of(part):
                if compatible(condition, guard) and compatible(case.guard, guard):
                    yield case

    yield from reachable([value], parts)
