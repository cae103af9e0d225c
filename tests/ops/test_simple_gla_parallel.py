# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.simple_gla import parallel_simple_gla
from fla.ops.simple_gla.naive import naive_parallel_simple_gla, naive_recurrent_simple_gla
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, RATIO, leaf, pad_rows, pad_tensor


def case(shape, gates, dtype, scale=None):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('BTHKV', shape, strict=True))
    name = f'{name}-{gates or "none"}-{DTYPE_NAMES[dtype]}'
    return pytest.param(shape, gates, dtype, scale, id=name if scale is None else f'{name}-scale')


def varlen_case(lens, shape, gates, dtype):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('HKV', shape, strict=True))
    name = f'{"_".join(map(str, lens))}-{name}-{gates or "none"}-{DTYPE_NAMES[dtype]}'
    return pytest.param(lens, shape, gates, dtype, id=name)


CASES = by_size(
    small=[
        case((1, 63, 1, 64, 64), 'g', torch.float),
        case((2, 150, 1, 20, 40), 'g', torch.float, 0.3),
        case((1, 130, 2, 100, 16), 'g', torch.half),
        case((1, 128, 2, 32, 64), '', torch.bfloat16),
        case((2, 100, 1, 60, 100), 'g', torch.bfloat16),
        case((1, 70, 1, 32, 32), '', torch.float),
        case((1, 1, 1, 16, 16), 'g', torch.float),
    ],
    full=[
        case((1, 63, 1, 64, 64), 'g', torch.float),
        case((2, 500, 2, 20, 40), 'g', torch.float, 0.3),
        case((2, 1000, 3, 100, 60), 'g', torch.half),
        case((2, 1024, 4, 128, 64), '', torch.bfloat16),
        case((2, 2000, 4, 128, 128), 'g', torch.bfloat16),
        case((2, 500, 2, 256, 256), 'g', torch.half),
        case((1, 1, 1, 16, 16), 'g', torch.float),
    ],
)
VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 64, 0, 70], (2, 20, 40), 'g', torch.float),
        varlen_case([130, 3], (1, 64, 32), 'g', torch.half),
        varlen_case([15, 20], (1, 32, 32), '', torch.bfloat16),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 40), 'g', torch.float),
        varlen_case([1000, 3, 500, 497], (4, 128, 64), 'g', torch.half),
        varlen_case([15, 2000, 33], (2, 100, 100), '', torch.bfloat16),
    ],
)


def make_inputs(B, T, H, K, V, gates, dtype):
    tensors = {
        'q': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'k': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'v': leaf(torch.randn(B, T, H, V, device=device).to(dtype)),
    }
    if gates == 'g':
        tensors['g'] = leaf(F.logsigmoid(torch.randn(B, T, H, device=device)))
    return tensors


def naive(q, k, v, g=None, scale=None):
    return naive_parallel_simple_gla(q, k, v, g, scale)


def one_by_one(tensors, lens):
    """The outputs of packed sequences, each by itself, and the scores of all, 0 between sequences."""
    parts = zip(*(x.split(lens, dim=1) for x in tensors.values()), strict=True)
    outputs, scores = zip(*(naive(*part) for part in parts), strict=True)
    attn = torch.zeros(1, outputs[0].shape[2], sum(lens), sum(lens), device=device)
    bos = 0
    for length, part in zip(lens, scores, strict=True):
        attn[..., bos:bos + length, bos:bos + length] = part
        bos += length
    return torch.cat(outputs, dim=1), attn


def compare(ref, tri, tensors, dtype, ratio=None):
    """Assert that outputs, scores and the gradients of all inputs agree; scores take no part in gradients."""
    ratio = ratio or RATIO[dtype]
    do = torch.randn_like(ref[0])
    grads = [torch.autograd.grad(o, list(tensors.values()), do) for o in (ref[0], tri[0])]
    assert tri[0].dtype == tri[1].dtype == dtype and not tri[1].requires_grad
    assert_close('o', ref[0], tri[0], ratio)
    assert_close('attn', ref[1], tri[1], ratio)
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, ratio)


