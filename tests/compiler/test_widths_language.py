# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The model gives the types that the compiler gives, in small kernels that each show one thing of the language."""

import textwrap

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from tests.compiler.agreement import Judge
from tests.compiler.test_reader import CONSTANTS, FACTS, MODULE, TYPES
from tests.compiler.worker import Request, compile_all

HEAD = '''
from typing import NamedTuple

WIDE = tl.constexpr(tl.int64)
TABLE = tl.constexpr((3, 5, 2147483648))


class Shape(NamedTuple):
    rows: tl.tensor
    columns: tl.tensor


@triton.constexpr_function
def doubled(n):
    return n * 2


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def add_all(first, *others):
    for k in tl.static_range(len(others)):
        first += others[k]
    return first


@triton.jit
def apply(function: tl.constexpr, a, b):
    return function(a, b)


@triton.jit
def sums(pair):
    return pair[0] + pair[1], pair


@triton.jit
def default(a, b=3, DTYPE: tl.constexpr = tl.int64):
    return a.to(DTYPE) * b


@triton.jit
def maybe(a, b):
    if b is not None:
        a = a * b
    return a


@triton.jit
def never(a):
    if a is None:
        return 0
    else:
        return a * 2


@triton.jit
def area(shape):
    return shape.rows * shape.columns


@triton.jit
def nothing(p, a):
    tl.store(p, a)
'''

