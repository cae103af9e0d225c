# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How Triton promotes integers, and which type a constant takes."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.kernel import types

CERTAIN = sorted(name for name in types.INTEGERS if '?' not in name)
ALL = sorted([*types.INTEGERS, types.FLOAT, types.UNKNOWN])
any_type = st.sampled_from(ALL)
integer = st.sampled_from(CERTAIN)


@pytest.mark.parametrize(('left', 'right', 'expected'), [
    ('i32', 'i64', 'i64'), ('i8', 'i32', 'i32'), ('i8', 'i8', 'i8'), ('i1', 'i1', 'i1'), ('i1', 'i32', 'i32'),
    ('u32', 'i32', 'u32'), ('u32', 'i64', 'i64'), ('u8', 'i8', 'u8'), ('u8', 'i16', 'i16'), ('u64', 'i64', 'u64'),
    ('i32', 'fp', 'fp'), ('fp', 'fp', 'fp'), ('i32', '', ''), ('i32?', 'i64', 'i64?'), ('i32?', 'i32', 'i32?'),
    ('ptr', 'i32', ''),
])
def test_the_wider_wins_and_of_equally_wide_ones_the_unsigned(left, right, expected):
    assert types.promote(left, right) == expected


@given(any_type, any_type)
def test_promotion_commutes(left, right):
    assert types.promote(left, right) == types.promote(right, left)


@given(any_type)
def test_a_type_with_itself_is_the_same(name):
    assert types.promote(name, name) == name


@given(any_type, any_type)
def test_promotion_absorbs(left, right):
    joined = types.promote(left, right)
    assert types.promote(joined, left) == joined


@given(integer, integer)
def test_promotion_gives_one_of_the_two_and_loses_no_bit(left, right):
    joined = types.promote(left, right)
    assert joined in (left, right)
    assert types.bits(joined) == max(types.bits(left), types.bits(right))


@given(integer, integer, integer)
def test_a_wider_operand_never_makes_a_narrower_result(one, other, fixed):
    narrow, wide = sorted((one, other), key=types.bits)
    assert types.bits(types.promote(narrow, fixed)) <= types.bits(types.promote(wide, fixed))


def test_promotion_is_associative_for_what_is_certain():
    for one, two, three in product(CERTAIN, repeat=3):
        assert types.promote(types.promote(one, two), three) == types.promote(one, types.promote(two, three))


@pytest.mark.parametrize(('value', 'expected'), [
    (0, 'i32'), (-2**31, 'i32'), (2**31 - 1, 'i32'), (2**31, 'u32'), (2**32 - 1, 'u32'), (2**32, 'i64'), (-2**31 - 1, 'i64'),
    (2**63 - 1, 'i64'), (2**63, 'u64'), (True, 'i1'), (1.0, 'fp'), ('text', ''), (None, ''),
])
def test_a_constant_takes_the_first_type_that_holds_it(value, expected):
    assert types.of_literal(value) == expected


@pytest.mark.parametrize(('other', 'value', 'expected'), [
    ('i8', 2, 'i8'), ('u32', 2**31, 'u32'), ('i64', 2**31, 'i64'), ('i1', 3, 'i32'), ('i1', 2**32, 'i64'), ('i1', True, 'i1'),
    ('i1', None, 'i32'), ('i32', 1.0, 'fp'), ('fp', 3, 'fp'), ('', 3, ''), ('ptr', 3, ''),
])
def test_a_constant_takes_the_type_of_the_other_side_except_beside_a_boolean(other, value, expected):
    assert types.with_constant(other, value) == expected


@pytest.mark.parametrize(('left', 'right', 'expected'), [
    ('i32', 'i64', True), ('u32', 'i32', True), ('i64', 'i64', False), ('i32?', 'i32', False), ('fp', 'i32', False),
    ('', 'i64', False),
])
def test_only_integers_of_two_types_cannot_meet(left, right, expected):
    assert types.differ(left, right) is expected
