# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Cumulative sums along the sequence, within chunks and over whole sequences."""

import torch
import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.checks import check_chunk_size, check_layout
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import locate_chunk
from fla.utils import autotune_cache_kwargs, input_guard

# a log decay below which nothing is left
LOWEST = tl.constexpr(-128.)


@triton.heuristics({
    'HAS_SCALE': lambda args: args['scale'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({}, num_warps=num_warps) for num_warps in (1, 2, 4)],
    key=['BT', 'REVERSE', 'HAS_SCALE', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_local_cumsum_fwd_kernel_scalar(
    s,
    o,
    scale,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    BT: tl.constexpr,
    REVERSE: tl.constexpr,
    HAS_SCALE: tl.constexpr,
    IS_GATE: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    b_s = tl.load(s + (bos + o_t) * H + i_h, mask=m_t, other=0).to(tl.float32)
    if IS_GATE:
        b_s = tl.maximum(b_s, LOWEST)
    b_o = tl.cumsum(b_s, axis=0, reverse=REVERSE)
    if HAS_SCALE:
        b_o *= scale
    tl.store(o + (bos + o_t) * H + i_h, b_o.to(o.dtype.element_ty), mask=m_t)


@triton.heuristics({
    'HAS_SCALE': lambda args: args['scale'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({'BS': BS}, num_warps=num_warps) for BS in (32, 64) for num_warps in (2, 4)],
    key=['S', 'BT', 'REVERSE', 'HAS_SCALE', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_local_cumsum_fwd_kernel_vector(
    s,
    o,
    scale,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    S: tl.constexpr,
    BT: tl.constexpr,
    BS: tl.constexpr,
    REVERSE: tl.constexpr,
    HAS_SCALE: tl.constexpr,
    IS_GATE: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_s = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    o_s = i_s * BS + tl.arange(0, BS)
    m_s = (o_t < T)[:, None] & (o_s < S)[None, :]
    o_ts = ((bos + o_t) * H + i_h)[:, None] * S + o_s[None, :]
    # [BT, BS]
    b_s = tl.load(s + o_ts, mask=m_s, other=0).to(tl.float32)
    if IS_GATE:
        b_s = tl.maximum(b_s, LOWEST)
    b_o = tl.cumsum(b_s, axis=0, reverse=REVERSE)
    if HAS_SCALE:
        b_o *= scale
    tl.store(o + o_ts, b_o.to(o.dtype.element_ty), mask=m_s)


@triton.heuristics({
    'HAS_SCALE': lambda args: args['scale'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({'BT': BT}, num_warps=num_warps) for BT in (64, 256) for num_warps in (2, 4)],
    key=['REVERSE', 'HAS_SCALE', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_global_cumsum_fwd_kernel_scalar(
    s,
    o,
    scale,
    cu_seqlens,
    T,
    H: tl.constexpr,
    BT: tl.constexpr,
    REVERSE: tl.constexpr,
    HAS_SCALE: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_n, i_h = i_nh // H, i_nh % H
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        T = tl.cast(T, tl.int64)
        bos = i_n * T

    NT = tl.cdiv(T, BT)
    b_z = tl.zeros([], dtype=tl.float32)
    for i_c in range(NT):
        i_t = NT - 1 - i_c if REVERSE else i_c
        o_t = i_t * BT + tl.arange(0, BT)
        m_t = o_t < T
        b_s = tl.load(s + (bos + o_t) * H + i_h, mask=m_t, other=0).to(tl.float32)
        b_o = tl.cumsum(b_s, axis=0, reverse=REVERSE)
        b_o += b_z
        b_z += tl.sum(b_s, axis=0)
        if HAS_SCALE:
            b_o *= scale
        tl.store(o + (bos + o_t) * H + i_h, b_o.to(o.dtype.element_ty), mask=m_t)


@triton.heuristics({
    'HAS_SCALE': lambda args: args['scale'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({'BT': BT}, num_warps=num_warps) for BT in (32, 64) for num_warps in (2, 4)],
    key=['S', 'BS', 'REVERSE', 'HAS_SCALE', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_global_cumsum_fwd_kernel_vector(
    s,
    o,
    scale,
    cu_seqlens,
    T,
    H: tl.constexpr,
    S: tl.constexpr,
    BT: tl.constexpr,
    BS: tl.constexpr,
    REVERSE: tl.constexpr,
    HAS_SCALE: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_s = tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // H, i_nh % H
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        T = tl.cast(T, tl.int64)
        bos = i_n * T

    o_s = i_s * BS + tl.arange(0, BS)
    NT = tl.cdiv(T, BT)
    b_z = tl.zeros([BS], dtype=tl.float32)
    for i_c in range(NT):
        i_t = NT - 1 - i_c if REVERSE else i_c
        o_t = i_t * BT + tl.arange(0, BT)
        m_s = (o_t < T)[:, None] & (o_s < S)[None, :]
        o_ts = ((bos + o_t) * H + i_h)[:, None] * S + o_s[None, :]
        # [BT, BS]
        b_s = tl.load(s + o_ts, mask=m_s, other=0).to(tl.float32)
        b_o = tl.cumsum(b_s, axis=0, reverse=REVERSE)
        b_o += b_z[None, :]
        b_z += tl.sum(b_s, axis=0)
        if HAS_SCALE:
            b_o *= scale
        tl.store(o + o_ts, b_o.to(o.dtype.element_ty), mask=m_s)


@input_guard
def chunk_local_cumsum_scalar(
    g: torch.Tensor,
    chunk_size: int,
    reverse: bool = False,
    scale: float = None,
    cu_seqlens: torch.Tensor | None = None,
    output_dtype: torch.dtype | None = torch.float,
    chunk_indices: torch.LongTensor | None = None,
    is_gate: bool = False,
    **kwargs,
) -> torch.Tensor:
    """`chunk_local_cumsum` of a `[B, T, H]` tensor."""
    check_layout(g, 3, cu_seqlens, kwargs)
    check_chunk_size(chunk_size)
    B, T, H = g.shape
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    o = torch.empty_like(g, dtype=output_dtype or g.dtype)
    if o.numel() == 0:
        return o
    chunk_local_cumsum_fwd_kernel_scalar[(NT * B * H,)](
        s=g,
        o=o,
        scale=scale,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        T=T,
        H=H,
        BT=chunk_size,
        REVERSE=reverse,
        IS_GATE=is_gate,
    )
    return o


@input_guard
def chunk_local_cumsum_vector(
    g: torch.Tensor,
    chunk_size: int,
    reverse: bool = False,
    scale: float = None,
    cu_seqlens: torch.Tensor | None = None,
    output_dtype: torch.dtype | None = torch.float,
    chunk_indices: torch.LongTensor | None = None,
    is_gate: bool = False,
    **kwargs,
) -> torch.Tensor:
    """`chunk_local_cumsum` of a `[B, T, H, S]` tensor."""
    check_layout(g, 4, cu_seqlens, kwargs)
    check_chunk_size(chunk_size)
    B, T, H, S = g.shape
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    o = torch.empty_like(g, dtype=output_dtype or g.dtype)
    if o.numel() == 0:
        return o

    def grid(meta):
        return (NT * B * H, triton.cdiv(S, meta['BS']))

    chunk_local_cumsum_fwd_kernel_vector[grid](
        s=g,
        o=o,
        scale=scale,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        T=T,
        H=H,
        S=S,
        BT=chunk_size,
        REVERSE=reverse,
        IS_GATE=is_gate,
    )
    return o


@input_guard
def chunk_global_cumsum_scalar(
    s: torch.Tensor,
    reverse: bool = False,
    cu_seqlens: torch.Tensor | None = None,
    scale: float = None,
    output_dtype: torch.dtype | None = torch.float,
    **kwargs,
) -> torch.Tensor:
    """`chunk_global_cumsum` of a `[B, T, H]` tensor."""
    check_layout(s, 3, cu_seqlens, kwargs)
    B, T, H = s.shape
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    o = torch.empty_like(s, dtype=output_dtype or s.dtype)
    if o.numel() == 0:
        return o
    chunk_global_cumsum_fwd_kernel_scalar[(N * H,)](s=s, o=o, scale=scale, cu_seqlens=cu_seqlens, T=T, H=H, REVERSE=reverse)
    return o


@input_guard
def chunk_global_cumsum_vector(
    s: torch.Tensor,
    reverse: bool = False,
    cu_seqlens: torch.Tensor | None = None,
    scale: float = None,
    output_dtype: torch.dtype | None = torch.float,
    **kwargs,
) -> torch.Tensor:
    """`chunk_global_cumsum` of a `[B, T, H, S]` tensor."""
    check_layout(s, 4, cu_seqlens, kwargs)
    B, T, H, S = s.shape
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BS = min(32, triton.next_power_of_2(S))
    o = torch.empty_like(s, dtype=output_dtype or s.dtype)
    if o.numel() == 0:
        return o
    chunk_global_cumsum_fwd_kernel_vector[(N * H, triton.cdiv(S, BS))](
        s=s,
        o=o,
        scale=scale,
        cu_seqlens=cu_seqlens,
        T=T,
        H=H,
        S=S,
        BS=BS,
        REVERSE=reverse,
    )
    return o


def chunk_local_cumsum(
    g: torch.Tensor,
    chunk_size: int,
    reverse: bool = False,
    scale: float = None,
    cu_seqlens: torch.Tensor | None = None,
    output_dtype: torch.dtype | None = torch.float,
    chunk_indices: torch.LongTensor | None = None,
    is_gate: bool = False,
    **kwargs,
) -> torch.Tensor:
    """Sums along T that start anew at each chunk of each sequence, of a `[B, T, H]` or `[B, T, H, S]` tensor.

    Args:
        g (Tensor):
            What is summed.
        chunk_size (int):
            The length of a chunk, a power of two.
        reverse (bool, Optional):
            Sum from the end of the chunk. Default: `False`.
        scale (float, Optional):
            Factor of the result. Default: `None`.
        cu_seqlens (Tensor, Optional):
            Offsets `[N+1]` of packed sequences. Default: `None`.
        output_dtype (torch.dtype, Optional):
            Type of the result, `None` for that of `g`. Default: `torch.float`.
        chunk_indices (LongTensor, Optional):
            `prepare_chunk_indices(cu_seqlens, chunk_size)`, if at hand. Default: `None`.
        is_gate (bool, Optional):
            Take what is below -128 for that: exp of either is 0 in fp32, and sums keep their digits. Default: `False`.
    """
    cumsum = {3: chunk_local_cumsum_scalar, 4: chunk_local_cumsum_vector}.get(g.dim())
    if cumsum is None:
        raise ValueError(f'expected the shape [B, T, H] or [B, T, H, S], got {tuple(g.shape)}')
    return cumsum(g, chunk_size, reverse, scale, cu_seqlens, output_dtype, chunk_indices, is_gate, **kwargs)


def chunk_global_cumsum(
    s: torch.Tensor,
    reverse: bool = False,
    cu_seqlens: torch.Tensor | None = None,
    scale: float = None,
    output_dtype: torch.dtype | None = torch.float,
    **kwargs,
) -> torch.Tensor:
    """Sums along T over each whole sequence, of a `[B, T, H]` or `[B, T, H, S]` tensor.

    Args:
        s (Tensor):
            What is summed.
        reverse (bool, Optional):
            Sum from the end of the sequence. Default: `False`.
        cu_seqlens (Tensor, Optional):
            Offsets `[N+1]` of packed sequences. Default: `None`.
        scale (float, Optional):
            Factor of the result. Default: `None`.
        output_dtype (torch.dtype, Optional):
            Type of the result, `None` for that of `s`. Default: `torch.float`.
    """
    cumsum = {3: chunk_global_cumsum_scalar, 4: chunk_global_cumsum_vector}.get(s.dim())
    if cumsum is None:
        raise ValueError(f'expected the shape [B, T, H] or [B, T, H, S], got {tuple(s.shape)}')
    return cumsum(s, reverse, cu_seqlens, scale, output_dtype, **kwargs)
