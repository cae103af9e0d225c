# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The scores of the keys of a chunk among each other, below the diagonal: what `solve_tril` inverts."""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import block_size, dot, locate_chunk, masked_exp
from fla.utils import autotune_cache_kwargs


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_BETA': lambda args: args['beta'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({}, num_warps=num_warps, num_stages=2) for num_warps in (4, 8)],
    key=['K', 'BT', 'BK', 'USE_G', 'USE_BETA', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_scaled_dot_kkt_fwd_kernel(
    k,
    g,
    beta,
    A,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    USE_G: tl.constexpr,
    USE_BETA: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // HV, i_th % HV
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)
    b_A = scaled_dot_kkt(k, g, beta, bos, i_t, i_h, T, H, HV, K, BT, BK, USE_G, USE_BETA)
    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    o_A = ((bos + o_t) * HV + i_h)[:, None] * BT + o_i[None, :]
    tl.store(A + o_A, b_A.to(A.dtype.element_ty), mask=(o_t < T)[:, None])


@triton.jit
def scaled_dot_kkt(
    k,
    g,
    beta,
    bos,
    i_t,
    i_h,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    USE_G: tl.constexpr,
    USE_BETA: tl.constexpr,
):
    """beta_i exp(g_i - g_j) k_i . k_j for the steps i > j of chunk `i_t`, and 0 elsewhere, `[BT, BT]`."""
    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    o_tk = (bos + o_t) * H + i_h // (HV // H)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        o_k = i_k * BK + tl.arange(0, BK)
        # [BT, BK]
        b_k = tl.load(k + o_tk[:, None] * K + o_k[None, :], mask=m_t[:, None] & (o_k < K)[None, :], other=0)
        b_A += dot(b_k, tl.trans(b_k))
    m_A = (o_t[:, None] > o_t[None, :]) & (m_t[:, None] & m_t[None, :])
    if USE_G:
        b_g, b_g_last = load_chunk_gate(g, None, bos, i_t, i_h, T, HV, BT, True, False)
        b_A *= masked_exp(b_g[:, None] - b_g[None, :], m_A)
    if USE_BETA:
        b_A *= tl.load(beta + (bos + o_t) * HV + i_h, mask=m_t, other=0).to(tl.float32)[:, None]
    return tl.where(m_A, b_A, 0)


def chunk_scaled_dot_kkt_fwd(
    k: torch.Tensor,
    g: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    output_dtype: torch.dtype = torch.float32,
    chunk_indices: torch.LongTensor | None = None,
) -> torch.Tensor:
    """beta_i exp(g_i - g_j) k_i . k_j of the steps i > j of each chunk, `[B, T, HV, chunk_size]`, one row a step.

    `k` is `[B, T, H, K]`; `beta` and `g`, which is summed within chunks, are `[B, T, HV]` with HV a multiple of H.
    """
    B, T, H, K = k.shape
    gates = g if beta is None else beta
    HV = H if gates is None else gates.shape[2]
    NT, chunk_indices = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    A = k.new_empty(B, T, HV, chunk_size, dtype=output_dtype)
    chunk_scaled_dot_kkt_fwd_kernel[(NT * B * HV,)](
        k=k,
        g=g,
        beta=beta,
        A=A,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        T=T,
        H=H,
        HV=HV,
        K=K,
        BT=chunk_size,
        BK=block_size(K, k.dtype),
    )
    return A
