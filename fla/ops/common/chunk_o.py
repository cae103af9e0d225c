# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The outputs of chunks given their states, and the gradients of what goes into them."""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_dv import CHUNK_CONFIGS, chunk_bwd_dv, chunk_bwd_dv_local, sum_groups
from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import block_size, dot, exp, locate_chunk, masked_exp, rounded
from fla.utils import autotune_cache_kwargs

__all__ = ['chunk_bwd_dqkwg', 'chunk_bwd_dv', 'chunk_bwd_dv_local', 'chunk_fwd_o']


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=CHUNK_CONFIGS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'USE_G_GAMMA', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_fwd_kernel_o(
    q,
    k,
    v,
    h,
    g,
    g_gamma,
    o,
    cu_seqlens,
    chunk_indices,
    scale,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_bt, i_h = i_th // HV, i_th % HV
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_th = (bos + o_t) * HV + i_h
    o_tq = (bos + o_t) * H + i_h // (HV // H)
    o_v = i_v * BV + tl.arange(0, BV)
    m_v = o_v < V
    m_tv = m_t[:, None] & m_v[None, :]

    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = o_k < K
        # [BT, BK]
        b_q = tl.load(q + o_tq[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
        # [BK, BT]
        b_k = tl.load(k + o_tq[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
        # [BK, BV]
        o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
        b_h = tl.load(h + i_th * K * V + o_h, mask=m_k[:, None] & m_v[None, :], other=0)
        b_o += dot(b_q, b_h.to(b_q.dtype))
        b_A += dot(b_q, b_k)

    # [BT, BT]
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_G or USE_G_GAMMA:
        b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, HV, BT, USE_G, USE_G_GAMMA)
        b_o *= exp(b_g)[:, None]
        b_A *= masked_exp(b_g[:, None] - b_g[None, :], m_A)
    b_A = tl.where(m_A, b_A, 0)

    b_v = tl.load(v + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
    b_o = (b_o + dot(b_A.to(b_v.dtype), b_v)) * scale
    tl.store(o + o_th[:, None] * V + o_v[None, :], rounded(b_o, o.dtype.element_ty), mask=m_tv)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'USE_DW': lambda args: args['dw'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=CHUNK_CONFIGS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'USE_G_GAMMA', 'USE_DW', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def chunk_bwd_kernel_dqkwg(
    q,
    k,
    v,
    h,
    g,
    g_gamma,
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
    B,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
    USE_DW: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    n_tokens = tl.cast(T, tl.int64) * B
    i_bt, i_h = i_th // HV, i_th % HV
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_th = (bos + o_t) * HV + i_h
    o_tq = (bos + o_t) * H + i_h // (HV // H)
    o_k = i_k * BK + tl.arange(0, BK)
    m_k = o_k < K
    m_tk = m_t[:, None] & m_k[None, :]
    o_tk = o_th[:, None] * K + o_k[None, :]

    b_dq = tl.zeros([BT, BK], dtype=tl.float32)
    b_dk = tl.zeros([BT, BK], dtype=tl.float32)
    b_dA = tl.zeros([BT, BT], dtype=tl.float32)
    if USE_DW:
        b_dw = tl.zeros([BT, BK], dtype=tl.float32)
    if USE_G:
        b_hdh = tl.zeros([BK], dtype=tl.float32)
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
        if USE_G:
            b_hdh += tl.sum(b_h.to(tl.float32) * b_dh.to(tl.float32), axis=0)
        b_h = b_h.to(b_do.dtype)
        b_dA += dot(b_do, tl.trans(b_v))
        b_dq += dot(b_do, b_h)
        b_dk += dot(b_v, b_dh.to(b_v.dtype))
        if USE_DW:
            b_dv = tl.load(dv + o_tv, mask=m_tv, other=0)
            b_dw += dot(b_dv.to(b_h.dtype), b_h)
    if USE_DW:
        tl.store(dw + o_tk, rounded(-b_dw, dw.dtype.element_ty), mask=m_tk)

    b_q = tl.load(q + o_tq[:, None] * K + o_k[None, :], mask=m_tk, other=0)
    b_k = tl.load(k + o_tq[:, None] * K + o_k[None, :], mask=m_tk, other=0)
    b_dq *= scale
    b_dA *= scale
    # [BT, BT]
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_G or USE_G_GAMMA:
        b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, HV, BT, USE_G, USE_G_GAMMA)
        b_dq *= exp(b_g)[:, None]
        b_dk *= masked_exp(b_g_last - b_g, m_t)[:, None]
        b_dA *= masked_exp(b_g[:, None] - b_g[None, :], m_A)
        if USE_G:
            b_dg_last = tl.sum(b_hdh, axis=0) * exp(b_g_last) + tl.sum(tl.sum(b_dk * b_k, axis=1), axis=0)
    b_dA = tl.where(m_A, b_dA, 0).to(b_k.dtype)
    b_dq += dot(b_dA, b_k)
    b_dk += dot(tl.trans(b_dA), b_q)
    if USE_G:
        b_dg = tl.sum(b_dq * b_q - b_dk * b_k, axis=1)
        b_dg += tl.where(o_t == min(i_t * BT + BT, T) - 1, b_dg_last, 0)
        tl.store(dg + i_k * n_tokens * HV + o_th, b_dg, mask=m_t)
    tl.store(dq + o_tk, rounded(b_dq, dq.dtype.element_ty), mask=m_tk)
    tl.store(dk + o_tk, rounded(b_dk, dk.dtype.element_ty), mask=m_tk)


def chunk_fwd_o(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    h: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    scale: float | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The outputs `[B, T, H, V]`, from the states `h` before each chunk and the chunk itself; `g` is summed within chunks."""
    B, T, H, K = q.shape
    HV, V = v.shape[2:]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, q.dtype), block_size(V, q.dtype, 128)
    o = torch.empty_like(v)
    chunk_fwd_kernel_o[(NT * B * HV, triton.cdiv(V, BV))](
        q=q,
        k=k,
        v=v,
        h=h,
        g=g,
        g_gamma=g_gamma,
        o=o,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=K ** -0.5 if scale is None else scale,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BT=chunk_size,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return o


def chunk_bwd_dqkwg(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    do: torch.Tensor,
    h: torch.Tensor,
    dh: torch.Tensor,
    w: torch.Tensor | None = None,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    dv: torch.Tensor | None = None,
    scale: float | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
    """The gradients of q, k, w and g, the last two `None` without w and g.

    `w` is what turns states into corrections of the values, `v - w h`, and `dv` the gradient of those corrected values.
    The gradient of g is that of its sums within chunks, in fp32.
    """
    B, T, H, K = q.shape
    HV, V = v.shape[2:]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, q.dtype), block_size(V, q.dtype)
    NK = triton.cdiv(K, BK)
    dq = q.new_empty(B, T, HV, K)
    dk = k.new_empty(B, T, HV, K)
    dw = torch.empty_like(w) if w is not None else None
    dg = q.new_empty(NK, B, T, HV, dtype=torch.float) if g is not None else None
    chunk_bwd_kernel_dqkwg[(NT * B * HV, NK)](
        q=q,
        k=k,
        v=v,
        h=h,
        g=g,
        g_gamma=g_gamma,
        do=do,
        dh=dh,
        dv=dv,
        dq=dq,
        dk=dk,
        dw=dw,
        dg=dg,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=K ** -0.5 if scale is None else scale,
        B=B,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BT=chunk_size,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return sum_groups(dq, H), sum_groups(dk, H), dw, dg.sum(0) if dg is not None else None
