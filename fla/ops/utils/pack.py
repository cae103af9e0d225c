# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Padded sequences end to end, and back."""

import math

import torch
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import prepare_lens
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, autotune_cache_kwargs, input_guard

PADDING_SIDES = ('left', 'right')


@fla_cache_autotune(
    configs=[triton.Config({'BT': BT, 'BD': BD}, num_warps=4) for BT, BD in ((16, 64), (8, 256), (64, 64))],
    key=['D', 'PAD_LEFT', 'IS_UNPACKING'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def pack_sequence_fwd_kernel_rows(
    padded,
    packed,
    cu_seqlens,
    T,
    D: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
    PAD_LEFT: tl.constexpr,
    IS_UNPACKING: tl.constexpr,
):
    i_nt = tl.program_id(0).to(tl.int64)
    i_d = tl.program_id(1).to(tl.int64)
    T = tl.cast(T, tl.int64)
    NT = tl.cdiv(T, BT)
    i_n, i_t = i_nt // NT, i_nt % NT
    bos = tl.load(cu_seqlens + i_n).to(tl.int64)
    length = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos

    o_t = i_t * BT + tl.arange(0, BT)
    o_d = i_d * BD + tl.arange(0, BD)
    # the position in the sequence
    o_s = o_t - (T - length) if PAD_LEFT else o_t
    m_d = (o_d < D)[None, :]
    m_t = (o_t < T)[:, None] & m_d
    m_s = m_t & ((o_s >= 0) & (o_s < length))[:, None]
    p_padded = padded + (i_n * T + o_t)[:, None] * D + o_d[None, :]
    p_packed = packed + (bos + o_s)[:, None] * D + o_d[None, :]
    if IS_UNPACKING:
        # what is no part of the sequence becomes 0
        tl.store(p_padded, tl.load(p_packed, mask=m_s, other=0), mask=m_t)
    else:
        tl.store(p_packed, tl.load(p_padded, mask=m_s, other=0), mask=m_s)


def _copy(padded: torch.Tensor, packed: torch.Tensor, cu_seqlens: torch.Tensor, padding_side: str, is_unpacking: bool) -> None:
    N, T, D = *padded.shape[:2], math.prod(padded.shape[2:])
    if padded.numel() == 0:
        return
    pack_sequence_fwd_kernel_rows[lambda meta: (N * triton.cdiv(T, meta['BT']), triton.cdiv(D, meta['BD']))](
        padded=padded,
        packed=packed,
        cu_seqlens=cu_seqlens,
        T=T,
        D=D,
        PAD_LEFT=padding_side == 'left',
        IS_UNPACKING=is_unpacking,
    )


def _pack(x: torch.Tensor, cu_seqlens: torch.Tensor, padding_side: str, total: int) -> torch.Tensor:
    packed = x.new_empty(total, *x.shape[2:])
    _copy(x, packed, cu_seqlens, padding_side, False)
    return packed


def _unpack(x: torch.Tensor, cu_seqlens: torch.Tensor, padding_side: str, shape: torch.Size) -> torch.Tensor:
    padded = x.new_empty(shape)
    _copy(padded, x, cu_seqlens, padding_side, True)
    return padded


class PackSequenceFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, cu_seqlens, padding_side, total):
        ctx.save_for_backward(cu_seqlens)
        ctx.padding_side = padding_side
        ctx.shape = x.shape
        return _pack(x, cu_seqlens, padding_side, total)

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy):
        cu_seqlens, = ctx.saved_tensors
        return _unpack(dy, cu_seqlens, ctx.padding_side, ctx.shape), None, None, None


class UnpackSequenceFunction(torch.autograd.Function):

    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, cu_seqlens, padding_side, shape):
        ctx.save_for_backward(cu_seqlens)
        ctx.padding_side = padding_side
        ctx.total = x.shape[0]
        return _unpack(x, cu_seqlens, padding_side, shape)

    @staticmethod
    @once_differentiable
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy):
        cu_seqlens, = ctx.saved_tensors
        return _pack(dy, cu_seqlens, ctx.padding_side, ctx.total), None, None, None


def _measure(cu_seqlens: torch.Tensor, padding_side: str) -> tuple[int, int, int]:
    """The number of sequences, their length in all, and that of the longest; waits for the device once."""
    if padding_side not in PADDING_SIDES:
        raise ValueError(f'padding_side has to be left or right, got {padding_side!r}')
    N = len(cu_seqlens) - 1
    if N < 1:
        return 0, 0, 0
    total, longest = torch.stack([cu_seqlens[-1], prepare_lens(cu_seqlens).max()]).tolist()
    return N, total, longest


@input_guard
def pack_sequence(x: torch.Tensor, cu_seqlens: torch.Tensor, padding_side: str = 'left') -> torch.Tensor:
    """Lay padded sequences end to end, without the padding.

    Args:
        x (Tensor):
            Padded sequences, `[N, T, ...]`.
        cu_seqlens (Tensor):
            Offsets `[N+1]` of the sequences in the result.
        padding_side (str, Optional):
            The side of the padding in `x`, `left` or `right`. Default: `'left'`.

    Returns:
        y (Tensor):
            The sequences, `[cu_seqlens[-1], ...]`.
    """
    N, total, longest = _measure(cu_seqlens, padding_side)
    if x.dim() < 2 or x.shape[0] != N or x.shape[1] < longest:
        raise ValueError(f'{N} sequences of up to {longest} steps do not fit into the shape {tuple(x.shape)}')
    return PackSequenceFunction.apply(x, cu_seqlens, padding_side, total)


@input_guard
def unpack_sequence(
    x: torch.Tensor,
    cu_seqlens: torch.Tensor,
    padding_side: str = 'left',
    desired_shape: torch.Size | None = None,
) -> torch.Tensor:
    """Undo `pack_sequence`: one row a sequence, padded with zeros.

    Args:
        x (Tensor):
            Sequences end to end, `[cu_seqlens[-1], ...]`.
        cu_seqlens (Tensor):
            Offsets `[N+1]` of the sequences.
        padding_side (str, Optional):
            The side to pad, `left` or `right`. Default: `'left'`.
        desired_shape (torch.Size, Optional):
            The shape of the result, if it is to be longer than the longest sequence. Default: `None`.

    Returns:
        y (Tensor):
            Padded sequences, `[N, T, ...]`.
    """
    N, total, longest = _measure(cu_seqlens, padding_side)
    if x.shape[0] != total:
        raise ValueError(f'the sequences have {total} steps in all, but x has {x.shape[0]}')
    shape = torch.Size(desired_shape) if desired_shape is not None else torch.Size((N, longest, *x.shape[1:]))
    if shape[0] != N or shape[1] < longest or shape[2:] != x.shape[1:]:
        raise ValueError(f'{N} sequences of up to {longest} steps do not fit into the shape {tuple(shape)}')
    return UnpackSequenceFunction.apply(x, cu_seqlens, padding_side, shape)
