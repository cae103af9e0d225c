# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrence S_t = decay(S_{t-1}) + k_t v_t^T, o_t = scale S_t^T q_t, step by step, for every kind of decay.

The decays are given in log space: `g` a head and step, `g_gamma` a head, `gk` a key channel, `gv` a value channel.
"""

import torch
import triton
from torch.autograd.function import once_differentiable

from fla.ops.common.fused_recurrent_kernels import (
    fused_recurrent_bwd_kernel_dkv,
    fused_recurrent_bwd_kernel_dq,
    fused_recurrent_fwd_kernel_o,
)
from fla.ops.utils.cumsum import chunk_global_cumsum
from fla.ops.utils.index import prepare_sequence_ids
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard


def _blocks(K: int, V: int) -> tuple[int, int, int, int]:
    BK, BV = min(triton.next_power_of_2(K), 128), min(triton.next_power_of_2(V), 32)
    return BK, BV, triton.cdiv(K, BK), triton.cdiv(V, BV)


def fused_recurrent_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    reverse: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The outputs and the final states, both in fp32."""
    B, T, H, K, V = *k.shape, v.shape[-1]
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BK, BV, NK, NV = _blocks(K, V)
    o = q.new_empty(NK, B, T, H, V, dtype=torch.float)
    state = (V, K) if state_v_first else (K, V)
    ht = q.new_empty(N, H, *state, dtype=torch.float) if output_final_state else None
    fused_recurrent_fwd_kernel_o[(N * H, NK, NV)](
        q=q,
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        gk=gk,
        gv=gv,
        o=o,
        h0=initial_state,
        ht=ht,
        cu_seqlens=cu_seqlens,
        scale=K ** -0.5 if scale is None else scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BK=BK,
        BV=BV,
        REVERSE=reverse,
        STATE_V_FIRST=state_v_first,
    )
    return _sum_blocks(o), ht


def fused_recurrent_bwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    do: torch.Tensor,
    dht: torch.Tensor | None = None,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    reverse: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of q, k, v and the initial state, in fp32."""
    B, T, H, K, V = *k.shape, v.shape[-1]
    N = B if cu_seqlens is None else len(cu_seqlens) - 1
    BK, BV, NK, NV = _blocks(K, V)
    scale = K ** -0.5 if scale is None else scale
    dq = q.new_empty(NV, B, T, H, K, dtype=torch.float)
    dk = q.new_empty(NV, B, T, H, K, dtype=torch.float)
    dv = q.new_empty(NK, B, T, H, V, dtype=torch.float)
    dh0 = torch.empty_like(initial_state, dtype=torch.float) if initial_state is not None else None
    grid = (N * H, NK, NV)
    fused_recurrent_bwd_kernel_dq[grid](
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        gk=gk,
        gv=gv,
        do=do,
        dq=dq,
        h0=initial_state,
        cu_seqlens=cu_seqlens,
        scale=scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BK=BK,
        BV=BV,
        REVERSE=reverse,
        STATE_V_FIRST=state_v_first,
    )
    fused_recurrent_bwd_kernel_dkv[grid](
        q=q,
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        gk=gk,
        gv=gv,
        do=do,
        dk=dk,
        dv=dv,
        dht=dht,
        dh0=dh0,
        cu_seqlens=cu_seqlens,
        scale=scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BK=BK,
        BV=BV,
        REVERSE=reverse,
        STATE_V_FIRST=state_v_first,
    )
    return _sum_blocks(dq), _sum_blocks(dk), _sum_blocks(dv), dh0


def _sum_blocks(x: torch.Tensor) -> torch.Tensor:
    return x[0] if len(x) == 1 else x.sum(0)


def gate_gradient(
    dg: torch.Tensor,
    dg_last: torch.Tensor | None,
    reverse: bool,
    cu_seqlens: torch.LongTensor | None,
) -> torch.Tensor:
    """The gradients of gates, from those of their sums, `[B, T, H, ...]`, and the part of the final states, `[N, H, ...]`."""
    dg = chunk_global_cumsum(dg, reverse=not reverse, cu_seqlens=cu_seqlens)
    if dg_last is None:
        return dg
    return dg + (dg_last[:, None] if cu_seqlens is None else dg_last[prepare_sequence_ids(cu_seqlens)][None])


class FusedRecurrentFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(
        ctx,
        q,
        k,
        v,
        g,
        g_gamma,
        gk,
        gv,
        scale,
        initial_state,
        output_final_state,
        reverse,
        state_v_first,
        cu_seqlens,
    ):
        o, ht = fused_recurrent_fwd(
            q=q,
            k=k,
            v=v,
            g=g,
            g_gamma=g_gamma,
            gk=gk,
            gv=gv,
            scale=scale,
            initial_state=initial_state,
            output_final_state=output_final_state,
            reverse=reverse,
            state_v_first=state_v_first,
            cu_seqlens=cu_seqlens,
        )
        ctx.save_for_backward(q, k, v, g, g_gamma, gk, gv, o if gv is not None else None, initial_state, ht, cu_seqlens)
        ctx.scale = scale
        ctx.reverse = reverse
        ctx.state_v_first = state_v_first
        return o.to(q.dtype), ht

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, do, dht):
        q, k, v, g, g_gamma, gk, gv, o, initial_state, ht, cu_seqlens = ctx.saved_tensors
        dq, dk, dv, dh0 = fused_recurrent_bwd(
            q=q,
            k=k,
            v=v,
            do=do,
            dht=dht,
            g=g,
            g_gamma=g_gamma,
            gk=gk,
            gv=gv,
            scale=ctx.scale,
            initial_state=initial_state,
            reverse=ctx.reverse,
            state_v_first=ctx.state_v_first,
            cu_seqlens=cu_seqlens,
        )
        # [N, H, K, V]
        dg_last = ht * dht if dht is not None else None
        if dg_last is not None and ctx.state_v_first:
            dg_last = dg_last.transpose(-1, -2)

        def gradient(gate, per_token, dims):
            last = dg_last.sum(dims) if dg_last is not None else None
            return gate_gradient(per_token, last, ctx.reverse, cu_seqlens).to(gate.dtype)

        dg, dgk, dgv = None, None, None
        if g is not None:
            dg = gradient(g, (q * dq - k * dk).sum(-1), (-1, -2))
        if gk is not None:
            dgk = gradient(gk, q * dq - k * dk, -1)
        if gv is not None:
            dgv = gradient(gv, o * do - v * dv, -2)
        dh0 = dh0.to(initial_state.dtype) if dh0 is not None else None
        return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), dg, None, dgk, dgv, None, dh0, None, None, None, None


def fused_recurrent(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    reverse: bool = False,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The recurrence with any of its decays, differentiable in all of them but the constant `g_gamma`."""
    return FusedRecurrentFunction.apply(
        q,
        k,
        v,
        g,
        g_gamma,
        gk,
        gv,
        k.shape[-1] ** -0.5 if scale is None else scale,
        initial_state,
        output_final_state,
        reverse,
        state_v_first,
        cu_seqlens,
    )
