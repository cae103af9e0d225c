# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Chunked KDA: the delta rule under decays of the key channels."""

import torch
from torch.autograd.function import once_differentiable

from fla.ops.common.chunk_delta_h import chunk_gated_delta_rule_bwd_dhu, chunk_gated_delta_rule_fwd_h
from fla.ops.common.chunk_dv import chunk_bwd_dv_local
from fla.ops.common.decay_gate import prepare_beta
from fla.ops.common.l2norm import l2norm
from fla.ops.gla.chunk_kernels import chunk_gla_bwd_dqkg, chunk_gla_fwd_o
from fla.ops.kda.chunk_kernels import chunk_kda_bwd_wy, chunk_kda_fwd_scores, chunk_kda_fwd_wu
from fla.ops.kda.gate import fused_kda_gate
from fla.ops.utils.checks import check_delta_inputs, check_extras
from fla.ops.utils.cumsum import chunk_local_cumsum
from fla.ops.utils.index import prepare_chunk_indices
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard

CHUNK_SIZE = 64


def chunk_kda_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    scale: float,
    initial_state: torch.Tensor | None,
    output_final_state: bool,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gates summed within chunks, the outputs, the scores, the inverses A, the states before chunks, the final state."""
    packed = {'cu_seqlens': cu_seqlens, 'chunk_indices': chunk_indices}
    g = chunk_local_cumsum(g, CHUNK_SIZE, is_gate=True, **packed)
    Aqk, A = chunk_kda_fwd_scores(q=q, k=k, g=g, beta=beta, scale=scale, chunk_size=CHUNK_SIZE, **packed)
    w, u, kg, _ = chunk_kda_fwd_wu(q=q, k=k, v=v, g=g, beta=beta, A=A, **packed)
    h, v_new, ht = chunk_gated_delta_rule_fwd_h(
        k=kg,
        w=w,
        u=u,
        gk=g,
        initial_state=initial_state,
        output_final_state=output_final_state,
        chunk_size=CHUNK_SIZE,
        state_v_first=state_v_first,
        **packed,
    )
    o = chunk_gla_fwd_o(
        q=q,
        k=k,
        v=v_new,
        g=g,
        h=h,
        scale=scale,
        A=Aqk,
        state_v_first=state_v_first,
        chunk_size=CHUNK_SIZE,
        **packed,
    )
    return g, o, Aqk, A, h, ht


def chunk_kda_bwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    Aqk: torch.Tensor,
    A: torch.Tensor,
    scale: float,
    initial_state: torch.Tensor | None,
    do: torch.Tensor,
    dht: torch.Tensor | None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of q, k, v, the gates before their summation, beta, and the initial state."""
    packed = {'cu_seqlens': cu_seqlens, 'chunk_indices': chunk_indices}
    w, u, kg, qg = chunk_kda_fwd_wu(q=q, k=k, v=v, g=g, beta=beta, A=A, with_queries=True, **packed)
    h, v_new, _ = chunk_gated_delta_rule_fwd_h(
        k=kg,
        w=w,
        u=u,
        gk=g,
        initial_state=initial_state,
        chunk_size=CHUNK_SIZE,
        state_v_first=state_v_first,
        **packed,
    )
    dv = chunk_bwd_dv_local(q=q, k=k, do=do, A=Aqk, scale=scale, chunk_size=CHUNK_SIZE, **packed)
    dh, dh0, dv = chunk_gated_delta_rule_bwd_dhu(
        q=qg,
        k=kg,
        w=w,
        do=do,
        dv=dv,
        gk=g,
        h0=initial_state,
        dht=dht,
        scale=scale,
        state_v_first=state_v_first,
        chunk_size=CHUNK_SIZE,
        **packed,
    )
    dq, dk, dw, dg = chunk_gla_bwd_dqkg(
        q=q,
        k=k,
        v=v_new,
        g=g,
        h=h,
        do=do,
        dh=dh,
        scale=scale,
        w=w,
        dv=dv,
        state_v_first=state_v_first,
        chunk_size=CHUNK_SIZE,
        **packed,
    )
    dv, dbeta = chunk_kda_bwd_wy(k=k, v=v, g=g, beta=beta, A=A, dw=dw, du=dv, dk=dk, dg=dg, **packed)
    return dq, dk, dv, dg, dbeta, dh0


class ChunkKDAFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(
        ctx,
        q,
        k,
        v,
        g,
        beta,
        scale,
        initial_state,
        output_final_state,
        state_v_first,
        cu_seqlens,
        cu_seqlens_cpu,
    ):
        chunk_indices = None
        if cu_seqlens is not None:
            chunk_indices = prepare_chunk_indices(cu_seqlens, CHUNK_SIZE, cu_seqlens_cpu)
        ctx.g_dtype = g.dtype
        g, o, Aqk, A, h, ht = chunk_kda_fwd(
            q=q,
            k=k,
            v=v,
            g=g,
            beta=beta,
            scale=scale,
            initial_state=initial_state,
            output_final_state=output_final_state,
            state_v_first=state_v_first,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
        )
        ctx.save_for_backward(q, k, v, g, beta, Aqk, A, initial_state, cu_seqlens, chunk_indices)
        ctx.scale = scale
        ctx.state_v_first = state_v_first
        ctx.mark_non_differentiable(h)
        # the states are large, and zeros in their shape would be written for nothing
        ctx.set_materialize_grads(False)
        return o, ht, h

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, do, dht, dh):
        q, k, v, g, beta, Aqk, A, initial_state, cu_seqlens, chunk_indices = ctx.saved_tensors
        do = torch.zeros_like(v) if do is None else do
        dq, dk, dv, dg, dbeta, dh0 = chunk_kda_bwd(
            q=q,
            k=k,
            v=v,
            g=g,
            beta=beta,
            Aqk=Aqk,
            A=A,
            scale=ctx.scale,
            initial_state=initial_state,
            do=do,
            dht=dht,
            state_v_first=ctx.state_v_first,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
        )
        dh0 = dh0.to(initial_state.dtype) if dh0 is not None else None
        return dq, dk, dv, dg.to(ctx.g_dtype), dbeta.to(beta.dtype), None, dh0, None, None, None, None


@torch.compiler.disable
@input_guard
def chunk_kda(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    use_gate_in_kernel: bool = False,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    safe_gate: bool = False,
    lower_bound: float | None = None,
    disable_recompute: bool = False,
    return_intermediate_states: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    cu_seqlens_cpu: torch.LongTensor | None = None,
    cp_context: None = None,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, ...]:
    """The delta rule with a decay of each key channel and step, chunk by chunk.

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
        safe_gate (bool, Optional):
            The log decays are bounded below, by `lower_bound` if the gate is computed here; the kernels look at them anyway. Default: `False`.
        lower_bound (float, Optional):
            The lowest log decay of a step, for `use_gate_in_kernel`. Default: `None`.
        disable_recompute (bool, Optional):
            Accepted for older code: w, u and the states are computed again in the backward pass. Default: `False`.
        return_intermediate_states (bool, Optional):
            Return the states before each chunk of 64 too; they get no gradient. Default: `False`.
        state_v_first (bool, Optional):
            Lay states out as `[N, HV, V, K]`. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.
        cu_seqlens_cpu (LongTensor, Optional):
            The same offsets on the CPU, which saves a synchronisation. Default: `None`.
        cp_context (NoneType, Optional):
            Sequences over several devices are not supported. Default: `None`.
        A_log (Tensor, Optional):
            Logarithms of the rates of the heads, `[HV]`, for `use_gate_in_kernel`. Default: `None`.
        dt_bias (Tensor, Optional):
            What is added to g, `[HV * K]`, for `use_gate_in_kernel`. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, HV, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
        h (Tensor):
            With `return_intermediate_states`, the states before each chunk, `[B, NT, HV, K, V]`.
    """
    check_extras(kwargs)
    if g is None:
        raise ValueError('g is missing: without decays there is chunk_delta_rule')
    check_delta_inputs(q, k, v, beta, gk=g, initial_state=initial_state, state_v_first=state_v_first, cu_seqlens=cu_seqlens)
    if cp_context is not None:
        raise NotImplementedError('cp_context: sequences over several devices are not supported')
    if safe_gate and use_gate_in_kernel and lower_bound is None:
        raise ValueError('safe_gate with use_gate_in_kernel needs lower_bound')
    if use_qk_l2norm_in_kernel:
        q, k = l2norm(q), l2norm(k)
    if use_gate_in_kernel:
        g = fused_kda_gate(g, A_log, dt_bias, lower_bound)
    groups = v.shape[2] // q.shape[2]
    if groups > 1:
        q, k = q.repeat_interleave(groups, dim=2), k.repeat_interleave(groups, dim=2)
    o, ht, h = ChunkKDAFunction.apply(
        q,
        k,
        v,
        g,
        prepare_beta(beta, use_beta_sigmoid_in_kernel, allow_neg_eigval),
        k.shape[-1] ** -0.5 if scale is None else scale,
        initial_state,
        output_final_state,
        state_v_first,
        cu_seqlens,
        cu_seqlens_cpu,
    )
    return (o, ht, h) if return_intermediate_states else (o, ht)
