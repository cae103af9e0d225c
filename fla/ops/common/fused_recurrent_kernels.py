# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The kernels of `fla.ops.common.fused_recurrent`."""

import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import exp
from fla.utils import autotune_cache_kwargs

RECURRENT_CONFIGS = [triton.Config({}, num_warps=num_warps) for num_warps in (1, 2, 4)]


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
    configs=RECURRENT_CONFIGS,
    key=['K', 'V', 'BK', 'BV', 'REVERSE', 'USE_G', 'USE_G_GAMMA', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def fused_recurrent_fwd_kernel_o(
    q,
    k,
    v,
    g,
    g_gamma,
    gk,
    gv,
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
    BK: tl.constexpr,
    BV: tl.constexpr,
    REVERSE: tl.constexpr,
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
    T = tl.cast(T, tl.int64)
    n_tokens = T * B
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        bos = i_n * T

    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
    if USE_G_GAMMA:
        b_gamma = exp(tl.load(g_gamma + i_h))

    # [BK, BV]
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_INITIAL_STATE:
        b_h += tl.load(h0 + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)
    for i_s in range(T):
        i_t = T - 1 - i_s if REVERSE else i_s
        o_th = (bos + i_t) * H + i_h
        b_q = tl.load(q + o_th * K + o_k, mask=m_k, other=0).to(tl.float32) * scale
        b_k = tl.load(k + o_th * K + o_k, mask=m_k, other=0).to(tl.float32)
        b_v = tl.load(v + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        if USE_G:
            b_h *= exp(tl.load(g + o_th))
        if USE_G_GAMMA:
            b_h *= b_gamma
        if USE_GK:
            b_h *= exp(tl.load(gk + o_th * K + o_k, mask=m_k, other=0))[:, None]
        if USE_GV:
            b_h *= exp(tl.load(gv + o_th * V + o_v, mask=m_v, other=0))[None, :]
        b_h += b_k[:, None] * b_v[None, :]
        b_o = tl.sum(b_h * b_q[:, None], axis=0)
        tl.store(o + (i_k * n_tokens * H + o_th) * V + o_v, b_o, mask=m_v)

    if STORE_FINAL_STATE:
        tl.store(ht + i_nh * K * V + o_h, b_h.to(ht.dtype.element_ty), mask=m_h)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_GV': lambda args: args['gv'] is not None,
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=RECURRENT_CONFIGS,
    key=['K', 'V', 'BK', 'BV', 'REVERSE', 'USE_G', 'USE_G_GAMMA', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def fused_recurrent_bwd_kernel_dq(
    k,
    v,
    g,
    g_gamma,
    gk,
    gv,
    do,
    dq,
    h0,
    cu_seqlens,
    scale,
    B,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    REVERSE: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_GV: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
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

    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
    if USE_G_GAMMA:
        b_gamma = exp(tl.load(g_gamma + i_h))

    # [BK, BV]
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_INITIAL_STATE:
        b_h += tl.load(h0 + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)
    for i_s in range(T):
        i_t = T - 1 - i_s if REVERSE else i_s
        o_th = (bos + i_t) * H + i_h
        b_k = tl.load(k + o_th * K + o_k, mask=m_k, other=0).to(tl.float32)
        b_v = tl.load(v + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        b_do = tl.load(do + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        if USE_G:
            b_h *= exp(tl.load(g + o_th))
        if USE_G_GAMMA:
            b_h *= b_gamma
        if USE_GK:
            b_h *= exp(tl.load(gk + o_th * K + o_k, mask=m_k, other=0))[:, None]
        if USE_GV:
            b_h *= exp(tl.load(gv + o_th * V + o_v, mask=m_v, other=0))[None, :]
        b_h += b_k[:, None] * b_v[None, :]
        b_dq = tl.sum(b_h * b_do[None, :], axis=1) * scale
        tl.store(dq + (i_v * n_tokens * H + o_th) * K + o_k, b_dq, mask=m_k)


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
    configs=RECURRENT_CONFIGS,
    key=['K', 'V', 'BK', 'BV', 'REVERSE', 'USE_G', 'USE_G_GAMMA', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def fused_recurrent_bwd_kernel_dkv(
    q,
    k,
    v,
    g,
    g_gamma,
    gk,
    gv,
    do,
    dk,
    dv,
    dht,
    dh0,
    cu_seqlens,
    scale,
    B,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    REVERSE: tl.constexpr,
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
    T = tl.cast(T, tl.int64)
    n_tokens = T * B
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        bos = i_n * T

    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    o_h = o_v[None, :] * K + o_k[:, None] if STATE_V_FIRST else o_k[:, None] * V + o_v[None, :]
    if USE_G_GAMMA:
        b_gamma = exp(tl.load(g_gamma + i_h))

    # [BK, BV]
    b_dh = tl.zeros([BK, BV], dtype=tl.float32)
    if USE_FINAL_STATE_GRADIENT:
        b_dh += tl.load(dht + i_nh * K * V + o_h, mask=m_h, other=0).to(tl.float32)
    for i_s in range(T):
        i_t = i_s if REVERSE else T - 1 - i_s
        o_th = (bos + i_t) * H + i_h
        b_q = tl.load(q + o_th * K + o_k, mask=m_k, other=0).to(tl.float32) * scale
        b_k = tl.load(k + o_th * K + o_k, mask=m_k, other=0).to(tl.float32)
        b_v = tl.load(v + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        b_do = tl.load(do + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        b_dh += b_q[:, None] * b_do[None, :]
        b_dk = tl.sum(b_dh * b_v[None, :], axis=1)
        b_dv = tl.sum(b_dh * b_k[:, None], axis=0)
        tl.store(dk + (i_v * n_tokens * H + o_th) * K + o_k, b_dk, mask=m_k)
        tl.store(dv + (i_k * n_tokens * H + o_th) * V + o_v, b_dv, mask=m_v)
        if USE_G:
            b_dh *= exp(tl.load(g + o_th))
        if USE_G_GAMMA:
            b_dh *= b_gamma
        if USE_GK:
            b_dh *= exp(tl.load(gk + o_th * K + o_k, mask=m_k, other=0))[:, None]
        if USE_GV:
            b_dh *= exp(tl.load(gv + o_th * V + o_v, mask=m_v, other=0))[None, :]

    if STORE_INITIAL_STATE_GRADIENT:
        tl.store(dh0 + i_nh * K * V + o_h, b_dh.to(dh0.dtype.element_ty), mask=m_h)
