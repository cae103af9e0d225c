# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The sigmoid and the swish of kernels, and their derivatives."""

import triton
import triton.language as tl


@triton.jit
def sigmoid_or_swish(x, IS_SIGMOID: tl.constexpr):
    """`sigmoid(x)`, or x times that, in fp32."""
    b_x = x.to(tl.float32)
    b_s = tl.sigmoid(b_x)
    return b_s if IS_SIGMOID else b_x * b_s


@triton.jit
def slope_of_sigmoid_or_swish(x, IS_SIGMOID: tl.constexpr):
    """The derivative of `sigmoid_or_swish`, in fp32."""
    b_x = x.to(tl.float32)
    b_s = tl.sigmoid(b_x)
    # one minus the sigmoid, with the digits that the difference loses
    b_r = tl.sigmoid(-b_x)
    return b_s * b_r if IS_SIGMOID else b_s * (1 + b_x * b_r)
