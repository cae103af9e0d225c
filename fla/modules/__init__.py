# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.modules.activations import logsigmoid, sigmoid, silu, swiglu, swish
from fla.modules.fused_norm_gate import (
    FusedLayerNormGated,
    FusedLayerNormSwishGate,
    FusedLayerNormSwishGateLinear,
    FusedRMSNormGated,
    FusedRMSNormSwishGate,
    FusedRMSNormSwishGateLinear,
    layer_norm_gated,
    rms_norm_gated,
)
from fla.modules.l2norm import L2Norm, l2norm
from fla.modules.layernorm import (
    GroupNorm,
    GroupNormLinear,
    LayerNorm,
    LayerNormLinear,
    RMSNorm,
    RMSNormLinear,
    group_norm,
    layer_norm,
    rms_norm,
)

__all__ = [
    'FusedLayerNormGated',
    'FusedLayerNormSwishGate',
    'FusedLayerNormSwishGateLinear',
    'FusedRMSNormGated',
    'FusedRMSNormSwishGate',
    'FusedRMSNormSwishGateLinear',
    'GroupNorm',
    'GroupNormLinear',
    'L2Norm',
    'LayerNorm',
    'LayerNormLinear',
    'RMSNorm',
    'RMSNormLinear',
    'group_norm',
    'l2norm',
    'layer_norm',
    'layer_norm_gated',
    'logsigmoid',
    'rms_norm',
    'rms_norm_gated',
    'sigmoid',
    'silu',
    'swiglu',
    'swish',
]
