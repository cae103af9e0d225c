# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""LayerNorm and RMSNorm times the activation of a gate, in one kernel, alone and followed by a linear map."""

import torch

from fla.modules.layernorm import NormBase, Result, linear_after
from fla.modules.norm import NormOptions, naive_norm, norm


def layer_norm_gated(
    x: torch.Tensor,
    g: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    activation: str = 'swish',
    residual: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    eps: float = 1e-5,
) -> Result:
    """`layer_norm` of x times the activation of g.

    Args:
        x (Tensor):
            Rows, `[..., hidden]`.
        g (Tensor):
            Gates, `[..., hidden]`.
        weight (Tensor, Optional):
            Factors of the channels, `[hidden]`. Default: `None`.
        bias (Tensor, Optional):
            What is added to the channels, `[hidden]`. Default: `None`.
        activation (str, Optional):
            `swish`, which is also called `silu`, or `sigmoid`. Default: `swish`.
        residual (Tensor, Optional):
            What is added to x first, `[..., hidden]`. Default: `None`.
        prenorm (bool, Optional):
            Return x plus the residual too, in the type of the residual. Default: `False`.
        residual_in_fp32 (bool, Optional):
            Return x in fp32 with `prenorm` where there is no residual. Default: `False`.
        eps (float, Optional):
            What is added to the variance. Default: `1e-5`.
    """
    options = NormOptions(eps=eps, activation=activation, residual_in_fp32=residual_in_fp32)
    return norm(x, g, weight, bias, residual, options, prenorm)


def rms_norm_gated(
    x: torch.Tensor,
    g: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    activation: str = 'swish',
    residual: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    eps: float = 1e-5,
) -> Result:
    """`rms_norm` of x times the activation of g; the parameters are those of `layer_norm_gated`."""
    options = NormOptions(eps=eps, is_rms_norm=True, activation=activation, residual_in_fp32=residual_in_fp32)
    return norm(x, g, weight, bias, residual, options, prenorm)


def naive_layer_norm_gated(
    x: torch.Tensor,
    g: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    activation: str = 'swish',
    residual: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    eps: float = 1e-5,
) -> Result:
    """`layer_norm_gated` in plain PyTorch."""
    options = NormOptions(eps=eps, activation=activation, residual_in_fp32=residual_in_fp32)
    return naive_norm(x, g, weight, bias, residual, options, prenorm)


def naive_rms_norm_gated(
    x: torch.Tensor,
    g: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    activation: str = 'swish',
    residual: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    eps: float = 1e-5,
) -> Result:
    """`rms_norm_gated` in plain PyTorch."""
    options = NormOptions(eps=eps, is_rms_norm=True, activation=activation, residual_in_fp32=residual_in_fp32)
    return naive_norm(x, g, weight, bias, residual, options, prenorm)


class GatedNormBase(NormBase):
    """A norm times the activation of a gate; its kind says whether the mean is taken away."""

    is_rms_norm: bool

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool,
        bias: bool,
        activation: str,
        eps: float,
        device: torch.device | None,
        dtype: torch.dtype | None,
    ):
        super().__init__(hidden_size, elementwise_affine, bias, eps, device, dtype)
        # an activation that there is not is told now
        NormOptions(activation=activation)
        self.activation = activation

    def forward(
        self,
        x: torch.Tensor,
        g: torch.Tensor,
        residual: torch.Tensor | None = None,
        prenorm: bool = False,
        residual_in_fp32: bool = False,
    ) -> Result:
        form = rms_norm_gated if self.is_rms_norm else layer_norm_gated
        return form(x, g, self.weight, self.bias, self.activation, residual, prenorm, residual_in_fp32, self.eps)

    def extra_repr(self) -> str:
        return f'{super().extra_repr()}, activation={self.activation}'


class FusedLayerNormGated(GatedNormBase):
    """`layer_norm_gated` with parameters."""

    is_rms_norm = False

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool = True,
        bias: bool = False,
        activation: str = 'swish',
        eps: float = 1e-5,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(hidden_size, elementwise_affine, bias, activation, eps, device, dtype)


class FusedRMSNormGated(GatedNormBase):
    """`rms_norm_gated` with a weight."""

    is_rms_norm = True

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool = True,
        eps: float = 1e-5,
        activation: str = 'swish',
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(hidden_size, elementwise_affine, False, activation, eps, device, dtype)


class FusedLayerNormSwishGate(FusedLayerNormGated):
    """`FusedLayerNormGated` with swish."""

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool = True,
        bias: bool = False,
        eps: float = 1e-5,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(hidden_size, elementwise_affine, bias, 'swish', eps, device, dtype)


class FusedRMSNormSwishGate(FusedRMSNormGated):
    """`FusedRMSNormGated` with swish."""

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool = True,
        eps: float = 1e-5,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(hidden_size, elementwise_affine, eps, 'swish', device, dtype)


class FusedLayerNormSwishGateLinear(FusedLayerNormGated):
    """`FusedLayerNormSwishGate` without bias, then a linear map whose weight `[out, hidden_size]` and bias `[out]` are given at the call."""

    def __init__(
        self,
        hidden_size: int,
        elementwise_affine: bool = True,
        eps: float = 1e-5,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(hidden_size, elementwise_affine, False, 'swish', eps, device, dtype)

    def forward(
        self,
        x: torch.Tensor,
        g: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None = None,
        residual: torch.Tensor | None = None,
        prenorm: bool = False,
        residual_in_fp32: bool = False,
    ) -> Result:
        return linear_after(super().forward(x, g, residual, prenorm, residual_in_fp32), weight, bias)


class FusedRMSNormSwishGateLinear(FusedRMSNormSwishGate):
    """`FusedRMSNormSwishGate`, then a linear map whose weight `[out, hidden_size]` and bias `[out]` are given at the call."""

    def forward(
        self,
        x: torch.Tensor,
        g: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None = None,
        residual: torch.Tensor | None = None,
        prenorm: bool = False,
        residual_in_fp32: bool = False,
    ) -> Result:
        return linear_after(super().forward(x, g, residual, prenorm, residual_in_fp32), weight, bias)
