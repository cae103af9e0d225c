# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Compute what host code computes from numbers that are written out."""

from collections.abc import Callable

from flakelint.kernel.host_values import Value, made, number
from flakelint.kernel.launches import NUMBER


def folded(head: str, operands: tuple[Value, ...]) -> Value:
    """An expression, computed where all its operands are whole numbers that are written out."""
    numbers = [one.value for one in operands if one.kind == NUMBER and type(one.value) is int]
    if len(numbers) == len(operands) and head in _COMPUTED:
        try:
            result = _COMPUTED[head](*numbers)
        except (ArithmeticError, TypeError, ValueError):
            return made(head, operands)
        return number(result) if abs(result) < 1 << 64 else made(head, operands)
    return made(head, operands)


_COMPUTED: dict[str, Callable] = {
    '+': lambda a, b: a + b,
    '-': lambda a, b: a - b,
    '*': lambda a, b: a * b,
    '//': lambda a, b: a // b,
    '%': lambda a, b: a % b,
    '**': lambda a, b: a**b if 0 <= b < 64 and abs(a) < 1 << 32 else a // 0,
    '<<': lambda a, b: a << b if 0 <= b < 64 else a // 0,
    'cdiv': lambda a, b: -(-a // b),
    'min': min,
    'max': max,
    'next_power_of_2': lambda a: 1 << (a - 1).bit_length() if a > 0 else a // 0,
}
