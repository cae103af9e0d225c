# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrent states at the borders of chunks, and their gradients."""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import prepare_chunk_indices, prepare_chunk_offsets
from fla.ops.utils.op import block_size, dot, exp, masked_exp
from fla.utils import autotune_cache_kwargs, get_multiprocessor_count

STATE_CONFIGS = [
    triton.Config({}, num_warps=num_warps, num_stages=num_stages)
    for num_warps, num_stages in ((4, 3), (8, 2))
]


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_GV': lambda args: args['gv'] is not None,
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'STORE_FINAL_STATE': lambda args: args['ht'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=STATE_CONFIGS,
    key=['K', 'V', 'BT', 'BS', 'BK', 'BV', 'USE_G', 'USE_G_GAMMA', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_fwd_kernel_h(
    k,
    v,
    g,
    g_gamma,
    gk,
    gv,
    h,
    h0,
    ht,
    cu_seqlens,
    split_offsets,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BS: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_GV: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    STORE_FINAL_STATE: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_v = tl.program_id(2).to(tl.int64)
    i_n, i_h = i_nh // H, i_nh % H
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
        boh = tl.load(split_offsets + i_n).to(tl.int64)
    else:
        T = tl.cast(T, tl.int64)
        bos = i_n * T
        boh = i_n * tl.cdiv(T, BS)
    NT = tl.cdiv(T, BT)
    NTS = BS // BT

    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]

    # [BK, BV]
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_INITIAL_STATE:
        b_h += tl.load(h0 + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)

    for i_t in range(NT):
        if i_t % NTS == 0:
            p_h = h + ((boh + i_t // NTS) * H + i_h) * K * V + o_h
            tl.store(p_h, b_h.to(h.dtype.element_ty), mask=m_h)

        o_t = i_t * BT + tl.arange(0, BT)
        m_t = o_t < T
        o_th = (bos + o_t) * H + i_h
        o_last = (bos + min(i_t * BT + BT, T) - 1) * H + i_h
        # [BK, BT]
        b_k = tl.load(k + o_th[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
        # [BT, BV]
        b_v = tl.load(v + o_th[:, None] * V + o_v[None, :], mask=m_t[:, None] & m_v[None, :], other=0)
        if USE_G or USE_G_GAMMA:
            b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, H, BT, USE_G, USE_G_GAMMA)
            b_h *= exp(b_g_last)
            b_v = (b_v * masked_exp(b_g_last - b_g, m_t)[:, None]).to(b_v.dtype)
        if USE_GK:
            m_gk = m_k[:, None] & m_t[None, :]
            b_gk = tl.load(gk + o_th[None, :] * K + o_k[:, None], mask=m_gk, other=0).to(tl.float32)
            b_gk_last = tl.load(gk + o_last * K + o_k, mask=m_k, other=0).to(tl.float32)
            b_h *= exp(b_gk_last)[:, None]
            b_k = (b_k * masked_exp(b_gk_last[:, None] - b_gk, m_gk)).to(b_k.dtype)
        if USE_GV:
            m_gv = m_t[:, None] & m_v[None, :]
            b_gv = tl.load(gv + o_th[:, None] * V + o_v[None, :], mask=m_gv, other=0).to(tl.float32)
            b_gv_last = tl.load(gv + o_last * V + o_v, mask=m_v, other=0).to(tl.float32)
            b_h *= exp(b_gv_last)[None, :]
            b_v = (b_v * masked_exp(b_gv_last[None, :] - b_gv, m_gv)).to(b_v.dtype)
        b_h += dot(b_k, b_v)

    if STORE_FINAL_STATE:
        tl.store(ht + i_nh * K * V + o_h, b_h.to(ht.dtype.element_ty), mask=m_h)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_GV': lambda args: args['gv'] is not None,
    'USE_FINAL_STATE_GRADIENT': lambda args: args['dht'] is not None,
    'STORE_INITIAL_STATE_GRADIENT': lambda args: args['dh0'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=STATE_CONFIGS,
    key=['K', 'V', 'BT', 'BS', 'BK', 'BV', 'USE_G', 'USE_G_GAMMA', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_bwd_kernel_dh(
    q,
    g,
    g_gamma,
    gk,
    gv,
    do,
    dh,
    dht,
    dh0,
    cu_seqlens,
    split_offsets,
    scale,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BS: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_GV: tl.constexpr,
    USE_FINAL_STATE_GRADIENT: tl.constexpr,
    STORE_INITIAL_STATE_GRADIENT: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_v = tl.program_id(2).to(tl.int64)
    i_n, i_h = i_nh // H, i_nh % H
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
        boh = tl.load(split_offsets + i_n).to(tl.int64)
    else:
        T = tl.cast(T, tl.int64)
        bos = i_n * T
        boh = i_n * tl.cdiv(T, BS)
    NT = tl.cdiv(T, BT)
    NTS = BS // BT

    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]

    # [BK, BV]
    b_dh = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_FINAL_STATE_GRADIENT:
        b_dh += tl.load(dht + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)

    for i_t in range(NT - 1, -1, -1):
        if (i_t % NTS == NTS - 1) | (i_t == NT - 1):
            p_dh = dh + ((boh + i_t // NTS) * H + i_h) * K * V + o_h
            tl.store(p_dh, b_dh.to(dh.dtype.element_ty), mask=m_h)

        o_t = i_t * BT + tl.arange(0, BT)
        m_t = o_t < T
        o_th = (bos + o_t) * H + i_h
        o_last = (bos + min(i_t * BT + BT, T) - 1) * H + i_h
        # [BK, BT]
        b_q = tl.load(q + o_th[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
        # [BT, BV]
        b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_t[:, None] & m_v[None, :], other=0)
        if USE_G or USE_G_GAMMA:
            b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, H, BT, USE_G, USE_G_GAMMA)
            b_dh *= exp(b_g_last)
            b_q = (b_q * exp(b_g)[None, :]).to(b_q.dtype)
        if USE_GK:
            m_gk = m_k[:, None] & m_t[None, :]
            b_gk = tl.load(gk + o_th[None, :] * K + o_k[:, None], mask=m_gk, other=0).to(tl.float32)
            b_gk_last = tl.load(gk + o_last * K + o_k, mask=m_k, other=0).to(tl.float32)
            b_dh *= exp(b_gk_last)[:, None]
            b_q = (b_q * exp(b_gk)).to(b_q.dtype)
        if USE_GV:
            m_gv = m_t[:, None] & m_v[None, :]
            b_gv = tl.load(gv + o_th[:, None] * V + o_v[None, :], mask=m_gv, other=0).to(tl.float32)
            b_gv_last = tl.load(gv + o_last * V + o_v, mask=m_v, other=0).to(tl.float32)
            b_dh *= exp(b_gv_last)[None, :]
            b_do = (b_do * exp(b_gv)).to(b_do.dtype)
        b_dh += dot(b_q, b_do) * scale

    if STORE_INITIAL_STATE_GRADIENT:
        tl.store(dh0 + i_nh * K * V + o_h, b_dh.to(dh0.dtype.element_ty), mask=m_h)


def _split_size(chunk_size: int, split_size: int | None) -> int:
    if split_size is None:
        return chunk_size
    if split_size % chunk_size:
        raise ValueError(f'split_size has to be a multiple of chunk_size, got {split_size} and {chunk_size}')
    return split_size


def _state_blocks(n_states: int, K: int, V: int, x: torch.Tensor) -> tuple[int, int]:
    """The block of a state that a program carries along: smaller where few states would leave most of the device idle."""
    BK, BV = block_size(K, x.dtype), block_size(V, x.dtype)
    n_programs = get_multiprocessor_count(x.device.index or 0)
    while n_states * triton.cdiv(K, BK) * triton.cdiv(V, BV) < n_programs and max(BK, BV) > 16:
        BK, BV = (BK, BV // 2) if BV >= BK else (BK // 2, BV)
    return BK, BV


def _split_layout(B: int, T: int, BS: int, cu_seqlens: torch.Tensor | None, split_indices: torch.LongTensor | None):
    if cu_seqlens is None:
        return B, triton.cdiv(T, BS), None
    if split_indices is None:
        split_indices = prepare_chunk_indices(cu_seqlens, BS)
    return len(cu_seqlens) - 1, len(split_indices), prepare_chunk_offsets(cu_seqlens, BS)


def chunk_fwd_h(
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    h0: torch.Tensor | None = None,
    output_final_state: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.Tensor | None = None,
    chunk_size: int = 64,
    split_size: int | None = None,
    states_in_fp32: bool = False,
    split_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The state before each split of the sequence, `[B, NS, H, K, V]`, and the final one in fp32.

    The gates are sums in log space local to chunks of `chunk_size`; a split is one chunk or, with `split_size`, several.
    `split_indices`, the table of the splits of packed sequences, saves a synchronisation where it is at hand.
    """
    B, T, H, K, V = *k.shape, v.shape[-1]
    BT, BS = chunk_size, _split_size(chunk_size, split_size)
    N, NS, split_offsets = _split_layout(B, T, BS, cu_seqlens, split_indices)
    BK, BV = _state_blocks(N * H, K, V, k)
    state = (V, K) if state_v_first else (K, V)
    h = k.new_empty(B, NS, H, *state, dtype=torch.float if states_in_fp32 else k.dtype)
    ht = k.new_empty(N, H, *state, dtype=torch.float) if output_final_state else None
    chunk_fwd_kernel_h[(N * H, triton.cdiv(K, BK), triton.cdiv(V, BV))](
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        gk=gk,
        gv=gv,
        h=h,
        h0=h0,
        ht=ht,
        cu_seqlens=cu_seqlens,
        split_offsets=split_offsets,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=BT,
        BS=BS,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return h, ht


def chunk_bwd_dh(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    do: torch.Tensor,
    h0: torch.Tensor,
    dht: torch.Tensor,
    scale: float,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.Tensor | None = None,
    chunk_size: int = 64,
    split_size: int | None = None,
    states_in_fp32: bool = False,
    split_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The gradient of the state after each split, laid out as the states of `chunk_fwd_h`, and that of `h0` if it is given."""
    B, T, H, K, V = *k.shape, v.shape[-1]
    BT, BS = chunk_size, _split_size(chunk_size, split_size)
    N, NS, split_offsets = _split_layout(B, T, BS, cu_seqlens, split_indices)
    BK, BV = _state_blocks(N * H, K, V, k)
    state = (V, K) if state_v_first else (K, V)
    dh = k.new_empty(B, NS, H, *state, dtype=torch.float if states_in_fp32 else k.dtype)
    dh0 = torch.empty_like(h0, dtype=torch.float) if h0 is not None else None
    chunk_bwd_kernel_dh[(N * H, triton.cdiv(K, BK), triton.cdiv(V, BV))](
        q=q,
        g=g,
        g_gamma=g_gamma,
        gk=gk,
        gv=gv,
        do=do,
        dh=dh,
        dht=dht,
        dh0=dh0,
        cu_seqlens=cu_seqlens,
        split_offsets=split_offsets,
        scale=scale,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=BT,
        BS=BS,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return dh, dh0
