# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Retention of all steps at once."""

import torch

from fla.ops.retention.decay import log_decays
from fla.ops.simple_gla.parallel import parallel_gated
from fla.ops.utils.checks import check_extras
from fla.utils import input_guard


@input_guard
def parallel_retention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    output_attentions: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Linear attention with one constant decay a head, `1 - 2^(-5-h)`, all steps at once: the time grows as `T^2`.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        output_attentions (bool, Optional):
            Return the decayed scores, which take no part in gradients. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, H, V]`.
        attn (Tensor):
            The scaled and decayed scores `[B, H, T, T]`, 0 between sequences, or `None` without `output_attentions`.
    """
    check_extras(kwargs)
    return parallel_gated(
        q=q,
        k=k,
        v=v,
        g_gamma=log_decays(q.shape[2], q.device),
        scale=scale,
        output_attentions=output_attentions,
        cu_seqlens=cu_seqlens,
    )
