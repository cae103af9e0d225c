# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The `return` statements of a kernel: those that Triton refuses for where they stand, and those that do not fit together."""

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.conditions import guards
from flakelint.kernel.graph import NOTHING, Guard, compatible
from flakelint.kernel.reached import STATIC_RANGE, left_out, range_of

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel


class Return(NamedTuple):
    """A `return` that Triton gets to.

    Args:
        node (ast.Return):
            The statement.
        inside (ast.For | ast.While | ast.With | None):
            The innermost statement around it in which no return may stand.
        branches (tuple[tuple[ast.If, bool], ...]):
            The branches around it, from the outside; whether it stands in the part that is taken where the condition is true.
    """

    node: ast.Return
    inside: ast.For | ast.While | ast.With | None
    branches: tuple[tuple[ast.If, bool], ...]

    @property
    def items(self) -> int | None:
        """How many values it returns at once: 0 for none, 1 for one that is certainly no tuple, None where that is not seen."""
        value = self.node.value
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return 0
        if isinstance(value, ast.Tuple) and len(value.elts) > 1:
            return None if any(isinstance(one, ast.Starred) for one in value.elts) else len(value.elts)
        return 1 if isinstance(value, ast.BinOp | ast.Compare | ast.UnaryOp | ast.Constant) else None


def returns(kernel: 'Kernel') -> list[Return]:
    """The `return` statements that Triton gets to, in order."""
    found = [node for node in kernel.body if isinstance(node, ast.Return)]
    if not found:
        return []
    skipped = left_out(kernel)
    return [one for one in _returns(kernel.definition.body, None, (), kernel) if id(one.node) not in skipped]


def falls_through(block: Sequence[ast.stmt]) -> bool:
    """Whether statements may come to their end without a `return`."""
    for statement in block:
        if isinstance(statement, ast.Return | ast.Raise):
            return False
        ends = isinstance(statement, ast.If) and statement.orelse and not falls_through(statement.body)
        if ends and not falls_through(statement.orelse):
            return False
    return True


def may_meet(one: Return, other: Return, late: Collection[ast.If]) -> bool:
    """Whether Triton may compile both of two returns; what stands behind a compile-time branch that returns is compiled as well.

    Args:
        one (Return):
            A return.
        other (Return):
            Another one of the same function.
        late (Collection[ast.If]):
            The branches that are decided at run time, of which both sides are compiled.
    """
    sides = {branch: truth for branch, truth in one.branches if branch not in late}
    if any(sides.get(branch, truth) != truth for branch, truth in other.branches):
        return False
    return compatible(_guard(one, late), _guard(other, late))


def _guard(one: Return, late: Collection[ast.If]) -> Guard:
    """The compile-time conditions under which a return is reached, as their text shows."""
    found = NOTHING
    for branch, truth in one.branches:
        if branch not in late:
            found |= guards(branch.test, {}, {})[0 if truth else 1]
    return found


def _returns(
    block: Sequence[ast.stmt], inside: ast.stmt | None, branches: tuple, kernel: 'Kernel',
) -> Iterator[Return]:
    for node in block:
        if isinstance(node, ast.Return):
            yield Return(node, inside, branches)
        elif isinstance(node, ast.If):
            yield from _returns(node.body, inside, (*branches, (node, True)), kernel)
            yield from _returns(node.orelse, inside, (*branches, (node, False)), kernel)
        elif isinstance(node, ast.For | ast.While | ast.With):
            closed = node if _closes(node, kernel) else inside
            yield from _returns(node.body, closed, branches, kernel)


def _closes(node: ast.For | ast.While | ast.With, kernel: 'Kernel') -> bool:
    """Whether no return may stand in a statement; a loop over an iterator that is not known may be unrolled."""
    return not isinstance(node, ast.For) or range_of(node.iter, kernel) not in ('', STATIC_RANGE)
