# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Names that compile-time conditions tell apart: one kernel is several, and each counts by itself."""

import pytest

from tests.kernel.models import PARAMETERS, conflicts_of, types_of, variants

SETUP = 'i = tl.program_id(0)\n'
MORE = f'{PARAMETERS}, WIDE: tl.constexpr, MODE: tl.constexpr, q, cu'
WIDEN = '''
    @triton.jit
    def wide(a, USE: tl.constexpr):
        if USE:
            a = a.to(tl.int64)
        return a
'''
FLAGGED = '@triton.heuristics({"FLAG": lambda args: args["cu"] is not None})'
BOTH = {('FLAG', 'i64'), ('not(FLAG)', 'i32')}
NONE_OR_NOT = {('q is None', 'i32'), ('not(q is None)', 'i64')}
REMAINDER = {('(BT%3)==1', 'i64'), ('not((BT%3)==1)', 'i32')}


@pytest.mark.parametrize(('body', 'expected'), [
    ('if FLAG:\n    b = L\nelse:\n    b = i\nb', BOTH),
    ('if not FLAG:\n    b = i\nelse:\n    b = L\nb * T', BOTH),
    ('b = L if FLAG else i\nb', BOTH),
    ('b = i\nif FLAG:\n    b = L\nb', BOTH),
    # what is decided stays decided
    ('b = L if FLAG else i\nc = L if FLAG else i\nb * c', BOTH),
    ('b = i\nif FLAG:\n    b = L\nif FLAG:\n    z = b\nelse:\n    z = b + 1\nz', BOTH),
    ('b = L if FLAG else i\nc = i if FLAG else L\nb * c', {('FLAG', 'i64'), ('not(FLAG)', 'i64')}),
    ('if FLAG:\n    b = L if FLAG else i\nelse:\n    b = i\nb', BOTH),
    ('G: tl.constexpr = FLAG\nb = L if G else i\nif FLAG:\n    z = b\nelse:\n    z = b\nz', BOTH),
    # conditions of their own
    ('b = L if FLAG else i\nc = L if WIDE else i\nb * c', {
        ('FLAG WIDE', 'i64'), ('FLAG not(WIDE)', 'i64'), ('not(FLAG) WIDE', 'i64'), ('not(FLAG) not(WIDE)', 'i32'),
    }),
    ('if FLAG:\n    if WIDE:\n        r = L\n    else:\n        r = i\nelse:\n    r = u\nr', {
        ('FLAG WIDE', 'i64'), ('FLAG not(WIDE)', 'i32'), ('not(FLAG)', 'u32'),
    }),
    ('if MODE == 0:\n    r = i\nelif MODE == 1:\n    r = L\nelse:\n    r = u\nr', {
        ('MODE==0', 'i32'), ('not(MODE==0) MODE==1', 'i64'), ('not(MODE==0) not(MODE==1)', 'u32'),
    }),
    ('if FLAG and WIDE:\n    r = L\nelse:\n    r = i\nr', {('FLAG WIDE', 'i64'), ('', 'i32')}),
    ('if FLAG or WIDE:\n    r = L\nelse:\n    r = i\nr', {('', 'i64'), ('not(FLAG) not(WIDE)', 'i32')}),
    # None
    ('if q is not None:\n    r = L\nelse:\n    r = i\nif q is None:\n    z = r\nelse:\n    z = r\nz', NONE_OR_NOT),
    # loops keep what they are told apart by
    ('s = L if FLAG else i\nfor j in range(T):\n    s += 1\ns', BOTH),
    ('s = L if FLAG else i\nfor j in range(s):\n    k = j\nk', BOTH),
    ('for j in range(T):\n    if FLAG:\n        s = L\n    else:\n        s = i\ns', BOTH),
    # what leaves early
    ('r = i\nif FLAG:\n    r = L\n    tl.store(x, r)\n    return\nr', {('', 'i32')}),
    ('r = i\nif FLAG:\n    return\nelse:\n    r = L\nr', {('', 'i64')}),
    ('if FLAG:\n    tl.store(x, 1)\n    return\nr = L if FLAG else i\nr', {('', 'i32')}),
    ('if i > 3:\n    return\nr = L if FLAG else i\nr', BOTH),
    # helpers
    ('wide(i, FLAG)', BOTH), ('wide(i, USE=FLAG)', BOTH), ('wide(wide(i, FLAG), FLAG)', BOTH),
    ('wide(i, True)', {('', 'i64')}),
    ('wide(i, False)', {('', 'i32')}), ('wide(i, MODE == 2)', {('MODE==2', 'i64'), ('not(MODE==2)', 'i32')}),
    ('if FLAG:\n    r = wide(i, FLAG)\nelse:\n    r = u\nr', {('FLAG', 'i64'), ('not(FLAG)', 'u32')}),
    ('wide(i, not FLAG)', {('not(FLAG)', 'i64'), ('FLAG', 'i32')}), ('wide(i, BT % 3 == 1)', REMAINDER),
])
def test_types_by_conditions(body, expected):
    assert variants(SETUP + body, parameters=MORE, helpers=WIDEN) == expected


