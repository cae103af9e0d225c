# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.utils import pack_sequence, unpack_sequence
from fla.utils import by_size, device

LENS = by_size(small=[[5, 1, 0, 20], [33]], full=[[5, 1, 0, 20], [1000, 3, 500, 497], [63]])
SHAPES = [(), (3,), (2, 70)]


def pad(x, lens, side, length):
    """One row a sequence, in plain PyTorch."""
    rows = []
    for part in x.split(lens):
        zeros = x.new_zeros(length - len(part), *x.shape[1:])
        rows.append(torch.cat([zeros, part] if side == 'left' else [part, zeros]))
    return torch.stack(rows)


@pytest.mark.parametrize('lens', LENS, ids=str)
@pytest.mark.parametrize('shape', SHAPES, ids=str)
@pytest.mark.parametrize('side', ['left', 'right'])
@pytest.mark.parametrize('extra', [0, 7], ids=['tight', 'loose'])
def test_pack_sequence(lens, shape, side, extra):
    torch.manual_seed(42)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    length = max(lens) + extra
    flat = torch.randn(sum(lens), *shape, device=device)
    padded = pad(flat, lens, side, length)
    # what is beside the sequences is not read
    noise = torch.where(pad(torch.ones_like(flat), lens, side, length) == 0, 1e30, padded).requires_grad_()
    packed = pack_sequence(noise, cu_seqlens, side)
    assert torch.equal(packed, flat)
    dy = torch.randn_like(flat)
    dx, = torch.autograd.grad(packed, noise, dy)
    assert torch.equal(dx, pad(dy, lens, side, length))


@pytest.mark.parametrize('lens', LENS, ids=str)
@pytest.mark.parametrize('shape', SHAPES, ids=str)
@pytest.mark.parametrize('side', ['left', 'right'])
@pytest.mark.parametrize('extra', [None, 7], ids=['longest', 'desired'])
def test_unpack_sequence(lens, shape, side, extra):
    torch.manual_seed(42)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    length = max(lens) + (extra or 0)
    desired_shape = None if extra is None else (len(lens), length, *shape)
    flat = torch.randn(sum(lens), *shape, device=device, requires_grad=True)
    padded = unpack_sequence(flat, cu_seqlens, side, desired_shape)
    assert torch.equal(padded, pad(flat, lens, side, length))
    dy = torch.randn_like(padded)
    dx, = torch.autograd.grad(padded, flat, dy)
    ref, = torch.autograd.grad(pad(flat, lens, side, length), flat, dy)
    assert torch.equal(dx, ref)


@pytest.mark.parametrize('dtype', [torch.half, torch.bfloat16, torch.int64], ids=['fp16', 'bf16', 'int64'])
def test_pack_sequence_keeps_every_type(dtype):
    torch.manual_seed(42)
    lens = [3, 5]
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    flat = torch.randint(-100, 100, (8, 2), device=device).to(dtype)
    padded = unpack_sequence(flat, cu_seqlens)
    assert padded.dtype == dtype and torch.equal(padded, pad(flat, lens, 'left', 5))
    assert torch.equal(pack_sequence(padded, cu_seqlens), flat)


def test_pack_sequence_refuses():
    torch.manual_seed(42)
    cu_seqlens = torch.tensor([0, 3, 8], device=device)
    x = torch.randn(8, 2, device=device)
    with pytest.raises(ValueError, match='padding_side'):
        pack_sequence(x.view(2, 4, 2), cu_seqlens, 'top')
    with pytest.raises(ValueError, match='do not fit'):
        pack_sequence(x.view(2, 4, 2), cu_seqlens)
    with pytest.raises(ValueError, match='8 steps'):
        unpack_sequence(x[:7], cu_seqlens)
    with pytest.raises(ValueError, match='do not fit'):
        unpack_sequence(x, cu_seqlens, desired_shape=(2, 4, 2))
