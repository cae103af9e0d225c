# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The logarithm of the sum of exponentials over the last dimension."""

import torch
import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import exp, log
from fla.ops.utils.softmax import MAX_BLOCK, ROW_CONFIGS, count_rows
from fla.utils import autotune_cache_kwargs, input_guard


@triton.heuristics({'HAS_SCALE': lambda args: args['scale'] is not None})
@fla_cache_autotune(configs=ROW_CONFIGS, key=['D', 'BD', 'HAS_SCALE'], **autotune_cache_kwargs)
@triton.jit
def logsumexp_fwd_kernel_z(
    x,
    z,
    scale,
    D: tl.constexpr,
    BD: tl.constexpr,
    HAS_SCALE: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    i_d = tl.program_id(1).to(tl.int64)
    o_d = i_d * BD + tl.arange(0, BD)
    b_x = tl.load(x + i_n * D + o_d, mask=o_d < D, other=float('-inf')).to(tl.float32)
    if HAS_SCALE:
        b_x = tl.where(o_d < D, b_x * scale, float('-inf'))
    b_max = tl.max(b_x, axis=0)
    # what is infinite stays so
    b_ref = tl.where((b_max == float('-inf')) | (b_max == float('inf')), 0, b_max)
    b_z = log(tl.sum(exp(b_x - b_ref), axis=0)) + b_ref
    tl.store(z + i_n * tl.cdiv(D, BD) + i_d, b_z)


@input_guard
def logsumexp_fwd(x: torch.Tensor, scale: float | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
    """`log(sum(exp(scale * x)))` over the last dimension, computed in fp32.

    Args:
        x (Tensor):
            Logits, `[..., D]`.
        scale (float, Optional):
            Factor of the logits, 1 if it is `None`. Default: `None`.
        dtype (torch.dtype, Optional):
            Type of the result, fp32 if it is `None`. Default: `None`.

    Returns:
        z (Tensor):
            One number a row, `[...]`.
    """
    N, D = count_rows(x), x.shape[-1]
    dtype = dtype or torch.float
    if D == 0 or N == 0:
        return x.new_full(x.shape[:-1], float('-inf'), dtype=dtype)
    BD = min(triton.next_power_of_2(D), MAX_BLOCK)
    ND = triton.cdiv(D, BD)
    z = x.new_empty(*x.shape[:-1], ND, dtype=torch.float)
    logsumexp_fwd_kernel_z[(N, ND)](x=x, z=z, scale=scale, D=D, BD=BD)
    return (z.squeeze(-1) if ND == 1 else z.logsumexp(-1)).to(dtype)
