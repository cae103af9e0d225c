# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The types of what kernels compute: each row was compiled with Triton 3.9, which gives the same."""

import pytest

from tests.kernel.models import PARAMETERS, model, told, types_of, values

SETUP = 'i = tl.program_id(0)\no = tl.arange(0, BT)\nm = i < T\n'
BIG = {'parameters': f'{PARAMETERS}, BIG: tl.constexpr', 'constants': {'BIG': 65536}}

SOURCES = [
    ('tl.program_id(0)', 'i32'), ('tl.program_id(axis=2)', 'i32'), ('tl.num_programs(1)', 'i32'),
    ('tl.arange(0, BT)', 'i32'), ('o[:, None]', 'i32'), ('o.to(tl.int64)', 'i64'),
    ('tl.zeros([BT], tl.int32)', 'i32'), ('tl.zeros([BT], dtype=tl.float32)', 'fp'), ('tl.full([BT], 1, tl.int64)', 'i64'),
    ('tl.zeros_like(o.to(tl.int64))', 'i64'),
    ('tl.load(p32)', 'i32'), ('tl.load(p64)', 'i64'), ('tl.load(x)', 'fp'), ('tl.load(p32 + o, mask=m, other=0)', 'i32'),
    ('tl.atomic_add(p32, 1)', 'i32'), ('tl.atomic_max(p64, L)', 'i64'),
    ('tl.load(p32).to(tl.int64)', 'i64'), ('tl.load(p64).to(tl.int32)', 'i32'), ('tl.cast(T, tl.int64)', 'i64'),
    ('T', 'i32'), ('L', 'i64'), ('u', 'u32'), ('f', 'fp'), ('C', 'const'),
]
CONSTANTS = [
    ('C * BT', 'const'), ('i * C', 'i32'), ('i * 2147483647', 'i32'), ('i.to(tl.int64) * 2147483648', 'i64'),
    ('tl.cdiv(BT, C)', 'const'), ('triton.cdiv(BT, C)', 'const'), ('triton.next_power_of_2(BT)', 'const'),
    ('min(C, BT)', 'const'), ('C or T', 'const'), ('C > 2 and BT > 2', 'const'), ('-C', 'const'), ('not C', 'const'),
    ('x is None', 'const'), ('T.dtype == tl.int32', 'const'),
]
ARITHMETIC = [
    # the wider side, be it a scalar
    ('i * L', 'i64'), ('o * L', 'i64'), ('o.to(tl.int64) * T', 'i64'), ('i * T', 'i32'), ('o * C + L', 'i64'),
    # where the cast stands
    ('i.to(tl.int64) * T * C', 'i64'), ('i * T.to(tl.int64) * C', 'i64'), ('i * C * T.to(tl.int64)', 'i64'),
    ('(i * T).to(tl.int64) * C', 'i64'), ('(L * T).to(tl.int32)', 'i32'), ('L.to(tl.int32) * T', 'i32'),
    # quotients
    ('i // C', 'i32'), ('i % C', 'i32'), ('i // T', 'i32'), ('L // C', 'i64'), ('i // L', 'i64'), ('L % i', 'i64'),
    ('i / C', 'fp'),
    ('tl.cdiv(T, BT)', 'i32'), ('tl.cdiv(L, BT)', 'i64'), ('tl.cdiv(T, L)', 'i64'), ('tl.cdiv(L, T)', 'i64'),
    # bits and signs
    ('i << 4', 'i32'), ('1 << i', 'i32'), ('i << L', 'i64'), ('i | L', 'i64'), ('i ^ L', 'i64'), ('L >> i', 'i64'),
    ('i & 255', 'i32'),
    ('-i', 'i32'), ('~i', 'i32'), ('tl.abs(i)', 'i32'), ('-L', 'i64'),
    # small integers and booleans
    ('i.to(tl.int8) * 2', 'i8'), ('i.to(tl.int8) * T', 'i32'), ('i.to(tl.int8) + i.to(tl.int8)', 'i8'),
    ('m', 'i1'), ('m + T', 'i32'), ('m * 3', 'i32'), ('m + m', 'i1'), ('m & m', 'i1'), ('~m', 'i1'), ('not m', 'i1'),
    # unsigned ones
    ('u * T', 'u32'), ('u * i', 'u32'), ('u + L', 'i64'), ('u * 0x9E3779B1', 'u32'), ('i.to(tl.uint32) * 0x85EBCA6B', 'u32'),
    ('i.to(tl.uint64) + L', 'u64'), ('tl.umulhi(T, T)', 'i32'), ('tl.rand(n, i)', 'fp'), ('tl.randint(n, i)', 'u32'),
    # choices
    ('tl.where(m, i, L)', 'i64'), ('tl.where(m, i, 0)', 'i32'), ('tl.where(m, L, 0)', 'i64'), ('tl.where(m, 1, 0)', 'i32'),
    ('tl.where(m, 1, 4294967296)', 'i64'), ('tl.minimum(i, L)', 'i64'), ('min(i, L)', 'i64'), ('max(T, 0)', 'i32'),
    ('tl.minimum(o, L - 1)', 'i64'), ('tl.maximum(i, T)', 'i32'),
    # comparisons and conditions
    ('o + T < L', 'i1'), ('f > T', 'i1'), ('i > 1 and T > 1', 'i1'), ('C and m', 'i1'), ('C and T', 'i32'),
    ('C > 9 or L', 'i64'), ('C > 9 and L', 'const'),
    # floats
    ('(f * T).to(tl.int32)', 'i32'), ('(f * T).to(tl.int64)', 'i64'), ('T * 1.0', 'fp'), ('T * f', 'fp'), ('tl.exp(f)', 'fp'),
    ('tl.dot(tl.full([16, 32], 1, tl.int8), tl.full([32, 16], 1, tl.int8))', 'i32'),
    ('tl.dot(tl.full([16, 32], 1, tl.float16), tl.full([32, 16], 1, tl.float16))', 'fp'),
]
BLOCKS = [
    ('tl.sum(o)', 'i32'), ('tl.sum(o * L)', 'i64'), ('tl.sum(o.to(tl.int8))', 'i32'), ('tl.sum(o < T)', 'u32'),
    ('tl.sum(o, 0, dtype=tl.int64)', 'i64'), ('tl.max(o, 0)', 'i32'), ('tl.max(o * L, 0)', 'i64'), ('tl.argmax(o, 0)', 'i32'),
    ('tl.argmin(o * L, 0)', 'i32'), ('tl.cumsum(o)', 'i32'), ('tl.cumsum(o.to(tl.int8))', 'i32'), ('tl.cumsum(o < T)', 'u32'),
    ('tl.histogram(o, 16)', 'i32'), ('tl.sort(o * L)', 'i64'), ('tl.flip(o)', 'i32'), ('tl.reshape(o * L, [4, 4])', 'i64'),
    ('tl.join(T, T)', 'i32'), ('tl.multiple_of(i * L, 8)', 'i64'), ('o.max(0)', 'i32'), ('tl.trans(o[:, None] * L)', 'i64'),
    ('tl.swizzle2d(i, i, T, T, C)[0]', 'i32'), ('tl.swizzle2d(L, L, L, L, C)[1]', 'i64'),
    ('tl.max(o * L, 0, return_indices=True)[1]', 'i32'),
]
POINTERS = [
    ('x + i', 'ptr'), ('i + x', 'ptr'), ('x - i', 'ptr'), ('x + o[:, None] * L', 'ptr'), ('x.to(tl.int64)', 'i64'),
    ('x.to(tl.int64).to(tl.pointer_type(tl.float32))', 'ptr'), ('i.to(L.dtype)', 'i64'), ('i.to(p64.dtype.element_ty)', 'i64'),
    ('tl.load(x.to(tl.pointer_type(tl.int64)))', 'i64'),
]


