# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Linear attention step by step, for decoding and short sequences."""

import torch

from fla.ops.backends import dispatch
from fla.ops.linear_attn.normalize import by_simple_gla
from fla.ops.simple_gla.fused_recurrent import fused_recurrent_simple_gla
from fla.utils import input_guard


@dispatch('linear_attn')
@input_guard
def fused_recurrent_linear_attn(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | tuple | None = None,
    output_final_state: bool = False,
    reverse: bool = False,
    normalize: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None]:
    """Linear attention without decay, one step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`, after the feature map; with `normalize` their products with keys should be positive.
        k (Tensor):
            Keys, `[B, T, H, K]`, after the feature map.
        v (Tensor):
            Values, `[B, T, H, V]`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor | tuple[Tensor, Tensor], Optional):
            States before the first step, `[N, H, K, V]`, or a pair of them and the sums of the keys before it, `[N, H, K]`. Sums that are not given are 0, and without `normalize` they mean nothing. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        reverse (bool, Optional):
            Go through each sequence from its end to its start. Default: `False`.
        normalize (bool, Optional):
            Divide the output `scale * S_t^T q_t` by `scale * q_t^T z_t + 1e-10`, where `z_t` is the sum of the keys up to step t: values get weights that add up to 1, and the scale cancels out. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, H, V]`.
        final_state (Tensor | tuple[Tensor, Tensor]):
            The final states, with `normalize` a pair of them and the sums of the keys, or `None` without `output_final_state`.
    """
    return by_simple_gla(
        fused_recurrent_simple_gla,
        q=q,
        k=k,
        v=v,
        scale=scale,
        initial_state=initial_state,
        output_final_state=output_final_state,
        normalize=normalize,
        cu_seqlens=cu_seqlens,
        reverse=reverse,
    )
