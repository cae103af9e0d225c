# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Chunked retention."""

import torch

from fla.ops.retention.decay import log_decays
from fla.ops.simple_gla.chunk import chunk_simple_gla
from fla.ops.utils.checks import check_extras
from fla.utils import input_guard


@input_guard
def chunk_retention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Linear attention with one constant decay a head, `1 - 2^(-5-h)`, chunk by chunk.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, H, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
    """
    check_extras(kwargs)
    return chunk_simple_gla(
        q=q,
        k=k,
        v=v,
        g_gamma=log_decays(q.shape[2], q.device),
        scale=scale,
        initial_state=initial_state,
        output_final_state=output_final_state,
        cu_seqlens=cu_seqlens,
    )
