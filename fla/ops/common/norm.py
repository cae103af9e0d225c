# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The kernels of all norms: rows brought to a variance or a mean square of 1, scaled, shifted and gated."""

import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import rounded
from fla.ops.utils.sigmoid import sigmoid_or_swish, slope_of_sigmoid_or_swish
from fla.utils import autotune_cache_kwargs

# a block holds about 4096 elements or one long row, which wants more warps
ROW_CONFIGS = [triton.Config({}, num_warps=num_warps) for num_warps in (4, 8, 16)]


@triton.heuristics({
    'HAS_RESIDUAL': lambda args: args['residual'] is not None,
    'STORE_SUM': lambda args: args['total'] is not None,
    'HAS_MEAN': lambda args: args['mean'] is not None,
    'HAS_WEIGHT': lambda args: args['weight'] is not None,
    'HAS_BIAS': lambda args: args['bias'] is not None,
    'HAS_GATE': lambda args: args['gate'] is not None,
})
@fla_cache_autotune(configs=ROW_CONFIGS, key=['G', 'D', 'BT'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def norm_fwd_kernel(
    x,
    residual,
    weight,
    bias,
    gate,
    y,
    total,
    mean,
    rstd,
    eps,
    T,
    G: tl.constexpr,
    D: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
    HAS_RESIDUAL: tl.constexpr,
    STORE_SUM: tl.constexpr,
    HAS_MEAN: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    HAS_GATE: tl.constexpr,
    IS_SIGMOID: tl.constexpr,
):
    i_p = tl.program_id(0).to(tl.int64)
    i_t, i_g = i_p // G, i_p % G
    o_t = i_t * BT + tl.arange(0, BT)
    o_d = tl.arange(0, BD)
    o_n = o_t * G + i_g
    m_t, m_d = o_t < T, o_d < D
    m_td = m_t[:, None] & m_d[None, :]
    o_td = o_n[:, None] * D + o_d[None, :]
    # [BT, BD]
    b_x = tl.load(x + o_td, mask=m_td, other=0).to(tl.float32)
    if HAS_RESIDUAL:
        b_x += tl.load(residual + o_td, mask=m_td, other=0).to(tl.float32)
    if STORE_SUM:
        tl.store(total + o_td, rounded(b_x, total.dtype.element_ty), mask=m_td)
    if HAS_MEAN:
        b_mean = tl.sum(b_x, axis=1) / D
        b_x = tl.where(m_d[None, :], b_x - b_mean[:, None], 0)
        tl.store(mean + o_n, b_mean, mask=m_t)
    b_rstd = tl.rsqrt(tl.sum(b_x * b_x, axis=1) / D + eps)
    tl.store(rstd + o_n, b_rstd, mask=m_t)
    b_y = b_x * b_rstd[:, None]
    if HAS_WEIGHT:
        b_y *= tl.load(weight + i_g * D + o_d, mask=m_d, other=0).to(tl.float32)[None, :]
    if HAS_BIAS:
        b_y += tl.load(bias + i_g * D + o_d, mask=m_d, other=0).to(tl.float32)[None, :]
    if HAS_GATE:
        b_y *= sigmoid_or_swish(tl.load(gate + o_td, mask=m_td, other=0), IS_SIGMOID)
    tl.store(y + o_td, b_y.to(y.dtype.element_ty), mask=m_td)


@triton.heuristics({
    'HAS_MEAN': lambda args: args['mean'] is not None,
    'HAS_WEIGHT': lambda args: args['weight'] is not None,
    'HAS_BIAS': lambda args: args['bias'] is not None,
    'HAS_GATE': lambda args: args['gate'] is not None,
    'HAS_SUM_GRADIENT': lambda args: args['dtotal'] is not None,
    'STORE_RESIDUAL_GRADIENT': lambda args: args['dresidual'] is not None,
})
@fla_cache_autotune(configs=ROW_CONFIGS, key=['G', 'D', 'BT'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T', 'NS'])
def norm_bwd_kernel(
    total,
    weight,
    bias,
    gate,
    mean,
    rstd,
    dy,
    dtotal,
    dx,
    dresidual,
    dgate,
    dweight,
    dbias,
    T,
    NS,
    G: tl.constexpr,
    D: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
    HAS_MEAN: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    HAS_GATE: tl.constexpr,
    HAS_SUM_GRADIENT: tl.constexpr,
    STORE_RESIDUAL_GRADIENT: tl.constexpr,
    IS_SIGMOID: tl.constexpr,
):
    i_p = tl.program_id(0).to(tl.int64)
    i_b, i_g = i_p // G, i_p % G
    o_d = tl.arange(0, BD)
    m_d = o_d < D
    if HAS_WEIGHT:
        b_weight = tl.load(weight + i_g * D + o_d, mask=m_d, other=0).to(tl.float32)[None, :]
        b_dweight = tl.zeros([BD], dtype=tl.float32)
    if HAS_BIAS:
        b_bias = tl.load(bias + i_g * D + o_d, mask=m_d, other=0).to(tl.float32)[None, :]
        b_dbias = tl.zeros([BD], dtype=tl.float32)
    for i_s in range(NS):
        o_t = (i_b * NS + i_s) * BT + tl.arange(0, BT)
        o_n = o_t * G + i_g
        m_t = o_t < T
        m_td = m_t[:, None] & m_d[None, :]
        o_td = o_n[:, None] * D + o_d[None, :]
        # [BT, BD], what the row became before weight and bias
        b_x = tl.load(total + o_td, mask=m_td, other=0).to(tl.float32)
        if HAS_MEAN:
            b_x -= tl.load(mean + o_n, mask=m_t, other=0)[:, None]
        b_rstd = tl.load(rstd + o_n, mask=m_t, other=0)[:, None]
        b_x *= b_rstd
        b_dy = tl.load(dy + o_td, mask=m_td, other=0).to(tl.float32)
        if HAS_GATE:
            b_gate = tl.load(gate + o_td, mask=m_td, other=0).to(tl.float32)
            b_y = b_x * b_weight if HAS_WEIGHT else b_x
            b_y = b_y + b_bias if HAS_BIAS else b_y
            b_dgate = b_dy * b_y * slope_of_sigmoid_or_swish(b_gate, IS_SIGMOID)
            tl.store(dgate + o_td, b_dgate.to(dgate.dtype.element_ty), mask=m_td)
            b_dy *= sigmoid_or_swish(b_gate, IS_SIGMOID)
        if HAS_BIAS:
            b_dbias += tl.sum(b_dy, axis=0)
        if HAS_WEIGHT:
            b_dweight += tl.sum(b_dy * b_x, axis=0)
            b_dy *= b_weight
        b_dx = b_dy - b_x * (tl.sum(b_dy * b_x, axis=1) / D)[:, None]
        if HAS_MEAN:
            b_dx -= (tl.sum(b_dy, axis=1) / D)[:, None]
        b_dx *= b_rstd
        if HAS_SUM_GRADIENT:
            b_dx += tl.load(dtotal + o_td, mask=m_td, other=0).to(tl.float32)
        tl.store(dx + o_td, b_dx.to(dx.dtype.element_ty), mask=m_td)
        if STORE_RESIDUAL_GRADIENT:
            tl.store(dresidual + o_td, b_dx.to(dresidual.dtype.element_ty), mask=m_td)
    if HAS_WEIGHT:
        tl.store(dweight + i_p * D + o_d, b_dweight, mask=m_d)
    if HAS_BIAS:
        tl.store(dbias + i_p * D + o_d, b_dbias, mask=m_d)
