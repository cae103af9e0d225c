# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The state of one walk through a kernel."""

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from flakelint.kernel import shapes, types
from flakelint.kernel.bindings import bound_in
from flakelint.kernel.conditions import conflicts
from flakelint.kernel.constants import TRUTHS, meeting, types_at_run_time
from flakelint.kernel.frames import Access, Call, Conflict, Frame, Meeting, Method, Test
from flakelint.kernel.graph import NOTHING, SCALAR, UNKNOWN, Cases, Guard, Value, cases_of, compatible, gather, narrowed
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.model import Facts, Given

Any_ = Value | Cases


class Walk:
    """The state of one walk through a kernel: what was seen, which conditions hold, and how values are made and meet.

    Args:
        facts (Facts):
            What is known of the kernel beyond its body.
        given (Given):
            What its arguments are taken to be.
    """

    def __init__(self, facts: 'Facts', given: 'Given') -> None:
        self.facts = facts
        self.given = given
        self.accesses: list[Access] = []
        self.conflicts: list[Conflict] = []
        self.meetings: list[Meeting] = []
        # every value, in the order in which they are made
        self.made: list[Value] = []
        self.methods: list[Method] = []
        self.comparisons: list[Value] = []
        self.remainders: list[Value] = []
        self.products: list[Value] = []
        self.addresses: list[Value] = []
        self.aranges: list[Value] = []
        self.counters: list[Value] = []
        self.descriptors: list[Value] = []
        self.constant_calls: list[Call] = []
        self.tests: list[Test] = []
        self.declined: set[tuple[str, bool]] = set()
        self.record: list[tuple[ast.AST, Frame, Any_]] | None = None
        self.offsets: list[tuple[ast.AST, Frame, str]] = []
        self.decided: dict[str, bool] = {}
        self.guard: Guard = NOTHING
        # the run-time conditions around
        self.path: tuple[Any_, ...] = ()
        self.active: list[Any] = []
        self.calls = 0
        self.frame: Frame

    # what the parts of the walk ask for

    def make(self, op: str, operands: tuple[Any_, ...], type_: str, shape: Any, node: ast.AST, **more: Any) -> Value:
        """A new value, made here."""
        value = Value(op, operands, type_, shape, node, self.frame, guard=self.guard, **more)
        self.made.append(value)
        return value

    def resolve(self, node: ast.expr) -> str:
        """The full name of something imported or global that an expression spells; empty for anything else."""
        name = dotted(node)
        if name is None or name.partition('.')[0] in self.frame.env:
            return ''
        return self.frame.kernel.bindings.resolve(name)

    def is_global(self, node: ast.expr) -> bool:
        """Whether an expression is the dotted name of something outside the function."""
        while type(node) is ast.Attribute:
            node = node.value
        return type(node) is ast.Name and node.id not in self.frame.env

    def map(self, function: Callable[[Value], Value], value: Any_) -> Any_:
        """Apply a function to every case of a value."""
        if type(value) is Value:
            return function(value)
        return self._each([(guard, (case,)) for guard, case in value.cases], function)

    def map2(self, function: Callable[[Value, Value], Value], left: Any_, right: Any_) -> Any_:
        """Apply a function to every pair of cases that can hold at once."""
        if type(left) is Value and type(right) is Value:
            return function(left, right)
        return self._each([
            (guard | other, (one, two))
            for guard, one in cases_of(left) for other, two in cases_of(right) if compatible(guard, other)
        ], function)

    def _each(self, pairs: Sequence[tuple[Guard, tuple[Value, ...]]], function: Callable[..., Value]) -> Any_:
        outer, found = self.guard, []
        for guard, operands in pairs:
            if not conflicts(guard, self.decided):
                self.guard = outer | guard
                found.append((guard, function(*operands)))
        self.guard = outer
        return self.gather(found)

    def gather(self, cases: list[tuple[Guard, Value]]) -> Any_:
        """One value of several cases."""
        return gather(cases, lambda one, other: self.meet(one, other, None)) if cases else UNKNOWN

    def conflict(self, kind: str, node: ast.AST, *found: str) -> None:
        """Note that Triton refuses these types here."""
        self.conflicts.append(Conflict(kind, node, self.frame, found))

    # values that meet

    def note(self, kind: str, name: str, node: ast.AST, one: Any_, other: Any_, **more: Any) -> None:
        """Note that values become one at run time."""
        pairs = [(case, found) for guard, case in cases_of(one) for _, found in narrowed(other, guard) if found is not case]
        if pairs:
            self.meetings.append(Meeting(kind, name, node, self.frame, tuple(pairs), **more))

    def note_branch(
        self, node: ast.If, test: Any_ | None, before: dict[str, Any_], one: dict[str, Any_], other: dict[str, Any_],
    ) -> None:
        """Note what the two sides of a branch bind, which one without a condition does not decide at run time."""
        for name in sorted(bound_in((*node.body, *node.orelse))) if test is not None else ():
            first, second = one.get(name), other.get(name)
            if first is not None and second is not None:
                self.note('branch', name, node, first, second, test=test, before=before.get(name))

    def meet(self, left: Value, right: Value, node: ast.AST | None, kind: str = '') -> Value:
        """A value that is either of two, decided at run time; differing widths are noted if `kind` says of what."""
        if left is right and (left.type != types.CONST or not kind):
            return left
        if left.type == right.type == types.TUPLE and len(left.operands) == len(right.operands):
            pairs = zip(left.operands, right.operands, strict=True)
            items = tuple(self.map2(lambda one, other: self.meet(one, other, node, kind), *pair) for pair in pairs)
            return self.make('tuple', items, types.TUPLE, SCALAR, node or left.node)
        one, other = self.at_run_time(left), self.at_run_time(right)
        joined = meeting(one, other)
        if kind and types.differ(one, other):
            self.conflict(kind, node or left.node, one, other)
        return self.make('phi', (left, right), joined, shapes.either(left.shape, right.shape), node or left.node)

    def at_run_time(self, value: Value) -> str:
        """The type that a value has once it is no constant any more."""
        if value.type != types.CONST or value.literal is not None:
            return types_at_run_time(value)
        if value.op == 'static counter':
            return types.INT32
        # a constant of which nothing is known is a number, unless the constants are known
        return types.BOOL if value.op in TRUTHS else types.UNKNOWN if self.given.constants else types.INT32
