# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The chunked gated delta rule: the WY representation within chunks, states from chunk to chunk."""

import torch
from torch.autograd.function import once_differentiable

from fla.ops.common.chunk_delta_h import chunk_gated_delta_rule_bwd_dhu, chunk_gated_delta_rule_fwd_h
from fla.ops.common.chunk_o import chunk_bwd_dqkwg, chunk_bwd_dv_local, chunk_fwd_o
from fla.ops.common.decay_gate import prepare_beta
from fla.ops.common.l2norm import l2norm
from fla.ops.gated_delta_rule.chunk_fwd import chunk_gated_delta_rule_fwd_intra
from fla.ops.gated_delta_rule.gate import fused_gdn_gate
from fla.ops.gated_delta_rule.wy_fast import prepare_wy_repr_bwd, recompute_w_u_fwd
from fla.ops.utils.checks import check_delta_inputs, check_extras
from fla.ops.utils.cumsum import chunk_local_cumsum
from fla.ops.utils.index import prepare_chunk_indices
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard

CHUNK_SIZE = 64


def chunk_gated_delta_rule_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None,
    beta: torch.Tensor,
    scale: float,
    initial_state: torch.Tensor | None,
    output_final_state: bool,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor | None, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gates summed within chunks, the outputs, the inverses A of the chunks, and the final state."""
    if g is not None:
        g = chunk_local_cumsum(g, CHUNK_SIZE, cu_seqlens=cu_seqlens, chunk_indices=chunk_indices, is_gate=True)
    w, u, A = chunk_gated_delta_rule_fwd_intra(
        k=k,
        v=v,
        g=g,
        beta=beta,
        cu_seqlens=cu_seqlens,
        chunk_size=CHUNK_SIZE,
        chunk_indices=chunk_indices,
    )
    h, v_new, ht = chunk_gated_delta_rule_fwd_h(
        k=k,
        w=w,
        u=u,
        g=g,
        initial_state=initial_state,
        output_final_state=output_final_state,
        chunk_size=CHUNK_SIZE,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
    )
    o = chunk_fwd_o(
        q=q,
        k=k,
        v=v_new,
        h=h,
        g=g,
        scale=scale,
        state_v_first=state_v_first,
        cu_seqlens=cu_seqlens,
        chunk_size=CHUNK_SIZE,
        chunk_indices=chunk_indices,
    )
    return g, o, A, ht


def chunk_gated_delta_rule_bwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None,
    beta: torch.Tensor,
    A: torch.Tensor,
    scale: float,
    initial_state: torch.Tensor | None,
    do: torch.Tensor,
    dht: torch.Tensor | None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None, torch.Tensor, torch.Tensor | None]:
    """The gradients of q, k, v, the gates before their summation, beta, and the initial state."""
    packed = {'cu_seqlens': cu_seqlens, 'chunk_indices': chunk_indices}
    w, u = recompute_w_u_fwd(k=k, v=v, beta=beta, A=A, g=g, **packed)
    h, v_new, _ = chunk_gated_delta_rule_fwd_h(
        k=k,
        w=w,
        u=u,
        g=g,
        initial_state=initial_state,
        chunk_size=CHUNK_SIZE,
        state_v_first=state_v_first,
        **packed,
    )
    dv = chunk_bwd_dv_local(q=q, k=k, do=do, g=g, scale=scale, chunk_size=CHUNK_SIZE, **packed)
    dh, dh0, dv = chunk_gated_delta_rule_bwd_dhu(
        q=q,
        k=k,
        w=w,
        do=do,
        dv=dv,
        g=g,
        h0=initial_state,
        dht=dht,
        scale=scale,
        state_v_first=state_v_first,
        chunk_size=CHUNK_SIZE,
        **packed,
    )
    dq, dk, dw, dg = chunk_bwd_dqkwg(
        q=q,
        k=k,
        v=v_new,
        do=do,
        h=h,
        dh=dh,
        w=w,
        g=g,
        dv=dv,
        scale=scale,
        state_v_first=state_v_first,
        chunk_size=CHUNK_SIZE,
        **packed,
    )
    dk_wy, dv, dbeta, dg_wy = prepare_wy_repr_bwd(k=k, v=v, beta=beta, A=A, dw=dw, du=dv, g=g, **packed)
    dk.add_(dk_wy)
    if g is not None:
        dg = chunk_local_cumsum(dg.add_(dg_wy), CHUNK_SIZE, reverse=True, **packed)
    return dq, dk, dv, dg, dbeta, dh0


class ChunkGatedDeltaRuleFunction(torch.autograd.Function):

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
        chunk_indices,
    ):
        if cu_seqlens is not None and chunk_indices is None:
            chunk_indices = prepare_chunk_indices(cu_seqlens, CHUNK_SIZE, cu_seqlens_cpu)
        ctx.g_dtype = g.dtype if g is not None else None
        g, o, A, ht = chunk_gated_delta_rule_fwd(
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
        ctx.save_for_backward(q, k, v, g, beta, A, initial_state, cu_seqlens, chunk_indices)
        ctx.scale = scale
        ctx.state_v_first = state_v_first
        return o, ht

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, do, dht):
        q, k, v, g, beta, A, initial_state, cu_seqlens, chunk_indices = ctx.saved_tensors
        dq, dk, dv, dg, dbeta, dh0 = chunk_gated_delta_rule_bwd(
            q=q,
            k=k,
            v=v,
            g=g,
            beta=beta,
            A=A,
            scale=ctx.scale,
            initial_state=initial_state,
            do=do,
            dht=dht,
            state_v_first=ctx.state_v_first,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
        )
        dg = dg.to(ctx.g_dtype) if dg is not None else None
        dh0 = dh0.to(initial_state.dtype) if dh0 is not None else None
        return dq, dk, dv, dg, dbeta.to(beta.dtype), None, dh0, None, None, None, None, None


@torch.compiler.disable
@input_guard
def chunk_gated_delta_rule(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    cu_seqlens_cpu: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
    cp_context: None = None,
    use_gate_in_kernel: bool = False,
    A_log: torch.Tensor | None = None,
    dt_bias: torch.Tensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The delta rule with one decay a head and step, chunk by chunk.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`; their norms should not exceed 1.
        v (Tensor):
            Values, `[B, T, HV, V]`, with HV a multiple of H.
        g (Tensor):
            Log decays, `[B, T, HV]`, or, with `use_gate_in_kernel`, what they are computed from.
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
        use_beta_sigmoid_in_kernel (bool, Optional):
            Take the sigmoid of beta first. Default: `False`.
        allow_neg_eigval (bool, Optional):
            Double that sigmoid. Default: `False`.
        state_v_first (bool, Optional):
            Lay states out as `[N, HV, V, K]`. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.
        cu_seqlens_cpu (LongTensor, Optional):
            The same offsets on the CPU, which saves a synchronisation. Default: `None`.
        chunk_indices (LongTensor, Optional):
            `prepare_chunk_indices(cu_seqlens, 64)`, if at hand. Default: `None`.
        cp_context (NoneType, Optional):
            Sequences over several devices are not supported. Default: `None`.
        use_gate_in_kernel (bool, Optional):
            Compute the log decays as `fused_gdn_gate` does. Default: `False`.
        A_log (Tensor, Optional):
            Logarithms of the rates of the heads for that, `[HV]`. Default: `None`.
        dt_bias (Tensor, Optional):
            What is added to g for that, `[HV]`. Default: `None`.

    Returns:
        o (Tensor):
            Outputs, `[B, T, HV, V]`.
        final_state (Tensor):
            The final states, or `None` without `output_final_state`.
    """
    check_extras(kwargs)
    check_delta_inputs(q, k, v, beta, g=g, initial_state=initial_state, state_v_first=state_v_first, cu_seqlens=cu_seqlens)
    if cp_context is not None:
        raise NotImplementedError('cp_context: sequences over several devices are not supported')
    if use_qk_l2norm_in_kernel:
        q, k = l2norm(q), l2norm(k)
    if use_gate_in_kernel:
        g = fused_gdn_gate(g, A_log, dt_bias)
    return ChunkGatedDeltaRuleFunction.apply(
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
        chunk_indices,
    )


chunk_gdn = chunk_gated_delta_rule