LANGUAGE = {
    'dot of int8': 'a = tl.full([32, 32], 1, tl.int8)\nr = tl.dot(a, a)\ns = r * T',
    'dot of floats': 'a = tl.full([16, 16], 1.0, tl.float32)\nr = tl.dot(a, a)\ns = r * T',
    'dot with an accumulator': 'a = tl.full([32, 32], 1, tl.int8)\nr = tl.dot(a, a, tl.zeros([32, 32], tl.int32))',
    'join and split': 'r = tl.join(o, o)\na, b = tl.split(r)\ns = a * T',
    'split method': 'a, b = tl.join(o, o).split()\ns = a * T',
    'interleave': 'r = tl.interleave(o, o) * T',
    'cat': 'r = tl.cat(o, o, can_reorder=True) * T',
    'histogram': 'r = tl.histogram(o, BT) * L',
    'products': 'r = tl.cumprod(o, 0)\ns = tl.cumprod((o * L), 0)',
    'xor': 'r = tl.xor_sum(o, 0)\ns = tl.xor_sum(o * L, 0)',
    'or': 'r = tl.reduce_or(o, 0)',
    'maximum of int8': 'r = tl.max(tl.load(p8 + o), 0)\ns = r * T',
    'minimum of bytes': 'r = tl.min(tl.load(p8 + o).to(tl.uint8), 0)\ns = r * T',
    'maximum of truths': 'r = tl.max((o < T).to(tl.int1), 0)',
    'sum of bytes': 'r = tl.sum(tl.load(p8 + o).to(tl.uint8), 0)',
    'sum of int8': 'r = tl.sum(tl.load(p8 + o), 0)',
    'cumulative sums': 'r = tl.cumsum(tl.load(p8 + o), 0)\ns = tl.cumsum(o < T, 0)',
    'cumulative sum of a given type': 'r = tl.cumsum(o, 0, dtype=tl.int64)',
    'sum over all': 'r = tl.sum(o[:, None] + o[None, :])\ns = r * T',
    'kept dimensions': 'r = tl.sum(o, 0, keep_dims=True) * o',
    'index of a maximum': 'v, k = tl.max(o * L, 0, return_indices=True)\nr = k * T\ns = v * T',
    'argmax': 'r = tl.argmax(o * L, 0) * T\ns = tl.argmin(o, axis=0)',
    'reduce with a function': 'r = tl.reduce(o, 0, add)\ns = tl.reduce(o * L, 0, add)',
    'scan with a function': 'r = tl.associative_scan(o, 0, add)',
    'reduce of two': 'r = tl.reduce(tl.load(p8 + o), 0, add) * 2',
    'where of constants': 'r = tl.where(m, 1, 0) * T\ns = tl.where(m, 1, 4294967296)\nt = tl.where(m, 1.0, 0.0)',
    'where of two truths': 'r = tl.where(m, o < T, o < 3)',
    'where of pointers': 'r = tl.load(tl.where(m, x, x + 1))',
    'swizzle': 'a, b = tl.swizzle2d(i, tl.program_id(1), tl.num_programs(0), tl.num_programs(1), C)\nr = a * T\ns = b * T',
    'wide swizzle': 'a, b = tl.swizzle2d(i.to(tl.int64), tl.program_id(1), 8, 8, C)\nr = a * T\ns = b * T',
    'absolute': 'r = tl.abs(i)\ns = tl.abs(L)\nt = o.abs()',
    'clamp': 'r = tl.clamp(F, 0.0, 1.0)',
    'bits': 'r = tl.umulhi(T, T)\ns = tl.umulhi(o, T)',
    'float functions': 'r = tl.exp(F)\ns = tl.sqrt(F + T)\nt = tl.math.log2(F)\nv = tl.sigmoid(F)\nw = tl.cos(F)\nz = F.exp()',
    'float division': 'r = tl.fdiv(F, 3.0)\ns = tl.math.div_rn(F, F)\nt = T / 2\nv = T / C',
    'floor': 'r = tl.floor(F).to(tl.int32) * T\ns = tl.ceil(F).to(tl.int64)',
    'bitcast': 'r = F.to(tl.int32, bitcast=True) * T\ns = tl.cast(T, tl.uint32, bitcast=True) * T',
    'type of another': 'r = i.to(L.dtype) * T\ns = L.to(T.dtype) * T\nt = i.to(p64.dtype.element_ty)',
    'type of a pointer': 'r = i.to(x.dtype.element_ty)\ns = o.to(p8.type.element_ty)',
    'type as a global': 'r = i.to(WIDE) * T',
    'width of a type': 'if L.dtype.primitive_bitwidth == 64:\n    r = i.to(tl.int64)\nelse:\n    r = i\ns = r * T',
    'kind of a type': 'if T.dtype.is_int():\n    r = L\nelse:\n    r = i\ns = r * T',
    'shape': 'r = o.shape[0] * i\ns: tl.constexpr = o.shape[0] * 2',
    'element count': 'r = o.numel * i',
    'empty shape': 'r = tl.full([], 3, tl.int64) * i\ns = tl.zeros((), tl.int32) + i',
    'full with a run-time value': 'r = tl.full([BT], T, tl.int64)\ns = tl.full((BT,), L, tl.int32) * T',
    'full by names': 'r = tl.full(shape=(BT,), value=0, dtype=tl.int64)\ns = tl.zeros(shape=[BT], dtype=tl.int8)',
    'zeros like': 'r = tl.zeros_like(o * L)',
    'arange of a type': 'r = tl.arange(0, BT).to(tl.int64)\ns = r * T',
    'shapes': (
        'r = tl.reshape(o * L, (4, 4))\ns = o.reshape(4, 4)\nt = tl.view(o, (4, 4))\nv = tl.ravel(r)\n'
        'w = r.trans(1, 0)\nz = tl.permute(r, (1, 0))'
    ),
    'broadcasting': 'r = tl.broadcast_to(L, (BT,))\ns, t = tl.broadcast(o, L)\nv = tl.expand_dims(o, 0)\nw = o.expand_dims(1)',
    'order': 'r = tl.sort(o * L)\ns = tl.flip(o)\nt = tl.gather(o * L, o, 0)\nv = tl.topk(o, 4)',
    'hints': 'r = tl.multiple_of(o, 16) * T\ns = tl.max_contiguous(tl.multiple_of(o * L, 16), 16)\nt = tl.max_constancy(o, 4)',
    'random numbers': 'r = tl.rand(7, o)\ns = tl.randint(T, o)\nt = tl.randint(7, o * L)\nv = tl.randn(7, o)',
    'four random numbers': 'a, b, c, d = tl.randint4x(7, o)\nr = a * T',
    'philox': 'a, b, c, d = tl.philox(7, o, o, o, o)\nr = a * T',
    'methods': (
        'r = o.sum(0)\ns = o.max(axis=0)\nt = (o * L).min(0)\nv = o.cumsum(0)\nw = o.argmax(0)\n'
        'z = L.broadcast_to((BT, BT))'
    ),
    'method cast': 'r = o.cast(tl.int64) * T',
    'atomics': (
        'r = tl.atomic_cas(p32, 0, 1) * T\ns = tl.atomic_xchg(p64 + o, o)\nt = tl.atomic_max(p32 + o, o, mask=m)\n'
        'v = tl.atomic_add(x, 1.0)'
    ),
    'other of a load': 'r = tl.load(p64 + o, mask=o < T, other=-1)\ns = tl.load(p8 + o, o < T, 0) * 2\nt = tl.load(p32, None)',
    'load of a pointer': 'r = tl.load(p64 + i).to(tl.pointer_type(tl.float32))\ns = tl.load(r + T)\nt = r + i * L',
    'pointer cast': (
        'r = x.to(tl.pointer_type(tl.int64))\ns = tl.load(r + o) * T\nt = tl.cast(x, tl.pointer_type(tl.int8))\n'
        'v = tl.load(t)'
    ),
    'difference of addresses': 'r = (x + T).to(tl.int64) - x.to(tl.int64)',
    'loaded by a two-dimensional index': 'r = tl.load(p32 + o[:, None] * T + o[None, :]) * L',
    'assumption': 'tl.assume(T > 0)\ntl.static_assert(BT == 16)\ntl.device_assert(T > 0)\nr = T * i',
    'print': "tl.device_print('t', T)\ntl.static_print(BT)\nprint('o', o)\nr = T * i",
    'descriptor': (
        'd = tl.make_tensor_descriptor(p32, shape=[T, 64], strides=[64, 1], block_shape=[16, 64])\n'
        'r = d.load([i * BT, 0])\nd.store([i * BT, C * 4], r + 1)\ns = r * L'
    ),
    'gathered by a descriptor': (
        'd = tl.make_tensor_descriptor(p32, [T, 64], [64, 1], [1, 64])\nr = d.gather(o, i * C)\ns = r * L'
    ),
    'added by a descriptor': (
        'd = tl.make_tensor_descriptor(p32, [T, 64], [64, 1], [16, 64])\n'
        'd.atomic_add([i * BT, 0], tl.full([16, 64], 1, tl.int32))'
    ),
    'types compared': 'if L.dtype == T.dtype:\n    r = i\nelse:\n    r = L\ns = r * T',
    'element types compared': 'if p64.dtype.element_ty == tl.int64:\n    r = L\nelse:\n    r = i\ns = r * T',
    'barrier': 'tl.debug_barrier()\nr = tl.num_programs(2) * T',
    'inline assembly': (
        "r = tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [o], dtype=tl.int32, is_pure=True, pack=1) * T"
    ),
}
PYTHON = {
    'walrus': 'if (n := i * T) > 3:\n    r = n * L',
    'list comprehension': 'ks = [k * T for k in (i, L)]\nr = ks[0] * C\ns = ks[1] * C',
    'tuple of tuples': 'a, (b, c) = i, (L, S)\nr = a * T\ns = b * T\nt = c * 2',
    'tuples added': 't = (i, L) + (S,)\nr = t[2] * 2\ns = t[1] * T',
    'part of a tuple': 't = (i, L, S)[1:]\nr = t[0] * T\ns = t[1] * 2',
    'length of a tuple': 't = (i, L, S)\nr = len(t) * i',
    'last of a tuple': 't = (i, L)\nr = t[-1] * T',
    'constant tuple': 't = (C, BT)\nr = t[0] * i\ns = t[1] * BT',
    'global tuple': 'r = TABLE[0] * i\ns = TABLE[2] * L',
    'unrolled over a tuple': 't = (i, L)\nfor k in tl.static_range(2):\n    r = t[k] * T',
    'tuple argument': 'r, s = sums((i, L))\nt = r * T\nv = s[0] * T',
    'swapped': 'a, b = i, L\na, b = b, a\nr = a * T\ns = b * T',
    'further arguments': 'r = add_all(i, T, i)\ns = add_all(L, i)',
    'spread arguments': 't = (i, L)\nr = add(*t)',
    'function argument': 'r = apply(add, i, L)\ns = apply(mul, i, T)',
    'defaults': 'r = default(i)\ns = default(i, 4, tl.int32)\nt = default(i, b=L)\nv = default(i, DTYPE=tl.int32)',
    'optional argument': 'r = maybe(i, None) * T\ns = maybe(i, L) * T',
    'optional result': 'r = never(i) * T\ns = never(None) * i',
    'named tuple': 'r = area(Shape(i, L)) * T',
    'function without result': 'nothing(x + i * L, F)',
    'constant function': 'r = doubled(C) * i\ns: tl.constexpr = doubled(BT)',
    'python functions': 'r = int(C) * i\ns = float(C) * i\nt = max(C, 9) * i\nv = min(i, T, L)\nw = max(T, 0)',
    'triton functions': 'r = triton.cdiv(BT, C) * i\ns = triton.next_power_of_2(C) * i',
    'constant of the kernel': 'n = tl.constexpr(3)\nr = n * i\nk: tl.constexpr = tl.constexpr(BIG) * 4\ns = k * L',
    'powers': 'k: tl.constexpr = 2 ** C\nr = k * i\ns = (C ** 2) * i',
    'constant division': 'k: tl.constexpr = BT // C\nr = k * i\nq: tl.constexpr = BT / C\ns = q * i',
    'constant condition': 'k: tl.constexpr = 3 if FLAG else 4\nr = k * i\ns = (C if BT > 3 else i) * T',
    'constant made negative': 'r = -C * i\ns = i * -1\nt = ~C & i',
    'chained comparison': 'r = 0 < i < T\ns = (0 <= o) & (o < L)',
    'truths': 'r = i > 3 and T > 4\ns = not (i > 3 or L > 4)\nt = (i > 3) | (T > 4)\nv = FLAG and i > 3\nw = i > 3 or FLAG',
    'truth as a number': 'r = (i > 3) * T\ns = (i > 3) * 2\nt = (i > 3) + (T > 3)\nv = (i > 3) * L\nw = FLAG * i\nz = B * T',
    'shifted constants': 'r = 1 << i\ns = (1 << 40) * L\nt = C << 2\nv = t * i\nw = L >> C',
    'reassigned': 'r = i\nr = r * L\nr = r.to(tl.int32)\ns = r * T',
    'reassigned argument': 'T = T.to(tl.int64)\nr = i * T\nT = tl.cast(T, tl.int32)\ns = i * T',
    'reassigned in a static branch': 'if NONE is None:\n    T = L\nelse:\n    T = F\nr = i * T',
    'defined in a static branch': 'if FLAG:\n    r = i * L\ns = r * T',
    'defined on both sides': 'if i > 3:\n    r = i * T\nelse:\n    r = T * 2\ns = r * L',
    'nested branches': 'r = i\nif i > 3:\n    if T > 4:\n        r = T\n    else:\n        r += 1\ns = r * T',
    'early return': 'if i > T:\n    return\nr = i * T',
    'static return': 'if NONE is not None:\n    return\nr = i * T',
    'loop over two': 'for a in range(T):\n    for b in range(a, L):\n        r = a * T\n        s = b * T',
    'loop with a narrow step': 'for j in range(i, T, tl.num_programs(0)):\n    r = j * T',
    'loop from a wide start': 'for j in range(i.to(tl.int64), T, BT):\n    r = j * C',
    'loop over int8': 'for j in range(S):\n    r = j * T',
    'loop over unsigned': 'for j in range(U):\n    r = j * C',
    'pipelined loop': (
        'for j in tl.range(0, T, BT, num_stages=3):\n    r = j * C\nfor k in tl.range(L, num_stages=2):\n    s = k * C'
    ),
    'constant loop': 'for j in range(C):\n    r = j * T\nfor k in range(0, BT, C):\n    s = k * L',
    'loop by names': 'for j in tl.range(0, T, step=2):\n    r = j * C',
    'falling wide loop': 'for j in range(L - 1, -1, -1):\n    r = j * C',
    'one name in two loops': 'for j in range(T):\n    r = j * T\nfor j in range(L):\n    s = j * T',
    'loops in a static loop': 'for k in tl.static_range(2):\n    for j in range(T):\n        r = j * k\n        s = k * L',
    'static loop in a loop': 's = L\nfor j in range(T):\n    for k in tl.static_range(C):\n        s += j * k',
    'falling static loop': 'for k in tl.static_range(3, 0, -1):\n    r = k * i\n    s = k * L',
    'static condition on a static loop': (
        'r = i\nfor k in tl.static_range(2):\n    if k == 1:\n        r = r.to(tl.int64)\ns = r * T'
    ),
    'carried by two': 'a, b = i, L\nfor j in range(T):\n    a, b = a + 1, b + a\nr = a * b',
    'carried through a branch': (
        's = L\nfor j in range(T):\n    if j > 3:\n        s += j\n    else:\n        s -= T\nr = s * T'
    ),
    'pointer chosen': 'p = x if i > 3 else x + T\nr = tl.load(p + L)\nq = p64 if FLAG else p32\ns = tl.load(q) * T',
    'pointer chosen by a branch': 'p = x\nif i > 3:\n    p += L\ntl.store(p + i, F)',
    'constant tuple in a loop': 'for k in tl.static_range(2):\n    r = (C, BT)[k] * i',
    'while over wide': 'n = L\nwhile n > 0:\n    n = n // 2\n    r = n * T',
    'while with two': 'a = i\nb = L\nwhile a < b:\n    c = (a + b) // 2\n    b = c\n    a += 1\nr = b * T',
    'after the loop': 's = tl.zeros([BT], tl.int64)\nfor j in range(T):\n    s += o * j\nr = s * T',
    'counted in a loop': 's = 0\nfor j in range(T):\n    s += 1\nr = s * L\nt = s * T',
    'pointer carried by a stride': 'p = x + o\nfor j in range(T):\n    p += L\n    tl.store(p, F)\n    p += T * C',
    'annotated local': 'r: tl.int64 = i * T\ns: tl.constexpr = 3\nt = r * s',
    'bare annotation': 'k: tl.constexpr\nk = 7\nr = k * i',
    'augmented': 'r = i\nr *= T\nr += L\nr //= 2\ns = r % T\nq = o\nq <<= 2\nq &= 255\nt = q * T',
    'negative': 'r = -(i * T)\ns = -L\nv = -o * T',
    'difference': 'r = x - i * T\ns = x - L\nt = (x + i) - C',
    'index of none': 'r = x + (i * T + o)[:, None] * L + o[None, :]\ns = o[None, :, None] * T',
    'ellipsis free slices': 'r = (o * L)[:, None] + o[None, :]\ns = o[:]',
    'helper in a loop': 's = i.to(tl.int64)\nfor j in range(T):\n    s += mul(j, T)\n    s = add(s, j)',
    'helper of a helper': 'r = apply(mul, apply(add, i, T), L)',
    'constant through a helper': 'r = mul(add(C, BT), i)\nk: tl.constexpr = add(C, BT)\ns = k * i',
    'condition of a helper': 'r = early(i, T) if i > 3 else early(T, i)\ns = r * L',
}
CASES = {**{fact: body for fact, (body, _) in FACTS.items()}, **LANGUAGE, **PYTHON}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('language')


@pytest.fixture(scope='module')
def compiled(folder):
    head, _, rest = MODULE.partition('@triton.jit')
    requests = []
    for number, body in enumerate(CASES.values()):
        path = folder / f'case_{number}.py'
        path.write_text(f'{head}{HEAD}\n\n@triton.jit{rest}{textwrap.indent(body, "    ")}\n')
        requests.append(Request(str(path), [('copy_fwd_kernel', TYPES, CONSTANTS)]))
    return dict(zip(CASES, compile_all(requests), strict=True))


@pytest.fixture(scope='module')
def judge(folder):
    return Judge(folder, sorted(folder.glob('*.py')))


@pytest.mark.parametrize('case', CASES)
def test_types(case, compiled, judge):
    record = compiled[case]
    assert not record.error
    verdict = judge.verdict(record)
    assert verdict.claims
    assert not verdict.disagreements, '\n'.join(verdict.disagreements)
