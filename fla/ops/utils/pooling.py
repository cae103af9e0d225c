# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The mean of each chunk of a sequence."""

import torch
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.checks import check_extras, count_sequences
from fla.ops.utils.index import count_chunks, prepare_chunk_indices
from fla.ops.utils.op import locate_chunk
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, autotune_cache_kwargs, input_guard

POOLING_CONFIGS = [triton.Config({'BD': BD}, num_warps=num_warps) for BD, num_warps in ((64, 2), (128, 4))]


@triton.heuristics({'IS_VARLEN': lambda args: args['cu_seqlens'] is not None})
@fla_cache_autotune(configs=POOLING_CONFIGS, key=['D', 'C', 'BT', 'IS_VARLEN'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def mean_pooling_fwd_kernel_y(
    x,
    y,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    D: tl.constexpr,
    C: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_d = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, C, IS_VARLEN)

    o_d = i_d * BD + tl.arange(0, BD)
    end = min(i_t * C + C, T)
    b_y = tl.zeros([BD], dtype=tl.float32)
    for i_s in range(tl.cdiv(C, BT)):
        o_t = i_t * C + i_s * BT + tl.arange(0, BT)
        m_x = (o_t < end)[:, None] & (o_d < D)[None, :]
        # [BT, BD]
        b_x = tl.load(x + ((bos + o_t) * H + i_h)[:, None] * D + o_d[None, :], mask=m_x, other=0).to(tl.float32)
        b_y += tl.sum(b_x, axis=0)
    b_y /= (end - i_t * C).to(tl.float32)
    tl.store(y + i_th * D + o_d, b_y.to(y.dtype.element_ty), mask=o_d < D)


@triton.heuristics({'IS_VARLEN': lambda args: args['cu_seqlens'] is not None})
@fla_cache_autotune(configs=POOLING_CONFIGS, key=['D', 'C', 'BT', 'IS_VARLEN'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def mean_pooling_bwd_kernel_dx(
    dy,
    dx,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    D: tl.constexpr,
    C: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_d = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, C, IS_VARLEN)

    o_d = i_d * BD + tl.arange(0, BD)
    end = min(i_t * C + C, T)
    b_dy = tl.load(dy + i_th * D + o_d, mask=o_d < D, other=0).to(tl.float32)
    b_dy /= (end - i_t * C).to(tl.float32)
    for i_s in range(tl.cdiv(C, BT)):
        o_t = i_t * C + i_s * BT + tl.arange(0, BT)
        m_x = (o_t < end)[:, None] & (o_d < D)[None, :]
        # [BT, BD]
        b_dx = tl.broadcast_to(b_dy[None, :], [BT, BD])
        tl.store(dx + ((bos + o_t) * H + i_h)[:, None] * D + o_d[None, :], b_dx.to(dx.dtype.element_ty), mask=m_x)


def mean_pooling_fwd(
    x: torch.Tensor,
    chunk_size: int,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The means, `[B, NT, H, D]`."""
    B, T, H, D = x.shape
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    y = x.new_empty(B, NT, H, D)
    if y.numel():
        mean_pooling_fwd_kernel_y[lambda meta: (B * NT * H, triton.cdiv(D, meta['BD']))](
            x=x,
            y=y,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
            T=T,
            H=H,
            D=D,
            C=chunk_size,
            BT=min(triton.next_power_of_2(chunk_size), 32),
        )
    return y


def mean_pooling_bwd(
    dy: torch.Tensor,
    T: int,
    chunk_size: int,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The gradient of what was pooled, `[B, T, H, D]`."""
    B, NT, H, D = dy.shape
    dx = dy.new_empty(B, T, H, D)
    if dx.numel():
        mean_pooling_bwd_kernel_dx[lambda meta: (B * NT * H, triton.cdiv(D, meta['BD']))](
            dy=dy,
            dx=dx,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
            T=T,
            H=H,
            D=D,
            C=chunk_size,
            BT=min(triton.next_power_of_2(chunk_size), 32),
        )
    return dx


class MeanPoolingFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, chunk_size, cu_seqlens):
        chunk_indices = prepare_chunk_indices(cu_seqlens, chunk_size) if cu_seqlens is not None else None
        ctx.save_for_backward(cu_seqlens, chunk_indices)
        ctx.T = x.shape[1]
        ctx.chunk_size = chunk_size
        return mean_pooling_fwd(x, chunk_size, cu_seqlens, chunk_indices)

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy):
        cu_seqlens, chunk_indices = ctx.saved_tensors
        return mean_pooling_bwd(dy, ctx.T, ctx.chunk_size, cu_seqlens, chunk_indices), None, None


@input_guard
def mean_pooling(
    x: torch.Tensor,
    chunk_size: int,
    cu_seqlens: torch.LongTensor | None = None,
    **kwargs,
) -> torch.Tensor:
    """The mean of each chunk, the last of a sequence being as long as what is left of it.

    Args:
        x (Tensor):
            What is pooled, `[B, T, H, D]`.
        chunk_size (int):
            The length of a chunk.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        y (Tensor):
            The means, summed in fp32, `[B, NT, H, D]`; of packed sequences the chunks lie end to end, as `prepare_chunk_indices` lists them.
    """
    check_extras(kwargs)
    if x.dim() != 4:
        raise ValueError(f'expected the shape [B, T, H, D], got {tuple(x.shape)}')
    if chunk_size < 1:
        raise ValueError(f'chunk_size has to be positive, got {chunk_size}')
    count_sequences(x.shape[0], cu_seqlens)
    return MeanPoolingFunction.apply(x, chunk_size, cu_seqlens)
