# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What operations on values and comparisons of them give."""

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from flakelint.coverage.run import Run
from flakelint.coverage.shapes import of_operation
from flakelint.coverage.values import Choice, Named, Opaque, is_known, joined, sources_of

# no list or text is made longer, and no number raised to more, than this
LONGEST, _HIGHEST, LARGEST = 10_000, 64, 10**18

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}
# formats without widths that matter, and without attributes of what they are given
_PERCENT = re.compile(r'(?:[^%]|%%|%(?:\(\w+\))?[-+0 ]?\d{0,2}(?:\.\d{1,2})?[sdrifgex])*')
_BRACES = re.compile(r'(?:[^{}]|\{\{|\}\}|\{\w*(?:![rs])?(?::[-+0<>^]?\d{0,2}(?:\.\d{1,2})?[a-z]?)?\})*')
_GROWING = (ast.Mult, ast.Pow, ast.LShift)
ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def truth(value: Any) -> bool | None:
    """Whether a value counts as true; `None` where that is not known."""
    if isinstance(value, Opaque | Choice):
        return None
    try:
        return bool(value)
    except ERRORS:
        return None


def is_plain_format(text: str) -> bool:
    """Whether what `str.format` makes of a text is about as long as it and its arguments."""
    return _BRACES.fullmatch(text) is not None


def operate(kind: type, left: Any, right: Any) -> Any:
    """What an operation on two values gives."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Choice) and not isinstance(other, Choice | Opaque):
            pairs = [(one, other) if side is left else (other, one) for one in side.options]
            found = [operate(kind, *pair) for pair in pairs]
            is_list = all(isinstance(one, list | tuple) for one in found)
            return Choice(tuple(found)) if is_list else Opaque(joined(found))
    apply = _OPERATIONS.get(kind)
    if apply is None or isinstance(left, Opaque) or isinstance(right, Opaque) or _is_huge(kind, left, right):
        return of_operation(left, right)
    try:
        return apply(left, right)
    except ERRORS:
        return Opaque(joined([left, right]))


def _is_huge(kind: type, left: Any, right: Any) -> bool:
    if kind is ast.Mod and isinstance(left, str):
        # a format may ask for a text of any length
        return _PERCENT.fullmatch(left) is None
    if kind not in _GROWING:
        return False
    if isinstance(left, int | float) and isinstance(right, int | float):
        return abs(left) > LARGEST or abs(right) > (LARGEST if kind is ast.Mult else _HIGHEST)
    return _size(left) * _size(right) > LONGEST


def _size(value: Any) -> float:
    if isinstance(value, list | tuple):
        return sum(max(_size(one), 1) if isinstance(one, list | tuple) else 1 for one in value)
    return len(value) if isinstance(value, str) else abs(value) if isinstance(value, int | float) else 0


def compare(kind: ast.cmpop, left: Any, right: Any, run: Run) -> Any:
    """What a comparison of two values gives; `None` where that is not known, and the values say nothing."""
    if isinstance(kind, ast.Is | ast.IsNot):
        found = _is_same(left, right)
        return found if found is None or isinstance(kind, ast.Is) else not found
    if isinstance(left, Named) or isinstance(right, Named):
        same = _is_one(left, right)
        return Opaque() if same is None or type(kind) not in (ast.Eq, ast.NotEq) else same is isinstance(kind, ast.Eq)
    if not is_known(left) or not is_known(right):
        sides = sources_of(left), sources_of(right)
        is_equality = isinstance(kind, ast.Eq | ast.NotEq)
        return Opaque(run.difference(*sides) if is_equality and any(sides) else sides[0] | sides[1])
    try:
        return _COMPARISONS[type(kind)](left, right)
    except ERRORS:
        return Opaque()


def _is_one(left: Any, right: Any) -> bool | None:
    """Whether two values are equal, one of them of another package."""
    names = [one.canonical if isinstance(one, Named) else '' for one in (left, right)]
    if names[0] == names[1]:
        return True
    return False if all(name.startswith('torch.') for name in names) or None in (left, right) else None


def _is_same(left: Any, right: Any) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if other is None and isinstance(one, Opaque):
            # what is made of something is something
            return False if (one.sources or one.shape is not None) and not one.may_be_none else None
    if None in (left, right) or isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return None
