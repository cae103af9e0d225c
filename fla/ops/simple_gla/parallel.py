# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Simple GLA of all steps at once, for short sequences and for those who want to see the scores."""

import torch
import triton
from torch.autograd.function import once_differentiable

from fla.ops.simple_gla.parallel_kernels import (
    parallel_simple_gla_bwd_kernel_dkv,
    parallel_simple_gla_bwd_kernel_dq,
    parallel_simple_gla_fwd_kernel_o,
)
from fla.ops.utils.checks import check_extras, check_gates, check_inputs
from fla.ops.utils.cumsum import chunk_global_cumsum, chunk_local_cumsum
from fla.ops.utils.index import count_chunks, prepare_chunk_indices
from fla.ops.utils.op import block_size
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard

TILE_SIZE = 64


def _blocks(q: torch.Tensor, v: torch.Tensor) -> tuple[int, int, int, int]:
    K, V = q.shape[-1], v.shape[-1]
    BK, BV = block_size(K, q.dtype, most=128), block_size(V, v.dtype, most=128)
    return BK, BV, triton.cdiv(K, BK), triton.cdiv(V, BV)


def _empty_parts(x: torch.Tensor, parts: int) -> torch.Tensor:
    """Room for what adds up to something like `x`, in fp32 unless it is one part."""
    return x.new_empty(parts, *x.shape, dtype=x.dtype if parts == 1 else torch.float)


def _sum_parts(parts: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else parts.sum(0).to(dtype)


def parallel_simple_gla_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None,
    g_gamma: torch.Tensor | None,
    scale: float,
    output_attentions: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The outputs and, if asked for, the scores `[B, H, T, T]`; `g` is summed within tiles."""
    B, T, H, K, V = *q.shape, v.shape[-1]
    BK, BV, NK, NV = _blocks(q, v)
    NT, chunk_indices = count_chunks(T, TILE_SIZE, cu_seqlens, chunk_indices)
    o = _empty_parts(v, NK)
    A = None
    if output_attentions:
        A = q.new_zeros(NK, B, H, T, T, dtype=q.dtype if NK == 1 else torch.float)
    parallel_simple_gla_fwd_kernel_o[(NT * B * H, NK, NV)](
        q=q,
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        o=o,
        A=A,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=TILE_SIZE,
        BK=BK,
        BV=BV,
    )
    return _sum_parts(o, v.dtype), _sum_parts(A, q.dtype) if A is not None else None


def parallel_simple_gla_bwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None,
    g_gamma: torch.Tensor | None,
    do: torch.Tensor,
    scale: float,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of q, k, v and the gates before their summation, the last in fp32."""
    B, T, H, K, V = *q.shape, v.shape[-1]
    BK, BV, NK, NV = _blocks(q, v)
    NT, chunk_indices = count_chunks(T, TILE_SIZE, cu_seqlens, chunk_indices)
    dq, dk, dv = _empty_parts(q, NV), _empty_parts(k, NV), _empty_parts(v, NK)
    dg = q.new_empty(2, NK * NV, B, T, H, dtype=torch.float) if g is not None else None
    parallel_simple_gla_bwd_kernel_dq[(NT * B * H, NK, NV)](
        q=q,
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        do=do,
        dq=dq,
        dg=dg[0] if dg is not None else None,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=TILE_SIZE,
        BK=BK,
        BV=BV,
    )
    parallel_simple_gla_bwd_kernel_dkv[(NT * B * H, NK, NV)](
        q=q,
        k=k,
        v=v,
        g=g,
        g_gamma=g_gamma,
        do=do,
        dk=dk,
        dv=dv,
        dg=dg[1] if dg is not None else None,
        cu_seqlens=cu_seqlens,
        chunk_indices=chunk_indices,
        scale=scale,
        B=B,
        T=T,
        H=H,
        K=K,
        V=V,
        BT=TILE_SIZE,
        BK=BK,
        BV=BV,
    )
    if dg is not None:
        dg_q, dg_k = dg.sum(1)
        dg = chunk_global_cumsum(dg_q - dg_k, reverse=True, cu_seqlens=cu_seqlens)
    return _sum_parts(dq, q.dtype), _sum_parts(dk, k.dtype), _sum_parts(dv, v.dtype), dg


class ParallelSimpleGLAFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, q, k, v, g, g_gamma, scale, output_attentions, cu_seqlens, cu_seqlens_cpu):
        chunk_indices = None
        if cu_seqlens is not None:
            chunk_indices = prepare_chunk_indices(cu_seqlens, TILE_SIZE, cu_seqlens_cpu)
        ctx.g_dtype = g.dtype if g is not None else None
        ctx.scale = scale
        if g is not None:
            g = chunk_local_cumsum(g, TILE_SIZE, cu_seqlens=cu_seqlens, chunk_indices=chunk_indices, is_gate=True)
        o, attn = parallel_simple_gla_fwd(
            q=q,
            k=k,
            v=v,
            g=g,
            g_gamma=g_gamma,
            scale=scale,
            output_attentions=output_attentions,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
        )
        ctx.save_for_backward(q, k, v, g, g_gamma, cu_seqlens, chunk_indices)
        if attn is not None:
            ctx.mark_non_differentiable(attn)
        return o, attn

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, do, dattn):
        q, k, v, g, g_gamma, cu_seqlens, chunk_indices = ctx.saved_tensors
        dq, dk, dv, dg = parallel_simple_gla_bwd(
            q=q,
            k=k,
            v=v,
            g=g,
            g_gamma=g_gamma,
            do=do,
            scale=ctx.scale,
            cu_seqlens=cu_seqlens,
            chunk_indices=chunk_indices,
        )
        dg = dg.to(ctx.g_dtype) if dg is not None else None
        return dq, dk, dv, dg, None, None, None, None, None


@torch.compiler.disable
def parallel_gated(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    g_gamma: torch.Tensor | None = None,
    scale: float | None = None,
    output_attentions: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    cu_seqlens_cpu: torch.LongTensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The parallel form with both kinds of decay; a constant one is that of retention."""
    check_inputs(q, k, v, cu_seqlens=cu_seqlens)
    check_gates(q, v, g=g, g_gamma=g_gamma)
    return ParallelSimpleGLAFunction.apply(
        q,
        k,
        v,
        g,
        g_gamma,
        k.shape[-1] ** -0.5 if scale is None else scale,
        output_attentions,
        cu_seqlens,
        cu_seqlens_cpu,
    )


@input_guard
def parallel_simple_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    scale: float | None = None,
    output_attentions: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
    cu_seqlens_cpu: torch.LongTensor | None = None,
    **kwargs,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Linear attention with one decay a head and step, all steps at once: the time grows as `T^2`.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        g (Tensor, Optional):
            Log decays, `[B, T, H]`. Default: `None`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        output_attentions (bool, Optional):
            Return the decayed scores, which take no part in gradients. Default: `False`.
        cu_seqlens (LongTensor, Optional):
            Offsets `[N+1]` of sequences packed into one batch entry. Default: `None`.
        cu_seqlens_cpu (LongTensor, Optional):
            The same offsets on the CPU, which saves a synchronisation. Default: `None`.

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
        g=g,
        scale=scale,
        output_attentions=output_attentions,
        cu_seqlens=cu_seqlens,
        cu_seqlens_cpu=cu_seqlens_cpu,
    )
