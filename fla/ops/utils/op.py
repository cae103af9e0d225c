# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Exponentials and logarithms that compute in fp32 whatever they are given, and the choice of block sizes."""

import triton
import triton.language as tl


@triton.jit
def exp(x):
    return tl.exp(x.to(tl.float32))


@triton.jit
def exp2(x):
    return tl.exp2(x.to(tl.float32))


@triton.jit
def log(x):
    return tl.log(x.to(tl.float32))


@triton.jit
def log2(x):
    return tl.log2(x.to(tl.float32))


@triton.jit
def masked_exp(x, mask):
    """`exp(x)` where the mask holds and 0 elsewhere, with no exponential of a masked value."""
    return tl.where(mask, exp(tl.where(mask, x, 0.)), 0.)


def block_size(dim: int, limit: int) -> int:
    """The power of two that covers `dim`, at least 16, as `tl.dot` asks, and at most `limit`."""
    return max(16, min(triton.next_power_of_2(dim), limit))
