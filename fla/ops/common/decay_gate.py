# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Log decays from what a layer projects: -exp(A_log) softplus(x), or, bounded below, lower_bound sigmoid(exp(A_log) x)."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.op import exp
from fla.ops.utils.softplus import softplus
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, autotune_cache_kwargs, input_guard

ROW_CONFIGS = [triton.Config({'BT': 32}, num_warps=4)]


@triton.heuristics({
    'HAS_BIAS': lambda args: args['dt_bias'] is not None,
    'HAS_LOWER_BOUND': lambda args: args['lower_bound'] is not None,
})
@fla_cache_autotune(configs=ROW_CONFIGS, key=['HV', 'D', 'BC'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def decay_gate_fwd_kernel(
    x,
    A_log,
    dt_bias,
    g,
    lower_bound,
    T,
    HV: tl.constexpr,
    D: tl.constexpr,
    BC: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    HAS_LOWER_BOUND: tl.constexpr,
    BT: tl.constexpr,
):
    i_t = tl.program_id(0).to(tl.int64)
    i_c = tl.program_id(1).to(tl.int64)
    o_t = i_t * BT + tl.arange(0, BT)
    o_c = i_c * BC + tl.arange(0, BC)
    m_c = o_c < HV * D
    m_tc = (o_t < T)[:, None] & m_c[None, :]
    o_tc = o_t[:, None] * (HV * D) + o_c[None, :]
    b_rate = exp(tl.load(A_log + o_c // D, mask=m_c, other=0))[None, :]
    # [BT, BC]
    b_x = tl.load(x + o_tc, mask=m_tc, other=0).to(tl.float32)
    if HAS_BIAS:
        b_x += tl.load(dt_bias + o_c, mask=m_c, other=0).to(tl.float32)[None, :]
    b_g = lower_bound * tl.sigmoid(b_rate * b_x) if HAS_LOWER_BOUND else -b_rate * softplus(b_x)
    tl.store(g + o_tc, b_g.to(g.dtype.element_ty), mask=m_tc)


@triton.heuristics({
    'HAS_BIAS': lambda args: args['dt_bias'] is not None,
    'HAS_LOWER_BOUND': lambda args: args['lower_bound'] is not None,
})
@fla_cache_autotune(configs=ROW_CONFIGS, key=['HV', 'D', 'BC'], **autotune_cache_kwargs)
@triton.jit(do_not_specialize=['T'])
def decay_gate_bwd_kernel(
    x,
    A_log,
    dt_bias,
    dg,
    dx,
    dA,
    lower_bound,
    T,
    HV: tl.constexpr,
    D: tl.constexpr,
    BC: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    HAS_LOWER_BOUND: tl.constexpr,
    BT: tl.constexpr,
):
    i_t = tl.program_id(0).to(tl.int64)
    i_c = tl.program_id(1).to(tl.int64)
    o_t = i_t * BT + tl.arange(0, BT)
    o_c = i_c * BC + tl.arange(0, BC)
    m_c = o_c < HV * D
    m_tc = (o_t < T)[:, None] & m_c[None, :]
    o_tc = o_t[:, None] * (HV * D) + o_c[None, :]
    b_rate = exp(tl.load(A_log + o_c // D, mask=m_c, other=0))[None, :]
    # [BT, BC]
    b_x = tl.load(x + o_tc, mask=m_tc, other=0).to(tl.float32)
    b_dg = tl.load(dg + o_tc, mask=m_tc, other=0).to(tl.float32)
    if HAS_BIAS:
        b_x += tl.load(dt_bias + o_c, mask=m_c, other=0).to(tl.float32)[None, :]
    if HAS_LOWER_BOUND:
        b_s = tl.sigmoid(b_rate * b_x)
        b_dx = b_dg * lower_bound * b_s * (1. - b_s) * b_rate
        b_dA = b_dx * b_x
    else:
        b_dx = -b_dg * b_rate * tl.sigmoid(b_x)
        b_dA = -b_dg * b_rate * softplus(b_x)
    tl.store(dx + o_tc, b_dx, mask=m_tc)
    tl.store(dA + o_tc, b_dA, mask=m_tc)


def _layout(x: torch.Tensor, has_channels: bool) -> tuple[int, int, int, int]:
    """The numbers of steps, of heads and of channels, and the columns of a block."""
    HV, D = (x.shape[-2], x.shape[-1]) if has_channels else (x.shape[-1], 1)
    return x.numel() // (HV * D), HV, D, max(16, min(triton.next_power_of_2(HV * D), 128))


def decay_gate_fwd(
    x: torch.Tensor,
    A_log: torch.Tensor,
    has_channels: bool,
    dt_bias: torch.Tensor | None = None,
    lower_bound: float | None = None,
    output_dtype: torch.dtype = torch.float,
) -> torch.Tensor:
    """The log decays, laid out as x: `[..., HV]` or, with channels, `[..., HV, D]`; `A_log` is `[HV]`, `dt_bias` `[HV]` or `[HV D]`."""
    T, HV, D, BC = _layout(x, has_channels)
    g = torch.empty_like(x, dtype=output_dtype)
    if T == 0:
        return g
    decay_gate_fwd_kernel[lambda meta: (triton.cdiv(T, meta['BT']), triton.cdiv(HV * D, BC))](
        x=x,
        A_log=A_log,
        dt_bias=dt_bias,
        g=g,
        lower_bound=lower_bound,
        T=T,
        HV=HV,
        D=D,
        BC=BC,
    )
    return g


def decay_gate_bwd(
    x: torch.Tensor,
    A_log: torch.Tensor,
    has_channels: bool,
    dt_bias: torch.Tensor | None,
    dg: torch.Tensor,
    lower_bound: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """The gradients of x, A_log and dt_bias, in their types."""
    T, HV, D, BC = _layout(x, has_channels)
    dx, dA = (torch.empty_like(x, dtype=torch.float) for _ in range(2))
    if T > 0:
        decay_gate_bwd_kernel[lambda meta: (triton.cdiv(T, meta['BT']), triton.cdiv(HV * D, BC))](
            x=x,
            A_log=A_log,
            dt_bias=dt_bias,
            dg=dg,
            dx=dx,
            dA=dA,
            lower_bound=lower_bound,
            T=T,
            HV=HV,
            D=D,
            BC=BC,
        )
    dA = dA.view(T, HV, D).sum((0, 2)).view_as(A_log).to(A_log.dtype)
    db = dx.view(T, HV * D).sum(0).view_as(dt_bias).to(dt_bias.dtype) if dt_bias is not None else None
    return dx.to(x.dtype), dA, db


class DecayGateFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, A_log, has_channels, dt_bias, lower_bound, output_dtype):
        ctx.save_for_backward(x, A_log, dt_bias)
        ctx.has_channels = has_channels
        ctx.lower_bound = lower_bound
        return decay_gate_fwd(x, A_log, has_channels, dt_bias, lower_bound, output_dtype)

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dg):
        x, A_log, dt_bias = ctx.saved_tensors
        dx, dA, db = decay_gate_bwd(x, A_log, ctx.has_channels, dt_bias, dg, ctx.lower_bound)
        return dx, dA, None, db, None, None


def decay_gate(
    x: torch.Tensor,
    A_log: torch.Tensor,
    has_channels: bool,
    dt_bias: torch.Tensor | None = None,
    lower_bound: float | None = None,
    output_dtype: torch.dtype = torch.float,
) -> torch.Tensor:
    """`decay_gate_fwd`, differentiable in x, A_log and dt_bias; raises `ValueError` if their shapes do not fit together."""
    if A_log is None:
        raise ValueError('A_log is missing')
    _, HV, D, _ = _layout(x, has_channels)
    for name, tensor, size in (('A_log', A_log, HV), ('dt_bias', dt_bias, HV * D)):
        if tensor is not None and tensor.numel() != size:
            raise ValueError(f'{name} has to hold {size} numbers, got {tuple(tensor.shape)}')
    return DecayGateFunction.apply(x, A_log, has_channels, dt_bias, lower_bound, output_dtype)


def naive_decay_gate(
    x: torch.Tensor,
    A_log: torch.Tensor,
    has_channels: bool,
    dt_bias: torch.Tensor | None = None,
    lower_bound: float | None = None,
    output_dtype: torch.dtype = torch.float,
) -> torch.Tensor:
    """`decay_gate` in plain PyTorch."""
    _, HV, D, _ = _layout(x, has_channels)
    shape = (HV, D) if has_channels else (HV,)
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    x = x.to(dtype)
    rate = A_log.to(dtype).exp().view(HV, *[1] * (len(shape) - 1))
    if dt_bias is not None:
        x = x + dt_bias.to(dtype).view(shape)
    g = -rate * F.softplus(x) if lower_bound is None else lower_bound * torch.sigmoid(rate * x)
    return g.to(output_dtype)


def prepare_beta(beta: torch.Tensor, is_logit: bool, allow_neg_eigval: bool) -> torch.Tensor:
    """How much a delta rule replaces, from what a layer projects: a number below 1, or below 2 with negative eigenvalues."""
    if not is_logit:
        return beta
    return beta.sigmoid() * 2 if allow_neg_eigval else beta.sigmoid()
