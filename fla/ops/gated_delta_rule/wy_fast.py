# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The WY representation of the delta rule within chunks: w = A diag(beta exp(g)) k and u = A diag(beta) v.

A is the inverse of I + L, where L_ij = beta_i exp(g_i - g_j) k_i . k_j below the diagonal; the decays g are summed within chunks.
"""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_dv import sum_groups
from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.common.chunk_scaled_dot_kkt import scaled_dot_kkt
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import block_size, dot, exp, fine_dot, locate_chunk, masked_exp, operand, rounded
from fla.ops.utils.solve_tril import invert_unit_lower
from fla.utils import autotune_cache_kwargs


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({}, num_warps=num_warps, num_stages=2) for num_warps in (4, 8)],
    key=['K', 'V', 'BT', 'BK', 'BV', 'IS_SOLVED', 'USE_G', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_delta_fwd_kernel_wu(
    k,
    v,
    g,
    beta,
    A,
    w,
    u,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    IS_SOLVED: tl.constexpr,
    USE_G: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // HV, i_th % HV
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    o_th = (bos + o_t) * HV + i_h
    o_tk = (bos + o_t) * H + i_h // (HV // H)
    o_A = o_th[:, None] * BT + o_i[None, :]
    b_beta = tl.load(beta + o_th, mask=m_t, other=0).to(tl.float32)
    # [BT, BT]
    if IS_SOLVED:
        b_A = tl.load(A + o_A, mask=m_t[:, None], other=0)
    else:
        b_L = scaled_dot_kkt(k, g, beta, bos, i_t, i_h, T, H, HV, K, BT, BK, USE_G, True)
        b_A = operand(invert_unit_lower(b_L, BT, k.dtype.element_ty), k.dtype.element_ty)
        tl.store(A + o_A, rounded(b_A, A.dtype.element_ty), mask=m_t[:, None])

    for i_v in range(tl.cdiv(V, BV)):
        o_v = i_v * BV + tl.arange(0, BV)
        m_v = m_t[:, None] & (o_v < V)[None, :]
        # [BT, BV]
        b_v = tl.load(v + o_th[:, None] * V + o_v[None, :], mask=m_v, other=0)
        b_u = dot(b_A, operand(b_v * b_beta[:, None], b_v.dtype))
        tl.store(u + o_th[:, None] * V + o_v[None, :], rounded(b_u, u.dtype.element_ty), mask=m_v)
    if USE_G:
        b_g, b_g_last = load_chunk_gate(g, None, bos, i_t, i_h, T, HV, BT, True, False)
        b_beta *= exp(b_g)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = m_t[:, None] & (o_k < K)[None, :]
        # [BT, BK]
        b_k = tl.load(k + o_tk[:, None] * K + o_k[None, :], mask=m_k, other=0)
        b_w = dot(b_A, operand(b_k * b_beta[:, None], b_k.dtype))
        tl.store(w + o_th[:, None] * K + o_k[None, :], rounded(b_w, w.dtype.element_ty), mask=m_k)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({}, num_warps=num_warps, num_stages=2) for num_warps in (4, 8)],
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_delta_bwd_kernel_wy(
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
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // HV, i_th % HV
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    o_th = (bos + o_t) * HV + i_h
    o_tk = (bos + o_t) * H + i_h // (HV // H)
    b_beta = tl.load(beta + o_th, mask=m_t, other=0).to(tl.float32)
    b_decay = tl.full([BT], 1., dtype=tl.float32)
    m_A = (o_t[:, None] > o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_G:
        b_g, b_g_last = load_chunk_gate(g, None, bos, i_t, i_h, T, HV, BT, True, False)
        b_decay = exp(b_g)
    # [BT, BT]
    b_At = tl.load(A + o_th[None, :] * BT + o_i[:, None], mask=m_t[None, :], other=0)
    b_dA = tl.zeros([BT, BT], dtype=tl.float32)
    b_kk = tl.zeros([BT, BT], dtype=tl.float32)
    b_dbeta = tl.zeros([BT], dtype=tl.float32)
    b_dg = tl.zeros([BT], dtype=tl.float32)
    for i_v in range(tl.cdiv(V, BV)):
        o_v = i_v * BV + tl.arange(0, BV)
        m_v = m_t[:, None] & (o_v < V)[None, :]
        o_tv = o_th[:, None] * V + o_v[None, :]
        # [BT, BV]
        b_v = tl.load(v + o_tv, mask=m_v, other=0)
        b_du = tl.load(du + o_tv, mask=m_v, other=0)
        b_dA += dot(b_du, tl.trans(operand(b_v * b_beta[:, None], b_v.dtype)))
        b_dvb = dot(b_At, b_du)
        b_dbeta += tl.sum(b_dvb * b_v, axis=1)
        tl.store(dv + o_tv, rounded(b_dvb * b_beta[:, None], dv.dtype.element_ty), mask=m_v)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = m_t[:, None] & (o_k < K)[None, :]
        # [BT, BK]
        b_k = tl.load(k + o_tk[:, None] * K + o_k[None, :], mask=m_k, other=0)
        b_dw = tl.load(dw + o_th[:, None] * K + o_k[None, :], mask=m_k, other=0)
        b_dA += dot(b_dw, tl.trans(operand(b_k * (b_beta * b_decay)[:, None], b_k.dtype)))
        b_kk += dot(b_k, tl.trans(b_k))
        b_dkb = dot(b_At, b_dw) * b_decay[:, None]
        b_row = tl.sum(b_dkb * b_k, axis=1)
        b_dbeta += b_row
        b_dg += b_row * b_beta

    # the gradient of L is -A^T dA A^T below the diagonal
    b_dA = tl.where(m_A, b_dA, 0)
    b_dL = -fine_dot(fine_dot(b_At, b_dA, A.dtype.element_ty), b_At, A.dtype.element_ty)
    b_dL = tl.where(m_A, b_dL, 0)
    if USE_G:
        b_dL *= masked_exp(b_g[:, None] - b_g[None, :], m_A)
    b_kk *= b_dL
    b_dbeta += tl.sum(b_kk, axis=1)
    if USE_G:
        b_kk *= b_beta[:, None]
        b_dg += tl.sum(b_kk, axis=1) - tl.sum(b_kk, axis=0)
        tl.store(dg + o_th, b_dg, mask=m_t)
    tl.store(dbeta + o_th, b_dbeta, mask=m_t)
    b_dL = operand(b_dL * b_beta[:, None], k.dtype.element_ty)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = m_t[:, None] & (o_k < K)[None, :]
        # [BT, BK]
        b_k = tl.load(k + o_tk[:, None] * K + o_k[None, :], mask=m_k, other=0)
        b_dw = tl.load(dw + o_th[:, None] * K + o_k[None, :], mask=m_k, other=0)
        b_dk = dot(b_At, b_dw) * (b_beta * b_decay)[:, None]
        b_dk += dot(b_dL, b_k) + dot(tl.trans(b_dL), b_k)
        tl.store(dk + o_th[:, None] * K + o_k[None, :], rounded(b_dk, dk.dtype.element_ty), mask=m_k)


def _launch_wu(k, v, beta, A, g, is_solved, cu_seqlens, chunk_indices) -> tuple[torch.Tensor, torch.Tensor]:
    B, T, H, K = k.shape
    HV, V = v.shape[2:]
    BT = A.shape[-1]
    NT, chunk_indices = count_chunks(T, BT, cu_seqlens, chunk_indices)
    w = k.new_empty(B, T, HV, K)
    u = torch.empty_like(v)
    chunk_delta_fwd_kernel_wu[(NT * B * HV,)](
        k=k,
        v=v,
        g=g,
        beta=beta,
        A=A,
        w=w,
        u=u,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BT=BT,
        BK=block_size(K, k.dtype),
        BV=block_size(V, v.dtype),
        IS_SOLVED=is_solved,
    )
    return w, u


def prepare_wy_repr_fwd(
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    g: torch.Tensor | None = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """w `[B, T, HV, K]`, u `[B, T, HV, V]` and A `[B, T, HV, chunk_size]`, the last in the type of k."""
    A = k.new_empty(*v.shape[:3], chunk_size)
    w, u = _launch_wu(k, v, beta, A, g, False, cu_seqlens, chunk_indices)
    return w, u, A


def recompute_w_u_fwd(
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    A: torch.Tensor,
    g: torch.Tensor | None = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """w `[B, T, HV, K]` and u `[B, T, HV, V]` from the inverses A `[B, T, HV, BT]` of the chunks."""
    return _launch_wu(k, v, beta, A.to(k.dtype), g, True, cu_seqlens, chunk_indices)


def prepare_wy_repr_bwd(
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    A: torch.Tensor,
    dw: torch.Tensor,
    du: torch.Tensor,
    g: torch.Tensor = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of k, v, beta and g, the last two in fp32, from those of w and u; that of g is of its sums in chunks."""
    B, T, H, K = k.shape
    HV, V = v.shape[2:]
    BT = A.shape[-1]
    NT, chunk_indices = count_chunks(T, BT, cu_seqlens, chunk_indices)
    dk = k.new_empty(B, T, HV, K)
    dv = torch.empty_like(v)
    dbeta = torch.empty_like(beta, dtype=torch.float)
    dg = torch.empty_like(g, dtype=torch.float) if g is not None else None
    chunk_delta_bwd_kernel_wy[(NT * B * HV,)](
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
        HV=HV,
        K=K,
        V=V,
        BT=BT,
        BK=block_size(K, k.dtype),
        BV=block_size(V, v.dtype),
    )
    return sum_groups(dk, H), dv, dbeta, dg
