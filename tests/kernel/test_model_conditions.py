# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How expressions and compile-time conditions are spelled."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.kernel.conditions import UNIQUE, conflicts, guards, spell


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode='eval').body


@pytest.mark.parametrize(('first', 'second'), [
    ('BD * i_d', 'i_d*BD'), ('(i_d)*BD', 'i_d * BD'), ('H * (K + 1)', '(K+1)*H'), ('tl.cdiv(T, BT)', 'tl.cdiv( T,BT )'),
    ('a < b', 'a<b'), ('f(a, k=1)', 'f( a,k = 1 )'), ('-a', '- a'),
])
def test_equal_expressions_are_spelled_alike(first, second):
    assert spell(expression(first), {}) == spell(expression(second), {})


@pytest.mark.parametrize(('first', 'second'), [
    ('a - b', 'b - a'), ('(a + b) * c', 'a + b * c'), ('f(a)', 'f(b)'), ('a < b', 'a <= b'), ('a * (b - c)', '(a * b) - c'),
    ('a // (b * c)', 'a // b * c'), ('f(a, k=1)', 'f(a, j=1)'), ('a.b', 'a'), ('-a', 'a'), ('1', '"1"'), ('a < b', 'b < a'),
    # what is too complicated is like nothing, not even itself
    ('a[0]', 'a[0]'), ('a < b < c', 'a < b < c'), ('f(**a)', 'f(**a)'),
])
def test_other_expressions_are_spelled_otherwise(first, second):
    assert spell(expression(first), {}) != spell(expression(second), {})


@pytest.mark.parametrize(('condition', 'true', 'false'), [
    ('A', {('A', True)}, {('A', False)}),
    ('not A', {('A', False)}, {('A', True)}),
    ('A and not B', {('A', True), ('B', False)}, set()),
    ('A or B', set(), {('A', False), ('B', False)}),
    ('not (A or B)', {('A', False), ('B', False)}, set()),
    ('x is not None', {('x is None', False)}, {('x is None', True)}),
    ('MODE != 2', {('MODE==2', False)}, {('MODE==2', True)}),
    ('K > 64', {('K<=64', False)}, {('K<=64', True)}),
    ('A and x[0]', {('A', True)}, set()),
    ('x[0]', set(), set()),
])
def test_conditions_say_what_holds_on_either_side(condition, true, false):
    assert guards(expression(condition), {}, {}) == (true, false)


def test_flags_of_a_helper_go_by_the_names_of_the_caller():
    assert guards(expression('FLAG'), {'FLAG': 'IS_VARLEN'}, {}) == ({('IS_VARLEN', True)}, {('IS_VARLEN', False)})


def test_a_condition_that_is_another_one_goes_by_its_name():
    same = {'cu is None': ('IS_VARLEN', False)}
    assert guards(expression('cu is not None'), {}, same) == ({('IS_VARLEN', True)}, {('IS_VARLEN', False)})
    assert guards(expression('cu is None'), {}, same) == ({('IS_VARLEN', False)}, {('IS_VARLEN', True)})


names = st.sampled_from(['A', 'B', 'C'])
conditions = st.recursive(names, lambda inner: st.one_of(
    inner.map('not ({})'.format), st.tuples(inner, inner).map(lambda two: f'({two[0]}) and ({two[1]})'),
    st.tuples(inner, inner).map(lambda two: f'({two[0]}) or ({two[1]})'),
), max_leaves=6)


@given(conditions, st.fixed_dictionaries({name: st.booleans() for name in 'ABC'}))
def test_what_is_said_to_hold_holds(condition, flags):
    yes, no = guards(expression(condition), {}, {})
    holds = yes if eval(condition, {}, flags) else no
    assert all(flags[name] == truth for name, truth in holds)
    assert not conflicts(holds, flags)


@given(conditions)
def test_no_text_that_is_like_no_other_gets_into_a_condition(condition):
    yes, no = guards(expression(condition), {}, {})
    assert not any(UNIQUE in atom for atom, _ in yes | no)
