# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which product the message of an address finding names: one that wraps at the sizes that it gives."""

import pytest

from tests.rule_harness import checker

PARAMETERS = 'x, y, z, M, N, stride_m, tiles, H: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr'
COLUMNS = 'cols = tl.program_id(1) * BN + tl.arange(0, BN)'


def messages(folder, *body: str) -> list[str]:
    lines = ['import triton', 'import triton.language as tl', '', '', '@triton.jit', f'def copy_bwd_kernel({PARAMETERS}):']
    text = '\n'.join([*lines, *(f'    {line}' for line in body), ''])
    return [one.message for one in checker(folder, {}, 'TRI101').check('copy.py', text.encode())]


@pytest.mark.parametrize(('named', 'body'), [
    # a number of a tile is as many as there are of them, and leads to rows that wrap
    ('`rows[:, None] * stride_m`', [
        'tile = tl.program_id(0) * tiles + tl.program_id(1)', 'rows = tile * BM + tl.arange(0, BM)', COLUMNS,
        'o = rows[:, None] * stride_m + cols[None, :]', 'm = cols[None, :] < N',
        'tl.store(y + o, tl.load(x + o, mask=m), mask=m)',
        'tl.store(z + tile * N + cols, 0, mask=cols < N)',
    ]),
    # what a larger one is made of says less than that
    ('`(i * N + j) * K`', [
        'i, j = tl.program_id(0), tl.program_id(1)', 'o = (i * N + j) * K + tl.arange(0, K)',
        'tl.store(y + o, tl.load(x + o) + tl.load(z + o))',
    ]),
    # one that wraps by far says more than one that just reaches the limit, however often that is used
    ('`i * stride_m`', [
        'i = tl.program_id(0)', 'cols = tl.arange(0, BN)', 'm = cols < N', 'o = i * H * K * 64 + cols',
        'tl.store(y + o, tl.load(x + o, mask=m), mask=m)',
        'p = z + i * stride_m + cols', 'tl.store(p, tl.load(p, mask=m), mask=m)',
    ]),
    # a row says more than the number that is worked out for it
    ('`i * N`', [
        'i = tl.program_id(0)', 'cols = tl.arange(0, BN)', 'm = cols < N',
        'b = tl.load(x + i * N + cols, mask=m) * tl.load(z + i * N + cols, mask=m)', 'tl.store(y + i * stride_m, tl.sum(b))',
    ]),
    # behind a block pointer, too
    ('`i * N`', [
        'i = tl.program_id(0)', 'p = tl.make_block_ptr(x + i * N, (M, K), (K, 1), (0, 0), (BM, BN), (1, 0))', 'b = tl.load(p)',
        'q = tl.make_block_ptr(z + i * N, (M, K), (K, 1), (0, 0), (BM, BN), (1, 0))', 'tl.store(q, b)',
        'o = tl.arange(0, BM)', 'tl.store(y + i * stride_m + o, tl.sum(b, 1), mask=o < N)',
        'tl.store(x + i * stride_m + o, tl.sum(b, 1), mask=o < N)',
    ]),
], ids=['tiles', 'parts', 'by far', 'rows', 'block pointers'])
def test_the_product_that_is_named(named, body, tmp_path):
    (message,) = messages(tmp_path, *body)
    assert message.startswith(named)
