# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.utils import chunk_global_cumsum, chunk_local_cumsum
from fla.utils import assert_close, by_size, device

SHAPES = by_size(
    small=[(1, 63, 2), (2, 100, 1), (1, 100, 2, 20), (1, 1, 1, 64)],
    full=[(1, 63, 2), (2, 100, 4), (4, 2000, 8), (2, 500, 4, 60), (1, 2048, 4, 128)],
)
SHAPES = [pytest.param(shape, id='x'.join(map(str, shape))) for shape in SHAPES]
DIRECTIONS = [pytest.param(False, id='forward'), pytest.param(True, id='reverse')]
LENS = by_size(small=[1, 40, 0, 59], full=[1, 40, 0, 59, 1000, 3])


def cumsum(x, reverse):
    return x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1)


def reference(x, lens, chunk_size, reverse, scale):
    parts = []
    for sequence in x.double().split(lens, dim=1):
        for chunk in sequence.split(chunk_size or max(sequence.shape[1], 1), dim=1):
            parts.append(cumsum(chunk, reverse))
    return torch.cat(parts, dim=1) * (1 if scale is None else scale)


def offsets(lens):
    return torch.tensor([0, *lens], device=device).cumsum(0)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('reverse', DIRECTIONS)
@pytest.mark.parametrize(
    ('chunk_size', 'scale', 'dtype'),
    [(16, None, torch.float), (64, 0.5, torch.bfloat16)],
    ids=['chunk16-fp32', 'chunk64-scale-bf16'],
)
def test_chunk_local_cumsum(shape, reverse, chunk_size, scale, dtype):
    torch.manual_seed(42)
    x = torch.randn(shape, dtype=dtype, device=device)
    tri = chunk_local_cumsum(x, chunk_size, reverse=reverse, scale=scale)
    assert tri.dtype == torch.float
    assert_close('o', reference(x, [shape[1]], chunk_size, reverse, scale), tri, 1e-5)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('reverse', DIRECTIONS)
@pytest.mark.parametrize('scale', [None, 0.5], ids=['plain', 'scale'])
def test_chunk_global_cumsum(shape, reverse, scale):
    torch.manual_seed(42)
    x = torch.randn(shape, device=device)
    tri = chunk_global_cumsum(x, reverse=reverse, scale=scale)
    assert_close('o', reference(x, [shape[1]], None, reverse, scale), tri, 1e-5)


@pytest.mark.parametrize('tail', [(2,), (1, 20)], ids=['scalar', 'vector'])
@pytest.mark.parametrize('reverse', DIRECTIONS)
@pytest.mark.parametrize('cu_dtype', [torch.int32, torch.int64], ids=['int32', 'int64'])
def test_cumsum_varlen(tail, reverse, cu_dtype):
    torch.manual_seed(42)
    x = torch.randn(1, sum(LENS), *tail, device=device)
    cu_seqlens = offsets(LENS).to(cu_dtype)
    tri = chunk_local_cumsum(x, 16, reverse=reverse, cu_seqlens=cu_seqlens)
    assert_close('local', reference(x, LENS, 16, reverse, None), tri, 1e-5)
    tri = chunk_global_cumsum(x, reverse=reverse, cu_seqlens=cu_seqlens)
    assert_close('global', reference(x, LENS, None, reverse, None), tri, 1e-5)


def test_cumsum_output_dtype():
    torch.manual_seed(42)
    x = torch.randn(1, 63, 1, dtype=torch.half, device=device)
    assert chunk_local_cumsum(x, 16, output_dtype=None).dtype == torch.half
    assert chunk_global_cumsum(x, output_dtype=torch.bfloat16).dtype == torch.bfloat16


def test_cumsum_refuses():
    torch.manual_seed(42)
    x = torch.randn(2, 63, 1, device=device)
    with pytest.raises(ValueError, match='power of two'):
        chunk_local_cumsum(x, 48)
    with pytest.raises(ValueError, match='batch size'):
        chunk_global_cumsum(x, cu_seqlens=offsets([63]))
    with pytest.raises(ValueError, match=r'\[B, T, H\]'):
        chunk_local_cumsum(x[0], 16)
    with pytest.raises(ValueError, match='head_first'):
        chunk_local_cumsum(x, 16, head_first=True)
    with pytest.warns(UserWarning, match='ignored: chunksize') as caught:
        chunk_local_cumsum(x, 16, chunksize=16)
    assert caught[0].filename == __file__
