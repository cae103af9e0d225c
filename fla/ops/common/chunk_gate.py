# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The log decay of one chunk, as the chunked kernels see it."""

import triton
import triton.language as tl


@triton.jit
def load_chunk_gate(
    g,
    g_gamma,
    bos,
    i_t,
    i_h,
    T,
    H: tl.constexpr,
    BT: tl.constexpr,
    USE_G: tl.constexpr,
    USE_G_GAMMA: tl.constexpr,
):
    """The decay in log space from the start of chunk `i_t` to each of its positions, and to the last one: `[BT]` and a scalar.

    `g` holds sums local to the chunk, `g_gamma` the constant decay of each step; both together add up.
    """
    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    b_g = tl.zeros([BT], dtype=tl.float32)
    b_g_last = tl.sum(b_g, axis=0)
    if USE_G:
        b_g += tl.load(g + (bos + o_t) * H + i_h, mask=m_t, other=0).to(tl.float32)
        b_g_last += tl.load(g + (bos + min(i_t * BT + BT, T) - 1) * H + i_h).to(tl.float32)
    if USE_G_GAMMA:
        b_gamma = tl.load(g_gamma + i_h).to(tl.float32)
        b_g += b_gamma * (tl.arange(0, BT) + 1)
        b_g_last += b_gamma * min(T - i_t * BT, BT)
    return b_g, b_g_last
