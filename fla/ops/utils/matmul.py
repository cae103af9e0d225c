# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Products of matrices in tiles, with what is often added or applied to them."""

import torch
import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import dot
from fla.utils import autotune_cache_kwargs, input_guard

ACTIVATIONS = ('', 'relu', 'leaky_relu', 'sigmoid', 'tanh')


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    """`x` of fp32 after the activation of that name, '' for none; the slope of a leaky ReLU is 0.01."""
    if ACTIVATION == 'relu':
        x = tl.maximum(x, 0)
    elif ACTIVATION == 'leaky_relu':
        x = tl.where(x >= 0, x, 0.01 * x)
    elif ACTIVATION == 'sigmoid':
        x = tl.sigmoid(x)
    elif ACTIVATION == 'tanh':
        x = 2 * tl.sigmoid(2 * x) - 1
    return x


@triton.heuristics({
    'HAS_INPUT': lambda args: args['x'] is not None,
    'HAS_ALPHA': lambda args: args['alpha'] is not None,
    'HAS_BETA': lambda args: args['beta'] is not None,
})
@fla_cache_autotune(
    configs=[
        triton.Config({'BM': BM, 'BN': BN, 'BK': BK, 'GROUP': 8}, num_warps=num_warps, num_stages=num_stages)
        for BM, BN, BK, num_warps, num_stages in (
            (64, 64, 32, 4, 3),
            (128, 64, 64, 4, 3),
            (128, 128, 64, 8, 3),
            (128, 256, 64, 8, 3),
        )
    ],
    key=['N', 'K', 'ACTIVATION', 'HAS_INPUT'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['M'])
def matmul_fwd_kernel_y(
    x,
    a,
    b,
    y,
    alpha,
    beta,
    x_batch,
    x_row,
    b_batch,
    M,
    N: tl.constexpr,
    K: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    ACTIVATION: tl.constexpr,
    HAS_INPUT: tl.constexpr,
    HAS_ALPHA: tl.constexpr,
    HAS_BETA: tl.constexpr,
):
    i_mn = tl.program_id(0).to(tl.int64)
    i_b = tl.program_id(1).to(tl.int64)
    M = tl.cast(M, tl.int64)
    NM, NN = tl.cdiv(M, BM), tl.cdiv(N, BN)
    # tiles that share rows of a and columns of b are neighbours
    i_g = i_mn // (GROUP * NN)
    n_g = min(NM - i_g * GROUP, GROUP)
    i_m = i_g * GROUP + i_mn % (GROUP * NN) % n_g
    i_n = i_mn % (GROUP * NN) // n_g

    o_m = i_m * BM + tl.arange(0, BM)
    o_n = i_n * BN + tl.arange(0, BN)
    m_m = o_m < M
    m_n = o_n < N
    b_y = tl.zeros([BM, BN], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK).to(tl.int64)
        m_k = o_k < K
        # [BM, BK]
        b_a = tl.load(a + (i_b * M + o_m)[:, None] * K + o_k[None, :], mask=m_m[:, None] & m_k[None, :], other=0)
        # [BK, BN]
        b_b = tl.load(b + i_b * b_batch + o_k[:, None] * N + o_n[None, :], mask=m_k[:, None] & m_n[None, :], other=0)
        b_y += dot(b_a, b_b)

    m_y = m_m[:, None] & m_n[None, :]
    if HAS_ALPHA:
        b_y *= alpha
    if HAS_INPUT:
        b_x = tl.load(x + i_b * x_batch + o_m[:, None] * x_row + o_n[None, :], mask=m_y, other=0).to(tl.float32)
        if HAS_BETA:
            b_x *= beta
        b_y += b_x
    b_y = activate(b_y, ACTIVATION)
    tl.store(y + (i_b * M + o_m)[:, None] * N + o_n[None, :], b_y.to(y.dtype.element_ty), mask=m_y)


def _check_factors(a: torch.Tensor, b: torch.Tensor) -> None:
    shapes = f'{tuple(a.shape)} and {tuple(b.shape)}'
    if a.dim() not in (2, 3) or b.dim() not in (2, 3) or a.shape[-1] != b.shape[-2]:
        raise ValueError(f'a [M, K] or [B, M, K] and b [K, N] or [B, K, N] do not fit together: {shapes}')
    if b.dim() == 3 and (a.dim() == 2 or a.shape[0] != b.shape[0]):
        raise ValueError(f'a needs as many batch entries as b: {shapes}')
    if a.dtype != b.dtype:
        raise ValueError(f'a and b have to be of one type, got {a.dtype} and {b.dtype}')


def _multiply(
    a: torch.Tensor,
    b: torch.Tensor,
    x: torch.Tensor | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    activation: str = '',
) -> torch.Tensor:
    """`activation(alpha * a @ b + beta * x)`, where x has the shape of the result, its rows or its batch entries repeated."""
    _check_factors(a, b)
    B, M, K = a.shape if a.dim() == 3 else (1, *a.shape)
    N = b.shape[-1]
    y = a.new_empty(*a.shape[:-1], N)
    if y.numel() == 0:
        return y
    if x is not None:
        x = x.expand_as(y).unsqueeze(0) if y.dim() == 2 else x.expand_as(y)
        x = x if N == 1 or x.stride(-1) == 1 else x.contiguous()

    def grid(meta):
        return (triton.cdiv(M, meta['BM']) * triton.cdiv(N, meta['BN']), B)

    matmul_fwd_kernel_y[grid](
        x=x,
        a=a,
        b=b,
        y=y,
        alpha=alpha,
        beta=beta,
        x_batch=x.stride(0) if x is not None else 0,
        x_row=x.stride(1) if x is not None else 0,
        b_batch=b.stride(0) if b.dim() == 3 else 0,
        M=M,
        N=N,
        K=K,
        ACTIVATION=activation,
    )
    return y


@input_guard
def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = '') -> torch.Tensor:
    """`activation(a @ b)`, summed in fp32, without gradients.

    Args:
        a (Tensor):
            Left factor, `[M, K]` or `[B, M, K]`.
        b (Tensor):
            Right factor, `[K, N]`, or `[B, K, N]` for one a batch entry.
        activation (str, Optional):
            What is applied to the product: `relu`, `leaky_relu` with the slope 0.01, `sigmoid`, `tanh`, or nothing. Default: `''`.

    Returns:
        y (Tensor):
            The product, `[M, N]` or `[B, M, N]`, in the type of the factors.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f'activation has to be one of {", ".join(map(repr, ACTIVATIONS))}, got {activation!r}')
    return _multiply(a, b, activation=activation)


@input_guard
def addmm(
    x: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    alpha: float | None = None,
    beta: float | None = None,
) -> torch.Tensor:
    """`beta * x + alpha * a @ b`, summed in fp32, without gradients.

    Args:
        x (Tensor):
            What is added, of a shape that expands to that of the product.
        a (Tensor):
            Left factor, `[M, K]` or `[B, M, K]`.
        b (Tensor):
            Right factor, `[K, N]`, or `[B, K, N]` for one a batch entry.
        alpha (float, Optional):
            Factor of the product, 1 if it is `None`. Default: `None`.
        beta (float, Optional):
            Factor of `x`, 1 if it is `None`. Default: `None`.

    Returns:
        y (Tensor):
            The sum, `[M, N]` or `[B, M, N]`, in the type of the factors.
    """
    return _multiply(a, b, x, alpha, beta)
