# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The kernels of chunked KDA that are not those of GLA: what the delta rule adds within a chunk.

With g the log decays summed within the chunk, A is the inverse of I + L for L_ij = beta_i sum_d k_id k_jd exp(g_id - g_jd) below the diagonal, and w = A (beta k exp(g)), u = A (beta v) correct the values by the state h before the chunk: u - w h.
"""

import torch
import triton
import triton.language as tl

from fla.ops.common.gated_scores import gated_scores, gated_scores_bwd, load_gate_row
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import block_size, dot, exp, fine_dot, locate_chunk, masked_exp, operand, rounded
from fla.ops.utils.solve_tril import invert_unit_lower
from fla.utils import autotune_cache_kwargs

# the three ways to find scores make these kernels long to compile, and twice as long with half the warps
SCORE_CONFIGS = [triton.Config({}, num_warps=8, num_stages=2)]


@triton.heuristics({
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(configs=SCORE_CONFIGS, key=['K', 'BT', 'BK', 'IS_VARLEN'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def chunk_kda_fwd_kernel_scores(
    q,
    k,
    g,
    beta,
    Aqk,
    A,
    cu_seqlens,
    chunk_indices,
    scale,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    m_tt = m_t[:, None] & m_t[None, :]
    o_th = (bos + o_t) * H + i_h
    o_A = o_th[:, None] * BT + o_i[None, :]

    # [BT, BT]
    b_Aqk = tl.zeros([BT, BT], dtype=tl.float32)
    b_Akk = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_tk = m_t[:, None] & (o_k < K)[None, :]
        o_tk = o_th[:, None] * K + o_k[None, :]
        # [BT, BK]
        b_q = tl.load(q + o_tk, mask=m_tk, other=0)
        b_k = tl.load(k + o_tk, mask=m_tk, other=0)
        b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
        b_Aqk += gated_scores(g, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)
        b_Akk += gated_scores(g, b_k, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)

    b_Aqk = tl.where((o_i[:, None] >= o_i[None, :]) & m_tt, b_Aqk * scale, 0)
    tl.store(Aqk + o_A, rounded(b_Aqk, Aqk.dtype.element_ty), mask=m_t[:, None])
    b_beta = tl.load(beta + o_th, mask=m_t, other=0).to(tl.float32)
    b_L = tl.where((o_i[:, None] > o_i[None, :]) & m_tt, b_Akk * b_beta[:, None], 0)
    b_A = invert_unit_lower(b_L, BT, k.dtype.element_ty)
    tl.store(A + o_A, rounded(b_A, A.dtype.element_ty), mask=m_t[:, None])


@triton.heuristics({
    'STORE_QG': lambda args: args['qg'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({}, num_warps=4, num_stages=2)],
    key=['K', 'V', 'BT', 'BK', 'BV', 'STORE_QG', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_kda_fwd_kernel_wu(
    q,
    k,
    v,
    g,
    beta,
    A,
    w,
    u,
    kg,
    qg,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    STORE_QG: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    o_th = (bos + o_t) * H + i_h
    o_last = (bos + min(i_t * BT + BT, T) - 1) * H + i_h
    b_beta = tl.load(beta + o_th, mask=m_t, other=0).to(tl.float32)
    # [BT, BT]
    b_A = tl.load(A + o_th[:, None] * BT + o_i[None, :], mask=m_t[:, None], other=0)
    for i_v in range(tl.cdiv(V, BV)):
        o_v = i_v * BV + tl.arange(0, BV)
        m_tv = m_t[:, None] & (o_v < V)[None, :]
        o_tv = o_th[:, None] * V + o_v[None, :]
        # [BT, BV]
        b_v = tl.load(v + o_tv, mask=m_tv, other=0)
        b_u = dot(b_A, operand(b_v * b_beta[:, None], b_v.dtype))
        tl.store(u + o_tv, rounded(b_u, u.dtype.element_ty), mask=m_tv)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_tk = m_t[:, None] & (o_k < K)[None, :]
        o_tk = o_th[:, None] * K + o_k[None, :]
        # [BT, BK]
        b_k = tl.load(k + o_tk, mask=m_tk, other=0)
        b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
        b_w = dot(b_A, operand(b_k * b_beta[:, None] * exp(b_g), b_k.dtype))
        b_kg = b_k * masked_exp(load_gate_row(g, o_last, o_k, K)[None, :] - b_g, m_t[:, None])
        tl.store(w + o_tk, rounded(b_w, w.dtype.element_ty), mask=m_tk)
        tl.store(kg + o_tk, rounded(b_kg, kg.dtype.element_ty), mask=m_tk)
        if STORE_QG:
            b_q = tl.load(q + o_tk, mask=m_tk, other=0)
            tl.store(qg + o_tk, rounded(b_q * exp(b_g), qg.dtype.element_ty), mask=m_tk)


@triton.heuristics({
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(configs=SCORE_CONFIGS, key=['K', 'V', 'BT', 'BK', 'BV', 'IS_VARLEN'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def chunk_kda_bwd_kernel_wy(
    k,
    v,
    g,
    beta,
    A,
    dw,
    du,
    dk,
    dv,
    dg,
    dbeta,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    m_A = (o_i[:, None] > o_i[None, :]) & (m_t[:, None] & m_t[None, :])
    o_th = (bos + o_t) * H + i_h
    b_beta = tl.load(beta + o_th, mask=m_t, other=0).to(tl.float32)
    # [BT, BT]
    b_At = tl.load(A + o_th[None, :] * BT + o_i[:, None], mask=m_t[None, :], other=0)
    b_dA = tl.zeros([BT, BT], dtype=tl.float32)
    b_dbeta = tl.zeros([BT], dtype=tl.float32)
    for i_v in range(tl.cdiv(V, BV)):
        o_v = i_v * BV + tl.arange(0, BV)
        m_tv = m_t[:, None] & (o_v < V)[None, :]
        o_tv = o_th[:, None] * V + o_v[None, :]
        # [BT, BV]
        b_v = tl.load(v + o_tv, mask=m_tv, other=0)
        b_du = tl.load(du + o_tv, mask=m_tv, other=0)
        b_dA += dot(b_du, tl.trans(operand(b_v * b_beta[:, None], b_v.dtype)))
        b_dvb = dot(b_At, b_du)
        b_dbeta += tl.sum(b_dvb * b_v, axis=1)
        tl.store(dv + o_tv, rounded(b_dvb * b_beta[:, None], dv.dtype.element_ty), mask=m_tv)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_tk = m_t[:, None] & (o_k < K)[None, :]
        o_tk = o_th[:, None] * K + o_k[None, :]
        # [BT, BK]
        b_k = tl.load(k + o_tk, mask=m_tk, other=0)
        b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
        b_dw = tl.load(dw + o_tk, mask=m_tk, other=0)
        b_dA += dot(b_dw, tl.trans(operand(b_k * b_beta[:, None] * exp(b_g), b_k.dtype)))

    # the gradient of L is -A^T dA A^T below the diagonal
    b_dA = tl.where(m_A, b_dA, 0)
    b_dL = -fine_dot(fine_dot(b_At, b_dA, A.dtype.element_ty), b_At, A.dtype.element_ty)
    b_dL = tl.where(m_A, b_dL, 0)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_tk = m_t[:, None] & (o_k < K)[None, :]
        o_tk = o_th[:, None] * K + o_k[None, :]
        # [BT, BK]
        b_k = tl.load(k + o_tk, mask=m_tk, other=0)
        b_g = tl.load(g + o_tk, mask=m_tk, other=0).to(tl.float32)
        b_dw = tl.load(dw + o_tk, mask=m_tk, other=0)
        b_kb = operand(b_k * b_beta[:, None], b_k.dtype)
        b_dkb, b_dk = gated_scores_bwd(g, b_dL, b_kb, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)
        b_dkb += dot(b_At, b_dw) * exp(b_g)
        b_dbeta += tl.sum(b_dkb * b_k, axis=1)
        b_dg = tl.cumsum(tl.where(m_tk, b_kb * b_dkb - b_k * b_dk, 0), axis=0, reverse=True)
        b_dg += tl.load(dg + o_tk, mask=m_tk, other=0)
        b_dk += b_dkb * b_beta[:, None] + tl.load(dk + o_tk, mask=m_tk, other=0)
        tl.store(dg + o_tk, b_dg, mask=m_tk)
        tl.store(dk + o_tk, rounded(b_dk, dk.dtype.element_ty), mask=m_tk)
    tl.store(dbeta + o_th, b_dbeta, mask=m_t)


def chunk_kda_fwd_scores(
    q: torch.Tensor,
    k: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    scale: float,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The scaled scores of q and k, and the inverses A, `[B, T, H, chunk_size]` both and in the type of k."""
    B, T, H, K = k.shape
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    Aqk, A = (k.new_empty(B, T, H, chunk_size) for _ in range(2))
    chunk_kda_fwd_kernel_scores[(NT * B * H,)](
        q=q,
        k=k,
        g=g,
        beta=beta,
        Aqk=Aqk,
        A=A,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        T=T,
        H=H,
        K=K,
        BT=chunk_size,
        BK=block_size(K, k.dtype),
    )
    return Aqk, A


