# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Names that a loop or a branch gives another type, another shape, or another life than the one that they begin with."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.bindings import bound_in
from flakelint.kernel.constants import COMPILE_TIME
from flakelint.kernel.exact_types import NONE, Kind, differ
from flakelint.kernel.graph import Value, each_value
from flakelint.kernel.launches import NUMBER
from flakelint.kernel.scopes import Scopes
from flakelint.kernel.staging import is_run_time
from flakelint.kernel.typed_branches import TypedBranches
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.frames import Meeting
    from flakelint.kernel.launches import Launch
    from flakelint.kernel.model import Model

LOOP = 'loop'
BRANCH = 'branch'
SIDES = 'sides'
TERNARY = 'ternary'

_RANGES = frozenset({'range', 'triton.language.range', 'triton.language.core.range'})


class Change(NamedTuple):
    """A name that changes what it is.

    Args:
        kind (str):
            `loop`, `branch` where a branch changes what was there before, `sides` for what only its two sides bind, `ternary`.
        meeting (Meeting):
            Where its values meet.
        node (ast.AST):
            The statement or expression to blame.
        start (Kind):
            What it is at first.
        end (Kind):
            What it becomes.
        origin (Value):
            What it holds at first.
        launch (Launch | None, Optional):
            The launch that makes it a constant. Default: `None`.
    """

    kind: str
    meeting: 'Meeting'
    node: ast.AST
    start: Kind
    end: Kind
    origin: Value
    launch: 'Launch | None' = None


def changes(model: 'Model', exact: 'Exact') -> Iterator[Change]:
    """The names of a kernel that certainly change what they are, in the order in which that is found."""
    typed = TypedBranches()
    tests = {id(one.node) for one in model.tests if is_run_time(one.value, exact.is_launched)}
    scopes = Scopes(lambda node: id(node) in tests)
    for one in _all_changes(model, exact, tests, scopes):
        if not typed.has(one.meeting.node, one.meeting.frame) and not _hangs_together(one, tests):
            yield one


def _all_changes(model: 'Model', exact: 'Exact', tests: set[int], scopes: Scopes) -> Iterator[Change]:
    for meeting in model.meetings:
        scope = scopes.of(meeting.node, meeting.frame.kernel)
        if meeting.kind == LOOP:
            yield from _looped(meeting, model, exact) if meeting.name in scope.before else ()
        elif meeting.kind == TERNARY:
            yield from _chosen(meeting, exact) if id(meeting.node) in tests else ()
        elif id(meeting.node) in tests:
            yield from _branched(meeting, exact) if meeting.name in scope.before else ()
            yield from _bound_twice(meeting, exact) if meeting.name in scope.both - scope.before else ()


def _looped(meeting: 'Meeting', model: 'Model', exact: 'Exact') -> Iterator[Change]:
    statement = None
    if not _is_loop(meeting):
        return
    found = []
    for start, end in meeting.pairs:
        origin = next(each_value([start.operands[0]])) if start.op == 'phi' else start
        before, after = exact.of(origin), exact.of(end)
        launch = None
        if before.is_constant:
            is_bad = not after.is_constant and end.type not in COMPILE_TIME and _is_plain_constant(origin, before)
        else:
            launch = _launch_with_one(origin, model)
            is_bad = launch is not None or differ(before, after)
        statement = statement or (_binding(meeting) if is_bad else None)
        is_bad = is_bad and statement is not None and not (before.is_constant and _asks_first(meeting, statement))
        found.append(Change(LOOP, meeting, statement, before, after, origin, launch) if is_bad else None)
    yield from _certain(meeting, found)


def _certain(meeting: 'Meeting', found: list[Change | None]) -> Iterator[Change]:
    """The first of the changes in all variants, unless they may hang together in a way that is not seen."""
    starts, ends = {id(start) for start, _ in meeting.pairs}, {id(end) for _, end in meeting.pairs}
    bad = [one for one in found if one is not None]
    if bad and (len(bad) == len(found) or 1 in (len(starts), len(ends))):
        yield bad[0]


def _branched(meeting: 'Meeting', exact: 'Exact') -> Iterator[Change]:
    before = list(each_value([meeting.before])) if meeting.before is not None else []
    if len(before) != 1:
        return
    start = exact.of(before[0])
    for position in (0, 1):
        for end in {id(pair[position]): pair[position] for pair in meeting.pairs}.values():
            if end is not before[0] and _is_changed(start, exact.of(end), before[0]):
                statement = _binding(meeting, position)
                if statement is not None:
                    yield Change(BRANCH, meeting, statement, start, exact.of(end), before[0])
                    return
                break


