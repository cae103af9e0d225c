# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Activations, element by element and computed in fp32, and their gradients, which keep only the inputs."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.sigmoid import sigmoid_or_swish, slope_of_sigmoid_or_swish
from fla.ops.utils.softplus import softplus
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, autotune_cache_kwargs, input_guard

# 8 or 16 elements a thread, which are loads of 16 bytes or more
ELEMENT_CONFIGS = [triton.Config({'BN': BN}, num_warps=num_warps) for BN, num_warps in ((1024, 4), (2048, 4), (4096, 8))]


@fla_cache_autotune(configs=ELEMENT_CONFIGS, key=['IS_LOG', 'IS_SIGMOID'], **autotune_cache_kwargs)
@triton.jit
def activation_fwd_kernel(
    x,
    y,
    scale,
    N,
    IS_LOG: tl.constexpr,
    IS_SIGMOID: tl.constexpr,
    BN: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    o_n = i_n * BN + tl.arange(0, BN)
    m_n = o_n < N
    b_x = tl.load(x + o_n, mask=m_n, other=0).to(tl.float32)
    b_y = -softplus(-b_x) * scale if IS_LOG else sigmoid_or_swish(b_x, IS_SIGMOID)
    tl.store(y + o_n, b_y.to(y.dtype.element_ty), mask=m_n)


@fla_cache_autotune(configs=ELEMENT_CONFIGS, key=['IS_LOG', 'IS_SIGMOID'], **autotune_cache_kwargs)
@triton.jit
def activation_bwd_kernel(
    x,
    dy,
    dx,
    scale,
    N,
    IS_LOG: tl.constexpr,
    IS_SIGMOID: tl.constexpr,
    BN: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    o_n = i_n * BN + tl.arange(0, BN)
    m_n = o_n < N
    b_x = tl.load(x + o_n, mask=m_n, other=0).to(tl.float32)
    b_dy = tl.load(dy + o_n, mask=m_n, other=0).to(tl.float32)
    b_slope = tl.sigmoid(-b_x) * scale if IS_LOG else slope_of_sigmoid_or_swish(b_x, IS_SIGMOID)
    tl.store(dx + o_n, (b_dy * b_slope).to(dx.dtype.element_ty), mask=m_n)


@fla_cache_autotune(configs=ELEMENT_CONFIGS, key=[], **autotune_cache_kwargs)
@triton.jit
def swiglu_fwd_kernel(
    x,
    y,
    o,
    N,
    BN: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    o_n = i_n * BN + tl.arange(0, BN)
    m_n = o_n < N
    b_x = tl.load(x + o_n, mask=m_n, other=0).to(tl.float32)
    b_y = tl.load(y + o_n, mask=m_n, other=0).to(tl.float32)
    tl.store(o + o_n, (sigmoid_or_swish(b_x, False) * b_y).to(o.dtype.element_ty), mask=m_n)


@fla_cache_autotune(configs=ELEMENT_CONFIGS, key=[], **autotune_cache_kwargs)
@triton.jit
def swiglu_bwd_kernel(
    x,
    y,
    do,
    dx,
    dy,
    N,
    BN: tl.constexpr,
):
    i_n = tl.program_id(0).to(tl.int64)
    o_n = i_n * BN + tl.arange(0, BN)
    m_n = o_n < N
    b_x = tl.load(x + o_n, mask=m_n, other=0).to(tl.float32)
    b_y = tl.load(y + o_n, mask=m_n, other=0).to(tl.float32)
    b_do = tl.load(do + o_n, mask=m_n, other=0).to(tl.float32)
    b_dx = b_do * b_y * slope_of_sigmoid_or_swish(b_x, False)
    tl.store(dx + o_n, b_dx.to(dx.dtype.element_ty), mask=m_n)
    tl.store(dy + o_n, (b_do * sigmoid_or_swish(b_x, False)).to(dy.dtype.element_ty), mask=m_n)


def _grid(N: int):
    return lambda meta: (triton.cdiv(N, meta['BN']),)


def activation_fwd(x: torch.Tensor, activation: str, scale: float = 1.) -> torch.Tensor:
    """`sigmoid`, `swish` or, times a scale, `logsigmoid` of x, in its type."""
    y = torch.empty_like(x)
    N = x.numel()
    if N:
        activation_fwd_kernel[_grid(N)](
            x=x,
            y=y,
            scale=scale,
            N=N,
            IS_LOG=activation == 'logsigmoid',
            IS_SIGMOID=activation == 'sigmoid',
        )
    return y


def activation_bwd(x: torch.Tensor, dy: torch.Tensor, activation: str, scale: float = 1.) -> torch.Tensor:
    """The gradient of x from that of what `activation_fwd` returned."""
    dx = torch.empty_like(x)
    N = x.numel()
    if N:
        activation_bwd_kernel[_grid(N)](
            x=x,
            dy=dy,
            dx=dx,
            scale=scale,
            N=N,
            IS_LOG=activation == 'logsigmoid',
            IS_SIGMOID=activation == 'sigmoid',
        )
    return dx


def swiglu_fwd(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """`swish(x) * y`, in the wider of the two types."""
    if x.shape != y.shape:
        raise ValueError(f'x and y have to be of one shape, got {tuple(x.shape)} and {tuple(y.shape)}')
    o = torch.empty_like(x, dtype=torch.promote_types(x.dtype, y.dtype))
    N = x.numel()
    if N:
        swiglu_fwd_kernel[_grid(N)](x=x, y=y, o=o, N=N)
    return o


def swiglu_bwd(x: torch.Tensor, y: torch.Tensor, do: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of x and y from that of what `swiglu_fwd` returned."""
    dx, dy = torch.empty_like(x), torch.empty_like(y)
    N = x.numel()
    if N:
        swiglu_bwd_kernel[_grid(N)](x=x, y=y, do=do, dx=dx, dy=dy, N=N)
    return dx, dy


class ActivationFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, activation, scale):
        ctx.save_for_backward(x)
        ctx.activation = activation
        ctx.scale = scale
        return activation_fwd(x, activation, scale)

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy):
        x, = ctx.saved_tensors
        return activation_bwd(x, dy, ctx.activation, ctx.scale), None, None


class SwiGLUFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return swiglu_fwd(x, y)

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, do):
        x, y = ctx.saved_tensors
        return swiglu_bwd(x, y, do)


def sigmoid(x: torch.Tensor) -> torch.Tensor:
    """1 / (1 + exp(-x)), in the type of x."""
    return ActivationFunction.apply(x, 'sigmoid', 1.)


def logsigmoid(x: torch.Tensor, temperature: float = 1.) -> torch.Tensor:
    """log(sigmoid(x)) / temperature, in the type of x.

    Args:
        x (Tensor):
            Numbers, of any shape.
        temperature (float, Optional):
            What the result is divided by. Default: `1.`.
    """
    return ActivationFunction.apply(x, 'logsigmoid', 1. / temperature)


def swish(x: torch.Tensor) -> torch.Tensor:
    """x sigmoid(x), in the type of x; also called `silu`."""
    return ActivationFunction.apply(x, 'swish', 1.)


silu = swish


def swiglu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """swish(x) y, for x and y of one shape, in the wider of their types."""
    return SwiGLUFunction.apply(x, y)


def _widen(x: torch.Tensor) -> torch.Tensor:
    return x if x.dtype == torch.float64 else x.float()


def naive_sigmoid(x: torch.Tensor) -> torch.Tensor:
    """`sigmoid` in plain PyTorch."""
    return torch.sigmoid(_widen(x)).to(x.dtype)


def naive_logsigmoid(x: torch.Tensor, temperature: float = 1.) -> torch.Tensor:
    """`logsigmoid` in plain PyTorch."""
    return (F.logsigmoid(_widen(x)) / temperature).to(x.dtype)


def naive_swish(x: torch.Tensor) -> torch.Tensor:
    """`swish` in plain PyTorch."""
    return (_widen(x) * torch.sigmoid(_widen(x))).to(x.dtype)


def naive_swiglu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """`swiglu` in plain PyTorch."""
    return (_widen(x) * torch.sigmoid(_widen(x)) * _widen(y)).to(torch.promote_types(x.dtype, y.dtype))
