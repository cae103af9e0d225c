# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The kernels of chunked GLA: outputs of chunks given their states, and the gradients of what goes into them."""

import torch
import triton
import triton.language as tl

from fla.ops.common.gated_scores import gated_scores, gated_scores_bwd, load_gate_row
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import block_size, dot, exp, fine_dot, locate_chunk, masked_exp, operand, rounded
from fla.utils import autotune_cache_kwargs

# the three ways to find scores make these kernels long to compile: what wins on Hopper at heads of 64 and 128 is not tuned
FEW_WARPS = [triton.Config({}, num_warps=4, num_stages=2)]
MANY_WARPS = [triton.Config({}, num_warps=8, num_stages=2)]


@triton.heuristics({
    'USE_A': lambda args: args['A'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=FEW_WARPS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_A', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_gla_fwd_kernel_o(
    q,
    k,
    v,
    g,
    h,
    A,
    o,
    cu_seqlens,
    chunk_indices,
    scale,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_A: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_th = (bos + o_t) * H + i_h
    o_v = i_v * BV + tl.arange(0, BV)
    m_v = o_v < V
    m_tv = m_t[:, None] & m_v[None, :]

    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = o_k < K
        m_tk = m_t[:, None] & m_k[None, :]
        o_tk = o_th[:, None] * K + o_k[None, :]
        # [BT, BK]
        b_q = tl.load(q + o_tk, mask=m_tk, other=0)
        b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
        # [BK, BV]
        o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
        b_h = tl.load(h + i_th * K * V + o_h, mask=m_k[:, None] & m_v[None, :], other=0)
        b_o += dot(operand(b_q * exp(b_g), b_q.dtype), operand(b_h, b_q.dtype))
        if not USE_A:
            b_k = tl.load(k + o_tk, mask=m_tk, other=0)
            b_A += gated_scores(g, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)

    # [BT, BT]
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_A:
        b_A += tl.load(A + o_th[:, None] * BT + tl.arange(0, BT)[None, :], mask=m_A, other=0)
    else:
        b_A = tl.where(m_A, b_A * scale, 0)
    b_v = tl.load(v + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
    b_o = b_o * scale + dot(operand(b_A, b_v.dtype), b_v)
    tl.store(o + o_th[:, None] * V + o_v[None, :], rounded(b_o, o.dtype.element_ty), mask=m_tv)


@triton.heuristics({
    'USE_DW': lambda args: args['dw'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=MANY_WARPS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_DW', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_gla_bwd_kernel_dqkg(
    q,
    k,
    v,
    g,
    h,
    do,
    dh,
    dv,
    dq,
    dk,
    dw,
    dg,
    cu_seqlens,
    chunk_indices,
    scale,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_DW: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_th = (bos + o_t) * H + i_h
    o_k = i_k * BK + tl.arange(0, BK)
    m_k = o_k < K
    m_tk = m_t[:, None] & m_k[None, :]
    o_tk = o_th[:, None] * K + o_k[None, :]

    b_dq = tl.zeros([BT, BK], dtype=tl.float32)
    b_dk = tl.zeros([BT, BK], dtype=tl.float32)
    b_dA = tl.zeros([BT, BT], dtype=tl.float32)
    b_dg_last = tl.zeros([BK], dtype=tl.float32)
    if USE_DW:
        b_dw = tl.zeros([BT, BK], dtype=tl.float32)
    for i_v in range(tl.cdiv(V, BV)):
        o_v = i_v * BV + tl.arange(0, BV)
        m_v = o_v < V
        m_tv = m_t[:, None] & m_v[None, :]
        m_h = m_v[:, None] & m_k[None, :]
        o_tv = o_th[:, None] * V + o_v[None, :]
        o_h = o_v[:, None] * K + o_k[None, :] if STATE_V_FIRST else o_k[None, :] * V + o_v[:, None]
        # [BT, BV]
        b_v = tl.load(v + o_tv, mask=m_tv, other=0)
        b_do = tl.load(do + o_tv, mask=m_tv, other=0)
        # [BV, BK]
        b_h = tl.load(h + i_th * K * V + o_h, mask=m_h, other=0)
        b_dh = tl.load(dh + i_th * K * V + o_h, mask=m_h, other=0)
        b_dg_last += tl.sum(b_h.to(tl.float32) * b_dh.to(tl.float32), axis=0)
        b_dA += dot(b_do, tl.trans(b_v))
        b_dq += fine_dot(b_do, b_h, b_do.dtype)
        b_dk += fine_dot(b_v, b_dh, b_v.dtype)
        if USE_DW:
            b_dv = tl.load(dv + o_tv, mask=m_tv, other=0)
            b_dw -= dot(b_dv, operand(b_h, b_dv.dtype))
    if USE_DW:
        tl.store(dw + o_tk, rounded(b_dw, dw.dtype.element_ty), mask=m_tk)

    b_q = tl.load(q + o_tk, mask=m_tk, other=0)
    b_k = tl.load(k + o_tk, mask=m_tk, other=0)
    b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
    b_g_last = load_gate_row(g, (bos + min(i_t * BT + BT, T) - 1) * H + i_h, o_k, K)
    b_dq *= exp(b_g) * scale
    b_dk *= masked_exp(b_g_last[None, :] - b_g, m_t[:, None])
    b_dg_last = b_dg_last * exp(b_g_last) + tl.sum(b_dk * b_k, axis=0)
    # [BT, BT]
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    b_dA = tl.where(m_A, b_dA * scale, 0)
    b_dq_intra, b_dk_intra = gated_scores_bwd(g, b_dA, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)
    b_dq += b_dq_intra
    b_dk += b_dk_intra
    b_dg = tl.cumsum(tl.where(m_tk, b_q * b_dq - b_k * b_dk, 0), axis=0, reverse=True) + b_dg_last[None, :]
    tl.store(dq + o_tk, b_dq.to(dq.dtype.element_ty), mask=m_tk)
    tl.store(dk + o_tk, b_dk.to(dk.dtype.element_ty), mask=m_tk)
    tl.store(dg + o_tk, b_dg.to(dg.dtype.element_ty), mask=m_tk)


@triton.heuristics({
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(configs=FEW_WARPS, key=['K', 'V', 'BT', 'BK', 'BV', 'STATE_V_FIRST', 'IS_VARLEN'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def chunk_gla_bwd_kernel_dv(
    q,
    k,
    g,
    do,
    dh,
    dv,
    cu_seqlens,
    chunk_indices,
    scale,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_th = (bos + o_t) * H + i_h
    o_v = i_v * BV + tl.arange(0, BV)
    m_v = o_v < V
    m_tv = m_t[:, None] & m_v[None, :]
    o_last = (bos + min(i_t * BT + BT, T) - 1) * H + i_h

    b_dv = tl.zeros([BT, BV], dtype=tl.float32)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = o_k < K
        m_tk = m_t[:, None] & m_k[None, :]
        o_tk = o_th[:, None] * K + o_k[None, :]
        # [BT, BK]
        b_q = tl.load(q + o_tk, mask=m_tk, other=0)
        b_k = tl.load(k + o_tk, mask=m_tk, other=0)
        b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
        b_g_last = load_gate_row(g, o_last, o_k, K)
        # [BK, BV]
        o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
        b_dh = tl.load(dh + i_th * K * V + o_h, mask=m_k[:, None] & m_v[None, :], other=0)
        b_kg = operand(b_k * masked_exp(b_g_last[None, :] - b_g, m_t[:, None]), b_k.dtype)
        b_dv += dot(b_kg, operand(b_dh, b_k.dtype))
        b_A += gated_scores(g, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)

    # [BT, BT]
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    b_A = tl.where(m_A, b_A * scale, 0)
    b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
    b_dv += dot(tl.trans(operand(b_A, b_do.dtype)), b_do)
    tl.store(dv + o_th[:, None] * V + o_v[None, :], b_dv.to(dv.dtype.element_ty), mask=m_tv)


def chunk_gla_fwd_o(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    h: torch.Tensor,
    scale: float,
    A: torch.Tensor | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The outputs `[B, T, H, V]`, from the states `h` before each chunk and the chunk itself; `g` is summed within chunks.

    `A`, if given, takes the place of the scaled and decayed scores of q and k, `[B, T, H, chunk_size]`, one row a query.
    """
    B, T, H, K, V = *q.shape, v.shape[-1]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, q.dtype), block_size(V, q.dtype, 128)
    o = torch.empty_like(v)
    chunk_gla_fwd_kernel_o[(NT * B * H, triton.cdiv(V, BV))](
        q=q,
        k=k,
        v=v,
        g=g,
        h=h,
        A=A,
        o=o,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=chunk_size,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return o


def chunk_gla_bwd_dqkg(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    h: torch.Tensor,
    do: torch.Tensor,
    dh: torch.Tensor,
    scale: float,
    w: torch.Tensor | None = None,
    dv: torch.Tensor | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, torch.Tensor]:
    """The gradients of q, k, w and of the gates before they were summed, the last in fp32, that of w `None` without w.

    `w` is what turns states into corrections of the values, `v - w h`, and `dv` the gradient of those corrected values.
    """
    B, T, H, K, V = *q.shape, v.shape[-1]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, q.dtype), block_size(V, q.dtype)
    dq, dk, dg = torch.empty_like(q), torch.empty_like(k), torch.empty_like(g)
    dw = torch.empty_like(w) if w is not None else None
    chunk_gla_bwd_kernel_dqkg[(NT * B * H, triton.cdiv(K, BK))](
        q=q,
        k=k,
        v=v,
        g=g,
        h=h,
        do=do,
        dh=dh,
        dv=dv,
        dq=dq,
        dk=dk,
        dw=dw,
        dg=dg,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=chunk_size,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return dq, dk, dw, dg


def chunk_gla_bwd_dv(
    q: torch.Tensor,
    k: torch.Tensor,
    g: torch.Tensor,
    do: torch.Tensor,
    dh: torch.Tensor,
    scale: float,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The gradient of v, given the gradients `dh` of the states after each chunk."""
    B, T, H, K, V = *k.shape, do.shape[-1]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, k.dtype), block_size(V, k.dtype, 128)
    dv = torch.empty_like(do)
    chunk_gla_bwd_kernel_dv[(NT * B * H, triton.cdiv(V, BV))](
        q=q,
        k=k,
        g=g,
        do=do,
        dh=dh,
        dv=dv,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=chunk_size,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return dv
