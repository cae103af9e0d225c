# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Softmax over the last dimension, and its gradient."""

import torch
import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import exp
from fla.utils import autotune_cache_kwargs, input_guard

# a longer row is read in several blocks
MAX_BLOCK = 8192
ROW_CONFIGS = [triton.Config({}, num_warps=num_warps) for num_warps in (4, 8, 16)]


@fla_cache_autotune(configs=ROW_CONFIGS, key=['D', 'BD'], **autotune_cache_kwargs)
@triton.jit
def softmax_fwd_kernel_p(
    x,
    p,
    D: tl.constexpr,
    BD: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    o_i = tl.arange(0, BD)
    # [BD], each lane with its own maximum so far and the sum below it
    b_m = tl.full([BD], float('-inf'), dtype=tl.float32)
    b_z = tl.zeros([BD], dtype=tl.float32)
    for i_d in range(tl.cdiv(D, BD)):
        o_d = i_d * BD + o_i
        b_x = tl.load(x + i_n * D + o_d, mask=o_d < D, other=float('-inf')).to(tl.float32)
        b_n = tl.maximum(b_m, b_x)
        # a lane that has seen nothing but -inf keeps its 0
        b_r = tl.where(b_n == float('-inf'), 0, b_n)
        b_z = b_z * exp(b_m - b_r) + exp(b_x - b_r)
        b_m = b_n
    b_max = tl.max(b_m, axis=0)
    b_sum = tl.sum(b_z * exp(b_m - b_max), axis=0)
    for i_d in range(tl.cdiv(D, BD)):
        o_d = i_d * BD + o_i
        b_x = tl.load(x + i_n * D + o_d, mask=o_d < D, other=float('-inf')).to(tl.float32)
        tl.store(p + i_n * D + o_d, (exp(b_x - b_max) / b_sum).to(p.dtype.element_ty), mask=o_d < D)


@fla_cache_autotune(configs=ROW_CONFIGS, key=['D', 'BD'], **autotune_cache_kwargs)
@triton.jit
def softmax_bwd_kernel_dx(
    p,
    dp,
    dx,
    D: tl.constexpr,
    BD: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    o_i = tl.arange(0, BD)
    b_z = tl.zeros([BD], dtype=tl.float32)
    for i_d in range(tl.cdiv(D, BD)):
        o_d = i_d * BD + o_i
        b_p = tl.load(p + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        b_dp = tl.load(dp + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        b_z += b_p * b_dp
    b_sum = tl.sum(b_z, axis=0)
    for i_d in range(tl.cdiv(D, BD)):
        o_d = i_d * BD + o_i
        b_p = tl.load(p + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        b_dp = tl.load(dp + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        tl.store(dx + i_n * D + o_d, (b_p * (b_dp - b_sum)).to(dx.dtype.element_ty), mask=o_d < D)


def count_rows(x: torch.Tensor) -> int:
    """The number of rows along the last dimension; 0 where a row holds nothing."""
    return x.numel() // x.shape[-1] if x.shape[-1] else 0


@input_guard
def softmax_fwd(x: torch.Tensor, dtype: torch.dtype | None = torch.float) -> torch.Tensor:
    """The softmax over the last dimension, computed in fp32.

    Args:
        x (Tensor):
            Logits, `[..., D]`.
        dtype (torch.dtype, Optional):
            Type of the result, `None` for that of `x`. Default: `torch.float`.
    """
    p = torch.empty_like(x, dtype=dtype or x.dtype)
    D = x.shape[-1]
    if p.numel():
        softmax_fwd_kernel_p[(count_rows(x),)](x=x, p=p, D=D, BD=min(triton.next_power_of_2(D), MAX_BLOCK))
    return p


@input_guard
def softmax_bwd(p: torch.Tensor, dp: torch.Tensor, dtype: torch.dtype | None = torch.float) -> torch.Tensor:
    """The gradient of the logits, from the probabilities and their gradient.

    Args:
        p (Tensor):
            What `softmax_fwd` returned, `[..., D]`.
        dp (Tensor):
            The gradient of `p`, `[..., D]`.
        dtype (torch.dtype, Optional):
            Type of the result, `None` for that of `p`. Default: `torch.float`.
    """
    if p.shape != dp.shape:
        raise ValueError(f'p and dp have to be of one shape, got {tuple(p.shape)} and {tuple(dp.shape)}')
    dx = torch.empty_like(p, dtype=dtype or p.dtype)
    D = p.shape[-1]
    if dx.numel():
        softmax_bwd_kernel_dx[(count_rows(p),)](p=p, dp=dp, dx=dx, D=D, BD=min(triton.next_power_of_2(D), MAX_BLOCK))
    return dx
