# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.utils import addmm, matmul
from fla.utils import assert_close, by_size, device

RATIO = {torch.float: 1e-5, torch.half: 0.005, torch.bfloat16: 0.008}
DTYPE_IDS = ['fp32', 'fp16', 'bf16']
SHAPES = by_size(
    small=[(63, 100, 20), (1, 1, 1), (130, 16, 70)],
    full=[(63, 100, 20), (1, 1, 1), (2000, 1000, 300), (1024, 4096, 4096), (5000, 17, 100)],
)
SHAPE_IDS = ['x'.join(map(str, shape)) for shape in SHAPES]
ACTIVATIONS = {
    '': lambda x: x,
    'relu': F.relu,
    'leaky_relu': F.leaky_relu,
    'sigmoid': torch.sigmoid,
    'tanh': torch.tanh,
}


def make_factors(M, N, K, dtype, a_batch=(), b_batch=()):
    a = torch.randn(*a_batch, M, K, device=device).to(dtype)
    b = torch.randn(*b_batch, K, N, device=device).to(dtype)
    return a, b


@pytest.mark.parametrize('shape', SHAPES, ids=SHAPE_IDS)
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_IDS)
@pytest.mark.parametrize(('a_batch', 'b_batch'), [((), ()), ((2,), ()), ((3,), (3,))], ids=['single', 'shared', 'batched'])
def test_matmul(shape, dtype, a_batch, b_batch):
    torch.manual_seed(42)
    a, b = make_factors(*shape, dtype, a_batch, b_batch)
    y = matmul(a, b)
    assert y.dtype == dtype
    assert_close('y', a.double() @ b.double(), y, RATIO[dtype])


@pytest.mark.parametrize('activation', ACTIVATIONS, ids=[name or 'none' for name in ACTIVATIONS])
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_IDS)
def test_matmul_with_activation(activation, dtype):
    torch.manual_seed(42)
    a, b = make_factors(63, 33, 100, dtype)
    assert_close('y', ACTIVATIONS[activation](a.double() @ b.double()), matmul(a, b, activation), RATIO[dtype])


@pytest.mark.parametrize('x_shape', [(33,), (1, 33), (63, 33), (63, 1), (2, 63, 33), (2, 1, 33)], ids=str)
@pytest.mark.parametrize(('alpha', 'beta'), [(None, None), (0.5, None), (None, -2.), (0.5, 3.)])
def test_addmm(x_shape, alpha, beta):
    torch.manual_seed(42)
    a, b = make_factors(63, 33, 20, torch.float, (2,))
    x = torch.randn(x_shape, device=device)
    ref = (1 if beta is None else beta) * x.double() + (1 if alpha is None else alpha) * (a.double() @ b.double())
    assert_close('y', ref, addmm(x, a, b, alpha, beta), 1e-5)


@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_IDS)
def test_addmm_of_one_matrix(dtype):
    torch.manual_seed(42)
    a, b = make_factors(100, 60, 63, dtype)
    x = torch.randn(60, device=device).to(dtype)
    assert_close('y', torch.addmm(x.double(), a.double(), b.double()), addmm(x, a, b), RATIO[dtype])


def test_matmul_of_transposed_factors():
    torch.manual_seed(42)
    a, b = make_factors(20, 63, 33, torch.float)
    assert_close('y', b.T @ a.T, matmul(b.T, a.T), 1e-5)


def test_matmul_of_nothing():
    torch.manual_seed(42)
    assert matmul(*make_factors(0, 5, 3, torch.float)).shape == (0, 5)
    assert torch.equal(matmul(*make_factors(4, 5, 0, torch.float)), torch.zeros(4, 5, device=device))


def test_matmul_refuses():
    torch.manual_seed(42)
    a, b = make_factors(4, 5, 3, torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        matmul(a, b.T)
    with pytest.raises(ValueError, match='batch entries'):
        matmul(a, b[None])
    with pytest.raises(ValueError, match='one type'):
        matmul(a, b.half())
    with pytest.raises(ValueError, match='activation'):
        matmul(a, b, 'gelu')
