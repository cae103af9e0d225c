# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where the index in a product that wraps comes from: one place, one fault."""

import ast

import pytest

from flakelint.kernel.addresses import NARROW, NARROWING, POSSIBLE, Addresses, Fault
from flakelint.kernel.model import place
from flakelint.kernel.sizes import Assumed
from flakelint.kernel.witness import Witness
from tests.kernel.models import model

PARAMETERS = 'x, y, idx, cu, T, N, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, FLAG: tl.constexpr'
ID, LOAD = 'tl.program_id(0)', 'tl.load(idx + tl.program_id(0))'


def addresses(body: str, parameters: str = PARAMETERS, **parts: str) -> Addresses:
    return Addresses(model(body, parameters=parameters, **parts), Assumed())


def faults(body: str, parameters: str = PARAMETERS, **parts: str) -> list[Fault]:
    return addresses(body, parameters, **parts).faults()


def text(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__


def summary(fault: Fault) -> tuple[str, str, list[str]]:
    # what speaks for the sizes is another matter
    is_tight = any(product.tight and product.value.node is not fault.origin.node for product in fault.products)
    kind = NARROW if is_tight and fault.kind == POSSIBLE else fault.kind
    return kind, text(fault.origin.node), [text(product.value.node) for product in fault.products]


@pytest.mark.parametrize(('body', 'expected'), [
    # a program id, however far away
    ('i = tl.program_id(0)\ntl.store(y + i * N, 0)', (NARROW, ID, ['i * N'])),
    ('i = tl.program_id(0)\ntl.store(y + i * K * H * BT, 0)', (NARROW, ID, ['i * K * H', 'i * K * H * BT'])),
    ('i = tl.program_id(0)\nb, h = i // H, i % H\ntl.store(y + b * T * H * K + h * K, 0)', (NARROW, ID, ['b * T * H * K'])),
    ('i = tl.program_id(0)\no = i * BT + tl.arange(0, BT)\ntl.store(y + o[:, None] * N, 0, mask=(o < T)[:, None])',
     (NARROW, ID, ['o[:, None] * N'])),
    ('i = tl.program_id(0)\nwhile i < T:\n    tl.store(y + i * N, 0)\n    i += tl.num_programs(0)',
     (NARROW, ID, ['i * N'])),
    ('for j in range(tl.program_id(0), T):\n    tl.store(y + j * N, 0)', (NARROW, ID, ['j * N'])),
    ('i = tl.program_id(0)\nif i > 3:\n    i = i - 3\ntl.store(y + i * N, 0)', (NARROW, ID, ['i * N'])),
    ('i = tl.minimum(tl.program_id(0), T - 1)\ntl.store(y + i * N, 0)', (NARROW, ID, ['i * N'])),
    # a cast that comes too late, and one that widens nothing
    ('i = tl.program_id(0)\ntl.store(y + (i * N).to(tl.int64), 0)', (NARROW, ID, ['i * N'])),
    ('i = tl.program_id(0)\ntl.store(y + i.to(tl.uint32) * N, 0)', (NARROW, ID, ['i.to(tl.uint32) * N'])),
    # in one variant only
    ('if FLAG:\n    b = tl.load(cu).to(tl.int64)\nelse:\n    b = tl.program_id(0) * T\ntl.store(y + b * H * K, 0)',
     (NARROW, ID, ['b * H * K'])),
    # loaded indices, results of atomics among them
    ('r = tl.load(idx + tl.program_id(0))\ntl.store(y + r * N, 0)', (NARROW, LOAD, ['r * N'])),
    ('r = tl.atomic_add(idx, 1)\ntl.store(y + r * N, 0)', (NARROW, 'tl.atomic_add(idx, 1)', ['r * N'])),
    ('r = tl.sum(tl.load(idx + tl.program_id(0)))\ntl.store(y + r * N, 0)', (NARROW, LOAD, ['r * N'])),
    ('r = tl.load(idx + tl.program_id(0)) + 1\ntl.atomic_add(y + r * N, 1.0)', (NARROW, LOAD, ['r * N'])),
    # casts that take bits away
    ('r = tl.load(idx + tl.program_id(0)).to(tl.int32)\ntl.store(y + r * N, 0)',
     (NARROWING, f'{LOAD}.to(tl.int32)', ['r * N'])),
    ('i = tl.program_id(0).to(tl.int64)\nr = i.to(tl.int32)\ntl.store(y + r * N, 0)',
     (NARROWING, 'i.to(tl.int32)', ['r * N'])),
    # loops
    ('for j in range(T):\n    tl.store(y + j * N, 0)', (NARROW, 'j', ['j * N'])),
    ('p = 0\nfor j in range(T):\n    p += N\n    tl.store(y + p * K, 0)', (NARROW, 'For', ['p * K'])),
    # no index at all
    ('tl.store(y + T * H * K, 0)', (POSSIBLE, 'T * H * K', ['T * H * K'])),
    # the address before the last
    ('p = y + tl.program_id(0) * N\nfor j in range(T):\n    tl.store(p, 0)\n    p += K',
     (NARROW, ID, [f'{ID} * N'])),
    ('p = tl.make_block_ptr(y + tl.program_id(0) * N, (T,), (1,), (0,), (BT,), (0,))\ntl.load(p)',
     (NARROW, ID, [f'{ID} * N'])),
    # a size product that cuts a wide index
    ('i = tl.program_id(0).to(tl.int64)\ntl.load(x + i, mask=i < T * H * K)', (POSSIBLE, 'T * H * K', ['T * H * K'])),
])
def test_an_origin_is_found_once_with_what_wraps(body, expected):
    assert [summary(fault) for fault in faults(body)] == [expected]


@pytest.mark.parametrize('body', [
    'i = tl.program_id(0).to(tl.int64)\ntl.store(y + i * N, 0)',
    'r = tl.load(idx + tl.program_id(0)).to(tl.int64)\ntl.store(y + r * N, 0)',
    'i = tl.program_id(0)\ntl.store(y + i * tl.cast(N, tl.int64), 0)',
    'i = tl.program_id(0)\no = i * BT + tl.arange(0, BT)\ntl.store(y + o, 0, mask=o < T)',
    'i = tl.program_id(0)\ntl.store(y + (i % H) * K, i // H)',
    'o, d = tl.arange(0, BT), tl.arange(0, K)\ntl.store(y + o[:, None] * K + d[None, :], 0)',
    # values and not addresses
    'i = tl.program_id(0)\ntl.store(y + i, i * N)',
    'i = tl.program_id(0)\ntl.store(y, 0, mask=i * N < T)',
    # where the low bits are all that is asked for, and where it wraps on purpose
    'i = tl.program_id(0)\ntl.store(y + (i * N & 255), 0)',
    'i = tl.program_id(0).to(tl.uint32)\ntl.store(y + ((i * 0x9E3779B1) >> 16), 0)',
    # nothing is known
    'i = unknown(tl.program_id(0))\ntl.store(y + i * N, 0)',
    'd = tl.make_tensor_descriptor(x, [T, K], [K, 1], [BT, K])\nd.load([tl.program_id(0) * BT, 0])',
])
def test_what_does_not_wrap_is_left_alone(body):
    assert faults(body) == []


def test_two_origins_are_two_faults_in_the_order_of_the_source():
    found = faults('i, r = tl.program_id(0), tl.load(cu)\ntl.store(y + r * N + i * H * K * BT, 0)')
    assert [text(fault.origin.node) for fault in found] == [ID, 'tl.load(cu)']


def test_the_half_of_a_tuple_that_is_widened_is_no_fault():
    found = faults('i, j = tl.program_id(0).to(tl.int64), tl.program_id(1)\ntl.store(y + i * N + j * T * H * K, 0)')
    assert [text(fault.origin.node) for fault in found] == ['tl.program_id(1)']


@pytest.mark.parametrize('body', [
    'i = tl.program_id(0)\nif FLAG:\n    i = i.to(tl.int64)\ntl.store(y + i * N, 0)',
    'for j in range(T):\n    i = j\n    if FLAG:\n        i = j.to(tl.int64)\n    tl.store(y + i * N, 0)',
    # the strides instead, in any order, and with more of them on one side
    'i = tl.program_id(0)\nif FLAG:\n    s = tl.cast(N, tl.int64)\n    t = tl.cast(T, tl.int64)\n    if K:\n'
    '        u = tl.cast(T, tl.int64)\nelse:\n    t = T\n    s = N\ntl.store(y + i * s, t)',
])
def test_what_the_author_chose_not_to_widen_is_declined(body):
    assert faults(body) == []


def test_a_flag_that_chooses_something_else_as_well_is_no_such_choice():
    choice = 'if FLAG:\n    s = tl.cast(N, tl.int64)\n    t = T\nelse:\n    s = N\n    t = N\n'
    assert len(faults(f'i = tl.program_id(0)\n{choice}tl.store(y + i * s, t)')) == 1


HELPER = '''
    @triton.jit
    def row(p, stride):
        i = tl.program_id(0)
        return p + i * stride


    @triton.jit
    def at(p, i, stride):
        return p + i * stride
'''


def test_an_origin_in_a_helper_stands_in_its_frame():
    (fault,) = faults('tl.store(row(y, N), 0)', helpers=HELPER)
    assert (fault.origin.frame.kernel.name, text(fault.origin.frame.call)) == ('row', 'row(y, N)')


def test_a_product_in_a_helper_goes_back_to_the_id_of_the_kernel():
    body = 'i = tl.program_id(0)\ntl.store(at(y, i, N), 0)\ntl.store(at(x, i, N), 0)'
    (fault,) = faults(body, helpers=HELPER)
    assert fault.origin.frame.kernel.name == 'kernel'
    # two calls of one place
    assert [product.value.frame.kernel.name for product in fault.products] == ['at']


def test_all_products_of_an_origin_are_told_in_the_order_of_the_source():
    (fault,) = faults('i = tl.program_id(0)\ntl.load(x + i * N)\ntl.store(y + i * H * K * BT, 0)')
    assert [text(product.value.node) for product in fault.products] == ['i * N', 'i * H * K', 'i * H * K * BT']
    lines = [place(product.value.node, product.value.frame)[1] for product in fault.products]
    assert lines == sorted(lines)


@pytest.mark.parametrize(('body', 'expected'), [
    ('i = tl.program_id(0)\ntl.store(y + i * N, 0)', '`i` = 262,144 and `N` = 8,192 (width)'),
    ('i = tl.program_id(0)\ntl.store(y + i * 4096, 0)', '`i` = 524,288'),
    ('r = tl.load(idx)\ntl.store(y + r * H * K, 0)', '`r` = 524,288, `H` = 32 (heads) and `K` = 128 (head-width)'),
])
def test_the_witness_is_the_smallest_round_index_that_wraps(body, expected):
    found = addresses(body)
    (fault,) = found.faults()
    assert Witness(fault.products[-1], found.bounds).text() == expected
