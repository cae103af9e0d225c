# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""LayerNorm, RMSNorm and GroupNorm, which may add a residual first, alone and followed by a linear map."""

import torch
import torch.nn.functional as F
from torch import nn

from fla.modules.norm import NormOptions, naive_norm, norm

Result = torch.Tensor | tuple[torch.Tensor, torch.Tensor]


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-5,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
) -> Result:
    """x plus the residual, brought to mean 0 and variance 1 along the last dimension, times weight plus bias.

    Args:
        x (Tensor):
            Rows, `[..., hidden]`.
        weight (Tensor, Optional):
            Factors of the channels, `[hidden]`. Default: `None`.
        bias (Tensor, Optional):
            What is added to the channels, `[hidden]`. Default: `None`.
        residual (Tensor, Optional):
            What is added to x first, `[..., hidden]`. Default: `None`.
        eps (float, Optional):
            What is added to the variance. Default: `1e-5`.
        prenorm (bool, Optional):
            Return x plus the residual too, in the type of the residual. Default: `False`.
        residual_in_fp32 (bool, Optional):
            Return x in fp32 with `prenorm` where there is no residual. Default: `False`.
    """
    options = NormOptions(eps=eps, residual_in_fp32=residual_in_fp32)
    return norm(x, None, weight, bias, residual, options, prenorm)


def rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-5,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
) -> Result:
    """x plus the residual, brought to a mean square of 1 along the last dimension; the parameters are those of `layer_norm`."""
    options = NormOptions(eps=eps, is_rms_norm=True, residual_in_fp32=residual_in_fp32)
    return norm(x, None, weight, bias, residual, options, prenorm)


def group_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-5,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    is_rms_norm: bool = False,
    num_groups: int = 1,
) -> Result:
    """`layer_norm`, or `rms_norm`, of each of the groups that the channels of the last dimension are cut into.

    Args:
        x (Tensor):
            Rows, `[..., hidden]`.
        weight (Tensor, Optional):
            Factors of the channels, `[hidden]`. Default: `None`.
        bias (Tensor, Optional):
            What is added to the channels, `[hidden]`. Default: `None`.
        residual (Tensor, Optional):
            What is added to x first, `[..., hidden]`. Default: `None`.
        eps (float, Optional):
            What is added to the variance. Default: `1e-5`.
        prenorm (bool, Optional):
            Return x plus the residual too, in the type of the residual. Default: `False`.
        residual_in_fp32 (bool, Optional):
            Return x in fp32 with `prenorm` where there is no residual. Default: `False`.
        is_rms_norm (bool, Optional):
            Leave the mean as it is. Default: `False`.
        num_groups (int, Optional):
            The number of groups, a divisor of `hidden`. Default: `1`.
    """
    options = NormOptions(eps=eps, num_groups=num_groups, is_rms_norm=is_rms_norm, residual_in_fp32=residual_in_fp32)
    return norm(x, None, weight, bias, residual, options, prenorm)


def naive_layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-5,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
) -> Result:
    """`layer_norm` in plain PyTorch."""
    options = NormOptions(eps=eps, residual_in_fp32=residual_in_fp32)
    return naive_norm(x, None, weight, bias, residual, options, prenorm)


def naive_rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-5,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
) -> Result:
    """`rms_norm` in plain PyTorch."""
    options = NormOptions(eps=eps, is_rms_norm=True, residual_in_fp32=residual_in_fp32)
    return naive_norm(x, None, weight, bias, residual, options, prenorm)


def naive_group_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-5,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    is_rms_norm: bool = False,
    num_groups: int = 1,
) -> Result:
    """`group_norm` in plain PyTorch."""
    options = NormOptions(eps=eps, num_groups=num_groups, is_rms_norm=is_rms_norm, residual_in_fp32=residual_in_fp32)
    return naive_norm(x, None, weight, bias, residual, options, prenorm)


