# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The log decays of the gated delta rule from what a layer projects: -exp(A_log) softplus(g + dt_bias)."""

import torch

from fla.ops.common.decay_gate import decay_gate, decay_gate_bwd, decay_gate_fwd, naive_decay_gate
from fla.ops.utils.cumsum import chunk_local_cumsum
from fla.utils import input_guard


def naive_gdn_gate(
    g: torch.Tensor,
    A_log: torch.Tensor,
    dt_bias: torch.Tensor | None = None,
    output_dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """`fused_gdn_gate` in plain PyTorch."""
    return naive_decay_gate(g, A_log, False, dt_bias, output_dtype=output_dtype)


def gdn_gate_fwd(
    g: torch.Tensor,
    A_log: torch.Tensor,
    dt_bias: torch.Tensor | None = None,
    output_dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """`fused_gdn_gate` without its gradient."""
    return decay_gate_fwd(g, A_log, False, dt_bias, output_dtype=output_dtype)


def gdn_gate_bwd(
    g: torch.Tensor,
    A_log: torch.Tensor,
    dt_bias: torch.Tensor | None,
    dyg: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of g, A_log and dt_bias from that of the log decays."""
    return decay_gate_bwd(g, A_log, False, dt_bias, dyg)


@input_guard
def fused_gdn_gate(
    g: torch.Tensor,
    A_log: torch.Tensor,
    dt_bias: torch.Tensor | None = None,
    output_dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """-exp(A_log) softplus(g + dt_bias), in fp32 whatever is given.

    Args:
        g (Tensor):
            What a layer projects, `[..., HV]`.
        A_log (Tensor):
            Logarithms of the rates of the heads, `[HV]`.
        dt_bias (Tensor, Optional):
            What is added to g, `[HV]`. Default: `None`.
        output_dtype (torch.dtype, Optional):
            Type of the result. Default: `torch.float32`.
    """
    return decay_gate(g, A_log, False, dt_bias, output_dtype=output_dtype)


@input_guard
def gdn_gate_chunk_cumsum(
    g: torch.Tensor,
    A_log: torch.Tensor,
    chunk_size: int,
    scale: float = None,
    dt_bias: torch.Tensor | None = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
    output_dtype: torch.dtype | None = torch.float,
) -> torch.Tensor:
    """The log decays `gdn_gate_fwd` of `[B, T, HV]`, summed within chunks and times `scale`."""
    return chunk_local_cumsum(
        gdn_gate_fwd(g, A_log, dt_bias),
        chunk_size,
        scale=scale,
        cu_seqlens=cu_seqlens,
        output_dtype=output_dtype,
        chunk_indices=chunk_indices,
    )