@pytest.mark.parametrize(('text', 'expected'), [*SOURCES, *CONSTANTS, *ARITHMETIC, *BLOCKS, *POINTERS])
def test_type(text, expected):
    assert types_of(SETUP + text) == {expected}


@pytest.mark.parametrize(('body', 'expected'), [
    ('v = C\nv', 'i32'), ('v = BIG * BIG\nv', 'i64'), ('v = 2147483648\nv', 'u32'), ('v = 2147483648\ni * v', 'u32'),
    ('v = True\nv', 'i1'),
    ('v = 1.5\nv', 'fp'), ('v = -2147483649\nv', 'i64'), ('v, w = BIG * BIG, C\nv', 'i64'),
    ('v = BIG if C > 9 else C\nv', 'i32'),
    ('v = BIG\nv * BIG', 'i32'), ('v: tl.constexpr = BIG\nv * BIG', 'const'), ('v: tl.int64 = i\nv', 'i32'),
    ('(v := L)\nv', 'i64'), ('v = C\nv.to(tl.int64)', 'i64'), ('i += L\ni', 'i64'), ('v = o\nv *= L\nv', 'i64'),
    ('x += L\nx', 'ptr'),
    ('v, (w, z) = i, (L, u)\nw', 'i64'), ('v = (i, L)\nv[0] * v[1]', 'i64'), ('v = (i, L)\nv[-2]', 'i32'),
])
def test_what_a_name_holds(body, expected):
    assert types_of(SETUP + body, **BIG) == {expected}


