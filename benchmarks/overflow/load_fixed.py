# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The scores of chosen rows of a table against a query. `load_fixed.py` is what `flakelint check --fix` makes of `load.py`."""

import torch
import triton
import triton.language as tl


@triton.jit
def score_rows_fwd_kernel(keys, query, indices, scores, stride_n, D, BD: tl.constexpr):
    i_m = tl.program_id(0)
    i_n = tl.load(indices + i_m).to(tl.int64)
    b_s = tl.zeros([BD], dtype=tl.float32)
    for i_d in range(tl.cdiv(D, BD)):
        o_d = i_d * BD + tl.arange(0, BD)
        m_d = o_d < D
        b_k = tl.load(keys + i_n * stride_n + o_d, mask=m_d, other=0).to(tl.float32)
        b_q = tl.load(query + o_d, mask=m_d, other=0).to(tl.float32)
        b_s += b_k * b_q
    tl.store(scores + i_m, tl.sum(b_s, 0))


def score_rows(keys: torch.Tensor, query: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """The products of a query and the rows of a table that are asked for.

    Args:
        keys (torch.Tensor):
            The table, `[N, D]`.
        query (torch.Tensor):
            The query, `[D]`.
        indices (torch.Tensor):
            The rows that are asked for, `[M]`, of type int32.

    Returns:
        torch.Tensor: the scores, `[M]`, of type float32.
    """
    scores = torch.empty(len(indices), dtype=torch.float32, device=keys.device)
    score_rows_fwd_kernel[(len(indices),)](keys, query, indices, scores, keys.stride(0), keys.shape[1], BD=256)
    return scores
