# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The delta rule step by step, for every kind of decay, given in log space.

S' = decay(S_{t-1}), e_t = v_t - S'^T k_t, S_t = S' + beta_t k_t e_t^T, o_t = scale S_t^T q_t. The decays are `g` of a head and step, `gk` of a key channel, `gv` of a value channel.
"""

import torch
import triton
from torch.autograd.function import once_differentiable

from fla.ops.common.chunk_dv import sum_groups
from fla.ops.common.fused_recurrent import gate_gradient
from fla.ops.common.fused_recurrent_delta_kernels import (
    fused_recurrent_delta_bwd_kernel_dq,
    fused_recurrent_delta_bwd_kernel_dv,
    fused_recurrent_delta_fwd_kernel_o,
)
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard


def _blocks(K: int, V: int) -> tuple[int, int]:
    BK = triton.next_power_of_2(K)
    return BK, min(triton.next_power_of_2(V), 32 if BK <= 128 else 16)


def fused_recurrent_delta_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    save_error: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
    """The outputs in the type of v, and in fp32 the errors e, if they are saved, and the final states."""
    B, T, H, K = k.shape
    HV, V = v.shape[2:]
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BK, BV = _blocks(K, V)
    o = torch.empty_like(v)
    e = torch.empty_like(v, dtype=torch.float) if save_error else None
    state = (V, K) if state_v_first else (K, V)
    ht = q.new_empty(N, HV, *state, dtype=torch.float) if output_final_state else None
    fused_recurrent_delta_fwd_kernel_o[(N * HV, triton.cdiv(V, BV))](
        q=q,
        k=k,
        v=v,
        g=g,
        gk=gk,
        gv=gv,
        beta=beta,
        o=o,
        e=e,
        h0=initial_state,
        ht=ht,
        cu_seqlens=cu_seqlens,
        scale=K ** -0.5 if scale is None else scale,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return o, e, ht


def fused_recurrent_delta_bwd(
    q: torch.Tensor,
    k: torch.Tensor,
    beta: torch.Tensor,
    e: torch.Tensor,
    do: torch.Tensor,
    dht: torch.Tensor | None = None,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of q, of k as what is written and as what is read, of v, beta and the initial state, in fp32.

    Those of q and k are `[B, T, HV, K]`, one for each head of values.
    """
    B, T, H, K = k.shape
    HV, V = do.shape[2:]
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BK, BV = _blocks(K, V)
    NV = triton.cdiv(V, BV)
    scale = K ** -0.5 if scale is None else scale
    dq, dk_written, dk_read = (q.new_empty(NV, B, T, HV, K, dtype=torch.float) for _ in range(3))
    dv = torch.empty_like(do, dtype=torch.float)
    dbeta = q.new_empty(NV, B, T, HV, dtype=torch.float)
    dh0 = torch.empty_like(initial_state, dtype=torch.float) if initial_state is not None else None
    fused_recurrent_delta_bwd_kernel_dv[(N * HV, NV)](
        q=q,
        k=k,
        g=g,
        gk=gk,
        gv=gv,
        beta=beta,
        e=e,
        do=do,
        dk=dk_written,
        dv=dv,
        dbeta=dbeta,
        dht=dht,
        dh0=dh0,
        cu_seqlens=cu_seqlens,
        scale=scale,
        B=B,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    fused_recurrent_delta_bwd_kernel_dq[(N * HV, NV)](
        k=k,
        g=g,
        gk=gk,
        gv=gv,
        beta=beta,
        e=e,
        do=do,
        dv=dv,
        dq=dq,
        dk=dk_read,
        h0=initial_state,
        cu_seqlens=cu_seqlens,
        scale=scale,
        B=B,
        T=T,
        H=H,
        HV=HV,
        K=K,
        V=V,
        BK=BK,
        BV=BV,
        STATE_V_FIRST=state_v_first,
    )
    return dq.sum(0), dk_written.sum(0), dk_read.sum(0), dv, dbeta.sum(0), dh0


class FusedRecurrentDeltaFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(
        ctx,
        q,
        k,
        v,
        beta,
        g,
        gk,
        gv,
        scale,
        initial_state,
        output_final_state,
        state_v_first,
        cu_seqlens,
    ):
        o, e, ht = fused_recurrent_delta_fwd(
            q=q,
            k=k,
            v=v,
            beta=beta,
            g=g,
            gk=gk,
            gv=gv,
            scale=scale,
            initial_state=initial_state,
            output_final_state=output_final_state,
            save_error=any(ctx.needs_input_grad),
            state_v_first=state_v_first,
            cu_seqlens=cu_seqlens,
        )
        has_gates = any(gate is not None for gate in (g, gk, gv))
        ctx.save_for_backward(
            q,
            k,
            v,
            beta,
            g,
            gk,
            gv,
            e,
            o if gv is not None else None,
            initial_state,
            ht if has_gates else None,
            cu_seqlens,
        )
        ctx.scale = scale
        ctx.state_v_first = state_v_first
        return o, ht

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, do, dht):
        q, k, v, beta, g, gk, gv, e, o, initial_state, ht, cu_seqlens = ctx.saved_tensors
        dq, dk_written, dk_read, dv, dbeta, dh0 = fused_recurrent_delta_bwd(
            q=q,
            k=k,
            beta=beta,
            e=e,
            do=do,
            dht=dht,
            g=g,
            gk=gk,
            gv=gv,
            scale=ctx.scale,
            initial_state=initial_state,
            state_v_first=ctx.state_v_first,
            cu_seqlens=cu_seqlens,
        )
        # [N, HV, K, V]
        dg_last = ht * dht if ht is not None and dht is not None else None
        if dg_last is not None and ctx.state_v_first:
            dg_last = dg_last.transpose(-1, -2)

        def gradient(gate, per_token, dims):
            last = dg_last.sum(dims) if dg_last is not None else None
            return gate_gradient(per_token, last, False, cu_seqlens).to(gate.dtype)

        dg, dgk, dgv = None, None, None
        if g is not None or gk is not None:
            groups = dq.shape[2] // q.shape[2]
            dk_total = dq * q.repeat_interleave(groups, dim=2)
            dk_total += (dk_read - dk_written) * k.repeat_interleave(groups, dim=2)
            if g is not None:
                dg = gradient(g, dk_total.sum(-1), (-1, -2))
            if gk is not None:
                dgk = gradient(gk, dk_total, -1)
        if gv is not None:
            dgv = gradient(gv, o * do - v * dv, -2)
        dq = sum_groups(dq, q.shape[2]).to(q.dtype)
        dk = sum_groups(dk_written + dk_read, k.shape[2]).to(k.dtype)
        dh0 = dh0.to(initial_state.dtype) if dh0 is not None else None
        return dq, dk, dv.to(v.dtype), dbeta.to(beta.dtype), dg, dgk, dgv, None, dh0, None, None, None


def fused_recurrent_delta(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The delta rule with any of its decays; q and k have H heads, all others a multiple of that."""
    return FusedRecurrentDeltaFunction.apply(
        q,
        k,
        v,
        beta,
        g,
        gk,
        gv,
        k.shape[-1] ** -0.5 if scale is None else scale,
        initial_state,
        output_final_state,
        state_v_first,
        cu_seqlens,
    )
