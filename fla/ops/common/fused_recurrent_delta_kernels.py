# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The kernels of `fla.ops.common.fused_recurrent_delta`."""

import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import exp
from fla.utils import autotune_cache_kwargs

RECURRENT_CONFIGS = [triton.Config({}, num_warps=num_warps) for num_warps in (1, 2, 4)]


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_GV': lambda args: args['gv'] is not None,
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'STORE_FINAL_STATE': lambda args: args['ht'] is not None,
    'STORE_ERROR': lambda args: args['e'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=RECURRENT_CONFIGS,
    key=['K', 'V', 'BK', 'BV', 'USE_G', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def fused_recurrent_delta_fwd_kernel_o(
    q,
    k,
    v,
    g,
    gk,
    gv,
    beta,
    o,
    e,
    h0,
    ht,
    cu_seqlens,
    scale,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_GV: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    STORE_FINAL_STATE: tl.constexpr,
    STORE_ERROR: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // HV, i_nh % HV
    T = tl.cast(T, tl.int64)
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        bos = i_n * T

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
    for i_t in range(T):
        o_th = (bos + i_t) * HV + i_h
        o_tk = (bos + i_t) * H + i_h // (HV // H)
        b_q = tl.load(q + o_tk * K + o_k, mask=m_k, other=0).to(tl.float32) * scale
        b_k = tl.load(k + o_tk * K + o_k, mask=m_k, other=0).to(tl.float32)
        b_v = tl.load(v + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        b_beta = tl.load(beta + o_th).to(tl.float32)
        if USE_G:
            b_h *= exp(tl.load(g + o_th))
        if USE_GK:
            b_h *= exp(tl.load(gk + o_th * K + o_k, mask=m_k, other=0))[:, None]
        if USE_GV:
            b_h *= exp(tl.load(gv + o_th * V + o_v, mask=m_v, other=0))[None, :]
        # [BV]
        b_e = b_v - tl.sum(b_h * b_k[:, None], axis=0)
        if STORE_ERROR:
            tl.store(e + o_th * V + o_v, b_e, mask=m_v)
        b_h += b_k[:, None] * (b_e * b_beta)[None, :]
        b_o = tl.sum(b_h * b_q[:, None], axis=0)
        tl.store(o + o_th * V + o_v, b_o.to(o.dtype.element_ty), mask=m_v)

    if STORE_FINAL_STATE:
        tl.store(ht + i_nh * K * V + o_h, b_h.to(ht.dtype.element_ty), mask=m_h)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_GV': lambda args: args['gv'] is not None,
    'USE_FINAL_STATE_GRADIENT': lambda args: args['dht'] is not None,
    'STORE_INITIAL_STATE_GRADIENT': lambda args: args['dh0'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=RECURRENT_CONFIGS,
    key=['K', 'V', 'BK', 'BV', 'USE_G', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def fused_recurrent_delta_bwd_kernel_dv(
    q,
    k,
    g,
    gk,
    gv,
    beta,
    e,
    do,
    dk,
    dv,
    dbeta,
    dht,
    dh0,
    cu_seqlens,
    scale,
    B,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_GV: tl.constexpr,
    USE_FINAL_STATE_GRADIENT: tl.constexpr,
    STORE_INITIAL_STATE_GRADIENT: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // HV, i_nh % HV
    T = tl.cast(T, tl.int64)
    n_tokens = T * B
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        bos = i_n * T

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
    for i_s in range(T):
        i_t = T - 1 - i_s
        o_th = (bos + i_t) * HV + i_h
        o_tk = (bos + i_t) * H + i_h // (HV // H)
        b_q = tl.load(q + o_tk * K + o_k, mask=m_k, other=0).to(tl.float32) * scale
        b_k = tl.load(k + o_tk * K + o_k, mask=m_k, other=0).to(tl.float32)
        b_e = tl.load(e + o_th * V + o_v, mask=m_v, other=0)
        b_do = tl.load(do + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        b_beta = tl.load(beta + o_th).to(tl.float32)
        b_dh += b_q[:, None] * b_do[None, :]
        # [BV]
        b_du = tl.sum(b_dh * b_k[:, None], axis=0)
        # [BK]
        b_dk = tl.sum(b_dh * (b_e * b_beta)[None, :], axis=1)
        b_dv = b_du * b_beta
        tl.store(dk + (i_v * n_tokens * HV + o_th) * K + o_k, b_dk, mask=m_k)
        tl.store(dv + o_th * V + o_v, b_dv, mask=m_v)
        tl.store(dbeta + i_v * n_tokens * HV + o_th, tl.sum(b_du * b_e, axis=0))
        b_dh -= b_k[:, None] * b_dv[None, :]
        if USE_G:
            b_dh *= exp(tl.load(g + o_th))
        if USE_GK:
            b_dh *= exp(tl.load(gk + o_th * K + o_k, mask=m_k, other=0))[:, None]
        if USE_GV:
            b_dh *= exp(tl.load(gv + o_th * V + o_v, mask=m_v, other=0))[None, :]

    if STORE_INITIAL_STATE_GRADIENT:
        tl.store(dh0 + i_nh * K * V + o_h, b_dh.to(dh0.dtype.element_ty), mask=m_h)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_GK': lambda args: args['gk'] is not None,
    'USE_GV': lambda args: args['gv'] is not None,
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=RECURRENT_CONFIGS,
    key=['K', 'V', 'BK', 'BV', 'USE_G', 'USE_GK', 'USE_GV', 'STATE_V_FIRST', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['B', 'T'])
def fused_recurrent_delta_bwd_kernel_dq(
    k,
    g,
    gk,
    gv,
    beta,
    e,
    do,
    dv,
    dq,
    dk,
    h0,
    cu_seqlens,
    scale,
    B,
    T,
    H: tl.constexpr,
    HV: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_G: tl.constexpr,
    USE_GK: tl.constexpr,
    USE_GV: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    STATE_V_FIRST: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_nh = tl.program_id(0).to(tl.int64)
    i_v = tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // HV, i_nh % HV
    T = tl.cast(T, tl.int64)
    n_tokens = T * B
    if IS_VARLEN:
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        bos = i_n * T

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
    for i_t in range(T):
        o_th = (bos + i_t) * HV + i_h
        o_tk = (bos + i_t) * H + i_h // (HV // H)
        b_k = tl.load(k + o_tk * K + o_k, mask=m_k, other=0).to(tl.float32)
        b_e = tl.load(e + o_th * V + o_v, mask=m_v, other=0)
        b_do = tl.load(do + o_th * V + o_v, mask=m_v, other=0).to(tl.float32)
        b_dv = tl.load(dv + o_th * V + o_v, mask=m_v, other=0)
        b_beta = tl.load(beta + o_th).to(tl.float32)
        if USE_G:
            b_h *= exp(tl.load(g + o_th))
        if USE_GK:
            b_h *= exp(tl.load(gk + o_th * K + o_k, mask=m_k, other=0))[:, None]
        if USE_GV:
            b_h *= exp(tl.load(gv + o_th * V + o_v, mask=m_v, other=0))[None, :]
        # [BK]
        b_dk = -tl.sum(b_h * b_dv[None, :], axis=1)
        b_h += b_k[:, None] * (b_e * b_beta)[None, :]
        b_dq = tl.sum(b_h * b_do[None, :], axis=1) * scale
        tl.store(dk + (i_v * n_tokens * HV + o_th) * K + o_k, b_dk, mask=m_k)
        tl.store(dq + (i_v * n_tokens * HV + o_th) * K + o_k, b_dq, mask=m_k)
