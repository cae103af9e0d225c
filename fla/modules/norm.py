# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What all norms have in common: x and a residual added, brought to a variance or a mean square of 1, scaled, shifted, gated."""

from dataclasses import dataclass

import torch
import triton
from torch.autograd.function import once_differentiable

from fla.ops.common.norm import norm_bwd_kernel, norm_fwd_kernel
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, get_multiprocessor_count, input_guard

# what a program holds at once
MAX_BYTES = 65536
MAX_ROWS = 32
BLOCK = 4096
# enough to keep a multiprocessor busy; each leaves a row of sums for the gradients of the parameters
PROGRAMS_PER_MULTIPROCESSOR = 4
ACTIVATIONS = ('swish', 'silu', 'sigmoid')


@dataclass(frozen=True)
class NormOptions:
    """How rows are brought to a size; `activation` is that of the gate."""

    eps: float = 1e-5
    num_groups: int = 1
    is_rms_norm: bool = False
    activation: str = 'swish'
    residual_in_fp32: bool = False

    def __post_init__(self):
        if self.activation not in ACTIVATIONS:
            raise ValueError(f'activation has to be one of {", ".join(ACTIVATIONS)}, got {self.activation!r}')


def _check(x, gate, weight, bias, residual, options: NormOptions) -> None:
    """Say what does not fit x, `[..., hidden]`."""
    hidden = x.shape[-1]
    if hidden == 0 or hidden % options.num_groups:
        raise ValueError(f'{hidden} channels are no {options.num_groups} groups of one size')
    for name, tensor, shape in (
        ('g', gate, x.shape), ('residual', residual, x.shape), ('weight', weight, (hidden,)), ('bias', bias, (hidden,)),
    ):
        if tensor is not None and tensor.shape != shape:
            raise ValueError(f'{name} has to be of shape {tuple(shape)}, got {tuple(tensor.shape)}')
    most = MAX_BYTES // x.element_size()
    if hidden // options.num_groups > most:
        raise ValueError(f'a row of {hidden // options.num_groups} elements does not fit into a block of {most}')


def _layout(x: torch.Tensor, num_groups: int) -> tuple[int, int, int, int]:
    """Steps, channels of a group, and the rows and columns of a block."""
    D = x.shape[-1] // num_groups
    BD = triton.next_power_of_2(D)
    return x.numel() // x.shape[-1], D, max(1, min(MAX_ROWS, BLOCK // BD)), BD


def _dtype_of_sum(x: torch.Tensor, residual: torch.Tensor | None, residual_in_fp32: bool) -> torch.dtype:
    if residual is not None:
        return residual.dtype
    return torch.float if residual_in_fp32 else x.dtype


def norm_fwd(
    x: torch.Tensor,
    gate: torch.Tensor | None,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None,
    options: NormOptions,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, torch.Tensor]:
    """The result, x plus the residual, and per group the mean, unless it is an RMS norm, and one over the deviation in fp32."""
    G = options.num_groups
    T, D, BT, BD = _layout(x, G)
    y = torch.empty_like(x)
    dtype = _dtype_of_sum(x, residual, options.residual_in_fp32)
    is_kept = residual is None and dtype == x.dtype
    total = x if is_kept else torch.empty_like(x, dtype=dtype)
    rstd = x.new_empty(*x.shape[:-1], G, dtype=torch.float)
    mean = None if options.is_rms_norm else torch.empty_like(rstd)
    if T == 0:
        return y, total, mean, rstd
    norm_fwd_kernel[(triton.cdiv(T, BT) * G,)](
        x=x,
        residual=residual,
        weight=weight,
        bias=bias,
        gate=gate,
        y=y,
        total=None if is_kept else total,
        mean=mean,
        rstd=rstd,
        eps=options.eps,
        T=T,
        G=G,
        D=D,
        BT=BT,
        BD=BD,
        IS_SIGMOID=options.activation == 'sigmoid',
    )
    return y, total, mean, rstd


