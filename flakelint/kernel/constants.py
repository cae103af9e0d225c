# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Compile-time constants: what is computed of them, and what they are at run time."""

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Value, cases_of

COMPILE_TIME = frozenset({types.CONST, types.NONE, types.DTYPE})

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    'add': operator.add, 'sub': operator.sub, 'mul': operator.mul, 'floordiv': operator.floordiv, 'mod': operator.mod,
    'div': operator.truediv, 'shl': operator.lshift, 'shr': operator.rshift, 'and': operator.and_, 'or': operator.or_,
    'xor': operator.xor, 'pow': operator.pow, 'min': min, 'max': max,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SYMBOLS = {
    ast.Eq: 'eq', ast.NotEq: 'ne', ast.Lt: 'lt', ast.LtE: 'le', ast.Gt: 'gt', ast.GtE: 'ge', ast.Is: 'is', ast.IsNot: 'is not',
    ast.In: 'in', ast.NotIn: 'not in',
}
OPPOSITES = {'lt': 'ge', 'le': 'gt', 'gt': 'le', 'ge': 'lt'}
# what these give is true or false
TRUTHS = frozenset({*SYMBOLS.values(), 'not', 'all', 'any'})
# what may be None without saying so; what is computed is a number
_PERHAPS_NONE = frozenset({'attribute', 'call', 'constant', 'global', 'item', 'parameter', 'unknown'})
# constants beyond this are not worked out
_LARGE = 1 << 128


# what is a constant where all that it is made of are constants
_FOLDED = frozenset({*_FOLD, 'neg', 'invert', 'cdiv'})


def may_be_constant(value: Value) -> bool:
    """Whether a value is a compile-time constant where an argument is 1 (or None): the argument, and what is folded of it."""
    if value.op == 'parameter':
        return types.is_integer(value.type) and value.detail is not None
    if value.op not in _FOLDED or value.type not in types.INTEGERS:
        return False
    cases = [case for operand in value.operands for _, case in cases_of(operand)]
    return all(case.type == types.CONST or may_be_constant(case) for case in cases)


def types_at_run_time(value: Value) -> str:
    """The type that a value has once it is no constant any more."""
    return types.of_literal(value.literal) if value.type == types.CONST and value.literal is not None else value.type


def meeting(one: str, other: str) -> str:
    """The type of a value that is one of two at run time."""
    if one == other:
        return one
    if types.is_integer(one) and types.is_integer(other):
        # values that meet at run time have one type, so a loaded one has that of what it meets
        certain = [name for name in (one, other) if '?' not in name]
        return min(certain or (one, other), key=types.bits)
    if types.CONST in (one, other):
        runtime = other if one == types.CONST else one
        return runtime if types.is_integer(runtime) or runtime == types.FLOAT else types.UNKNOWN
    return types.UNKNOWN


def folded(op: str, left: Any, right: Any) -> Any:
    """The value of an operation on two constants, if both are known."""
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    if op in ('shl', 'pow') and not (0 <= right < 128 and abs(left) < _LARGE):
        return None
    result = _attempt(_FOLD[op], left, right) if op in _FOLD else None
    return result if isinstance(result, int | float) and abs(result) < _LARGE else None


def compared(kind: type[ast.cmpop], left: Any, right: Any) -> bool | None:
    """The value of a comparison of two constants."""
    return _attempt(COMPARE[kind], left, right)


def _attempt(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    try:
        return function(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return None


def truth_of(value: Value) -> bool | None:
    """Whether a constant is true, if that is known."""
    if value.type == types.NONE:
        return False
    return None if value.literal is None else bool(value.literal)


def are_told_apart(left: Value, right: Value) -> bool:
    """Whether two dtypes are the same just where what is known of them is; all floats look alike."""
    return (types.is_integer(left.literal) or types.is_integer(right.literal)) and '?' not in f'{left.literal}{right.literal}'


def logical(name: str, found: Sequence[Value]) -> bool | None:
    """The value of `and` (`all`) or `or` (`any`) of constants, if it is known."""
    truths = [truth_of(value) for value in found]
    decisive = name == 'any'
    if decisive in truths:
        return decisive
    return None if None in truths else not decisive


def identity(kind: type[ast.cmpop], left: Value, right: Value) -> bool | None:
    """The value of `is` or `is not`, which are only asked of None."""
    if right.type != types.NONE:
        return None
    if left.type == types.NONE:
        same = True
    elif left.literal is None and left.op in _PERHAPS_NONE:
        return None
    else:
        same = False
    return same if kind is ast.Is else not same


def promoted(found: list[Value]) -> str:
    """The type of a loop's counter: that of its bounds and its step together."""
    runtime = [value for value in found if value.type != types.CONST]
    joined = ''
    for position, value in enumerate(runtime):
        joined = value.type if position == 0 else types.promote(joined, value.type)
    for value in found:
        if value.type == types.CONST:
            constant = types.of_literal(value.literal) if value.literal is not None else types.INT32
            joined = types.promote(joined, constant) if joined or runtime else constant
            if not runtime:
                runtime = [value]
    return joined


def rounds_of(bounds: 'Sequence[Value | Cases]', most: int) -> list[int | None] | None:
    """The values of the counter of a loop that is unrolled, if they are known and few."""
    literals = [bound.literal if type(bound) is Value else None for bound in bounds]
    if not 1 <= len(literals) <= 3 or not all(type(one) is int for one in literals) or literals[2:] == [0]:
        return None
    rounds = range(*literals)
    return list(rounds) if len(rounds) <= most else None
