# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Sequence lengths, offsets and chunk tables of packed sequences."""

import torch
import torch.nn.functional as F

from fla.utils import tensor_cache


def _on_cpu(cu_seqlens: torch.LongTensor, cu_seqlens_cpu: torch.LongTensor | None) -> torch.LongTensor:
    return cu_seqlens if cu_seqlens_cpu is None else cu_seqlens_cpu


def _ceil_div(x: torch.Tensor, n: int) -> torch.Tensor:
    return (x + (n - 1)) // n


def _enumerate_parts(counts: torch.LongTensor) -> torch.LongTensor:
    ids = torch.repeat_interleave(torch.arange(len(counts), dtype=counts.dtype, device=counts.device), counts)
    starts = counts.cumsum(0) - counts
    positions = torch.arange(len(ids), dtype=counts.dtype, device=counts.device) - starts[ids.long()]
    return torch.stack([ids, positions], dim=1)


@tensor_cache
def prepare_lens(cu_seqlens: torch.LongTensor) -> torch.LongTensor:
    """The length of each sequence, `[N]`."""
    return cu_seqlens[1:] - cu_seqlens[:-1]


@tensor_cache
def prepare_lens_from_mask(mask: torch.BoolTensor) -> torch.LongTensor:
    """The number of set positions of each row of a `[N, T]` mask."""
    return mask.sum(dim=-1, dtype=torch.int32)


@tensor_cache
def prepare_cu_seqlens_from_lens(lens: torch.LongTensor, dtype: torch.dtype | None = torch.int32) -> torch.LongTensor:
    """The offsets `[N+1]` of sequences of the given lengths."""
    return F.pad(lens.cumsum(dim=0, dtype=dtype), (1, 0))


@tensor_cache
def prepare_cu_seqlens_from_mask(mask: torch.BoolTensor, dtype: torch.dtype | None = torch.int32) -> torch.LongTensor:
    """The offsets `[N+1]` of the sequences that a `[N, T]` mask leaves."""
    return prepare_cu_seqlens_from_lens(prepare_lens_from_mask(mask), dtype)


@tensor_cache
def prepare_token_indices(
    cu_seqlens: torch.LongTensor,
    cu_seqlens_cpu: torch.LongTensor | None = None,
) -> torch.LongTensor:
    """The sequence of each token and its position there, `[T, 2]`."""
    return _enumerate_parts(prepare_lens(_on_cpu(cu_seqlens, cu_seqlens_cpu))).to(cu_seqlens.device, non_blocking=True)


@tensor_cache
def prepare_position_ids(
    cu_seqlens: torch.LongTensor,
    cu_seqlens_cpu: torch.LongTensor | None = None,
) -> torch.LongTensor:
    """The position of each token in its sequence, `[T]`."""
    return prepare_token_indices(cu_seqlens, cu_seqlens_cpu)[:, 1].contiguous()


@tensor_cache
def prepare_sequence_ids(
    cu_seqlens: torch.LongTensor,
    cu_seqlens_cpu: torch.LongTensor | None = None,
) -> torch.LongTensor:
    """The sequence of each token, `[T]`."""
    return prepare_token_indices(cu_seqlens, cu_seqlens_cpu)[:, 0].contiguous()


@tensor_cache
def prepare_chunk_indices(
    cu_seqlens: torch.LongTensor,
    chunk_size: int,
    cu_seqlens_cpu: torch.LongTensor | None = None,
) -> torch.LongTensor:
    """The sequence of each chunk and its number there, `[NT, 2]`."""
    lens = prepare_lens(_on_cpu(cu_seqlens, cu_seqlens_cpu))
    return _enumerate_parts(_ceil_div(lens, chunk_size)).to(cu_seqlens.device, non_blocking=True)


@tensor_cache
def prepare_chunk_offsets(cu_seqlens: torch.LongTensor, chunk_size: int) -> torch.LongTensor:
    """The number of chunks before each sequence, and of all, `[N+1]`."""
    return F.pad(_ceil_div(prepare_lens(cu_seqlens), chunk_size).cumsum(dim=0, dtype=cu_seqlens.dtype), (1, 0))


@tensor_cache
def get_max_num_splits(
    cu_seqlens: torch.LongTensor,
    chunk_size: int,
    cu_seqlens_cpu: torch.LongTensor | None = None,
) -> int:
    """The number of chunks of the longest sequence."""
    lens = prepare_lens(_on_cpu(cu_seqlens, cu_seqlens_cpu))
    return int(_ceil_div(lens.max(), chunk_size)) if len(lens) else 0


def count_chunks(
    T: int,
    chunk_size: int,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_indices: torch.LongTensor | None = None,
) -> tuple[int, torch.LongTensor | None]:
    """The number of chunks of one batch entry of `T` steps and, for packed sequences, their table."""
    if cu_seqlens is None:
        return -(-T // chunk_size), None
    if chunk_indices is None:
        chunk_indices = prepare_chunk_indices(cu_seqlens, chunk_size)
    return len(chunk_indices), chunk_indices