def norm_bwd(
    total: torch.Tensor,
    gate: torch.Tensor | None,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor | None,
    rstd: torch.Tensor,
    dy: torch.Tensor,
    dtotal: torch.Tensor | None,
    residual_dtype: torch.dtype | None,
    options: NormOptions,
) -> tuple[torch.Tensor | None, ...]:
    """The gradients of x, of the gate, the weight, the bias and the residual, from that of the result, of the type of x, and of the sum."""
    G = options.num_groups
    T, D, BT, BD = _layout(total, G)
    NT = triton.cdiv(T, BT)
    n_programs = PROGRAMS_PER_MULTIPROCESSOR * get_multiprocessor_count(total.device.index or 0)
    NS = max(1, triton.cdiv(NT * G, n_programs))
    NB = triton.cdiv(NT, NS)
    dx = torch.empty_like(dy)
    has_own_type = residual_dtype not in (None, dx.dtype)
    dresidual = torch.empty_like(dx, dtype=residual_dtype) if has_own_type else None
    dgate = torch.empty_like(gate) if gate is not None else None
    # one row of sums a program
    dweight, dbias = (
        total.new_empty(NB, G * D, dtype=torch.float) if one is not None else None for one in (weight, bias)
    )
    if T > 0:
        norm_bwd_kernel[(NB * G,)](
            total=total,
            weight=weight,
            bias=bias,
            gate=gate,
            mean=mean,
            rstd=rstd,
            dy=dy,
            dtotal=dtotal,
            dx=dx,
            dresidual=dresidual,
            dgate=dgate,
            dweight=dweight,
            dbias=dbias,
            T=T,
            NS=NS,
            G=G,
            D=D,
            BT=BT,
            BD=BD,
            IS_SIGMOID=options.activation == 'sigmoid',
        )
    dweight = dweight.sum(0).to(weight.dtype) if weight is not None else None
    dbias = dbias.sum(0).to(bias.dtype) if bias is not None else None
    return dx, dgate, dweight, dbias, dx if residual_dtype == dx.dtype else dresidual


class NormFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, gate, weight, bias, residual, options):
        ctx.set_materialize_grads(False)
        y, total, mean, rstd = norm_fwd(x, gate, weight, bias, residual, options)
        # a sum that was rounded to a narrower type than that of x is too coarse for the gradients
        is_coarse = total.dtype != torch.promote_types(x.dtype, total.dtype)
        ctx.save_for_backward(x + residual if is_coarse else total, gate, weight, bias, mean, rstd)
        ctx.residual_dtype = total.dtype if residual is not None else None
        ctx.dtype = x.dtype
        ctx.options = options
        return y, total

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy, dtotal):
        total, gate, weight, bias, mean, rstd = ctx.saved_tensors
        if dy is None:
            dy = torch.zeros_like(total, dtype=ctx.dtype)
        dx, dgate, dweight, dbias, dresidual = norm_bwd(
            total, gate, weight, bias, mean, rstd, dy, dtotal, ctx.residual_dtype, ctx.options,
        )
        return dx, dgate, dweight, dbias, dresidual, None


def norm(
    x: torch.Tensor,
    gate: torch.Tensor | None,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None,
    options: NormOptions,
    prenorm: bool,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """norm(x + residual) weight + bias, times the gate's activation; x, gate and residual are `[..., hidden]`, the rest `[hidden]`.

    With `prenorm` x + residual comes too, in the type of the residual or, without one, in fp32 or that of x.
    """
    _check(x, gate, weight, bias, residual, options)
    y, total = NormFunction.apply(x, gate, weight, bias, residual, options)
    return (y, total) if prenorm else y


def naive_norm(
    x: torch.Tensor,
    gate: torch.Tensor | None,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None,
    options: NormOptions,
    prenorm: bool,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """`norm` in plain PyTorch."""
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    total = x.to(dtype) if residual is None else x.to(dtype) + residual.to(dtype)
    rows = total.unflatten(-1, (options.num_groups, -1))
    if not options.is_rms_norm:
        rows = rows - rows.mean(-1, keepdim=True)
    y = (rows * (rows.square().mean(-1, keepdim=True) + options.eps).rsqrt()).flatten(-2)
    if weight is not None:
        y = y * weight.to(dtype)
    if bias is not None:
        y = y + bias.to(dtype)
    if gate is not None:
        factor = gate.to(dtype).sigmoid()
        y = y * (factor if options.activation == 'sigmoid' else factor * gate.to(dtype))
    y = y.to(x.dtype)
    return (y, total.to(_dtype_of_sum(x, residual, options.residual_in_fp32))) if prenorm else y
