# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Arithmetic of which the type is another one than it looks like: sums of booleans, shifts that lose bits, named literals, stores that cut."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.floats import FP32, HALF, WIDE_ONLY, Floats
from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.kernel.origins import bases_of

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.model import Model

# these are smaller than their type allows
_SMALL = frozenset({'arange', 'counter', 'num_programs', 'program_id', 'static counter'})
_JOINED = frozenset({'add', 'sub', 'mul', 'where', 'max', 'min'})
_LANEWISE = frozenset({'add', 'assign', 'cast', 'div', 'mul', 'neg', 'phi', 'sub', 'trans', 'view'})
# these give fractions
_FRACTIONS = WIDE_ONLY - {'ceil', 'floor'}


def is_sum_of_booleans(value: Value) -> bool:
    """Whether a value is the sum of two blocks of booleans, which is one of booleans."""
    if value.op != 'add' or value.type != types.BOOL or len(value.operands) != 2:
        return False
    return all(one.type == types.BOOL for operand in value.operands for one in each_value([operand]))


def lost_by_shift(value: Value) -> str:
    """The integer type in which a shift to the left loses bits: it shifts all of them out, or is widened only afterwards."""
    if value.op == 'cast' and types.bits(value.type) == 64:
        inner = value.operands[0]
        while type(inner) is Value and inner.op == 'assign':
            inner = inner.operands[0]
        if type(inner) is Value and _shifts(inner, types.bits(inner.type) // 2):
            return types.spelled(inner.type)
    return types.spelled(value.type) if _shifts(value, types.bits(value.type)) else ''


def _shifts(value: Value, least: int) -> bool:
    """Whether a value of a known type is shifted by so many bits, and may have some that this loses."""
    if value.op != 'shl' or types.bits(value.type) < 8 or '?' in value.type or len(value.operands) != 2:
        return False
    left, right = value.operands
    if type(left) is not Value or type(right) is not Value or type(right.literal) is not int or left.op in _SMALL:
        return False
    return left.type == value.type and right.literal >= least and _used_bits(left) + right.literal > types.bits(value.type)


def _used_bits(value: Value) -> int:
    """How many bits of a number may be set."""
    if value.op == 'and':
        literals = [one.literal for one in value.operands if type(one) is Value and type(one.literal) is int]
        return min((one.bit_length() for one in literals if one >= 0), default=types.bits(value.type))
    if value.op in ('cast', 'assign', 'view') and type(value.operands[0]) is Value:
        inner = value.operands[0]
        if inner.type == types.BOOL:
            return 1
        if inner.type in types.UNSIGNED or inner.op in ('and', 'cast', 'assign', 'view'):
            return min(_used_bits(inner), types.bits(value.type)) if types.is_integer(inner.type) else types.bits(value.type)
    return types.bits(value.type)


def widened_by_literal(value: Value, floats: Floats) -> tuple[Value, Value] | None:
    """The block of halves and the named literal of which an operation makes `float32`."""
    if value.op not in _JOINED or len(value.operands) != 2 or floats.of(value) != FP32:
        return None
    for one, other in (value.operands, value.operands[::-1]):
        if type(one) is Value and type(other) is Value and _is_named_float(one) and other.shape and floats.of(other) in HALF:
            return other, one
    return None


def _is_named_float(value: Value) -> bool:
    return value.op == 'assign' and isinstance(value.literal, float) and bool(value.name)


def cut_stores(model: 'Model') -> 'Iterator[tuple[Access, str]]':
    """The stores of fractions through pointers to integers, each with the type to which it cuts them."""
    for access in model.accesses:
        if access.kind != 'store' or access.stored is None:
            continue
        found = [_element(pointer, model) for pointer in each_value([access.address])]
        kinds = set(found)
        if len(kinds) == 1 and types.is_integer(found[0]) and all(map(_is_fraction, each_value([access.stored]))):
            yield access, found[0]


def _element(pointer: Value, model: 'Model') -> str:
    """The element type of a pointer, if the kernel casts it or all launches make the tensor for it."""
    element = pointer.detail if isinstance(pointer.detail, str) else ''
    if not types.is_integer(element) or '?' in element or element == types.BOOL:
        return ''
    bases = bases_of([pointer])
    if len(bases) != 1:
        return ''
    name = bases.pop()
    passed = [launch.parameters.get(name) for launch in model.facts.launches]
    return element if passed and all(one is not None and one.fresh for one in passed) else ''


def _is_fraction(value: Value) -> bool:
    """Whether a float is computed in a way that leaves a fraction, and is not rounded on purpose behind it."""
    found = list(reachable([value], lambda one: one.operands if one.op in _LANEWISE else ()))
    if any(one.op == 'call' and one.detail not in _FRACTIONS for one in found) or value.type != types.FLOAT:
        return False
    known = all(one.op in (*_LANEWISE, 'call', 'load', 'reduce') or one.type != types.FLOAT for one in found)
    return known and any(one.op in ('call', 'div') for one in found)