def _bound_twice(meeting: 'Meeting', exact: 'Exact') -> Iterator[Change]:
    statement = None
    found: list[Change | None] = []
    for one, other in meeting.pairs:
        first, second = exact.of(one), exact.of(other)
        is_bad = not first.is_constant and not second.is_constant and differ(first, second)
        statement = statement or (_binding(meeting) if is_bad else None)
        is_bad = is_bad and statement is not None
        found.append(Change(SIDES, meeting, statement, first, second, one) if is_bad else None)
    yield from _certain(meeting, found)


def _is_changed(start: Kind, end: Kind, origin: Value) -> bool:
    if start.is_constant:
        return not end.is_constant and _is_plain_constant(origin, start) and start.dtype != NONE
    return not end.is_constant and differ(start, end)


def _chosen(meeting: 'Meeting', exact: 'Exact') -> Iterator[Change]:
    found: list[Change | None] = []
    for one, other in meeting.pairs:
        first, second = (exact.settled(value) for value in (one, other))
        is_bad = differ(first, second)
        found.append(Change(TERNARY, meeting, meeting.node, first, second, one) if is_bad else None)
    yield from _certain(meeting, found)


def _is_plain_constant(origin: Value, kind: Kind) -> bool:
    """Whether a constant is one that a kernel can reassign by mistake: an argument, a name that is declared so, a literal, None."""
    return origin.op in ('parameter', 'constant') or kind.dtype == NONE or isinstance(kind.literal, int | float)


def _launch_with_one(origin: Value, model: 'Model') -> 'Launch | None':
    """The launch that passes 1 for an argument that is specialised, which makes it a constant."""
    if origin.op != 'parameter' or origin.type in COMPILE_TIME or origin.name in model.kernel.do_not_specialize:
        return None
    if any(one.name == origin.name and one.annotation for one in model.kernel.parameters):
        return None
    for launch in model.facts.launches:
        passed = launch.parameters.get(origin.name)
        if passed is not None and passed.kind == NUMBER and type(passed.value) is int and passed.value == 1:
            return launch
    return None


def _asks_first(meeting: 'Meeting', statement: ast.stmt) -> bool:
    """Whether a loop asks for what a name is before it assigns it, as in `if x is not None`."""
    for node in ast.walk(meeting.node):
        if isinstance(node, ast.If) and any(one is statement for one in ast.walk(node)):
            names = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
            if meeting.name in names:
                return True
    return False


def _hangs_together(change: Change, tests: set[int]) -> bool:
    """Whether what a name is first and what it becomes depend on flags, which may exclude each other in a way that is not seen."""
    meeting, start = change.meeting, change.origin.node
    if start is None or change.kind not in (LOOP, BRANCH):
        return False
    top = meeting.frame.kernel.definition
    before = _flags_around(start, top, tests) - _flags_around(meeting.node, top, tests)
    return bool(before) and bool(_flags_around(change.node, meeting.node, tests) - {id(meeting.node)})


def _flags_around(node: ast.AST, top: ast.AST, tests: set[int]) -> set[int]:
    """The compile-time branches around a node."""
    flags = [one for one in ast.walk(top) if isinstance(one, ast.If | ast.IfExp) and id(one) not in tests and one is not node]
    return {id(one) for one in flags if any(part is node for part in ast.walk(one))}


def _is_loop(meeting: 'Meeting') -> bool:
    """Whether a loop is certainly one of the run time."""
    node = meeting.node
    if isinstance(node, ast.While):
        return True
    spelled = dotted(node.iter.func) if isinstance(node.iter, ast.Call) else None
    if spelled is None or spelled.partition('.')[0] in meeting.frame.env:
        return False
    return meeting.frame.kernel.bindings.resolve(spelled) in _RANGES


def _binding(meeting: 'Meeting', side: int | None = None) -> ast.stmt | None:
    """The last statement of a loop or of a side of a branch that binds a name, other than as the counter of a loop."""
    node = meeting.node
    body = [*node.body, *node.orelse] if side is None else node.orelse if side else node.body
    found = None
    for statement in ast.walk(ast.Module(body, [])):
        if isinstance(statement, ast.Assign | ast.AugAssign) and meeting.name in bound_in([statement]):
            found = statement if found is None or statement.lineno > found.lineno else found
    return found
