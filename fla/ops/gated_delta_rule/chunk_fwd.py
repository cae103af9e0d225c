# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the chunked gated delta rule computes within each chunk before the states are known."""

import torch

from fla.ops.gated_delta_rule.wy_fast import prepare_wy_repr_fwd


def chunk_gated_delta_rule_fwd_intra(
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = 64,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """w, u and A of the WY representation; `beta` is 1 where it is not given, and `g` is summed within chunks."""
    if beta is None:
        beta = v.new_ones(v.shape[:3])
    return prepare_wy_repr_fwd(
        k=k,
        v=v,
        beta=beta,
        g=g,
        cu_seqlens=cu_seqlens,
        chunk_size=chunk_size,
        chunk_indices=chunk_indices,
    )
