# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The scores of a chunk under decays of the key channels, and the gradients through them.

The score of steps i >= j is the sum over channels of q_i k_j exp(g_i - g_j), where g are sums of log decays. As a product of two matrices it is (q exp(g - r)) (k exp(r - g))^T for any reference r a channel, and the exponents are at most half the range of g if r is its middle. Where the range over the chunk is too wide, blocks of its rows have references of their own, to which all steps before them decay; where even that is too wide, rows are computed one by one.
"""

import triton
import triton.language as tl

from fla.ops.utils.op import fine_dot, masked_exp, wide_dot

# rows of a block that has a reference of its own
BLOCK_ROWS = tl.constexpr(16)
# how far the sums of log decays may lie apart: exp of the half has to fit fp32, with room for what it multiplies
WIDE = tl.constexpr(100.)


@triton.jit
def load_gate_row(g, o_row, o_k, K: tl.constexpr):
    """The sums of log decays of a step, `[BK]`."""
    return tl.load(g + o_row * K + o_k, mask=o_k < K, other=0).to(tl.float32)


@triton.jit
def is_wide(b_first, b_last):
    """Whether decays lie too far apart for one reference."""
    return tl.max(b_first - b_last, axis=0) > WIDE


@triton.jit
def gated_scores(g, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr):
    """The part of the channels `o_k` in the scores of a chunk, `[BT, BT]`; those of steps j > i mean nothing.

    `g` are the sums of log decays within chunks, `[B, T, H, K]`; `b_q`, `b_k` and `b_g` are those of the chunk, `[BT, BK]`, and 0 beyond its bounds.
    """
    o_first = (bos + i_t * BT) * H + i_h
    o_last = (bos + min(i_t * BT + BT, T) - 1) * H + i_h
    b_first, b_last = load_gate_row(g, o_first, o_k, K), load_gate_row(g, o_last, o_k, K)
    if is_wide(b_first, b_last):
        b_A = _scores_by_blocks(g, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)
    else:
        b_ref = (b_first + b_last) * 0.5
        m_t = (i_t * BT + tl.arange(0, BT) < T)[:, None]
        b_qg = b_q * masked_exp(b_g - b_ref[None, :], m_t)
        b_kg = b_k * masked_exp(b_ref[None, :] - b_g, m_t)
        b_A = wide_dot(b_qg, tl.trans(b_kg), b_q.dtype)
    return b_A


@triton.jit
def _scores_by_blocks(g, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr):
    o_i = tl.arange(0, BT)
    n_t = min(T - i_t * BT, BT)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_c in range(tl.cdiv(n_t, BLOCK_ROWS)):
        start, end = i_c * BLOCK_ROWS, min(i_c * BLOCK_ROWS + BLOCK_ROWS, n_t)
        b_first = load_gate_row(g, (bos + i_t * BT + start) * H + i_h, o_k, K)
        b_last = load_gate_row(g, (bos + i_t * BT + end - 1) * H + i_h, o_k, K)
        if is_wide(b_first, b_last):
            for i in range(start, end):
                o_row = (bos + i_t * BT + i) * H + i_h
                # [BK]
                b_qi = tl.sum(tl.where((o_i == i)[:, None], b_q.to(tl.float32), 0), axis=0)
                b_decay = masked_exp(load_gate_row(g, o_row, o_k, K)[None, :] - b_g, (o_i <= i)[:, None])
                # [BT]
                b_row = tl.sum(b_k * b_qi[None, :] * b_decay, axis=1)
                b_A = tl.where((o_i == i)[:, None], b_row[None, :], b_A)
        else:
            b_ref = (b_first + b_last) * 0.5
            m_row = (o_i >= start) & (o_i < end)
            b_qg = b_q * masked_exp(b_g - b_ref[None, :], m_row[:, None])
            b_kg = b_k * masked_exp(b_ref[None, :] - b_g, (o_i < end)[:, None])
            b_A += wide_dot(b_qg, tl.trans(b_kg), b_q.dtype)
    return b_A


@triton.jit
def gated_scores_bwd(g, b_dA, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr):
    """The gradients of some channels of q and k, `[BT, BK]`, from that of the scores, which is 0 for steps j > i."""
    o_first = (bos + i_t * BT) * H + i_h
    o_last = (bos + min(i_t * BT + BT, T) - 1) * H + i_h
    b_first, b_last = load_gate_row(g, o_first, o_k, K), load_gate_row(g, o_last, o_k, K)
    if is_wide(b_first, b_last):
        b_dq, b_dk = _scores_bwd_by_blocks(g, b_dA, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H, K, BT)
    else:
        b_ref = (b_first + b_last) * 0.5
        m_t = (i_t * BT + tl.arange(0, BT) < T)[:, None]
        b_up, b_down = masked_exp(b_g - b_ref[None, :], m_t), masked_exp(b_ref[None, :] - b_g, m_t)
        b_dq = fine_dot(b_dA, b_k * b_down, b_k.dtype) * b_up
        b_dk = fine_dot(tl.trans(b_dA), b_q * b_up, b_q.dtype) * b_down
    return b_dq, b_dk


@triton.jit
def _scores_bwd_by_blocks(
    g, b_dA, b_q, b_k, b_g, bos, i_t, i_h, o_k, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr,
):
    o_i = tl.arange(0, BT)
    n_t = min(T - i_t * BT, BT)
    b_dq, b_dk = tl.zeros_like(b_g), tl.zeros_like(b_g)
    for i_c in range(tl.cdiv(n_t, BLOCK_ROWS)):
        start, end = i_c * BLOCK_ROWS, min(i_c * BLOCK_ROWS + BLOCK_ROWS, n_t)
        b_first = load_gate_row(g, (bos + i_t * BT + start) * H + i_h, o_k, K)
        b_last = load_gate_row(g, (bos + i_t * BT + end - 1) * H + i_h, o_k, K)
        if is_wide(b_first, b_last):
            for i in range(start, end):
                o_row = (bos + i_t * BT + i) * H + i_h
                # [BK]
                b_qi = tl.sum(tl.where((o_i == i)[:, None], b_q.to(tl.float32), 0), axis=0)
                b_decay = masked_exp(load_gate_row(g, o_row, o_k, K)[None, :] - b_g, (o_i <= i)[:, None])
                # [BT]
                b_dAi = tl.sum(tl.where((o_i == i)[:, None], b_dA, 0), axis=0)
                b_decay *= b_dAi[:, None]
                b_dq += tl.where((o_i == i)[:, None], tl.sum(b_k * b_decay, axis=0)[None, :], 0)
                b_dk += b_qi[None, :] * b_decay
        else:
            b_ref = (b_first + b_last) * 0.5
            m_row = (o_i >= start) & (o_i < end)
            b_up = masked_exp(b_g - b_ref[None, :], m_row[:, None])
            b_down = masked_exp(b_ref[None, :] - b_g, (o_i < end)[:, None])
            b_dq += fine_dot(b_dA, b_k * b_down, b_k.dtype) * b_up
            b_dk += fine_dot(tl.trans(b_dA), b_q * b_up, b_q.dtype) * b_down
    return b_dq, b_dk
