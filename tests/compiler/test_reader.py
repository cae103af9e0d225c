# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The reader of compiled kernels, held against what is known of Triton's integer types."""

import ast
import textwrap
from pathlib import Path

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from tests.compiler.ttir import Span
from tests.compiler.worker import Compiled, Request, compile_all

TYPES = {
    'x': '*fp32', 'p8': '*i8', 'p32': '*i32', 'p64': '*i64', 'T': 'i32', 'L': 'i64', 'U': 'u32', 'F': 'fp32', 'B': 'u1',
    'S': 'i8',
}
CONSTANTS = {'C': 4, 'BT': 16, 'BIG': 65536, 'FLAG': True, 'NONE': None, 'ONE': 1}
MODULE = '''
import triton
import triton.language as tl


@triton.jit
def mul(a, b):
    return a * b


@triton.jit
def pair(a, b):
    return a * 2, a + b


@triton.jit
def early(a, b):
    if a > 3:
        return a * b
    return b


@triton.jit
def copy_fwd_kernel(
    x, p8, p32, p64, T, L, U, F, B, S,
    C: tl.constexpr, BT: tl.constexpr, BIG: tl.constexpr, FLAG: tl.constexpr, NONE: tl.constexpr, ONE: tl.constexpr,
):
    i = tl.program_id(0)
    o = tl.arange(0, BT)
    m = i < T
'''

