# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What conditions in host code say of sizes: a launch behind `assert n <= 1024` or in `if n < 4096` has no larger one."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from flakelint.kernel.host_values import TUPLE, Value
from flakelint.kernel.launches import EXPRESSION, FLAG, NUMBER, SIZE
from flakelint.source.expressions import is_power_of_2

_OPPOSITES = {'<': '>=', '>=': '<', '>': '<=', '<=': '>', '==': '!=', '!=': '=='}
_MIRRORED = {'<': '>', '>': '<', '<=': '>=', '>=': '<=', '==': '=='}


class Condition(NamedTuple):
    """A condition of which the outcome is known.

    Args:
        test (Value):
            The condition.
        holds (bool):
            Its outcome.
    """

    test: Value
    holds: bool


def limits(conditions: Iterable[Condition]) -> Iterator[tuple[Value, int]]:
    """What conditions keep small, each with the largest whole number that it can be."""
    for left, operator, right in _comparisons(conditions):
        if operator == 'in':
            numbers = _numbers(right)
            if numbers and None not in numbers:
                yield left, max(map(abs, numbers))
        elif operator in _MIRRORED:
            yield from _compared(left, operator, right)
            yield from _compared(right, _MIRRORED[operator], left)


def whole(conditions: Iterable[Condition]) -> Iterator[Value]:
    """The sizes that conditions show to have no tail: multiples of something, or powers of two."""
    for left, operator, right in _comparisons(conditions):
        if operator == 'in':
            numbers = _numbers(right)
            if numbers and all(number is not None and is_power_of_2(number) for number in numbers):
                yield left
        for one, other in ((left, right), (right, left)) if operator == '==' else ():
            if one.head == '%' and _whole(other) == 0:
                yield one.operands[0]
            elif one.head == 'next_power_of_2':
                yield other


def learned(conditions: Iterable[Condition], env: Mapping[str, Value]) -> dict[str, Value]:
    """The names whose tensors conditions show to be contiguous, with those tensors as such."""
    tensors = [test.tensor for test, holds in _plain(conditions) if holds and test.head == 'is_contiguous']
    return {
        name: replace(value, tensor=replace(value.tensor, contiguous=True, parts=(value.tensor,)))
        for name, value in (env.items() if tensors else ())
        if value.may_be_tensor and any(value.tensor is one for one in tensors)
    }


def _plain(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """The comparisons of which conditions are made, where all of them must come out as they do."""
    stack = list(conditions)
    while stack:
        test, holds = stack.pop()
        if test.kind != FLAG:
            continue
        if test.head == 'not':
            stack.append(Condition(test.operands[0], not holds))
        elif test.head in ('and', 'or'):
            if (test.head == 'and') == holds:
                stack.extend(Condition(one, holds) for one in test.operands)
        else:
            yield Condition(test, holds)


def _comparisons(conditions: Iterable[Condition]) -> Iterator[tuple[Value, str, Value]]:
    """The comparisons of two values of which conditions are made, each as it holds."""
    for test, holds in _plain(conditions):
        operator = test.head if holds else _OPPOSITES.get(test.head, '')
        if len(test.operands) == 2:
            yield test.operands[0], operator, test.operands[1]


def _numbers(values: Value) -> list[int | None]:
    return [_whole(one) for one in values.items] if values.kind == TUPLE else []


def _compared(small: Value, operator: str, large: Value) -> Iterator[tuple[Value, int]]:
    most = _whole(large)
    if most is None or operator not in ('<', '<=', '=='):
        return
    most -= operator == '<'
    if most <= 0 or small.kind == NUMBER:
        return
    yield small, most
    yield from _factors(small, most)


def _factors(product: Value, most: int) -> Iterator[tuple[Value, int]]:
    """What a limit of a product says of its factors: sizes are 1 at least, and one that stands there twice is a root at most."""
    counts: dict[tuple, int] = {}
    found: dict[tuple, Value] = {}
    stack = [product]
    while stack:
        one = stack.pop()
        if one.kind == EXPRESSION and one.head == '*':
            stack.extend(one.operands)
        elif (number := _whole(one)) is not None:
            most //= max(number, 1)
        elif one.kind == SIZE and not one.head:
            key = (id(one.tensor), one.axis)
            counts[key] = counts.get(key, 0) + 1
            found[key] = one
        else:
            return
    if sum(counts.values()) > 1:
        for key, one in found.items():
            yield one, math.isqrt(most) if counts[key] > 1 else most


def _whole(value: Value) -> int | None:
    return value.value if value.kind == NUMBER and type(value.value) is int else None
