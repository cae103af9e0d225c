# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The softplus of kernels."""

import triton
import triton.language as tl

from fla.ops.utils.op import exp, log


@triton.jit
def softplus(x):
    """`log(1 + exp(x))` in fp32, whose relative error stays small at both ends; its derivative is `sigmoid(x)`."""
    b_x = x.to(tl.float32)
    b_y = exp(-tl.abs(b_x))
    b_u = 1 + b_y
    # log(u) / (u - 1) makes up for the digits of y that u has lost
    b_tail = tl.where(b_u == 1, b_y, log(b_u) * (b_y / tl.where(b_u == 1, 1, b_u - 1)))
    return tl.maximum(b_x, 0) + b_tail
