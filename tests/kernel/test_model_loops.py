# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Loops and helpers: counters, what rounds carry on, and what calls give."""

import pytest

from tests.kernel.models import model, told, types_of, values, variants

SETUP = 'i = tl.program_id(0)\n'
HELPERS = '''
    @triton.jit
    def mul(a, b, k=7):
        return a * b


    @triton.jit
    def pair(a, b):
        return a, a * b


    @triton.jit
    def default(a, k=7):
        return k


    @triton.jit
    def again(a):
        return again(a + 1)


    @triton.jit
    def even(a):
        return odd(a + 1)


    @triton.jit
    def odd(a):
        return even(a - 1)


    @triton.jit
    def nothing(p):
        tl.store(p, 0)


    @triton.jit
    def load(p, o):
        return tl.load(p + o)


    @triton.jit
    def apply(function: tl.constexpr, a, b):
        return function(a, b)


    def host(a):
        return a
'''


@pytest.mark.parametrize(('bounds', 'expected'), [
    ('0, T, BT', 'i32'), ('0, L, BT', 'i64'), ('T, L', 'i64'), ('tl.cdiv(L, BT)', 'i64'), ('tl.cdiv(T, BT)', 'i32'),
    ('C', 'i32'),
    ('0, T, tl.cast(BT, tl.int64)', 'i64'), ('i.to(tl.int64), T, tl.num_programs(0)', 'i64'), ('2147483648', 'u32'),
    ('4294967296', 'i64'), ('T - 1, -1, -1', 'i32'), ('u', 'u32'),
])
def test_a_counter_has_the_promoted_type_of_its_bounds(bounds, expected):
    for name in ('range', 'tl.range'):
        found = model(f'{SETUP}for j in {name}({bounds}):\n    tl.store(x + j, 0)', given=told())
        assert {value.type for value in values(found, 'j')} == {expected}


def test_options_of_a_loop_do_not_widen_its_counter():
    found = model('for j in tl.range(0, T, num_stages=L):\n    tl.store(x + j, 0)', given=told())
    assert {value.type for value in values(found, 'j')} == {'i32'}


@pytest.mark.parametrize(('body', 'expected'), [
    ('for j in tl.static_range(4):\n    r = j * T\nr', 'i32'), ('for j in tl.static_range(4):\n    r = j * L\nr', 'i64'),
    ('r = x\nfor j in tl.static_range(4):\n    r += T * j\nr', 'ptr'),
])
def test_the_counter_of_an_unrolled_loop_is_a_constant(body, expected):
    assert types_of(body) == {expected}
    assert {value.type for value in values(model(body), 'j')} == {'const'}


@pytest.mark.parametrize(('body', 'expected'), [
    ('s = 0\nfor j in range(T):\n    s += i * C\ns', 'i32'),
    ('s = tl.cast(0, tl.int64)\nfor j in range(T):\n    s += i * C\ns', 'i64'),
    ('s = i.to(tl.int64)\nwhile s < T:\n    s += tl.num_programs(0)\ns', 'i64'),
    ('q = x\nfor j in range(T):\n    q += BT * C\nq', 'ptr'),
    ('s = T\nwhile s > 1:\n    s = s // 2\ns', 'i32'),
    ('a, b = i, L\nfor j in range(T):\n    a, b = a + 1, b + 1\nb', 'i64'),
    # two rounds on the way
    ('a, b = i, i\nfor j in range(T):\n    a, b = b, a + j\na', 'i32'),
    ('s = L\nfor j in range(T):\n    for k in range(T):\n        s += k\ns', 'i64'),
])
def test_what_a_loop_carries(body, expected):
    assert types_of(SETUP + body) == {expected}


def test_a_carried_pointer_keeps_its_element_type_and_every_offset_is_seen():
    found = model('q = p64\nfor j in range(T):\n    r = tl.load(q)\n    q += L\n    q = q + T\nr', given=told())
    assert {value.type for value in values(found, 'r')} == {'i64'}
    assert list(found.offsets().values()) == [{'i64'}, {'i32'}]