# statements, and the types of expressions in them; of a pointer addition the type of the offset
FACTS = {
    'program id': ('r = tl.program_id(1)', {'tl.program_id(1)': 'i32'}),
    'number of programs': ('r = tl.num_programs(0)', {'tl.num_programs(0)': 'i32'}),
    'arange': ('r = tl.arange(0, BT)[:, None]', {'tl.arange(0, BT)': 'i32', 'tl.arange(0, BT)[:, None]': 'i32'}),
    'zeros': ('r = tl.zeros([BT], tl.int64)', {'tl.zeros([BT], tl.int64)': 'i64'}),
    'full': ('r = tl.full([BT], 3, tl.int8)', {'tl.full([BT], 3, tl.int8)': 'i8'}),
    'load of int32': ('r = tl.load(p32 + i)', {'tl.load(p32 + i)': 'i32', 'p32 + i': 'p:i32'}),
    'load of int64': ('r = tl.load(p64 + L)', {'tl.load(p64 + L)': 'i64', 'p64 + L': 'p:i64'}),
    'load of int8': ('r = tl.load(p8)', {'tl.load(p8)': 'i8'}),
    'masked load': ('r = tl.load(p32 + o, mask=m)', {'tl.load(p32 + o, mask=m)': 'i32', 'p32 + o': 'p:i32'}),
    'atomic': ('r = tl.atomic_add(p64, 1)', {'tl.atomic_add(p64, 1)': 'i64'}),
    'load and widen': ('r = tl.load(p32).to(tl.int64)', {'tl.load(p32)': 'i32', 'tl.load(p32).to(tl.int64)': 'i64'}),
    'load and narrow': ('r = tl.load(p64).to(tl.int32)', {'tl.load(p64).to(tl.int32)': 'i32'}),
    'constants': ('r: tl.constexpr = BIG * BIG', {'BIG * BIG': 'const'}),
    'bound constant': ('n = BIG\nr = n * BIG', {'n * BIG': 'i32', 'BIG': 'const'}),
    'bound large constant': ('n = BIG * BIG\nr = i * n', {'i * n': 'i64'}),
    'bound constant of 32 bits': ('n = 2147483648\nr = i * n', {'i * n': 'u32'}),
    'constant kept constant': ('n: tl.constexpr = C * 2\nr = n * i', {'n * i': 'i32', 'C * 2': 'const'}),
    'constant factor': ('r = i * C', {'i * C': 'i32'}),
    'large constant with int64': ('r = i.to(tl.int64) * 2147483648', {'i.to(tl.int64) * 2147483648': 'i64'}),
    'left to right': ('r = i * BIG * BIG', {'i * BIG': 'i32', 'i * BIG * BIG': 'i32'}),
    'constants first': ('r = C * BT * i', {'C * BT': 'const', 'C * BT * i': 'i32'}),
    'product in an offset': ('r = x + T * C * BT', {'T * C': 'i32', 'T * C * BT': 'i32', 'x + T * C * BT': 'p:i32'}),
    'pointer and constant': ('r = x + C', {'x + C': 'p:i32'}),
    'pointer and 2**31': ('r = x + 2147483648', {'x + 2147483648': 'p:i64'}),
    'pointer and large constant': ('r = x + BIG * BIG', {'x + BIG * BIG': 'p:i64'}),
    'static range': ('for j in tl.static_range(2):\n    r = i * j\n    q = j * C', {'i * j': 'i32', 'j * C': 'const'}),
    'int32 and int64': ('r = i * L', {'i * L': 'i64'}),
    'block and int64 scalar': ('r = tl.arange(0, BT) * L', {'tl.arange(0, BT) * L': 'i64'}),
    'cast before': ('r = i.to(tl.int64) * T * C', {'i.to(tl.int64) * T': 'i64', 'i.to(tl.int64) * T * C': 'i64'}),
    'cast of the second': ('r = i * C * T.to(tl.int64)', {'i * C': 'i32', 'i * C * T.to(tl.int64)': 'i64'}),
    'cast after': ('r = (i * T).to(tl.int64) * C', {
        'i * T': 'i32', '(i * T).to(tl.int64)': 'i64', '(i * T).to(tl.int64) * C': 'i64',
    }),
    'cast of a sum': ('r = (i * T + i).to(tl.int64)', {'i * T + i': 'i32', 'i * T': 'i32'}),
    'one of two products cast': ('r = i.to(tl.int64) * T + i * C', {'i * C': 'i32', 'i.to(tl.int64) * T + i * C': 'i64'}),
    'tl.cast': ('r = tl.cast(i, tl.int64) * T', {'tl.cast(i, tl.int64)': 'i64', 'tl.cast(i, tl.int64) * T': 'i64'}),
    'narrowed product': ('r = (L * T).to(tl.int32)', {'L * T': 'i64', '(L * T).to(tl.int32)': 'i32'}),
    'narrowed factor': ('r = L.to(tl.int32) * T', {'L.to(tl.int32) * T': 'i32'}),
    'quotients': ('r = i // C + L // C + L % i', {'i // C': 'i32', 'L // C': 'i64', 'L % i': 'i64'}),
    'one cast of two': ('a, c = (i // C).to(tl.int64), i % C\nr = a * T\nq = c * T', {'a * T': 'i64', 'c * T': 'i32'}),
    'division': ('r = i / T', {'i / T': 'fp'}),
    'cdiv': ('r = tl.cdiv(T, BT)\ns = tl.cdiv(L, BT)\nt: tl.constexpr = tl.cdiv(BT, C)', {
        'tl.cdiv(T, BT)': 'i32', 'tl.cdiv(L, BT)': 'i64', 'tl.cdiv(BT, C)': 'const',
    }),
    'shifts and bits': ('r = i << 4\ns = i << L\nt = i & 255\nv = i | L', {
        'i << 4': 'i32', 'i << L': 'i64', 'i & 255': 'i32', 'i | L': 'i64',
    }),
    'unary': ('r = -i\ns = ~L', {'-i': 'i32', '~L': 'i64'}),
    'int8': ('r = S * 2\ns = S * T\nt = S + S', {'S * 2': 'i8', 'S * T': 'i32', 'S + S': 'i8'}),
    'truths': ('r = m + T\ns = m * 3\nt = m & B', {'m + T': 'i32', 'm * 3': 'i32', 'm & B': 'i1'}),
    'unsigned': ('r = U * T\ns = U + L\nt = i.to(tl.uint32) * 7', {
        'U * T': 'u32', 'U + L': 'i64', 'i.to(tl.uint32) * 7': 'u32',
    }),
    'unsigned offset': ('r = x + U', {'x + U': 'p:i64'}),
    'narrow offset': ('r = x + tl.load(p8)', {'x + tl.load(p8)': 'p:i8'}),
    'where': ('r = tl.where(m, i, L)\ns = tl.where(m, i, 0)\nt = tl.where(m, L, 0)', {
        'tl.where(m, i, L)': 'i64', 'tl.where(m, i, 0)': 'i32', 'tl.where(m, L, 0)': 'i64',
    }),
    'minimum': ('r = min(i * BT + BT, T)\ns = tl.minimum(o, L - 1)\nt: tl.constexpr = min(C, BT)', {
        'i * BT + BT': 'i32', 'min(i * BT + BT, T)': 'i32', 'tl.minimum(o, L - 1)': 'i64', 'min(C, BT)': 'const',
    }),
    'comparison': ('r = (o + T) < L', {'o + T': 'i32', '(o + T) < L': 'i1'}),
    'reductions': ('r = tl.sum(o)\ns = tl.sum(o * L)\nt = tl.sum(o < T)\nv = tl.max(o, 0)\nw = tl.cumsum(o, 0)', {
        'tl.sum(o)': 'i32', 'tl.sum(o * L)': 'i64', 'tl.sum(o < T)': 'u32', 'tl.max(o, 0)': 'i32', 'tl.cumsum(o, 0)': 'i32',
    }),
    'sum of a given type': ('r = tl.sum(o, 0, dtype=tl.int64)', {'tl.sum(o, 0, dtype=tl.int64)': 'i64'}),
    'floats': ('r = (F * T).to(tl.int32)\ns = T * 1.0', {'F * T': 'fp', '(F * T).to(tl.int32)': 'i32', 'T * 1.0': 'fp'}),
    'offsets added one by one': ('r = x + i * T + L', {'i * T': 'i32', 'x + i * T': 'p:i32', 'x + i * T + L': 'p:i64'}),
    'offsets added first': ('r = x + (i * T + T)', {'i * T + T': 'i32', 'x + (i * T + T)': 'p:i32'}),
    'mixed offset': ('r = x + (i.to(tl.int64) * T + i * C)', {
        'i * C': 'i32', 'i.to(tl.int64) * T + i * C': 'i64', 'x + (i.to(tl.int64) * T + i * C)': 'p:i64',
    }),
    'subtraction': ('r = x - L', {'x - L': 'p:i64'}),
    'reversed addition': ('r = i + x', {'i + x': 'p:i32'}),
    'augmented addition': ('x += i * T', {'x += i * T': 'p:i32', 'i * T': 'i32'}),
    'blocks of pointers': ('r = x + o[:, None] * C + o[None, :]', {
        'o[:, None] * C': 'i32', 'x + o[:, None] * C': 'p:i32', 'x + o[:, None] * C + o[None, :]': 'p:i32',
    }),
    'address as a number': ('r = x.to(tl.int64)', {'x.to(tl.int64)': 'i64'}),
    'argument of one': ('r = tl.cast(ONE, tl.int64) * T\ns = ONE * T', {
        'tl.cast(ONE, tl.int64) * T': 'i64', 'ONE * T': 'i32',
    }),
    'int32 loop': ('for j in range(0, T, BT):\n    r = j * C', {'j * C': 'i32'}),
    'int64 bound': ('for j in range(0, L, BT):\n    r = j * C', {'j * C': 'i64'}),
    'int64 step': ('for j in range(0, T, tl.cast(BT, tl.int64)):\n    r = j * C', {'j * C': 'i64'}),
    'falling loop': ('for j in range(T - 1, -1, -1):\n    r = j * C', {'j * C': 'i32', 'T - 1': 'i32'}),
    'loop to a large constant': ('for j in range(4294967296):\n    r = j * C', {'j * C': 'i64'}),
    'carried value': ('s = i.to(tl.int64)\nfor j in range(T):\n    s += j * C', {'j * C': 'i32', 's += j * C': 'i64'}),
    'carried pointer': ('for j in range(T):\n    x += BT * C', {'x += BT * C': 'p:i32', 'BT * C': 'const'}),
    'while': ('j = 0\nwhile j < T:\n    j += C', {'j += C': 'i32', 'j < T': 'i1'}),
    'static branch': ('if FLAG:\n    T = L\nr = T * C', {'T * C': 'i64'}),
    'static choice': ('r = (i if NONE is None else L) * C', {'(i if NONE is None else L) * C': 'i32'}),
    'run-time choice': ('r = T if i > 3 else i', {'T if i > 3 else i': 'i32'}),
    'annotation without effect': ('r: tl.int64 = i\ns = r * T', {'r * T': 'i32'}),
    'helper': ('r = mul(i, T)\ns = mul(i, L)', {'mul(i, T)': 'i32', 'mul(i, L)': 'i64', 'a * b': 'i32 i64'}),
    'helper with a constant': ('r = mul(i, C)', {'mul(i, C)': 'i32', 'a * b': 'i32', 'b': 'const'}),
    'helper of constants': ('r = mul(BT, C)', {'mul(BT, C)': 'const', 'a * b': 'const'}),
    'helper that gives two': ('r, s = pair(i, L)\nt = r * T\nv = s * T', {
        'r * T': 'i32', 's * T': 'i64', 'pair(i, L)': 'tuple',
    }),
    'helper that returns early': ('r = early(i, T)', {'early(i, T)': 'i32', 'a > 3': 'i1'}),
    'and': ('r = C and T', {'C and T': 'i32'}),
    'not': ('r = not m', {'not m': 'i1'}),
}
REFUSED = {
    'literal out of range': ('r = i * 2147483648', 'out of range for type int32'),
    'constants out of range': ('r = i * (BIG * BIG)', 'out of range for type int32'),
    'mixed signs': ('r = U // T', 'Cannot use'),
    'carried value changes its type': ('s = 0\nfor j in range(T):\n    s += L', 'Loop-carried variable'),
    'branch changes a type': ('r = T\nif i > 3:\n    r = L', 'initial value for'),
    'branches differ': ('if i > 3:\n    r = 0\nelse:\n    r = L', 'Mismatched type'),
    'choice of two types': ('r = T if i > 3 else L', 'inconsistent types'),
    'method of a constant': ('r = (C * 2).to(tl.int64)', "has no attribute 'to'"),
    'returns differ': ('r = early(i, L.to(tl.int8))', 'Return type mismatch'),
}


