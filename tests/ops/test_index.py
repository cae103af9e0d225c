# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.utils import (
    get_max_num_splits,
    prepare_chunk_indices,
    prepare_chunk_offsets,
    prepare_cu_seqlens_from_lens,
    prepare_cu_seqlens_from_mask,
    prepare_lens,
    prepare_lens_from_mask,
    prepare_position_ids,
    prepare_sequence_ids,
    prepare_token_indices,
)
from fla.utils import device

LENS = [
    pytest.param([1], id='one-token'),
    pytest.param([63, 1, 64, 65], id='around-a-chunk'),
    pytest.param([5, 0, 0, 7], id='empty-inside'),
    pytest.param([0, 3, 0], id='empty-at-the-ends'),
    pytest.param([100, 2000], id='long'),
]
ON_CPU = [pytest.param(False, id='device'), pytest.param(True, id='cpu-copy')]


def offsets(lens):
    cu_seqlens = prepare_cu_seqlens_from_lens(torch.tensor(lens, device=device))
    assert cu_seqlens.tolist() == [sum(lens[:i]) for i in range(len(lens) + 1)]
    return cu_seqlens


@pytest.mark.parametrize('lens', LENS)
@pytest.mark.parametrize('on_cpu', ON_CPU)
def test_tokens(lens, on_cpu):
    torch.manual_seed(42)
    cu_seqlens = offsets(lens)
    cu_seqlens_cpu = cu_seqlens.cpu() if on_cpu else None
    expected = [[n, t] for n, length in enumerate(lens) for t in range(length)]
    indices = prepare_token_indices(cu_seqlens, cu_seqlens_cpu)
    assert indices.device == cu_seqlens.device
    assert indices.tolist() == expected
    assert prepare_sequence_ids(cu_seqlens, cu_seqlens_cpu).tolist() == [n for n, _ in expected]
    assert prepare_position_ids(cu_seqlens, cu_seqlens_cpu).tolist() == [t for _, t in expected]
    assert prepare_lens(cu_seqlens).tolist() == lens


@pytest.mark.parametrize('lens', LENS)
@pytest.mark.parametrize('on_cpu', ON_CPU)
@pytest.mark.parametrize('chunk_size', [16, 64])
def test_chunks(lens, on_cpu, chunk_size):
    torch.manual_seed(42)
    cu_seqlens = offsets(lens)
    cu_seqlens_cpu = cu_seqlens.cpu() if on_cpu else None
    counts = [-(-length // chunk_size) for length in lens]
    expected = [[n, t] for n, count in enumerate(counts) for t in range(count)]
    assert prepare_chunk_indices(cu_seqlens, chunk_size, cu_seqlens_cpu).tolist() == expected
    assert prepare_chunk_offsets(cu_seqlens, chunk_size).tolist() == [sum(counts[:i]) for i in range(len(counts) + 1)]
    assert get_max_num_splits(cu_seqlens, chunk_size, cu_seqlens_cpu) == max(counts)


def test_mask():
    torch.manual_seed(42)
    mask = torch.rand(4, 100, device=device) < 0.5
    lens = [sum(row) for row in mask.tolist()]
    assert prepare_lens_from_mask(mask).tolist() == lens
    assert prepare_cu_seqlens_from_mask(mask).tolist() == offsets(lens).tolist()
    assert prepare_cu_seqlens_from_mask(mask).dtype == torch.int32
    assert prepare_cu_seqlens_from_mask(mask, torch.int64).dtype == torch.int64


def test_offsets_changed_in_place():
    torch.manual_seed(42)
    cu_seqlens = offsets([3, 4])
    assert prepare_sequence_ids(cu_seqlens).tolist() == [0] * 3 + [1] * 4
    cu_seqlens[1] = 5
    assert prepare_sequence_ids(cu_seqlens).tolist() == [0] * 5 + [1] * 2
    with torch.inference_mode():
        cu_seqlens = cu_seqlens.clone()
        assert prepare_sequence_ids(cu_seqlens).tolist() == [0] * 5 + [1] * 2
        cu_seqlens[1] = 3
        assert prepare_sequence_ids(cu_seqlens).tolist() == [0] * 3 + [1] * 4
