# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The values of a kernel as a graph: each knows what it was made of, and of which type and shape it is."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from flakelint.kernel import types

if TYPE_CHECKING:
    import ast

    from flakelint.kernel.frames import Frame

Guard = frozenset[tuple[str, bool]]
NOTHING: frozenset = frozenset()
Shape = tuple[str, ...] | None
SCALAR: Shape = ()

# a name that more flags tell apart than this is taken as one value, the narrowest of all
MAX_CASES = 8


class Value:
    """A value under one set of compile-time conditions.

    Args:
        op (str):
            What makes it: `parameter`, `program_id`, `load`, `add`, `mul`, `phi` and so on.
        operands (tuple[Value | Cases, ...]):
            What it is made of.
        type (str):
            Its type, as in `flakelint.kernel.types`.
        shape (Shape):
            The spelled dimensions of a block; empty for a scalar, `None` where they are not known.
        node (ast.AST | None):
            The expression or statement that makes it.
        frame (Frame | None):
            The function, as it was called, in which that stands.
        literal (Any):
            The value itself, where the source tells it.
        guard (Guard):
            The compile-time conditions under which it is made.
        name (str):
            The parameter, or the first name that it is assigned to.
        detail (Any):
            The axis of a program id, the element type of a pointer.
    """

    __slots__ = ('detail', 'frame', 'guard', 'literal', 'name', 'node', 'op', 'operands', 'shape', 'type')

    def __init__(
        self,
        op: str,
        operands: 'tuple[Value | Cases, ...]' = (),
        type: str = types.UNKNOWN,
        shape: Shape = None,
        node: 'ast.AST | None' = None,
        frame: 'Frame | None' = None,
        literal: Any = None,
        guard: Guard = NOTHING,
        name: str = '',
        detail: Any = None,
    ) -> None:
        self.op = op
        self.operands = operands
        self.type = type
        self.shape = shape
        self.node = node
        self.frame = frame
        self.literal = literal
        self.guard = guard
        self.name = name
        self.detail = detail

    def __repr__(self) -> str:
        return f'<{self.op} {self.name} {self.type}>'


class Cases(NamedTuple):
    """A value that compile-time conditions tell apart."""

    cases: tuple[tuple[Guard, Value], ...]


UNKNOWN = Value('unknown')


def is_none(value: Value | Cases) -> bool:
    """Whether a value is `None`, as it is written out."""
    return type(value) is Value and value.op == 'constant' and value.literal is None


def cases_of(value: Value | Cases) -> tuple[tuple[Guard, Value], ...]:
    """The values that a value may be, each with its conditions."""
    return value.cases if type(value) is Cases else ((NOTHING, value),)


def each_value(values: Iterable[Value | Cases]) -> Iterator[Value]:
    """All values among some, whatever their conditions."""
    for value in values:
        if type(value) is Cases:
            for _, case in value.cases:
                yield case
        else:
            yield value


def reachable(
    roots: Iterable[Value | Cases], parts: Callable[[Value], Iterable[Value | Cases]] = attrgetter('operands'),
) -> Iterator[Value]:
    """Every value that some values are made of, themselves included, once each.

    Args:
        roots (Iterable[Value | Cases]):
            The values.
        parts (Callable[[Value], Iterable[Value | Cases]], Optional):
            What is followed of a value. Default: all of its operands.
    """
    stack, seen = list(each_value(roots)), set()
    while stack:
        value = stack.pop()
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            stack.extend(each_value(parts(value)))


def compatible(guard: Guard, other: Guard) -> bool:
    """Whether two sets of conditions can hold at once."""
    return not guard or not other or not any((atom, not truth) in other for atom, truth in guard)


def gather(cases: list[tuple[Guard, Value]], join: Callable[[Value, Value], Value]) -> Value | Cases:
    """One value of several cases; what no condition tells apart is one, and too many are joined."""
    merged: dict[int, tuple[Guard, Value]] = {}
    for guard, value in cases:
        before = merged.get(id(value))
        merged[id(value)] = (guard, value) if before is None else (before[0] & guard, value)
    found = list(merged.values())
    if len(found) > MAX_CASES:
        joined = found[0][1]
        for _, value in found[1:]:
            joined = join(joined, value)
        return joined
    return found[0][1] if len(found) == 1 else Cases(tuple(found))


def narrowed(value: Value | Cases, guard: Guard) -> list[tuple[Guard, Value]]:
    """The cases of a value that can hold under further conditions."""
    return [(guard | inner, case) for inner, case in cases_of(value) if compatible(guard, inner)]
