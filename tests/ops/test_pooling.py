# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.utils import mean_pooling
from fla.utils import assert_close, by_size, device

RATIO = {torch.float: 1e-5, torch.half: 0.005, torch.bfloat16: 0.008}
DTYPE_IDS = ['fp32', 'fp16', 'bf16']
CASES = by_size(
    small=[((2, 63, 2, 20), 16), ((1, 100, 1, 130), 100), ((1, 50, 2, 16), 7), ((1, 1, 1, 8), 64)],
    full=[((2, 63, 2, 20), 16), ((2, 2000, 4, 128), 64), ((1, 1000, 3, 100), 300), ((4, 500, 2, 64), 7)],
)
CASE_IDS = [f'{"x".join(map(str, shape))}-chunk{size}' for shape, size in CASES]
VARLEN_CASES = by_size(small=[([1, 16, 0, 40], 16), ([33, 3], 7)], full=[([1, 64, 0, 70], 16), ([1000, 3, 500, 497], 64)])


def naive(x, chunk_size):
    return torch.stack([part.mean(1) for part in x.split(chunk_size, dim=1)], dim=1)


def compare(ref, tri, x, ratio):
    dy = torch.randn_like(ref)
    assert_close('y', ref, tri, ratio)
    ref_dx, tri_dx = (torch.autograd.grad(y, x, dy.to(y.dtype))[0] for y in (ref, tri))
    assert_close('dx', ref_dx, tri_dx, ratio)


@pytest.mark.parametrize(('shape', 'chunk_size'), CASES, ids=CASE_IDS)
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_IDS)
def test_mean_pooling(shape, chunk_size, dtype):
    torch.manual_seed(42)
    x = torch.randn(shape, device=device).to(dtype).requires_grad_()
    y = mean_pooling(x, chunk_size)
    assert y.dtype == dtype
    compare(naive(x.float(), chunk_size), y, x, RATIO[dtype])


@pytest.mark.parametrize(('lens', 'chunk_size'), VARLEN_CASES, ids=[str(lens) for lens, _ in VARLEN_CASES])
def test_mean_pooling_varlen(lens, chunk_size):
    torch.manual_seed(42)
    x = torch.randn(1, sum(lens), 2, 20, device=device, requires_grad=True)
    ref = torch.cat([naive(part, chunk_size) for part in x.split(lens, dim=1) if part.shape[1]], dim=1)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    compare(ref, mean_pooling(x, chunk_size, cu_seqlens), x, 1e-5)


def test_mean_pooling_refuses():
    torch.manual_seed(42)
    x = torch.randn(2, 15, 2, 16, device=device)
    with pytest.raises(ValueError, match='batch size'):
        mean_pooling(x, 4, torch.tensor([0, 15], device=device))
    with pytest.raises(ValueError, match='shape'):
        mean_pooling(x[0], 4)
    with pytest.raises(ValueError, match='chunk_size'):
        mean_pooling(x, 0)
    with pytest.raises(ValueError, match='head_first'):
        mean_pooling(x, 4, head_first=True)
    assert mean_pooling(x[:, :0], 4).shape == (2, 0, 2, 16)
