# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrent states of the delta rule at the borders of chunks, and their gradients.

Within a chunk, what goes into the state are the keys with values that are corrected by what the state before the chunk holds: v' = u - w h.
"""

import torch
import triton
import triton.language as tl

from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks, prepare_chunk_offsets
from fla.ops.utils.op import dot, exp, masked_exp, operand, rounded
from fla.utils import autotune_cache_kwargs, get_multiprocessor_count

DELTA_CONFIGS = [
    triton.Config({}, num_warps=num_warps, num_stages=num_stages)
    for num_warps, num_stages in ((4, 1), (4, 2), (4, 3))
]


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'STORE_FINAL_STATE': lambda args: args['ht'] is not None,
    'SAVE_NEW_VALUE': lambda args: args['v_new'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=DELTA_CONFIGS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'USE_GK', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_gated_delta_rule_fwd_kernel_h(
    k,
    w,
    u,
    g,
    gk,
    h,
    v_new,
    h0,
    ht,
    cu_seqlens,
    chunk_offsets,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    STORE_FINAL_STATE: tl.constexpr,
    SAVE_NEW_VALUE: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // HV, i_nh % HV
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
        boh = tl.load(chunk_offsets + i_n).to(tl.int64)
    else:
        T = tl.cast(T, tl.int64)
        bos = i_n * T
        boh = i_n * tl.cdiv(T, BT)

    o_k = tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]

    # [BK, BV]
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_INITIAL_STATE:
        b_h += tl.load(h0 + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)

    for i_t in range(tl.cdiv(T, BT)):
        tl.store(h + ((boh + i_t) * HV + i_h) * K * V + o_h, rounded(b_h, h.dtype.element_ty), mask=m_h)

        o_t = i_t * BT + tl.arange(0, BT)
        m_t = o_t < T
        m_tv = m_t[:, None] & m_v[None, :]
        o_th = (bos + o_t) * HV + i_h
        o_tk = (bos + o_t) * H + i_h // (HV // H)
        # [BT, BK]
        b_w = tl.load(w + o_th[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
        # [BT, BV]
        b_v = tl.load(u + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0).to(tl.float32)
        b_v -= dot(b_w, operand(b_h, b_w.dtype))
        if SAVE_NEW_VALUE:
            tl.store(v_new + o_th[:, None] * V + o_v[None, :], rounded(b_v, v_new.dtype.element_ty), mask=m_tv)
        if USE_G:
            b_g, b_g_last = load_chunk_gate(g, None, bos, i_t, i_h, T, HV, BT, True, False)
            b_v *= masked_exp(b_g_last - b_g, m_t)[:, None]
            b_h *= exp(b_g_last)
        if USE_GK:
            o_last = (bos + min(i_t * BT + BT, T) - 1) * HV + i_h
            b_h *= exp(tl.load(gk + o_last * K + o_k, mask=m_k, other=0))[:, None]
        # [BK, BT]
        b_k = tl.load(k + o_tk[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
        b_h += dot(b_k, operand(b_v, b_k.dtype))

    if STORE_FINAL_STATE:
        tl.store(ht + i_nh * K * V + o_h, rounded(b_h, ht.dtype.element_ty), mask=m_h)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_FINAL_STATE_GRADIENT': lambda args: args['dht'] is not None,
    'STORE_INITIAL_STATE_GRADIENT': lambda args: args['dh0'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=DELTA_CONFIGS,
    key=['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'USE_GK', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def chunk_gated_delta_rule_bwd_kernel_dhu(
    q,
    k,
    w,
    g,
    gk,
    do,
    dh,
    dv,
    dv2,
    dht,
    dh0,
    cu_seqlens,
    chunk_offsets,
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
    USE_GK: tl.constexpr,
    USE_FINAL_STATE_GRADIENT: tl.constexpr,
    STORE_INITIAL_STATE_GRADIENT: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // HV, i_nh % HV
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
        boh = tl.load(chunk_offsets + i_n).to(tl.int64)
    else:
        T = tl.cast(T, tl.int64)
        bos = i_n * T
        boh = i_n * tl.cdiv(T, BT)
    NT = tl.cdiv(T, BT)

    o_k = tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]

    # [BK, BV]
    b_dh = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_FINAL_STATE_GRADIENT:
        b_dh += tl.load(dht + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)

    for i_c in range(NT):
        i_t = NT - 1 - i_c
        tl.store(dh + ((boh + i_t) * HV + i_h) * K * V + o_h, rounded(b_dh, dh.dtype.element_ty), mask=m_h)

        o_t = i_t * BT + tl.arange(0, BT)
        m_t = o_t < T
        m_tv = m_t[:, None] & m_v[None, :]
        m_kt = m_k[:, None] & m_t[None, :]
        o_th = (bos + o_t) * HV + i_h
        o_tk = (bos + o_t) * H + i_h // (HV // H)
        # [BT, BK]
        b_k = tl.load(k + o_tk[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
        # [BK, BT]
        b_q = tl.load(q + o_tk[None, :] * K + o_k[:, None], mask=m_kt, other=0)
        b_w = tl.load(w + o_th[None, :] * K + o_k[:, None], mask=m_kt, other=0)
        # [BT, BV]
        b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
        b_dv = dot(b_k, operand(b_dh, b_k.dtype))
        if USE_G:
            b_g, b_g_last = load_chunk_gate(g, None, bos, i_t, i_h, T, HV, BT, True, False)
            b_dv *= masked_exp(b_g_last - b_g, m_t)[:, None]
            b_dh *= exp(b_g_last)
            b_q = operand(b_q * exp(b_g)[None, :], b_do.dtype)
        if USE_GK:
            o_last = (bos + min(i_t * BT + BT, T) - 1) * HV + i_h
            b_dh *= exp(tl.load(gk + o_last * K + o_k, mask=m_k, other=0))[:, None]
        b_dv += tl.load(dv + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
        tl.store(dv2 + o_th[:, None] * V + o_v[None, :], rounded(b_dv, dv2.dtype.element_ty), mask=m_tv)
        b_dh += dot(b_q, b_do) * scale - dot(b_w, operand(b_dv, b_w.dtype))

    if STORE_INITIAL_STATE_GRADIENT:
        tl.store(dh0 + i_nh * K * V + o_h, rounded(b_dh, dh0.dtype.element_ty), mask=m_h)


def _value_block(n_states: int, K: int, V: int, x: torch.Tensor) -> int:
    """The columns of a state that a program carries along: fewer where few states would leave most of the device idle."""
    BV = min(triton.next_power_of_2(V), 64 if K <= 128 and x.dtype.itemsize <= 2 else 32)
    n_programs = get_multiprocessor_count(x.device.index or 0)
    while n_states * triton.cdiv(V, BV) < n_programs and BV > 16:
        BV //= 2
    return max(BV, 16)


def chunk_gated_delta_rule_fwd_h(
    k: torch.Tensor,
    w: torch.Tensor,
    u: torch.Tensor,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    chunk_size: int = 64,
    save_new_value: bool = True,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    cu_seqlens_cpu: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
    """The state before each chunk, the corrected values `u - w h`, and the final state in fp32.

    Args:
        k (Tensor):
            Keys `[B, T, H, K]`; under decays of channels, decayed up to the end of their chunk.
        w (Tensor):
            What turns a state into corrections of the values, `[B, T, HV, K]`.
        u (Tensor):
            The values before their correction, `[B, T, HV, V]`.
        g (Tensor, Optional):
            Log decays summed within chunks, `[B, T, HV]`. Default: `None`.
        gk (Tensor, Optional):
            Log decays of the key channels summed within chunks, `[B, T, HV, K]`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, HV, K, V]` or, with `state_v_first`, `[N, HV, V, K]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step. Default: `False`.
        chunk_size (int, Optional):
            The length of a chunk. Default: `64`.
        save_new_value (bool, Optional):
            Return the corrected values. Default: `True`.
        state_v_first (bool, Optional):
            Lay states out as `[..., V, K]`. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of packed sequences. Default: `None`.
        cu_seqlens_cpu (LongTensor, Optional):
            The same offsets on the CPU; they are not needed here. Default: `None`.
        chunk_indices (LongTensor, Optional):
            `prepare_chunk_indices(cu_seqlens, chunk_size)`, if at hand. Default: `None`.

    Returns:
        h (Tensor):
            States, `[B, NT, HV, K, V]` or, with `state_v_first`, `[B, NT, HV, V, K]`, in the type of k.
        v_new (Tensor):
            Corrected values, laid out as u, or `None`.
        final_state (Tensor):
            The final states, or `None`.
    """
    B, T, H, K = k.shape
    HV, V = u.shape[2:]
    NT, _ = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BV = _value_block(N * HV, K, V, k)
    state = (V, K) if state_v_first else (K, V)
    h = k.new_empty(B, NT, HV, *state)
    v_new = torch.empty_like(u) if save_new_value else None
    ht = k.new_empty(N, HV, *state, dtype=torch.float) if output_final_state else None
    chunk_gated_delta_rule_fwd_kernel_h[(N * HV, triton.cdiv(V, BV))](
        k=k,
        w=w,
        u=u,
        g=g,
        gk=gk,
        h=h,
        v_new=v_new,
        h0=initial_state,
        ht=ht,
        cu_seqlens=cu_seqlens,
        chunk_offsets=prepare_chunk_offsets(cu_seqlens, chunk_size) if cu_seqlens is not None else None,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BT=chunk_size,
        BK=max(triton.next_power_of_2(K), 16),
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return h, v_new, ht


def chunk_gated_delta_rule_bwd_dhu(
    q: torch.Tensor,
    k: torch.Tensor,
    w: torch.Tensor,
    do: torch.Tensor,
    dv: torch.Tensor,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    h0: torch.Tensor | None = None,
    dht: torch.Tensor | None = None,
    scale: float | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
    """The gradients of the state after each chunk, of `h0` if it is given, and of the corrected values.

    `dv` is the part of the last that comes from the outputs of the same chunk; under decays of channels, `q` and `k` are decayed from the start and to the end of their chunk.
    """
    B, T, H, K = k.shape
    HV, V = do.shape[2:]
    NT, _ = count_chunks(T, chunk_size, cu_seqlens, chunk_indices)
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BV = _value_block(N * HV, K, V, k)
    state = (V, K) if state_v_first else (K, V)
    dh = k.new_empty(B, NT, HV, *state)
    dh0 = torch.empty_like(h0, dtype=torch.float) if h0 is not None else None
    dv2 = torch.empty_like(dv)
    chunk_gated_delta_rule_bwd_kernel_dhu[(N * HV, triton.cdiv(V, BV))](
        q=q,
        k=k,
        w=w,
        g=g,
        gk=gk,
        do=do,
        dh=dh,
        dv=dv,
        dv2=dv2,
        dht=dht,
        dh0=dh0,
        cu_seqlens=cu_seqlens,
        chunk_offsets=prepare_chunk_offsets(cu_seqlens, chunk_size) if cu_seqlens is not None else None,
        scale=K ** -0.5 if scale is None else scale,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BT=chunk_size,
        BK=max(triton.next_power_of_2(K), 16),
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return dh, dh0, dv2
