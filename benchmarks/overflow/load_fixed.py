# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The scores of queries against the rows of a table that were chosen for each. `load_fixed.py` is what `flakelint check --fix` makes of `load.py`."""

import torch
import triton
import triton.language as tl


@triton.jit
def score_rows_fwd_kernel(keys, queries, indices, scores, stride_ib, stride_kn, D, BD: tl.constexpr):
    i_b, i_s = tl.program_id(0).to(tl.int64), tl.program_id(1)
    i_n = tl.load(indices + i_b * stride_ib + i_s).to(tl.int64)
    b_s = tl.zeros([BD], dtype=tl.float32)
    for i_d in range(tl.cdiv(D, BD)):
        o_d = i_d * BD + tl.arange(0, BD)
        m_d = o_d < D
        b_k = tl.load(keys + i_n * stride_kn + o_d, mask=m_d, other=0).to(tl.float32)
        b_q = tl.load(queries + i_b * D + o_d, mask=m_d, other=0).to(tl.float32)
        b_s += b_k * b_q
    tl.store(scores + i_b * stride_ib + i_s, tl.sum(b_s, 0))


def score_rows(keys: torch.Tensor, queries: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """The products of queries and the rows of a table that were chosen for each, as by the search before sparse attention.

    Args:
        keys (torch.Tensor):
            The table, `[N, D]`.
        queries (torch.Tensor):
            The queries, `[B, D]`.
        indices (torch.Tensor):
            The rows that were chosen, `[B, S]`, of type int32.

    Returns:
        torch.Tensor: the scores, `[B, S]`, of type float32.
    """
    B, S = indices.shape
    scores = torch.empty_strided((B, S), indices.stride(), dtype=torch.float32, device=keys.device)
    score_rows_fwd_kernel[(B, S)](keys, queries, indices, scores, indices.stride(0), keys.stride(0), keys.shape[1], BD=256)
    return scores
