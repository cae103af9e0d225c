# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrence S_t = gamma_h S_{t-1} + k_t v_t^T, o_t = scale S_t^T q_t in plain PyTorch, in two forms."""

import torch

from fla.ops.simple_gla.naive import naive_parallel_simple_gla, naive_recurrent_simple_gla


def _gates(q: torch.Tensor) -> torch.Tensor:
    heads = torch.arange(q.shape[2], dtype=torch.float64, device=q.device)
    return (1 - 2 ** (-5 - heads)).log().expand(q.shape[:3])


def naive_recurrent_retention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """One step after the other, where head h decays by `1 - 2^(-5-h)` a step.

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
            State before the first step, `[B, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the state after the last step. Default: `False`.
    """
    return naive_recurrent_simple_gla(q, k, v, _gates(q), scale, initial_state, output_final_state)


def naive_parallel_retention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """All steps at once; returns the outputs and the decayed scores `[B, H, T, T]`."""
    return naive_parallel_simple_gla(q, k, v, _gates(q), scale)
