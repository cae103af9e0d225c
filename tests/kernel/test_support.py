# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What speaks for an index that wraps: what the kernel does besides the product itself."""

import pytest

from flakelint.kernel.addresses import NARROW, POSSIBLE, Addresses
from flakelint.kernel.sizes import Assumed
from tests.kernel.models import model

PARAMETERS = 'x, y, z, cu, cu_seqlens, table, n_cols, stride, page_stride, table_stride, D: tl.constexpr, BLOCK: tl.constexpr'
ROW = 'row = tl.program_id(0)\n'
TILES = ROW + 'for s in range(0, n_cols, BLOCK):\n    c = s + tl.arange(0, BLOCK)\n    m = c < n_cols\n    '


def kinds(body: str, **parts: str) -> list[str]:
    found = Addresses(model(body, parameters=PARAMETERS, **{'name': 'rows_bwd_kernel', **parts}), Assumed())
    return [fault.kind for fault in found.faults()]


@pytest.mark.parametrize('body', [
    # rows that are as wide as a run-time size, written
    f'{TILES}tl.store(y + row * n_cols + c, 0, mask=m)',
    f'{TILES}tl.store(y + row * stride + c, tl.load(x + row * stride + c, mask=m), mask=m)',
    # and read by a program each
    f'{TILES}tl.store(y + row, tl.max(tl.load(x + row * n_cols + c, mask=m, other=0), 0))',
    # three tensors alike, one of them written
    f'{ROW}o = row * stride + tl.arange(0, D)\ntl.store(z + o, tl.load(x + o) + tl.load(y + o))',
    f'{ROW}o = row * stride + tl.arange(0, D)\ntl.atomic_add(z + o, tl.load(x + o) + tl.load(y + o))',
    # the beginning of a sequence among the rows of all
    'i = tl.program_id(0)\nb = tl.load(cu + i)\nn = tl.load(cu + i + 1) - b\ntl.load(x + b * stride, mask=n > 0)',
    'b = tl.load(cu_seqlens + tl.program_id(0))\ntl.load(x + b * stride)',
    # a table of pages
    'b, i = tl.program_id(0), tl.program_id(1)\np = tl.load(table + b * table_stride + i)\ntl.load(x + p * page_stride)',
])
def test_what_is_spoken_for_is_narrow(body):
    assert NARROW in kinds(body)


@pytest.mark.parametrize('body', [
    # one tensor that is read with an assumed stride
    f'{ROW}tl.store(z + row, tl.load(x + row * stride))',
    # two
    f'{ROW}tl.store(y + row * stride, tl.load(x + row * stride))',
    # three, but none written
    f'{ROW}o = row * stride\ntl.store(cu + row, tl.load(x + o) + tl.load(y + o) + tl.load(z + o))',
    # a loaded index that is neither the beginning of a sequence nor a page
    'r = tl.load(table + tl.program_id(0))\ntl.store(y + r * stride, 0)',
    'r = tl.load(table + tl.program_id(0) * 4 + 1)\ntl.load(x + r * stride)\ntl.load(table + tl.program_id(0) * 4 + 3)',
    # rows read by a loaded index
    'r = tl.load(table + tl.program_id(0))\nc = tl.arange(0, BLOCK)\ntl.load(x + r * n_cols + c, mask=c < n_cols)',
])
def test_what_nothing_speaks_for_is_possible(body):
    assert set(kinds(body)) == {POSSIBLE}


def test_a_vector_has_few_rows():
    body = f'{TILES}tl.store(y + row * stride + c, tl.load(x + row * stride + c, mask=m), mask=m)'
    assert kinds(body) == [NARROW]
    assert kinds(body, name='gemv_kernel') == [POSSIBLE]
