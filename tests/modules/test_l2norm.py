# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.modules import L2Norm, l2norm
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, RATIO, leaf, pad_tensor

SHAPES = by_size(
    small=[(2, 15, 3, 20), (1, 16, 1, 64), (33, 100), (1, 1)],
    full=[(2, 1000, 4, 128), (3, 63, 2, 100), (8192, 256), (1, 1)],
)


def reference(x, eps):
    return x * (x.square().sum(-1, keepdim=True) + eps).rsqrt()


@pytest.mark.parametrize('shape', SHAPES, ids=lambda shape: 'x'.join(map(str, shape)))
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_l2norm(shape, dtype):
    torch.manual_seed(42)
    x = leaf(torch.randn(shape, device=device).to(dtype))
    ref, tri = reference(x.float(), 1e-6), l2norm(x)
    assert tri.dtype == dtype
    assert_close('y', ref, tri, RATIO[dtype])
    dy = torch.randn_like(ref)
    ref_dx, tri_dx = (torch.autograd.grad((y * dy).sum(), x)[0] for y in (ref, tri.float()))
    assert_close('dx', ref_dx, tri_dx, RATIO[dtype])


def test_l2norm_of_zeros():
    torch.manual_seed(42)
    x = leaf(torch.zeros(3, 16, device=device))
    y = l2norm(x, eps=1e-4)
    dx, = torch.autograd.grad(y.sum(), x)
    assert torch.equal(y, torch.zeros_like(y))
    assert_close('dx', torch.full_like(dx, 100.), dx, 1e-5)


def test_l2norm_in_another_type():
    torch.manual_seed(42)
    x = leaf(torch.randn(5, 20, device=device).half())
    y = l2norm(x, output_dtype=torch.float)
    assert y.dtype == torch.float
    assert_close('y', reference(x.float(), 1e-6), y, 1e-5)
    assert torch.autograd.grad(y.sum(), x)[0].dtype == torch.half


def test_l2norm_of_nothing():
    torch.manual_seed(42)
    x = leaf(torch.randn(0, 20, device=device))
    assert torch.autograd.grad(l2norm(x).sum(), x)[0].shape == x.shape


def test_l2norm_does_not_read_padding():
    torch.manual_seed(42)
    x = leaf(torch.randn(33, 20, device=device))
    padded = pad_tensor(x)
    results = [(l2norm(one), torch.autograd.grad(l2norm(one).sum(), one)[0]) for one in (x, padded)]
    for name, ref, tri in zip(('y', 'dx'), *results, strict=True):
        assert_close(name, ref, tri, 1e-6)


def test_l2norm_as_a_module():
    torch.manual_seed(42)
    x = leaf(torch.randn(7, 20, device=device))
    y = L2Norm(eps=0.5, output_dtype=torch.half)(x)
    assert y.dtype == torch.half
    assert_close('y', reference(x, 0.5), y, 0.005)
    assert_close('dx', *(torch.autograd.grad(one.sum(), x)[0] for one in (reference(x, 0.5), y)), 0.005)
