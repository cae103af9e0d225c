# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The gated delta rule step by step, for decoding and short sequences."""

import torch

from fla.ops.common.decay_gate import prepare_beta
from fla.ops.common.fused_recurrent_delta import fused_recurrent_delta
from fla.ops.common.l2norm import l2norm
from fla.ops.gated_delta_rule.gate import fused_gdn_gate
from fla.ops.utils.checks import check_delta_inputs, check_extras
from fla.utils import input_guard


@input_guard
def fused_recurrent_gated_delta_rule(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    scale: float = None,
    initial_state: torch.Tensor = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    use_gate_in_kernel: bool = False,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The delta rule with decays of heads, key channels and value channels, one step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`; their norms should not exceed 1.
        v (Tensor):
            Values, `[B, T, HV, V]`, with HV a multiple of H.
        g (Tensor, Optional):
            Log decays, `[B, T, HV]`, or, with `use_gate_in_kernel`, what they are computed from. Default: `None`.
        gk (Tensor, Optional):
            Log decays of the key channels, `[B, T, HV, K]`. Default: `None`.
        gv (Tensor, Optional):
            Log decays of the value channels, `[B, T, HV, V]`. Default: `None`.
        beta (Tensor, Optional):
            How much of what a key stands for is replaced, `[B, T, HV]`, all of it if it is `None`. Default: `None`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, HV, K, V]` or, with `state_v_first`, `[N, HV, V, K]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        use_qk_l2norm_in_kernel (bool, Optional):
            Divide q and k by their norms first. Default: `False`.
        use_gate_in_kernel (bool, Optional):
            Compute the log decays `g` as `fused_gdn_gate` does. Default: `False`.
        A_log (Tensor, Optional):
            Logarithms of the rates of the heads for that, `[HV]`. Default: `None`.
        dt_bias (Tensor, Optional):
            What is added to g for that, `[HV]`. Default: `None`.
        use_beta_sigmoid_in_kernel (bool, Optional):
            Take the sigmoid of beta first. Default: `False`.
        allow_neg_eigval (bool, Optional):
            Double that sigmoid. Default: `False`.
        state_v_first (bool, Optional):
            Lay states out as `[N, HV, V, K]`. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, HV, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
    """
    check_extras(kwargs)
    if beta is None:
        beta = v.new_ones(v.shape[:3])
        use_beta_sigmoid_in_kernel = False
    check_delta_inputs(
        q=q,
        k=k,
        v=v,
        beta=beta,
        g=g,
        gk=gk,
        gv=gv,
        initial_state=initial_state,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
    )
    if use_qk_l2norm_in_kernel:
        q, k = l2norm(q), l2norm(k)
    if use_gate_in_kernel:
        g = fused_gdn_gate(g, A_log, dt_bias)
    return fused_recurrent_delta(
        q=q,
        k=k,
        v=v,
        beta=prepare_beta(beta, use_beta_sigmoid_in_kernel, allow_neg_eigval),
        g=g,
        gk=gk,
        gv=gv,
        scale=scale,
        initial_state=initial_state,
        output_final_state=output_final_state,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
    )


fused_recurrent_gdn = fused_recurrent_gated_delta_rule