def chunk_kda_fwd_wu(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    A: torch.Tensor,
    with_queries: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """w, u, the keys decayed to the end of their chunk, and, if asked for, the queries decayed from its start."""
    B, T, H, K, V = *k.shape, v.shape[-1]
    BT = A.shape[-1]
    NT, chunk_indices = count_chunks(T, BT, cu_seqlens, chunk_indices)
    w, u, kg = torch.empty_like(k), torch.empty_like(v), torch.empty_like(k)
    qg = torch.empty_like(q) if with_queries else None
    chunk_kda_fwd_kernel_wu[(NT * B * H,)](
        q=q,
        k=k,
        v=v,
        g=g,
        beta=beta,
        A=A,
        w=w,
        u=u,
        kg=kg,
        qg=qg,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=BT,
        BK=block_size(K, k.dtype),
        BV=block_size(V, v.dtype),
    )
    return w, u, kg, qg


def chunk_kda_bwd_wy(
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    A: torch.Tensor,
    dw: torch.Tensor,
    du: torch.Tensor,
    dk: torch.Tensor,
    dg: torch.Tensor,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of v and, in fp32, of beta; those of k and of the gates before they were summed are added to `dk` and `dg`."""
    B, T, H, K, V = *k.shape, v.shape[-1]
    BT = A.shape[-1]
    NT, chunk_indices = count_chunks(T, BT, cu_seqlens, chunk_indices)
    dv = torch.empty_like(v)
    dbeta = torch.empty_like(beta, dtype=torch.float)
    chunk_kda_bwd_kernel_wy[(NT * B * H,)](
        k=k,
        v=v,
        g=g,
        beta=beta,
        A=A,
        dw=dw,
        du=du,
        dk=dk,
        dv=dv,
        dg=dg,
        dbeta=dbeta,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=BT,
        BK=block_size(K, k.dtype),
        BV=block_size(V, v.dtype),
    )
    return dv, dbeta
