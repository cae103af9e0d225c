# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Simple GLA of all steps at once: the kernels, which take the scores of T x T steps in square tiles.

The decay between steps of two chunks is that from the earlier step to the end of its chunk, of the chunks between, and from the start of the later chunk to its step. The sum of the chunks between is carried along from tile to tile, and no exponent is a difference of sums over the sequence.
"""

import triton
import triton.language as tl

from fla.ops.common.chunk_dv import CHUNK_CONFIGS
from fla.ops.common.chunk_gate import load_chunk_gate
from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import dot, exp, locate_chunk, masked_exp
from fla.utils import autotune_cache_kwargs

KEY = ['K', 'V', 'BT', 'BK', 'BV', 'USE_G', 'USE_G_GAMMA', 'IS_VARLEN']


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'STORE_SCORES': lambda args: args['A'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(configs=CHUNK_CONFIGS, key=[*KEY, 'STORE_SCORES'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['B', 'T'])
def parallel_simple_gla_fwd_kernel_o(
    q,
    k,
    v,
    g,
    g_gamma,
    o,
    A,
    cu_seqlens,
    chunk_indices,
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
    STORE_SCORES: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_v = tl.program_id(2).to(tl.int64)
    T_all = tl.cast(T, tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    o_th = (bos + o_t) * H + i_h
    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_tv = m_t[:, None] & m_v[None, :]
    # [BT, BK]
    b_q = tl.load(q + o_th[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
    if USE_G or USE_G_GAMMA:
        b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, H, BT, USE_G, USE_G_GAMMA)
    if STORE_SCORES:
        o_A = ((i_k * B + bos // T_all) * H + i_h) * T_all * T_all + (bos % T_all + o_t)[:, None] * T_all + bos % T_all

    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    # the decay of the chunks between
    b_z = tl.zeros([], dtype=tl.float32)
    for i_c in range(i_t):
        i_s = i_t - 1 - i_c
        o_s = i_s * BT + o_i
        o_sh = (bos + o_s) * H + i_h
        # [BK, BT]
        b_k = tl.load(k + o_sh[None, :] * K + o_k[:, None], mask=m_k[:, None] & (o_s < T)[None, :], other=0)
        # [BT, BV]
        b_v = tl.load(v + o_sh[:, None] * V + o_v[None, :], mask=(o_s < T)[:, None] & m_v[None, :], other=0)
        # [BT, BT]
        b_A = dot(b_q, b_k)
        if USE_G or USE_G_GAMMA:
            b_gs, b_gs_last = load_chunk_gate(g, g_gamma, bos, i_s, i_h, T, H, BT, USE_G, USE_G_GAMMA)
            b_A *= exp(b_z + b_gs_last - b_gs)[None, :]
            b_z += b_gs_last
        b_o += dot(b_A.to(b_v.dtype), b_v)
        if STORE_SCORES:
            if USE_G or USE_G_GAMMA:
                b_A *= exp(b_g)[:, None]
            if i_v == 0:
                m_A = m_t[:, None] & (o_s < T)[None, :]
                tl.store(A + o_A + o_s[None, :], (b_A * scale).to(A.dtype.element_ty), mask=m_A)

    b_k = tl.load(k + o_th[None, :] * K + o_k[:, None], mask=m_k[:, None] & m_t[None, :], other=0)
    b_v = tl.load(v + o_th[:, None] * V + o_v[None, :], mask=m_tv, other=0)
    m_s = (o_i[:, None] >= o_i[None, :]) & (m_t[:, None] & m_t[None, :])
    b_A = dot(b_q, b_k)
    if USE_G or USE_G_GAMMA:
        b_o *= exp(b_g)[:, None]
        b_A *= masked_exp(b_g[:, None] - b_g[None, :], m_s)
    b_A = tl.where(m_s, b_A, 0)
    b_o = (b_o + dot(b_A.to(b_v.dtype), b_v)) * scale
    if STORE_SCORES:
        p_A = A + o_A + o_t[None, :]
        if i_v == 0:
            tl.store(p_A, (b_A * scale).to(A.dtype.element_ty), mask=m_s)
    n_tokens = T_all * B
    tl.store(o + (i_k * n_tokens * H + o_th)[:, None] * V + o_v[None, :], b_o.to(o.dtype.element_ty), mask=m_tv)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(configs=CHUNK_CONFIGS, key=KEY, **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['B', 'T'])
def parallel_simple_gla_bwd_kernel_dq(
    q,
    k,
    v,
    g,
    g_gamma,
    do,
    dq,
    dg,
    cu_seqlens,
    chunk_indices,
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
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_v = tl.program_id(2).to(tl.int64)
    n_tokens = tl.cast(T, tl.int64) * B
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_t = o_t < T
    o_th = (bos + o_t) * H + i_h
    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_tk = m_t[:, None] & m_k[None, :]
    # [BT, BV]
    b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_t[:, None] & m_v[None, :], other=0)
    if USE_G or USE_G_GAMMA:
        b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, H, BT, USE_G, USE_G_GAMMA)
    if USE_G:
        # [BT, BK]
        b_q = tl.load(q + o_th[:, None] * K + o_k[None, :], mask=m_tk, other=0)
        b_dg = tl.zeros([BT], dtype=tl.float32)

    b_dq = tl.zeros([BT, BK], dtype=tl.float32)
    b_z = tl.zeros([], dtype=tl.float32)
    for i_c in range(i_t):
        i_s = i_t - 1 - i_c
        o_s = i_s * BT + o_i
        o_sh = (bos + o_s) * H + i_h
        # [BT, BK]
        b_k = tl.load(k + o_sh[:, None] * K + o_k[None, :], mask=(o_s < T)[:, None] & m_k[None, :], other=0)
        # [BV, BT]
        b_v = tl.load(v + o_sh[None, :] * V + o_v[:, None], mask=m_v[:, None] & (o_s < T)[None, :], other=0)
        # [BT, BT]
        b_dA = dot(b_do, b_v)
        if USE_G or USE_G_GAMMA:
            b_gs, b_gs_last = load_chunk_gate(g, g_gamma, bos, i_s, i_h, T, H, BT, USE_G, USE_G_GAMMA)
            b_dA *= exp(b_z + b_gs_last - b_gs)[None, :]
            b_z += b_gs_last
        if USE_G:
            b_dg += tl.sum(dot(b_q, tl.trans(b_k)) * b_dA, axis=1)
        b_dq += dot(b_dA.to(b_k.dtype), b_k)

    b_k = tl.load(k + o_th[:, None] * K + o_k[None, :], mask=m_tk, other=0)
    b_v = tl.load(v + o_th[None, :] * V + o_v[:, None], mask=m_v[:, None] & m_t[None, :], other=0)
    m_s = (o_i[:, None] >= o_i[None, :]) & (m_t[:, None] & m_t[None, :])
    b_dA = dot(b_do, b_v)
    if USE_G or USE_G_GAMMA:
        b_dq *= exp(b_g)[:, None]
        b_dA *= masked_exp(b_g[:, None] - b_g[None, :], m_s)
    b_dA = tl.where(m_s, b_dA, 0)
    b_dq = (b_dq + dot(b_dA.to(b_k.dtype), b_k)) * scale
    i_plane = i_k * tl.cdiv(V, BV) + i_v
    if USE_G:
        b_dg = (b_dg * exp(b_g) + tl.sum(dot(b_q, tl.trans(b_k)) * b_dA, axis=1)) * scale
        tl.store(dg + i_plane * n_tokens * H + o_th, b_dg, mask=m_t)
    tl.store(dq + (i_v * n_tokens * H + o_th)[:, None] * K + o_k[None, :], b_dq.to(dq.dtype.element_ty), mask=m_tk)


@triton.heuristics({
    'USE_G': lambda args: args['g'] is not None,
    'USE_G_GAMMA': lambda args: args['g_gamma'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(configs=CHUNK_CONFIGS, key=KEY, **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['B', 'T'])
def parallel_simple_gla_bwd_kernel_dkv(
    q,
    k,
    v,
    g,
    g_gamma,
    do,
    dk,
    dv,
    dg,
    cu_seqlens,
    chunk_indices,
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
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_k = tl.program_id(1).to(tl.int64)
    i_v = tl.program_id(2).to(tl.int64)
    n_tokens = tl.cast(T, tl.int64) * B
    i_bt, i_h = i_th // H, i_th % H
    i_s, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)

    o_i = tl.arange(0, BT)
    o_s = i_s * BT + o_i
    m_s = o_s < T
    o_sh = (bos + o_s) * H + i_h
    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    m_sk = m_s[:, None] & m_k[None, :]
    m_sv = m_s[:, None] & m_v[None, :]
    # [BT, BK]
    b_k = tl.load(k + o_sh[:, None] * K + o_k[None, :], mask=m_sk, other=0)
    # [BT, BV]
    b_v = tl.load(v + o_sh[:, None] * V + o_v[None, :], mask=m_sv, other=0)
    if USE_G or USE_G_GAMMA:
        b_g, b_g_last = load_chunk_gate(g, g_gamma, bos, i_s, i_h, T, H, BT, USE_G, USE_G_GAMMA)
    if USE_G:
        b_dg = tl.zeros([BT], dtype=tl.float32)

    b_dk = tl.zeros([BT, BK], dtype=tl.float32)
    b_dv = tl.zeros([BT, BV], dtype=tl.float32)
    b_z = tl.zeros([], dtype=tl.float32)
    for i_t in range(i_s + 1, tl.cdiv(T, BT)):
        o_t = i_t * BT + o_i
        m_t = o_t < T
        o_th = (bos + o_t) * H + i_h
        # [BT, BK]
        b_q = tl.load(q + o_th[:, None] * K + o_k[None, :], mask=m_t[:, None] & m_k[None, :], other=0)
        # [BT, BV]
        b_do = tl.load(do + o_th[:, None] * V + o_v[None, :], mask=m_t[:, None] & m_v[None, :], other=0)
        # [BT, BT]
        b_A = dot(b_k, tl.trans(b_q))
        b_dA = dot(b_v, tl.trans(b_do))
        if USE_G or USE_G_GAMMA:
            b_gt, b_gt_last = load_chunk_gate(g, g_gamma, bos, i_t, i_h, T, H, BT, USE_G, USE_G_GAMMA)
            b_decay = exp(b_z + b_gt)[None, :]
            b_dA *= b_decay
            if USE_G:
                b_dg += tl.sum(b_A * b_dA, axis=1)
            b_A *= b_decay
            b_z += b_gt_last
        b_dk += dot(b_dA.to(b_q.dtype), b_q)
        b_dv += dot(b_A.to(b_do.dtype), b_do)

    b_q = tl.load(q + o_sh[:, None] * K + o_k[None, :], mask=m_sk, other=0)
    b_do = tl.load(do + o_sh[:, None] * V + o_v[None, :], mask=m_sv, other=0)
    m_A = (o_i[:, None] <= o_i[None, :]) & (m_s[:, None] & m_s[None, :])
    b_A = dot(b_k, tl.trans(b_q))
    b_dA = tl.where(m_A, dot(b_v, tl.trans(b_do)), 0)
    if USE_G or USE_G_GAMMA:
        b_rest = masked_exp(b_g_last - b_g, m_s)
        b_decay = masked_exp(b_g[None, :] - b_g[:, None], m_A)
        b_dk *= b_rest[:, None]
        b_dv *= b_rest[:, None]
        b_dA *= b_decay
        if USE_G:
            b_dg = (b_dg * b_rest + tl.sum(b_A * b_dA, axis=1)) * scale
            tl.store(dg + (i_k * tl.cdiv(V, BV) + i_v) * n_tokens * H + o_sh, b_dg, mask=m_s)
        b_A *= b_decay
    b_A = tl.where(m_A, b_A, 0)
    b_dk = (b_dk + dot(b_dA.to(b_q.dtype), b_q)) * scale
    b_dv = (b_dv + dot(b_A.to(b_do.dtype), b_do)) * scale
    tl.store(dk + (i_v * n_tokens * H + o_sh)[:, None] * K + o_k[None, :], b_dk.to(dk.dtype.element_ty), mask=m_sk)
    tl.store(dv + (i_k * n_tokens * H + o_sh)[:, None] * V + o_v[None, :], b_dv.to(dv.dtype.element_ty), mask=m_sv)
