# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from fla.ops.utils import logsumexp_fwd, softmax_bwd, softmax_fwd, softplus
from fla.utils import assert_close, by_size, device

SHAPES = by_size(
    small=[(3, 63), (2, 3, 128), (5, 1), (2, 9000)],
    full=[(3, 63), (2, 3, 128), (5, 1), (2, 9000), (1000, 2000), (64, 50257)],
)
SHAPE_IDS = ['x'.join(map(str, shape)) for shape in SHAPES]
DTYPES = {torch.float: 1e-5, torch.half: 0.005, torch.bfloat16: 0.008}
DTYPE_IDS = ['fp32', 'fp16', 'bf16']


@pytest.mark.parametrize('shape', SHAPES, ids=SHAPE_IDS)
@pytest.mark.parametrize('dtype', DTYPES, ids=DTYPE_IDS)
def test_softmax(shape, dtype):
    torch.manual_seed(42)
    x = (torch.randn(shape, device=device) * 5).to(dtype).requires_grad_()
    ref = x.double().softmax(-1)
    p = softmax_fwd(x)
    assert p.dtype == torch.float
    assert_close('p', ref, p, 1e-5)
    dp = torch.randn_like(p)
    dx, = torch.autograd.grad(ref, x, dp.double())
    assert_close('dx', dx, softmax_bwd(p, dp), max(1e-4, DTYPES[dtype]))


@pytest.mark.parametrize('dtype', DTYPES, ids=DTYPE_IDS)
def test_softmax_in_the_type_of_its_input(dtype):
    torch.manual_seed(42)
    x = torch.randn(4, 100, device=device).to(dtype)
    p = softmax_fwd(x, dtype=None)
    dx = softmax_bwd(p, torch.randn_like(p), dtype=None)
    assert p.dtype == dx.dtype == dtype
    assert_close('p', x.float().softmax(-1), p, DTYPES[dtype])


def test_softmax_of_extremes():
    torch.manual_seed(42)
    x = torch.randn(4, 9000, device=device) * 1e4
    x[0, ::2], x[1, 100:], x[2, :8192] = float('-inf'), float('-inf'), float('-inf')
    for name, ref, tri in (
        ('softmax', x.softmax(-1), softmax_fwd(x)),
        ('logsumexp', x.logsumexp(-1), logsumexp_fwd(x)),
    ):
        assert_close(name, ref, tri, 1e-5)
    x[0], x[1, 5] = float('-inf'), float('inf')
    assert torch.equal(logsumexp_fwd(x)[:2], torch.tensor([float('-inf'), float('inf')], device=device))


@pytest.mark.parametrize('shape', SHAPES, ids=SHAPE_IDS)
@pytest.mark.parametrize('dtype', DTYPES, ids=DTYPE_IDS)
@pytest.mark.parametrize('scale', [None, 0.3, -2.], ids=['plain', 'scale', 'negative_scale'])
def test_logsumexp(shape, dtype, scale):
    torch.manual_seed(42)
    x = torch.randn(shape, device=device).to(dtype)
    ref = (x.double() * (1 if scale is None else scale)).logsumexp(-1)
    assert_close('z', ref, logsumexp_fwd(x, scale), 1e-5)
    assert logsumexp_fwd(x, scale).dtype == torch.float
    assert logsumexp_fwd(x, scale, dtype).dtype == dtype


def test_softmax_of_nothing():
    torch.manual_seed(42)
    for shape in ((0, 5), (3, 0)):
        x = torch.randn(shape, device=device)
        assert softmax_fwd(x).shape == softmax_bwd(x, x).shape == shape
        assert torch.equal(logsumexp_fwd(x), x.logsumexp(-1))
    with pytest.raises(ValueError, match='one shape'):
        softmax_bwd(torch.ones(2, 3, device=device), torch.ones(2, 4, device=device))


@triton.jit
def softplus_fwd_kernel_y(x, y, N: tl.constexpr, BN: tl.constexpr):
    o_n = tl.arange(0, BN)
    b_x = tl.load(x + o_n, mask=o_n < N, other=0)
    tl.store(y + o_n, softplus(b_x), mask=o_n < N)


@pytest.mark.parametrize('dtype', [torch.float, torch.half], ids=['fp32', 'fp16'])
def test_softplus(dtype):
    torch.manual_seed(42)
    x = torch.cat([torch.linspace(-80, 80, 999, device=device), torch.zeros(1, device=device)]).to(dtype)
    y = torch.empty(1000, device=device)
    softplus_fwd_kernel_y[(1,)](x, y, N=1000, BN=1024)
    ref = F.softplus(x.double(), threshold=1000)
    # the argument of a GPU's exponential has 24 bits, and it grows to 80
    assert ((y - ref).abs() <= 1e-5 * ref).all()