@pytest.fixture(scope='module')
def compiled(tmp_path_factory) -> dict[str, Compiled]:
    folder = tmp_path_factory.mktemp('facts')
    requests, cases = [], {**FACTS, **REFUSED}
    for number, (body, _) in enumerate(cases.values()):
        path = folder / f'fact_{number}.py'
        path.write_text(MODULE + textwrap.indent(body, '    ') + '\n')
        requests.append(Request(str(path), [('copy_fwd_kernel', TYPES, CONSTANTS)]))
    return dict(zip(cases, compile_all(requests), strict=True))


def spans_of(path: str, expression: str) -> set[Span]:
    """Where an expression, or a statement, stands in a file."""
    source = Path(path).read_text()
    return {
        Span(path, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr | ast.stmt)
        if ast.get_source_segment(source, node) == expression
    }


@pytest.mark.parametrize('fact', FACTS)
def test_types(fact, compiled):
    record = compiled[fact]
    assert not record.error
    for expression, expected in FACTS[fact][1].items():
        seen = record.offsets if expected.startswith('p:') else record.expressions
        kinds = set().union(*(seen.get(span, set()) for span in spans_of(record.path, expression)))
        assert kinds == set(expected.removeprefix('p:').split()), expression


@pytest.mark.parametrize('fact', FACTS)
def test_operations_have_the_types_of_their_expressions(fact, compiled):
    record = compiled[fact]
    for operation in record.operations:
        kinds = record.expressions.get(operation.span, set()) - {'ptr'}
        assert not kinds or operation.type in {kind.replace('u', 'i') for kind in kinds}


@pytest.mark.parametrize('fact', REFUSED)
def test_refusals(fact, compiled):
    assert REFUSED[fact][1] in compiled[fact].error
