# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The inverses of the unit lower triangular matrices of chunks."""

import torch
import triton
import triton.language as tl

from fla.ops.utils.cache import fla_cache_autotune
from fla.ops.utils.index import count_chunks
from fla.ops.utils.op import fine_dot, locate_chunk
from fla.utils import autotune_cache_kwargs, input_guard

# rows of a block on the diagonal, which is inverted row by row
BLOCK_ROWS = tl.constexpr(16)


@triton.jit
def invert_unit_lower(b_A, BT: tl.constexpr, DTYPE: tl.constexpr):
    """The inverse of the identity plus a strictly lower triangular `[BT, BT]` block, which goes with inputs of a type.

    With D the blocks on the diagonal and N those below it, (D + N)^-1 = (I + P)^-1 D^-1 for P = D^-1 N, which is nilpotent: its powers end after as many as there are blocks in a row, and (I + P)^-1 = (I - P) (I + P^2).
    """
    NB: tl.constexpr = BT // BLOCK_ROWS
    o_b = tl.arange(0, NB)
    o_i = tl.arange(0, BLOCK_ROWS)
    # [NB, 16, NB, 16]
    m_diagonal = o_b[:, None, None, None] == o_b[None, None, :, None]
    b_blocks = tl.reshape(b_A, (NB, BLOCK_ROWS, NB, BLOCK_ROWS))
    # [NB, 16, 16]
    b_D = -tl.sum(tl.where(m_diagonal, b_blocks, 0), axis=2)
    for i in range(1, BLOCK_ROWS):
        m_row = (o_i == i)[None, :, None]
        # [NB, 16]
        b_row = tl.sum(tl.where(m_row, b_D, 0), axis=1)
        b_row += tl.sum(b_row[:, :, None] * b_D, axis=1)
        b_D = tl.where(m_row, b_row[:, None, :], b_D)
    b_D += tl.where((o_i[:, None] == o_i[None, :])[None, :, :], 1., 0.)
    b_inverse = tl.reshape(tl.where(m_diagonal, b_D[:, :, None, :], 0), (BT, BT))
    if NB > 1:
        b_N = tl.reshape(tl.where(m_diagonal, 0, b_blocks), (BT, BT))
        b_P = fine_dot(b_inverse, b_N, DTYPE)
        b_sum = -b_P
        if NB > 2:
            b_P2 = fine_dot(b_P, b_P, DTYPE)
            b_sum += b_P2 - fine_dot(b_P, b_P2, DTYPE)
        b_inverse += fine_dot(b_sum, b_inverse, DTYPE)
    return b_inverse


@triton.heuristics({
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
})
@fla_cache_autotune(
    configs=[triton.Config({}, num_warps=num_warps) for num_warps in (2, 4)],
    key=['BT', 'IS_VARLEN'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def solve_tril_fwd_kernel(
    A,
    Ai,
    cu_seqlens,
    chunk_indices,
    T,
    H: tl.constexpr,
    BT: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_th = tl.program_id(0).to(tl.int64)
    i_bt, i_h = i_th // H, i_th % H
    i_t, bos, T = locate_chunk(cu_seqlens, chunk_indices, i_bt, T, BT, IS_VARLEN)
    o_i = tl.arange(0, BT)
    o_t = i_t * BT + o_i
    m_A = (o_t < T)[:, None] & (o_i[:, None] > o_i[None, :])
    o_A = ((bos + o_t) * H + i_h)[:, None] * BT + o_i[None, :]
    # [BT, BT]
    b_A = tl.load(A + o_A, mask=m_A, other=0).to(tl.float32)
    b_Ai = invert_unit_lower(b_A, BT, A.dtype.element_ty)
    tl.store(Ai + o_A, b_Ai.to(Ai.dtype.element_ty), mask=(o_t < T)[:, None])


@input_guard
def solve_tril(
    A: torch.Tensor,
    cu_seqlens: torch.Tensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
    output_dtype: torch.dtype = torch.float,
) -> torch.Tensor:
    """The inverse of I + A for the strictly lower triangular matrix A of each chunk.

    Args:
        A (Tensor):
            One row a step, `[B, T, H, BT]`, with BT the chunk size: 16, 32 or 64. What is on or above the diagonal is not read.
        cu_seqlens (Tensor, Optional):
            Offsets `[N+1]` of packed sequences. Default: `None`.
        chunk_indices (LongTensor, Optional):
            `prepare_chunk_indices(cu_seqlens, BT)`, if at hand. Default: `None`.
        output_dtype (torch.dtype, Optional):
            Type of the result. Default: `torch.float`.

    Returns:
        Ai (Tensor):
            The inverses, laid out as A.
    """
    B, T, H, BT = A.shape
    if BT not in (16, 32, 64):
        raise ValueError(f'the chunk size has to be 16, 32 or 64, got {BT}')
    NT, chunk_indices = count_chunks(T, BT, cu_seqlens, chunk_indices)
    Ai = torch.empty_like(A, dtype=output_dtype)
    if Ai.numel() == 0:
        return Ai
    solve_tril_fwd_kernel[(NT * B * H,)](A=A, Ai=Ai, cu_seqlens=cu_seqlens, chunk_indices=chunk_indices, T=T, H=H, BT=BT)
    return Ai