@pytest.mark.parametrize(('body', 'expected'), [
    ('if cu is not None:\n    r = L\nelse:\n    r = i\nr', BOTH),
    ('if FLAG:\n    r = L\nelse:\n    r = i\nif cu is None:\n    z = r\nelse:\n    z = r * 2\nz', BOTH),
])
def test_a_flag_of_a_heuristic_is_the_question_that_it_asks(body, expected):
    assert variants(SETUP + body, parameters=MORE, decorators=FLAGGED) == expected


@pytest.mark.parametrize(('constants', 'expected'), [
    ({'FLAG': True, 'MODE': 1, 'q': 1}, 'i64'), ({'FLAG': False, 'MODE': 1}, 'u32'), ({'FLAG': True, 'MODE': 0}, 'i32'),
    ({'FLAG': True, 'MODE': 2, 'q': None}, 'fp'),
])
def test_conditions_on_given_constants_are_decided(constants, expected):
    body = '''
        i = tl.program_id(0)
        if not FLAG:
            r = u
        elif MODE == 0:
            r = i
        elif MODE > 1 and q is None:
            r = f
        else:
            r = L
        r
    '''
    assert types_of(body, constants=constants, parameters=MORE) == {expected}


def test_more_flags_than_cases_end_in_the_narrowest_value():
    flags = [f'F{number}' for number in range(12)]
    body = SETUP + ''.join(f'if {flag}:\n    i = i.to(tl.int64) + {number}\n' for number, flag in enumerate(flags))
    parameters = ', '.join(f'{flag}: tl.constexpr' for flag in flags)
    assert variants(f'{body}i', parameters=parameters) == {('', 'i32')}


@pytest.mark.parametrize(('body', 'expected'), [
    ('r = T\nif i > 3:\n    r = L\nr', [('branch', 'i32', 'i64')]),
    ('if i > 3:\n    r = 0\nelse:\n    r = L\nr', [('branch', 'i32', 'i64')]),
    ('r = T if i > 3 else L\nr', [('branch', 'i32', 'i64')]),
    ('r = 0 if i > 3 else L\nr', [('branch', 'i32', 'i64')]),
    ('a = (T, T) if i > 3 else (T, L)\na', [('branch', 'i32', 'i64')]),
    ('s = 0\nfor j in range(T):\n    s += L\ns', [('loop', 'i32', 'i64')]),
    ('s = L\nfor j in range(T):\n    s = i\ns', [('loop', 'i32', 'i64')]),
    ('s = tl.arange(0, BT)\nfor j in range(T):\n    s = s.to(tl.int64)\ns', [('loop', 'i32', 'i64')]),
    ('s = 0\nwhile s < T:\n    s += L\ns', [('loop', 'i32', 'i64')]),
    ('tl.join(T, L)', [('argument of join', 'i64')]),
    ('tl.rand(n, L)', [('argument of rand', 'i64')]),
    ('d = tl.make_tensor_descriptor(x, [T, C], [C, 1], [BT, C])\nd.load([L, 0])', [('descriptor offset', 'i64')]),
    ('d = tl.make_tensor_descriptor(x, [T, C], [C, 1], [BT, C])\nd.store([0, L], f)', [('descriptor offset', 'i64')]),
    ('tl.make_block_ptr(x, (T,), (1,), (L,), (BT,), (0,))', [('block pointer offset', 'i64')]),
    ('q = tl.make_block_ptr(x, (T,), (1,), (i,), (BT,), (0,))\ntl.advance(q, (L,))', [('block pointer offset', 'i64')]),
    ('choose(i, L)', [('return', 'i32', 'i64')]),
    ('unknown(L)', [('opaque', 'i64')]),
])
def test_what_triton_refuses_is_noted(body, expected):
    helpers = '''
        @triton.jit
        def choose(a, b):
            if a > 3:
                return a
            return b
    '''
    found = conflicts_of(SETUP + body, helpers=helpers)
    assert [(kind, *sorted(met)) for kind, *met in found] == expected


@pytest.mark.parametrize('body', [
    'if i > 3:\n    r = 0\nelse:\n    r = T\nr', 'r = L if FLAG else T\nr', 'if FLAG:\n    r = L\nelse:\n    r = T\nr',
    's = tl.cast(0, tl.int64)\nfor j in range(T):\n    s += i * C\ns', 's = 0\nfor j in range(T):\n    s += j\ns',
    'for j in range(T):\n    s = L\ns', 'q = x\nfor j in range(T):\n    q += L\nq', 'q = x if i > 3 else x + L\nq',
    'd = tl.make_tensor_descriptor(x, [T, C], [C, 1], [BT, C])\nd.load([i * BT, 0])', 'r = i\nr *= L\nr',
])
def test_what_triton_takes_is_not(body):
    assert conflicts_of(SETUP + body) == []
