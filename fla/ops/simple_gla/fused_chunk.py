# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Simple GLA in chunks, whose states stay in registers in the forward pass."""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.simple_gla.chunk import CHUNK_SIZE, ChunkSimpleGLAFunction
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.checks import check_gates, check_inputs
from fla.ops.utils.cumsum import chunk_local_cumsum
from fla.ops.utils.index import prepare_chunk_indices
from fla.ops.utils.op import block_size, dot, exp, masked_exp
from fla.utils import autocast_custom_fwd, autotune_cache_kwargs, input_guard


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'STORE_FINAL_STATE': lambda args: args['ht'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    # narrow blocks of values make more programs, wide ones compute the scores less often
    configs=[
        triton.Config({'BV': BV}, num_warps=num_warps, num_stages=2)
        for BV, num_warps in ((32, 4), (64, 4), (64, 8))
    ],
    key=['K', 'V', 'BT', 'BK', 'USE_G', 'USE_G_GAMMA', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def fused_chunk_simple_gla_fwd_kernel_o(
    q,
    k,
    v,
    g,
    g_gamma,
    o,
    h0,
    ht,
    cu_seqlens,
    scale,
    B,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    STORE_FINAL_STATE: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_v = tl.program_id(2).to(tl.int64)
    i_n, i_h = i_nh // H, i_nh % H
    T = tl.cast(T, tl.int64)
    n_tokens = T * B
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        bos = i_n * T

    o_i = tl.arange(0, BT)
    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_k[:, None] * V + o_v[None, :]

    # [BK, BV]
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_INITIAL_STATE:
        b_h += tl.load(h0 + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)

    for i_t in range(tl.cdiv(T, BT)):
        o_t = i_t * BT + o_i
        m_t = o_t < T
        o_th = (bos + o_t) * H + i_h
        m_tv = m_t[:, None] & m_v[None, :]
        # [BT, BK]
        b_q = tl.load(q + o_th[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
        # [BK, BT]
        b_k = tl.load(k + o_th[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
        # [BT, BV]
        b_v = tl.load(v + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
        # [BT, BT]
        m_A = (o_i[:, None] >= o_i[None, :]) & (m_t[:, None] & m_t[None, :])
        b_A = dot(b_q, b_k)
        b_o = dot(b_q, b_h.to(b_q.dtype))
        b_u = b_v
        if USE_G or USE_G_GAMMA:
            b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, H, BT, USE_G, USE_G_GAMMA)
            b_A *= masked_exp(b_g[:, None] - b_g[None, :], m_A)
            b_o *= exp(b_g)[:, None]
            b_h *= exp(b_g_last)
            b_u = (b_v * masked_exp(b_g_last - b_g, m_t)[:, None]).to(b_v.dtype)
        b_A = tl.where(m_A, b_A, 0)
        b_o = (b_o + dot(b_A.to(b_v.dtype), b_v)) * scale
        b_h += dot(b_k, b_u)
        tl.store(o + (i_k * n_tokens * H + o_th)[:, None] * V + o_v[None, :], b_o.to(o.dtype.element_ty), mask=m_tv)

    if STORE_FINAL_STATE:
        tl.store(ht + i_nh * K * V + o_h, b_h.to(ht.dtype.element_ty), mask=m_h)


def fused_chunk_simple_gla_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None,
    g_gamma: torch.Tensor | None,
    scale: float,
    initial_state: torch.Tensor | None,
    output_final_state: bool,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = CHUNK_SIZE,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The outputs and the final state; `g` is summed within chunks."""
    B, T, H, K, V = *k.shape, v.shape[-1]
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BK = block_size(K, k.dtype, most=128)
    NK = triton.cdiv(K, BK)
    o = q.new_empty(NK, B, T, H, V, dtype=v.dtype if NK == 1 else torch.float)
    ht = q.new_empty(N, H, K, V, dtype=torch.float) if output_final_state else None
    fused_chunk_simple_gla_fwd_kernel_o[lambda meta: (N * H, NK, triton.cdiv(V, meta['BV']))](
        q=q,
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        o=o,
        h0=initial_state,
        ht=ht,
        cu_seqlens=cu_seqlens,
        scale=scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=chunk_size,
        BK=BK,
    )
    return o[0] if NK == 1 else o.sum(0).to(v.dtype), ht


class FusedChunkSimpleGLAFunction(ChunkSimpleGLAFunction):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, q, k, v, g, g_gamma, scale, initial_state, output_final_state, state_v_first, cu_seqlens, cu_seqlens_cpu):
        chunk_indices = None
        if cu_seqlens is not None:
            chunk_indices = prepare_chunk_indices(cu_seqlens, CHUNK_SIZE, cu_seqlens_cpu)
        ctx.g_dtype = g.dtype if g is not None else None
        ctx.scale = scale
        ctx.state_v_first = state_v_first
        if g is not None:
            g = chunk_local_cumsum(g, CHUNK_SIZE, cu_seqlens=cu_seqlens, chunk_indices=chunk_indices, is_gate=True)
        o, ht = fused_chunk_simple_gla_fwd(
            q=q,
            k=k,
            v=v,
            g=g,
            g_gamma=g_gamma,
            scale=scale,
            initial_state=initial_state,
            output_final_state=output_final_state,
            cu_seqlens=cu_seqlens,
        )
        ctx.save_for_backward(q, k, v, g, g_gamma, initial_state, cu_seqlens, chunk_indices)
        return o, ht


@torch.compiler.disable
@input_guard
def fused_chunk_simple_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor = None,
    g_gamma: torch.Tensor = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """`chunk_simple_gla` in one kernel, which goes from chunk to chunk and writes no states between them.

    It takes less memory and fewer launches, and pays where there are sequences and heads enough to fill the device; the backward pass is that of `chunk_simple_gla`.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        g (Tensor, Optional):
            Log decays, `[B, T, H]`. Default: `None`.
        g_gamma (Tensor, Optional):
            Constant log decay of each head, `[H]`; it adds to `g` and gets no gradient. Default: `None`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, H, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
    """
    check_inputs(q, k, v, initial_state, False, cu_seqlens)
    check_gates(q, v, g=g, g_gamma=g_gamma)
    return FusedChunkSimpleGLAFunction.apply(
        q,
        k,
        v,
        g,
        g_gamma,
        k.shape[-1] ** -0.5 if scale is None else scale,
        initial_state,
        output_final_state,
        False,
        cu_seqlens,
        None,
    )