@pytest.mark.parametrize(('shape', 'gates', 'dtype', 'scale'), CASES)
def test_parallel(shape, gates, dtype, scale):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, gates, dtype)
    tri = parallel_simple_gla(**tensors, scale=scale, output_attentions=True)
    compare(naive(**tensors, scale=scale), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'gates', 'dtype'), VARLEN_CASES)
def test_parallel_varlen(lens, shape, gates, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, gates, dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = parallel_simple_gla(**tensors, output_attentions=True, cu_seqlens=cu_seqlens, cu_seqlens_cpu=cu_seqlens.cpu())
    compare(one_by_one(tensors, lens), tri, tensors, dtype)


def test_parallel_without_scores():
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(80, 500), 2, 32, 16, 'g', torch.float)
    o, attn = parallel_simple_gla(**tensors)
    assert attn is None
    ref, _ = naive_recurrent_simple_gla(**tensors)
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


# sums of gates in fp32 are off by 6e-8 of their size, and so are the exponents that are their differences
@pytest.mark.parametrize(('decay', 'ratio'), [(-100., 1e-3), (-1e3, 1e-3), (-1e4, 5e-3)], ids=['100', '1000', '10000'])
def test_parallel_strong_decay(decay, ratio):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(150, 500), 1, 16, 16, 'g', torch.float)
    forgets = torch.rand_like(tensors['g']) < 0.1
    tensors['g'] = leaf(tensors['g'].masked_fill(forgets, decay))
    # the reference takes differences of sums over the sequence
    ref = naive(**{name: x.double() for name, x in tensors.items()})
    compare(ref, parallel_simple_gla(**tensors, output_attentions=True), tensors, torch.float, ratio)


def test_parallel_growth():
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(140, 200), 1, 16, 16, 'g', torch.float)
    tensors['g'] = leaf(torch.randn_like(tensors['g']))
    compare(naive(**tensors), parallel_simple_gla(**tensors, output_attentions=True), tensors, torch.float)


@pytest.mark.parametrize('pad', [pad_rows, pad_tensor], ids=['rows', 'tensor'])
def test_parallel_padding_is_not_read(pad):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(70, 100), 1, 20, 36, 'g', torch.float)
    do = torch.randn_like(tensors['v'])
    results = []
    for leaves in (tensors, {name: pad(x) for name, x in tensors.items()}):
        o, attn = parallel_simple_gla(**leaves, output_attentions=True)
        results.append([o, attn, *torch.autograd.grad(o, list(leaves.values()), pad(do).detach())])
    for name, ref, tri in zip(['o', 'attn', *tensors], *results, strict=True):
        assert tri.abs().max() < 1e20, name
        assert_close(name, ref, tri, 1e-6)


def test_parallel_refuses():
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 16, 16, 'g', torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        parallel_simple_gla(**{**tensors, 'k': tensors['k'][:, :-1]})
    with pytest.raises(ValueError, match='batch size'):
        parallel_simple_gla(**tensors, cu_seqlens=torch.tensor([0, 15], device=device))
    with pytest.raises(ValueError, match='g has to be'):
        parallel_simple_gla(**{**tensors, 'g': tensors['q']})
    with pytest.raises(ValueError, match='head_first'):
        parallel_simple_gla(**tensors, head_first=True)


def test_parallel_no_tokens():
    torch.manual_seed(42)
    tensors = make_inputs(2, 0, 1, 16, 16, 'g', torch.float)
    o, attn = parallel_simple_gla(**tensors, output_attentions=True)
    assert o.shape == tensors['v'].shape and attn.shape == (2, 1, 0, 0)
    dq, = torch.autograd.grad(o.sum(), tensors['q'])
    assert dq.shape == tensors['q'].shape
