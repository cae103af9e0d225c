# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The log decays of KDA from what a layer projects."""

import torch

from fla.ops.common.decay_gate import decay_gate, naive_decay_gate
from fla.utils import input_guard


def naive_kda_gate(
    g: torch.Tensor,
    A_log: torch.Tensor,
    dt_bias: torch.Tensor | None = None,
    output_dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """-exp(A_log) softplus(g + dt_bias) in plain PyTorch; the parameters are those of `fused_kda_gate`."""
    return naive_decay_gate(g, A_log, True, dt_bias, output_dtype=output_dtype)


def naive_kda_lowerbound_gate(
    g: torch.Tensor,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    lower_bound: float = -5.0,
    output_dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """lower_bound sigmoid(exp(A_log) (g + dt_bias)) in plain PyTorch; the parameters are those of `fused_kda_gate`."""
    return naive_decay_gate(g, _rates(g, A_log), True, dt_bias, lower_bound, output_dtype)


@input_guard
def fused_kda_gate(
    g: torch.Tensor,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    lower_bound: float | None = None,
    output_dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """-exp(A_log) softplus(g + dt_bias) or, bounded below, lower_bound sigmoid(exp(A_log) (g + dt_bias)), in fp32.

    Args:
        g (Tensor):
            What a layer projects, `[..., HV, K]`.
        A_log (Tensor, Optional):
            Logarithms of the rates of the heads, `[HV]`, all 0 if it is `None`. Default: `None`.
        dt_bias (Tensor, Optional):
            What is added to g, `[HV * K]` or `[HV, K]`. Default: `None`.
        lower_bound (float, Optional):
            The lowest log decay of a step, below 0. Default: `None`.
        output_dtype (torch.dtype, Optional):
            Type of the result. Default: `torch.float32`.
    """
    return decay_gate(g, _rates(g, A_log), True, dt_bias, lower_bound, output_dtype)


def _rates(g: torch.Tensor, A_log: torch.Tensor | None) -> torch.Tensor:
    return g.new_zeros(g.shape[-2], dtype=torch.float) if A_log is None else A_log