class NormBase(nn.Module):
    """The parameters of a norm, `weight` of ones and `bias` of zeros, `[hidden_size]`, each `None` where there is none."""

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool = True,
        bias: bool = False,
        eps: float = 1e-5,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.elementwise_affine = elementwise_affine
        self.eps = eps
        has_bias = elementwise_affine and bias
        options = {'device': device, 'dtype': dtype}
        self.register_parameter('weight', nn.Parameter(torch.empty(hidden_size, **options)) if elementwise_affine else None)
        self.register_parameter('bias', nn.Parameter(torch.empty(hidden_size, **options)) if has_bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Make the norm start as one without parameters."""
        if self.weight is not None:
            nn.init.ones_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def extra_repr(self) -> str:
        return f'{self.hidden_size}, elementwise_affine={self.elementwise_affine}, eps={self.eps}'


class LayerNorm(NormBase):
    """`layer_norm` with parameters."""

    def forward(self, x, residual=None, prenorm=False, residual_in_fp32=False) -> Result:
        return layer_norm(x, self.weight, self.bias, residual, self.eps, prenorm, residual_in_fp32)


class RMSNorm(NormBase):
    """`rms_norm` with parameters."""

    def forward(self, x, residual=None, prenorm=False, residual_in_fp32=False) -> Result:
        return rms_norm(x, self.weight, self.bias, residual, self.eps, prenorm, residual_in_fp32)


class GroupNorm(NormBase):
    """`group_norm` with parameters."""

    def __init__(
        self,
        num_groups: int,
        hidden_size: int,
        elementwise_affine: bool = True,
        bias: bool = False,
        eps: float = 1e-5,
        is_rms_norm: bool = False,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        if hidden_size % num_groups:
            raise ValueError(f'{hidden_size} channels are no {num_groups} groups of one size')
        super().__init__(hidden_size, elementwise_affine, bias, eps, device, dtype)
        self.num_groups = num_groups
        self.is_rms_norm = is_rms_norm

    def forward(self, x, residual=None, prenorm=False, residual_in_fp32=False) -> Result:
        return group_norm(
            x,
            self.weight,
            self.bias,
            residual,
            self.eps,
            prenorm,
            residual_in_fp32,
            self.is_rms_norm,
            self.num_groups,
        )

    def extra_repr(self) -> str:
        return f'{self.num_groups}, {super().extra_repr()}, is_rms_norm={self.is_rms_norm}'


def linear_after(result: Result, weight: torch.Tensor, bias: torch.Tensor | None) -> Result:
    """A linear map, `[out, hidden]`, of what a norm returned; the sum that came with it stays beside it."""
    if isinstance(result, tuple):
        return linear_after(result[0], weight, bias), result[1]
    return F.linear(result, weight.to(result.dtype), bias.to(result.dtype) if bias is not None else None)


class LayerNormLinear(LayerNorm):
    """`LayerNorm`, then a linear map whose weight `[out, hidden_size]` and bias `[out]` are given at the call."""

    def forward(self, x, weight, bias, residual=None, prenorm=False, residual_in_fp32=False) -> Result:
        return linear_after(super().forward(x, residual, prenorm, residual_in_fp32), weight, bias)


class RMSNormLinear(RMSNorm):
    """`RMSNorm`, then a linear map whose weight `[out, hidden_size]` and bias `[out]` are given at the call."""

    def forward(self, x, weight, bias, residual=None, prenorm=False, residual_in_fp32=False) -> Result:
        return linear_after(super().forward(x, residual, prenorm, residual_in_fp32), weight, bias)


class GroupNormLinear(GroupNorm):
    """`GroupNorm`, then a linear map whose weight `[out, hidden_size]` and bias `[out]` are given at the call."""

    def forward(self, x, weight, bias, residual=None, prenorm=False, residual_in_fp32=False) -> Result:
        return linear_after(super().forward(x, residual, prenorm, residual_in_fp32), weight, bias)
