# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a condition of a test holds, and of which values it says that they are alike where it does or does not."""

import ast
from typing import Any, NamedTuple

from flakelint.coverage.expressions import evaluate
from flakelint.coverage.operations import compare, truth
from flakelint.coverage.run import Run
from flakelint.coverage.values import Opaque, Scope, Sources, joined, sources_of

_NOTHING: Sources = frozenset()
_UPPER_BOUND, _LOWER_BOUND = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)


class Condition(NamedTuple):
    """A condition.

    Args:
        value (Any):
            Its value.
        if_true (frozenset):
            What it says something of where it holds: that a difference is small.
        if_false (frozenset):
            What it says something of where it does not.
    """

    value: Any
    if_true: Sources
    if_false: Sources


def condition(node: ast.expr, scope: Scope, run: Run) -> Condition:
    """Read a condition."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = condition(node.operand, scope, run)
        known = truth(inner.value)
        return Condition(Opaque() if known is None else not known, inner.if_false, inner.if_true)
    if isinstance(node, ast.BoolOp):
        return _several(node, scope, run)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = evaluate(node.left, scope, run), evaluate(node.comparators[0], scope, run)
        return _compared(node.ops[0], left, right, run)
    value = evaluate(node, scope, run)
    return Condition(value, sources_of(value), _NOTHING)


def _several(node: ast.BoolOp, scope: Scope, run: Run) -> Condition:
    is_and = isinstance(node.op, ast.And)
    parts = []
    for one in node.values:
        parts.append(condition(one, scope, run))
        if truth(parts[-1].value) is (not is_and):
            return parts[-1]
    value = parts[-1].value if all(truth(one.value) is is_and for one in parts) else Opaque(joined(one.value for one in parts))
    if is_and:
        return Condition(value, _NOTHING.union(*(one.if_true for one in parts)), _NOTHING)
    return Condition(value, _NOTHING, _NOTHING.union(*(one.if_false for one in parts)))


def _compared(kind: ast.cmpop, left: Any, right: Any, run: Run) -> Condition:
    value = compare(kind, left, right, run)
    value = Opaque() if value is None else value
    if isinstance(kind, ast.Eq | ast.NotEq):
        sides = sources_of(value), _NOTHING
        return Condition(value, *(sides if isinstance(kind, ast.Eq) else reversed(sides)))
    if isinstance(kind, _UPPER_BOUND):
        return Condition(value, sources_of(left), sources_of(right))
    if isinstance(kind, _LOWER_BOUND):
        return Condition(value, sources_of(right), sources_of(left))
    return Condition(value, _NOTHING, _NOTHING)
