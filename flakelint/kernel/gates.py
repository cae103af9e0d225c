# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Exponentials of outer differences of a vector with itself, of which one half grows without bound, and how that half is masked."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Value, each_value, reachable
from flakelint.kernel.strides import plain

_SAME = frozenset({'assign', 'cast', 'view', 'trans'})
_ORDERS = frozenset({'ge', 'gt', 'le', 'lt'})
_JOINED = frozenset({'and', 'or', 'all', 'any', 'mul', 'invert', 'not', *_SAME})
# through these a number that is no number stays in its lane
_LANEWISE = frozenset({'add', 'sub', 'mul', 'div', 'neg', 'max', 'min', 'phi', *_SAME})


class TooLate(NamedTuple):
    """An exponential, and the product with 0 that is to remove half of it.

    Args:
        exp (Value):
            The exponential.
        product (Value):
            The product.
        vector (Value):
            What is subtracted from itself.
    """

    exp: Value
    product: Value
    vector: Value


def masked_too_late(values: Sequence[Value]) -> Iterator[TooLate]:
    """The exponentials among the values of a kernel that may be infinite where they are multiplied by 0, and are not chosen from afterwards."""
    outer = {id(value): vector for value in values if (vector := _outer(value)) is not None}
    if not outer:
        return
    chosen = {
        id(part)
        for value in values if value.op == 'where' and value.detail is not None and _is_triangle(value.detail)
        for part in reachable(value.operands, _lanewise)
    }
    for value in values:
        if value.op != 'mul' or id(value) in chosen or len(value.operands) != 2:
            continue
        for one, other in (value.operands, value.operands[::-1]):
            factors = [part for part in reachable([one], _factors) if id(part) in outer]
            if factors and _is_zeroed(other):
                yield TooLate(factors[0], value, outer[id(factors[0])])
                break


def _outer(value: Value) -> Value | None:
    """The vector `a` of `exp(a[:, None] - a[None, :])`."""
    if value.op != 'call' or value.type != types.FLOAT or value.detail not in ('exp', 'exp2') or not value.operands:
        return None
    inside = _plain(value.operands[0])
    while inside is not None and inside.op == 'mul':
        # a factor, such as that between the two bases
        parts = [_plain(one) for one in inside.operands]
        inside = next((one for one in parts if one is not None and one.op in ('sub', 'mul')), None)
    if inside is None or inside.op != 'sub':
        return None
    left, right = inside.operands
    if type(left) is not Value or type(right) is not Value or left.shape == right.shape:
        return None
    first, last = plain(left), plain(right)
    is_outer = all(one.shape and len(one.shape) == 2 and '1' in one.shape for one in (left, right))
    return first if is_outer and first is not None and first is last else None


def _plain(value: Value | Cases) -> Value | None:
    while type(value) is Value and value.op in ('assign', 'cast'):
        value = value.operands[0]
    return value if type(value) is Value else None


def _factors(value: Value) -> tuple[Value | Cases, ...]:
    return value.operands if value.op == 'mul' or value.op in _SAME else ()


def _lanewise(value: Value) -> tuple[Value | Cases, ...]:
    return value.operands if value.op in _LANEWISE or value.op == 'where' else ()


def _is_zeroed(value: Value | Cases) -> bool:
    """Whether a factor is 0 on one side of a diagonal."""
    found = list(each_value([value]))
    return bool(found) and all(map(_is_mask_or_masked, found))


def _is_mask_or_masked(value: Value) -> bool:
    while value.op in ('assign', 'cast') and type(value.operands[0]) is Value:
        value = value.operands[0]
    if value.op == 'where' and value.detail is not None:
        other = value.operands[1]
        return type(other) is Value and other.literal == 0 and _is_triangle(value.detail)
    return value.type == types.BOOL and _is_triangle(value)


def _is_triangle(mask: Value | Cases) -> bool:
    """Whether a mask compares the rows of a block with its columns."""
    for value in reachable([mask], lambda one: one.operands if one.op in _JOINED else ()):
        if value.op in _ORDERS:
            sides = [{one.op for one in reachable([side])} for side in value.operands]
            if all('arange' in ops for ops in sides) and value.shape and len(value.shape) > 1:
                return True
    return False
