# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Small functions of kernels that compute in fp32 whatever they are given, and the choice of block sizes."""

import os

import torch
import triton
import triton.language as tl

from fla.utils import IS_TF32_SUPPORTED, check_shared_mem

IS_INTERPRETED = tl.constexpr(os.getenv('TRITON_INTERPRET', '0') == '1')
# three products of TF32 parts come close to one of fp32, on tensor cores
FP32_PRECISION = tl.constexpr('tf32x3' if IS_TF32_SUPPORTED else 'ieee')
FINE_PRECISION = tl.constexpr('tf32' if IS_TF32_SUPPORTED else 'ieee')


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
    """`exp(x)` where the mask holds and 0 elsewhere; a masked value may be of any size."""
    return exp(tl.where(mask, x, float('-inf')))


@triton.jit
def dot(a, b):
    """`tl.dot` that sums in fp32 and keeps the precision of fp32 operands."""
    if IS_INTERPRETED:
        # the interpreter keeps bf16 as its bit pattern, and would multiply that
        a = a.to(tl.float32)
        b = b.to(tl.float32)
    return tl.dot(a, b, input_precision=FP32_PRECISION)


@triton.jit
def fine_dot(a, b, DTYPE: tl.constexpr):
    """`dot` of what goes with inputs of a type, in TF32 where that is of 16 bits.

    It has the bits of fp16 and the range of bf16, and more of them than differences of products of bf16 bear.
    """
    if IS_INTERPRETED:
        return dot(a.to(tl.float32), b.to(tl.float32))
    if DTYPE == tl.float32:
        return dot(a.to(tl.float32), b.to(tl.float32))
    return tl.dot(a.to(tl.float32), b.to(tl.float32), input_precision=FINE_PRECISION)


@triton.jit
def wide_dot(a, b, DTYPE: tl.constexpr):
    """`dot` of what goes with inputs of a type and may be far larger than they are: fp16 has no room for it."""
    if DTYPE == tl.float16:
        return fine_dot(a, b, DTYPE)
    return dot(operand(a, DTYPE), operand(b, DTYPE))


@triton.jit
def operand(x, DTYPE: tl.constexpr):
    """`x` in the type of what `dot` multiplies it with."""
    if IS_INTERPRETED:
        # the interpreter cuts bits off where a GPU rounds to bf16
        return x.to(tl.float32)
    return x.to(DTYPE)


@triton.jit
def rounded(x, DTYPE: tl.constexpr):
    """`x` in the type of what it is stored to."""
    if not IS_INTERPRETED:
        return x.to(DTYPE)
    if DTYPE == tl.bfloat16:
        # the interpreter cuts bits off where a GPU rounds to bf16
        b_bits = x.to(tl.float32).to(tl.int32, bitcast=True)
        b_bits += 0x7FFF + ((b_bits >> 16) & 1)
        x = b_bits.to(tl.float32, bitcast=True)
    return x.to(DTYPE)


@triton.jit
def locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT: tl.constexpr, IS_VARLEN: tl.constexpr):
    """Of the chunk `i_bt` of all sequences: its number in its own, where that begins, and how long that is."""
    if IS_VARLEN:
        i_n = tl.load(chunk_indices + i_bt * 2).to(tl.int64)
        i_t = tl.load(chunk_indices + i_bt * 2 + 1).to(tl.int64)
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        T = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos
    else:
        NT = tl.cdiv(T, BT)
        i_t = i_bt % NT
        bos = (i_bt // NT) * T
    return i_t, bos, T


def block_size(dim: int, dtype: torch.dtype, most: int = 64) -> int:
    """The power of two that covers `dim`, at least 16, as `tl.dot` asks, and at most what shared memory has room for.

    `most` is the bound for 16-bit types where shared memory is large; a kernel that holds few blocks can take 128.
    """
    limit = 32
    if dtype.itemsize <= 2 and check_shared_mem('ampere'):
        limit = most if check_shared_mem('hopper') else 64
    return max(16, min(triton.next_power_of_2(dim), limit))