@pytest.mark.parametrize(('text', 'expected'), [('i * GC', 'i32'), ('GC * GC', 'const'), ('GC.value', 'const')])
def test_a_constant_of_the_module(text, expected):
    assert types_of(SETUP + text, helpers='GC = tl.constexpr(65536)') == {expected}


@pytest.mark.parametrize(('parameters', 'text', 'expected'), [
    ('e: tl.int64', 'e', 'i64'), ('e: tl.int32', 'e * 3', 'i32'), ("e: 'tl.int64'", 'e', 'i64'), ('e: float', 'e', 'fp'),
    ('e: tl.tensor', 'e', 'i32'), ('e=3', 'e', 'i32'), ('e', 'e', 'i32'), ('e: tl.constexpr', 'e', 'const'),
    ('*, e: tl.int64', 'e', 'i64'),
    ('e', 'tl.load(e)', 'i32?'), ('e', 'tl.load(e).to(tl.int64)', 'i64'), ('e, w: tl.int64', 'tl.load(e) * w', 'i64?'),
    ('e, w', 'tl.load(e) * w', 'i32?'), ('e, w', 'e + w.to(tl.int64)', 'i64'),
])
def test_arguments_of_which_only_the_source_tells(parameters, text, expected):
    found = model(text, parameters=parameters)
    assert {value.type for value in values(found, text)} == {expected}


def test_a_type_that_depends_on_a_tensor_is_not_claimed():
    found = model('tl.load(e) * 2', parameters='e')
    (product,) = (names for place, names in found.types().items() if place[2:] == (4, found.kernel.definition.end_lineno, 18))
    assert product == {''}


@pytest.mark.parametrize('text', [
    'unknown(i)', 'unknown(i) * T', '[v for v in range(3)]', '{1: i}[1]', '(lambda: i)()', 'i.to(unknown(i))', 'x * T',
])
def test_what_is_not_understood_is_unknown_and_so_is_what_is_made_of_it(text):
    assert types_of(SETUP + text) == types_of(f'{SETUP}tl.abs({text}) * L') == {''}


@pytest.mark.parametrize(('text', 'offsets'), [
    ('x + i', ['i32']), ('i + x', ['i32']), ('x - i', ['i32']), ('x + L', ['i64']), ('x + tl.load(p64)', ['i64']),
    ('x + u', ['u32']),
    ('x + m', ['i1']), ('x + C', ['i32']), ('x + 2147483648', ['u32']), ('x + 4294967296', ['i64']),
    ('x + -2147483649', ['i64']),
    # chained additions do not add up, those in parentheses do
    ('x + i * T + L', ['i32', 'i64']), ('x + (i * T + L)', ['i64']), ('x + i.to(tl.int64) * T + o * C', ['i64', 'i32']),
    ('x + o[:, None] * C + o[None, :] * L', ['i32', 'i64']),
])
def test_the_width_of_what_is_added_to_a_pointer(text, offsets):
    found = model(SETUP + text, given=told())
    assert [name for _, names in sorted(found.offsets().items()) for name in names] == offsets


def test_an_augmented_assignment_adds_to_a_pointer_as_well():
    found = model('x += L\nx += T\nx -= 1', given=told())
    first = found.kernel.definition.lineno + 1
    lines = {place[1] - first: names for place, names in found.offsets().items()}
    assert lines == {0: {'i64'}, 1: {'i32'}, 2: {'i32'}}


def test_each_expression_stands_at_its_place():
    found = model('i = tl.program_id(0)\ntl.store(x + i * L, 0)', given=told())
    line = found.kernel.definition.lineno
    product = ('kernel.py', line + 2, 17, line + 2, 22)
    assert found.types()[product] == {'i64'}
    assert found.types()[('kernel.py', line + 2, 17, line + 2, 18)] == {'i32'}
