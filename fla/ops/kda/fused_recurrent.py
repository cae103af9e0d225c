# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""KDA step by step, for decoding and short sequences."""

import torch

from fla.ops.common.decay_gate import prepare_beta
from fla.ops.common.fused_recurrent_delta import fused_recurrent_delta
from fla.ops.common.l2norm import l2norm
from fla.ops.kda.gate import fused_kda_gate
from fla.ops.utils.checks import check_delta_inputs, check_extras
from fla.utils import input_guard


@input_guard
def fused_recurrent_kda(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    use_gate_in_kernel: bool = False,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    lower_bound: float | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The delta rule with a decay of each key channel and step, one step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`; their norms should not exceed 1.
        v (Tensor):
            Values, `[B, T, HV, V]`, with HV a multiple of H.
        g (Tensor):
            Log decays, `[B, T, HV, K]`, or, with `use_gate_in_kernel`, what they are computed from.
        beta (Tensor):
            How much of what a key stands for is replaced, `[B, T, HV]`.
        A_log (Tensor, Optional):
            Logarithms of the rates of the heads, `[HV]`, for `use_gate_in_kernel`. Default: `None`.
        dt_bias (Tensor, Optional):
            What is added to g, `[HV * K]`, for `use_gate_in_kernel`. Default: `None`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            States before the first step, `[N, HV, K, V]` or, with `state_v_first`, `[N, HV, V, K]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the states after the last step, in fp32. Default: `False`.
        use_qk_l2norm_in_kernel (bool, Optional):
            Divide q and k by their norms first. Default: `False`.
        use_gate_in_kernel (bool, Optional):
            Compute the log decays as `fused_kda_gate` does. Default: `False`.
        use_beta_sigmoid_in_kernel (bool, Optional):
            Take the sigmoid of beta first. Default: `False`.
        allow_neg_eigval (bool, Optional):
            Double that sigmoid. Default: `False`.
        lower_bound (float, Optional):
            The lowest log decay of a step, for `use_gate_in_kernel`. Default: `None`.
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
    check_delta_inputs(q, k, v, beta, gk=g, initial_state=initial_state, state_v_first=state_v_first, cu_seqlens=cu_seqlens)
    if use_qk_l2norm_in_kernel:
        q, k = l2norm(q), l2norm(k)
    if use_gate_in_kernel:
        g = fused_kda_gate(g, A_log, dt_bias, lower_bound)
    return fused_recurrent_delta(
        q=q,
        k=k,
        v=v,
        beta=prepare_beta(beta, use_beta_sigmoid_in_kernel, allow_neg_eigval),
        gk=g,
        scale=scale,
        initial_state=initial_state,
        output_final_state=output_final_state,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
    )


@torch.no_grad()
def fused_recurrent_kda_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    initial_state: torch.Tensor | None = None,
    scale: float | None = None,
    output_final_state: bool = False,
    inplace_final_state: bool = True,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    ssm_state_indices: torch.Tensor | None = None,
    num_accepted_tokens: torch.Tensor | None = None,
    use_qk_l2norm_in_kernel: bool = False,
    use_gate_in_kernel: bool = False,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    lower_bound: float | None = None,
    out: torch.Tensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """`fused_recurrent_kda` without gradients, as a server calls it whose states stay in one pool.

    `initial_state` is that pool where `ssm_state_indices`, `[N]`, says which of its rows each sequence has. With `inplace_final_state` the final states take the place of the initial ones. `out`, if given, receives the outputs. Drafts of which some tokens are accepted, `num_accepted_tokens`, are not supported.
    """
    if num_accepted_tokens is not None:
        raise NotImplementedError('num_accepted_tokens: drafts of which some tokens are accepted are not supported')
    pool, rows = initial_state, None if ssm_state_indices is None else ssm_state_indices.long()
    is_in_place = inplace_final_state and pool is not None
    o, ht = fused_recurrent_kda(
        q=q,
        k=k,
        v=v,
        g=g,
        beta=beta,
        A_log=A_log,
        dt_bias=dt_bias,
        scale=scale,
        initial_state=pool if pool is None or rows is None else pool[rows],
        output_final_state=output_final_state or is_in_place,
        use_qk_l2norm_in_kernel=use_qk_l2norm_in_kernel,
        use_gate_in_kernel=use_gate_in_kernel,
        use_beta_sigmoid_in_kernel=use_beta_sigmoid_in_kernel,
        allow_neg_eigval=allow_neg_eigval,
        lower_bound=lower_bound,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
        **kwargs,
    )
    if is_in_place:
        pool[slice(None) if rows is None else rows] = ht.to(pool.dtype)
        ht = pool
    return o if out is None else out.copy_(o), ht