def test_deep_nests_of_loops_end():
    # at two rounds a level this would run for years
    lines = ['i = tl.program_id(0)', 'a = 0']
    for depth in range(16):
        lines += [f'{"    " * depth}for j{depth} in range(n):', f'{"    " * depth}    a = a * {depth} + j{depth}']
    body = '\n'.join([*lines, 'a'])
    assert types_of(body) == {'i32'}
    assert types_of(body.replace('range(n)', 'tl.static_range(9)')) == {'i32'}


@pytest.mark.parametrize(('text', 'expected'), [
    ('mul(i, T)', 'i32'), ('mul(i, L)', 'i64'), ('mul(i, C)', 'i32'), ('mul(C, BT)', 'const'), ('mul(b=L, a=i)', 'i64'),
    ('mul(i, b=u)', 'u32'), ('pair(i, L)[0]', 'i32'), ('pair(i, L)[1]', 'i64'), ('pair(i, L)', 'tuple'),
    ('default(i)', 'const'),
    ('default(i, L)', 'i64'), ('default(i, k=L)', 'i64'), ('nothing(x)', 'none'), ('load(p64, i)', 'i64'),
    ('load(p32, L)', 'i32'),
    ('mul(mul(i, T), L)', 'i64'), ('apply(mul, i, L)', 'i64'),
])
def test_what_a_helper_gives(text, expected):
    assert types_of(SETUP + text, helpers=HELPERS) == {expected}


def test_a_constant_that_a_helper_gives_is_none_once_it_has_a_name():
    assert types_of('r = default(T)\nr', helpers=HELPERS) == {'i32'}
    assert types_of('a, b = pair(i, L)\nb', helpers=HELPERS, parameters='i, L: tl.int64') == {'i64'}


@pytest.mark.parametrize('text', ['again(i)', 'even(i)', 'mul(*(i, T))', 'host(i)', 'unknown(i)', 'unknown.mul(i, T)',
                                  'mul(**unknown)'])
def test_calls_that_cannot_be_followed_give_what_is_not_known(text):
    assert types_of(SETUP + text, helpers=HELPERS) == {''}


def test_each_call_of_a_helper_is_one_of_its_own():
    found = model(f'{SETUP}a = mul(i, T)\nb = mul(i, L)\nb', helpers=HELPERS, given=told())
    assert {value.type for value in values(found, 'mul(i, T)')} == {'i32'}
    assert {value.type for value in values(found, 'a * b')} == {'i32', 'i64'}


def test_the_names_of_a_caller_are_not_those_of_a_helper():
    helpers = '@triton.jit\ndef add(T, i):\n    T = T + i\n    return T\n'
    assert types_of(f'{SETUP}r = add(L, u)\nT * i', helpers=helpers) == {'i32'}


def test_a_helper_may_stand_behind_a_flag():
    body = 'if FLAG:\n    r = mul(L, T)\nelse:\n    r = mul(T, T)\nr'
    assert variants(body, helpers=HELPERS) == {('FLAG', 'i64'), ('not(FLAG)', 'i32')}


def test_a_long_chain_of_helpers_ends():
    chain = '\n\n\n'.join(f'@triton.jit\ndef f{n}(a):\n    return f{n + 1}(a) + f{n + 1}(a)' for n in range(40))
    assert types_of('f0(L)', helpers=f'{chain}\n\n\n@triton.jit\ndef f40(a):\n    return a\n') == {''}


@pytest.mark.parametrize('body', [
    'p = at(a, i, s)\ntl.load(p)\na', 'tl.load(at(a, i, s))\na', 'tl.store(at(at(a, i, s), 4, 1) + 4, 0)\na',
])
def test_a_pointer_is_one_though_only_a_helper_makes_it_an_address(body):
    helpers = '@triton.jit\ndef at(p, i, stride):\n    return p + i * stride\n'
    found = model(SETUP + body, parameters='a, s', helpers=helpers)
    assert {value.type for value in values(found, 'a')} == {'ptr'}
    assert {value.type for value in values(found, 's')} == {'i32'}
