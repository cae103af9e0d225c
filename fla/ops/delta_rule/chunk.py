# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The delta rule in chunks."""

import torch

from fla.ops.common.l2norm import l2norm
from fla.ops.gated_delta_rule.chunk import ChunkGatedDeltaRuleFunction
from fla.ops.utils.checks import check_delta_inputs, check_extras
from fla.utils import input_guard


@torch.compiler.disable
@input_guard
def chunk_delta_rule(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    cu_seqlens_cpu: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Linear attention in which a value replaces what its key stood for, chunk by chunk.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`; their norms should not exceed 1.
        v (Tensor):
            Values, `[B, T, H, V]`.
        beta (Tensor):
            How much of what a key stands for is replaced, `[B, T, H]`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        use_qk_l2norm_in_kernel (bool, Optional):
            Divide q and k by their norms first. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.
        cu_seqlens_cpu (LongTensor, Optional):
            The same offsets on the CPU, which saves a synchronisation. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, H, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
    """
    check_extras(kwargs)
    check_delta_inputs(q, k, v, beta, initial_state=initial_state, cu_seqlens=cu_seqlens)
    if use_qk_l2norm_in_kernel:
        q, k = l2norm(q), l2norm(k)
    return ChunkGatedDeltaRuleFunction.apply(
        q,
        k,
        v,
        None,
        beta,
        k.shape[-1] ** -0.5 if scale is None else scale,
        initial_state,
        output_final_state,
        False,
        cu_seqlens,
        cu_seqlens_cpu,
        None,
    )
