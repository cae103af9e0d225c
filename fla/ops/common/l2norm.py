# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Division of vectors by their L2 norm."""

import torch
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from fla.ops.utils.cache import fla_cache_autotune
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, autotune_cache_kwargs, input_guard

ROW_CONFIGS = [triton.Config({'BT': BT}, num_warps=num_warps) for BT, num_warps in ((16, 4), (32, 8))]


@fla_cache_autotune(configs=ROW_CONFIGS, key=['D'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def l2norm_fwd_kernel(
    x,
    y,
    rstd,
    eps,
    T,
    D: tl.constexpr,
    BD: tl.constexpr,
    BT: tl.constexpr,
):
    i_t = tl.program_id(0).to(tl.int64)
    o_t = i_t * BT + tl.arange(0, BT)
    o_d = tl.arange(0, BD)
    m_t = o_t < T
    m_td = m_t[:, None] & (o_d < D)[None, :]
    o_td = o_t[:, None] * D + o_d[None, :]
    # [BT, BD]
    b_x = tl.load(x + o_td, mask=m_td, other=0).to(tl.float32)
    b_rstd = tl.rsqrt(tl.sum(b_x * b_x, axis=1) + eps)
    tl.store(y + o_td, (b_x * b_rstd[:, None]).to(y.dtype.element_ty), mask=m_td)
    tl.store(rstd + o_t, b_rstd, mask=m_t)


@fla_cache_autotune(configs=ROW_CONFIGS, key=['D'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def l2norm_bwd_kernel(
    x,
    rstd,
    dy,
    dx,
    T,
    D: tl.constexpr,
    BD: tl.constexpr,
    BT: tl.constexpr,
):
    i_t = tl.program_id(0).to(tl.int64)
    o_t = i_t * BT + tl.arange(0, BT)
    o_d = tl.arange(0, BD)
    m_t = o_t < T
    m_td = m_t[:, None] & (o_d < D)[None, :]
    o_td = o_t[:, None] * D + o_d[None, :]
    b_rstd = tl.load(rstd + o_t, mask=m_t, other=0)[:, None]
    # [BT, BD]
    b_y = tl.load(x + o_td, mask=m_td, other=0).to(tl.float32) * b_rstd
    b_dy = tl.load(dy + o_td, mask=m_td, other=0).to(tl.float32)
    b_dx = (b_dy - b_y * tl.sum(b_y * b_dy, axis=1)[:, None]) * b_rstd
    tl.store(dx + o_td, b_dx.to(dx.dtype.element_ty), mask=m_td)


def l2norm_fwd(
    x: torch.Tensor,
    eps: float = 1e-6,
    output_dtype: torch.dtype | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """x over its norm, and one over the norm of each vector, in fp32 and without the last dimension."""
    D = x.shape[-1]
    y = torch.empty_like(x, dtype=output_dtype or x.dtype)
    rstd = x.new_empty(x.shape[:-1], dtype=torch.float)
    T = rstd.numel()
    if T == 0:
        return y, rstd
    l2norm_fwd_kernel[lambda meta: (triton.cdiv(T, meta['BT']),)](
        x=x,
        y=y,
        rstd=rstd,
        eps=eps,
        T=T,
        D=D,
        BD=triton.next_power_of_2(D),
    )
    return y, rstd


def l2norm_bwd(x: torch.Tensor, rstd: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """The gradient of x from that of x over its norm."""
    D = x.shape[-1]
    dx = torch.empty_like(x)
    T = rstd.numel()
    if T == 0:
        return dx
    l2norm_bwd_kernel[lambda meta: (triton.cdiv(T, meta['BT']),)](
        x=x,
        rstd=rstd,
        dy=dy,
        dx=dx,
        T=T,
        D=D,
        BD=triton.next_power_of_2(D),
    )
    return dx


class L2NormFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, eps, output_dtype):
        y, rstd = l2norm_fwd(x, eps, output_dtype)
        ctx.save_for_backward(x, rstd)
        return y

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy):
        x, rstd = ctx.saved_tensors
        return l2norm_bwd(x, rstd, dy), None, None


def l2norm(x: torch.Tensor, eps: float = 1e-6, output_dtype: torch.dtype | None = None) -> torch.Tensor:
    """x / sqrt(sum(x^2) + eps) along the last dimension.

    Args:
        x (Tensor):
            Vectors, `[..., D]`.
        eps (float, Optional):
            What is added to the sum of squares. Default: `1e-6`.
        output_dtype (torch.dtype, Optional):
            Type of the result, that of x if it is `None`. Default: `None`.
    """
    return L2NormFunction.apply(x, eps, output_dtype)
