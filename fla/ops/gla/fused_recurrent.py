# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""GLA step by step, for decoding and short sequences."""

import torch

from fla.ops.common.fused_recurrent import fused_recurrent
from fla.ops.utils.checks import check_extras, check_gates, check_inputs
from fla.utils import input_guard


@input_guard
def fused_recurrent_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: int | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    reverse: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Linear attention with a decay of each channel and step, one step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        gk (Tensor, Optional):
            Log decays of the key channels, `[B, T, H, K]`. Default: `None`.
        gv (Tensor, Optional):
            Log decays of the value channels, `[B, T, H, V]`. Default: `None`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, H, K, V]` or, with `state_v_first`, `[N, H, V, K]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        reverse (bool, Optional):
            Go through each sequence from its end to its start. Default: `False`.
        state_v_first (bool, Optional):
            Lay states out as `[N, H, V, K]`. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, H, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
    """
    check_extras(kwargs)
    check_inputs(q, k, v, initial_state, state_v_first, cu_seqlens)
    check_gates(q, v, gk=gk, gv=gv)
    return fused_recurrent(
        q=q,
        k=k,
        v=v,
        gk=gk,
        gv=gv,
        scale=scale,
        initial_state=initial_state,
        output_final_state=output_final_state,
        reverse=reverse,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
    )
