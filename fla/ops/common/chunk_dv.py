# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The gradient of the values, from the outputs of their chunk and from the states after it."""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import block_size, dot, locate_chunk, masked_exp, rounded
from fla.utils import autotune_cache_kwargs

CHUNK_CONFIGS = [
    triton.Config({}, num_warps=num_warps, num_stages=num_stages)
    for num_warps, num_stages in ((4, 2), (4, 3), (8, 2))
]


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
def chunk_bwd_kernel_dv(
    q,
    k,
    g,
    g_gamma,
    do,
    dh,
    dv,
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

    b_dv = tl.zeros([BT, BV], dtype=tl.float32)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = o_k < K
        # [BT, BK]
        b_k = tl.load(k + o_tq[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
        # [BK, BT]
        b_q = tl.load(q + o_tq[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
        # [BK, BV]
        o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
        b_dh = tl.load(dh + i_th * K * V + o_h, mask=m_k[:, None] & m_v[None, :], other=0)
        b_dv += dot(b_k, b_dh.to(b_k.dtype))
        b_A += dot(b_k, b_q)

    # [BT, BT]
    m_A = (o_t[:, None] <= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_G or USE_G_GAMMA:
        b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, HV, BT, USE_G, USE_G_GAMMA)
        b_dv *= masked_exp(b_g_last - b_g, m_t)[:, None]
        b_A *= masked_exp(b_g[None, :] - b_g[:, None], m_A)
    b_A = tl.where(m_A, b_A * scale, 0)

    b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
    b_dv += dot(b_A.to(b_do.dtype), b_do)
    tl.store(dv + o_th[:, None] * V + o_v[None, :], rounded(b_dv, dv.dtype.element_ty), mask=m_tv)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'USE_A': lambda args: args['A'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=CHUNK_CONFIGS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'USE_G_GAMMA', 'USE_A', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_bwd_kernel_dv_local(
    q,
    k,
    g,
    g_gamma,
    A,
    do,
    dv,
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
    USE_A: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // HV, i_th % HV
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_th = (bos + o_t) * HV + i_h
    o_tq = (bos + o_t) * H + i_h // (HV // H)

    # [BT, BT]
    m_A = (o_t[:, None] <= o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_A:
        b_A = tl.load(A + o_th[None, :] * BT + tl.arange(0, BT)[:, None], mask=m_A, other=0).to(tl.float32)
    else:
        b_A = tl.zeros([BT, BT], dtype=tl.float32)
        for i_k in range(tl.cdiv(K, BK)):
            o_k = i_k * BK + tl.arange(0, BK)
            m_k = o_k < K
            # [BT, BK]
            b_k = tl.load(k + o_tq[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
            # [BK, BT]
            b_q = tl.load(q + o_tq[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
            b_A += dot(b_k, b_q)
        if USE_G or USE_G_GAMMA:
            b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, HV, BT, USE_G, USE_G_GAMMA)
            b_A *= masked_exp(b_g[None, :] - b_g[:, None], m_A)
        b_A = tl.where(m_A, b_A * scale, 0)

    for i_v in range(tl.cdiv(V, BV)):
        o_v = i_v * BV + tl.arange(0, BV)
        m_tv = m_t[:, None] & (o_v < V)[None, :]
        # [BT, BV]
        b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
        b_dv = dot(b_A.to(b_do.dtype), b_do)
        tl.store(dv + o_th[:, None] * V + o_v[None, :], rounded(b_dv, dv.dtype.element_ty), mask=m_tv)


def sum_groups(x: torch.Tensor, H: int) -> torch.Tensor:
    """What the value heads `[B, T, HV, K]` of each of `H` key heads add up to, `[B, T, H, K]`."""
    return x if x.shape[2] == H else x.unflatten(2, (H, -1)).sum(3)


def chunk_bwd_dv(
    q: torch.Tensor,
    k: torch.Tensor,
    do: torch.Tensor,
    dh: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    scale: float | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The gradient of v, given the gradients `dh` of the states after each chunk."""
    B, T, H, K = k.shape
    HV, V = do.shape[2:]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, k.dtype), block_size(V, k.dtype)
    dv = torch.empty_like(do)
    chunk_bwd_kernel_dv[(NT * B * HV, triton.cdiv(V, BV))](
        q=q,
        k=k,
        g=g,
        g_gamma=g_gamma,
        do=do,
        dh=dh,
        dv=dv,
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
    return dv


def chunk_bwd_dv_local(
    q: torch.Tensor,
    k: torch.Tensor,
    do: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    A: torch.Tensor | None = None,
    scale: float = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """The part of the gradient of v that comes from the outputs of its own chunk.

    `A`, if given, takes the place of the scaled and decayed scores of q and k, `[B, T, H, chunk_size]`, one row a query.
    """
    B, T, H, K = k.shape
    HV, V = do.shape[2:]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    BK, BV = block_size(K, k.dtype), block_size(V, k.dtype)
    dv = torch.empty_like(do)
    chunk_bwd_kernel_dv_local[(NT * B * HV,)](
        q=q,
        k=k,
        g=g,
        g_gamma=g_gamma,
        A=A,
        do=do,
        dv=dv,
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
    )
    return dv
