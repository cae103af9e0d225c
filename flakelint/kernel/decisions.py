# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether the conditions of a kernel are decided when it is compiled, or at run time."""

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.conditions import guards
from flakelint.kernel.constants import COMPILE_TIME, truth_of
from flakelint.kernel.graph import NOTHING, Guard, Value, cases_of
from flakelint.kernel.staging import is_run_time

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model


class Decision(NamedTuple):
    """How a condition is decided.

    Args:
        is_static (bool | None):
            Whether when the kernel is compiled; `None` where it is not known.
        truth (bool | None):
            Its value, if that is known.
        yes (Guard):
            What is known to hold of constants where it is true; else Triton looks at the other branch alone.
        no (Guard):
            What is known to hold of them where it is false.
    """

    is_static: bool | None
    truth: bool | None = None
    yes: Guard = NOTHING
    no: Guard = NOTHING


Decide = Callable[[ast.expr], Decision]


def by_syntax(kernel: 'Kernel', same: Mapping[str, tuple[str, bool]] = MappingProxyType({})) -> Decide:
    """Decisions as the conditions alone show them; what is not made of constants may be decided at run time.

    Args:
        kernel (Kernel):
            The kernel.
        same (Mapping[str, tuple[str, bool]], Optional):
            Conditions that are another one, or its opposite. Default: none.
    """
    changing = _changing(kernel)
    fixed = {one.name for one in kernel.parameters if one.is_constexpr} - changing

    def decide(test: ast.expr) -> Decision:
        if not _is_static(test, fixed, changing):
            return Decision(False, None, *constant_part(test))
        return Decision(True, bool(test.value) if isinstance(test, ast.Constant) else None, *guards(test, {}, same))

    def constant_part(test: ast.expr) -> tuple[Guard, Guard]:
        parts = [guards(one, {}, same) for one in getattr(test, 'values', ()) if _is_static(one, fixed, changing)]
        yes, no = NOTHING.union(*(yes for yes, _ in parts)), NOTHING.union(*(no for _, no in parts))
        return (yes, NOTHING) if isinstance(getattr(test, 'op', None), ast.And) else (NOTHING, no)

    return decide


def by_model(kernel: 'Kernel', model: 'Model', trusts: bool) -> Decide:
    """Decisions as the model knows them.

    Args:
        kernel (Kernel):
            The kernel.
        model (Model):
            Its model.
        trusts (bool):
            Whether its parameters are arguments of a launch; those of a helper may be constants.
    """
    same = model.facts.same_conditions
    spelled = by_syntax(kernel, same)
    changing = _changing(kernel)
    asked: dict[int, list[Value]] = {}
    for test in model.tests:
        if test.frame is model.frame:
            asked.setdefault(id(test.node.test), []).extend(case for _, case in cases_of(test.value))

    def decide(test: ast.expr) -> Decision:
        known, values = spelled(test), asked.get(id(test), [])
        if values and all(value.type in COMPILE_TIME for value in values):
            if changing & _names(test):
                return Decision(None)
            truths = {truth_of(value) for value in values}
            return Decision(True, truths.pop() if len(truths) == 1 else None, *guards(test, {}, same))
        if known.is_static or not values:
            return known if known.is_static else Decision(None)
        return known if all(is_run_time(value, trusts) for value in values) else Decision(None, None, known.yes, known.no)

    return decide


def _is_static(test: ast.expr, fixed: set[str], changing: set[str]) -> bool:
    """Whether a condition is made of constants, or only asks what is None."""
    if isinstance(test, ast.BoolOp):
        return all(_is_static(value, fixed, changing) for value in test.values)
    if isinstance(test, ast.UnaryOp):
        return _is_static(test.operand, fixed, changing)
    if isinstance(test, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in test.ops):
        return not changing & _names(test)
    is_plain = not any(isinstance(node, ast.Call | ast.Attribute | ast.Subscript) for node in ast.walk(test))
    return is_plain and _names(test) <= fixed


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _changing(kernel: 'Kernel') -> set[str]:
    """The names that are bound more than once, or by a loop."""
    count = Counter(one.name for one in kernel.parameters)
    for node in kernel.body:
        if isinstance(node, ast.For):
            count.update(2 * list(_names(node.target)))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            count[node.id] += 1
    return {name for name, number in count.items() if number > 1}
