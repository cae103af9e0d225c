# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.delta_rule import chunk_delta_rule, fused_chunk_delta_rule, fused_recurrent_delta_rule
from fla.ops.delta_rule.naive import delta_rule_chunkwise, delta_rule_parallel, delta_rule_recurrence
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, compare, leaf, one_by_one


def case(shape, dtype):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('BTHKV', shape, strict=True))
    return pytest.param(shape, dtype, id=f'{name}-{DTYPE_NAMES[dtype]}')


def varlen_case(lens, shape, dtype):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('HKV', shape, strict=True))
    return pytest.param(lens, shape, dtype, id=f'{"_".join(map(str, lens))}-{name}-{DTYPE_NAMES[dtype]}')


CHUNK_CASES = by_size(
    small=[
        case((1, 63, 1, 64, 32), torch.float),
        case((1, 100, 2, 20, 36), torch.half),
        case((1, 70, 1, 60, 16), torch.bfloat16),
    ],
    full=[
        case((1, 63, 1, 64, 64), torch.float),
        case((2, 1000, 3, 100, 60), torch.half),
        case((2, 2000, 4, 128, 128), torch.bfloat16),
        case((1, 500, 2, 256, 256), torch.bfloat16),
        case((1, 8192, 2, 64, 128), torch.bfloat16),
    ],
)
RECURRENT_CASES = by_size(
    small=[
        case((1, 15, 2, 20, 36), torch.float),
        case((1, 15, 1, 60, 16), torch.half),
        case((1, 15, 1, 16, 16), torch.bfloat16),
    ],
    full=[case((2, 100, 2, 20, 36), torch.float), case((2, 500, 4, 128, 128), torch.bfloat16)],
)
VARLEN_CASES = by_size(
    small=[varlen_case([1, 64, 0, 10], (1, 20, 20), torch.float), varlen_case([33, 3], (1, 32, 16), torch.half)],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 20), torch.float),
        varlen_case([1000, 3, 500, 497], (4, 128, 64), torch.bfloat16),
    ],
)
OPERATORS = pytest.mark.parametrize('op', [chunk_delta_rule, fused_recurrent_delta_rule], ids=['chunk', 'fused_recurrent'])


def make_inputs(B, T, H, K, V, N, dtype, is_normalised=True):
    q, k = torch.randn(2, B, T, H, K, device=device)
    if is_normalised:
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
    return {
        'q': leaf(q.to(dtype)),
        'k': leaf(k.to(dtype)),
        'v': leaf(torch.randn(B, T, H, V, device=device).to(dtype)),
        'beta': leaf(torch.rand(B, T, H, device=device).to(dtype)),
        'initial_state': leaf(torch.randn(N, H, K, V, device=device)),
    }


def reference(tensors):
    return delta_rule_recurrence(**tensors)


@pytest.mark.parametrize(('shape', 'dtype'), CHUNK_CASES)
def test_chunk(shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    compare(reference(tensors), chunk_delta_rule(**tensors, output_final_state=True), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'dtype'), VARLEN_CASES)
def test_chunk_varlen(lens, shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = chunk_delta_rule(**tensors, output_final_state=True, cu_seqlens=cu_seqlens, cu_seqlens_cpu=cu_seqlens.cpu())
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'dtype'), RECURRENT_CASES)
def test_fused_recurrent(shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    compare(reference(tensors), fused_recurrent_delta_rule(**tensors, output_final_state=True), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'dtype'), VARLEN_CASES)
def test_fused_recurrent_varlen(lens, shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    tri = fused_recurrent_delta_rule(**tensors, output_final_state=True, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@OPERATORS
@pytest.mark.parametrize('layout', ['dense', 'varlen'])
@pytest.mark.parametrize(('K', 'V'), [(20, 36), (16, 16)], ids=['K20-V36', 'K16-V16'])
def test_l2norm_in_kernel(op, layout, K, V):
    torch.manual_seed(42)
    T = by_size(17, 100)
    tensors = make_inputs(1, T, 1, K, V, 1, torch.float, is_normalised=False)
    normalised = dict(tensors)
    for name in 'qk':
        normalised[name] = tensors[name] * (tensors[name].square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    cu_seqlens = torch.tensor([0, T], device=device) if layout == 'varlen' else None
    tri = op(**tensors, output_final_state=True, use_qk_l2norm_in_kernel=True, cu_seqlens=cu_seqlens)
    compare(reference(normalised), tri, tensors, torch.float)


@OPERATORS
def test_without_states(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 2, 32, 16, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors, scale=0.5)
    assert ht is None
    ref, _ = delta_rule_recurrence(**{**tensors, 'q': tensors['q'] * (0.5 * 32 ** 0.5)})
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


def test_fused_recurrent_without_beta():
    torch.manual_seed(42)
    tensors = make_inputs(1, 15, 1, 16, 16, 1, torch.float)
    ones = torch.ones_like(tensors.pop('beta'))
    o, ht = fused_recurrent_delta_rule(**tensors, output_final_state=True)
    ref, ref_ht = delta_rule_recurrence(**tensors, beta=ones)
    assert_close('o', ref, o, 1e-4)
    assert_close('ht', ref_ht, ht, 1e-4)


def test_fused_chunk():
    torch.manual_seed(42)
    tensors = make_inputs(1, 15, 1, 16, 16, 1, torch.float)
    o, ht = fused_chunk_delta_rule(**tensors, output_final_state=True)
    ref, ref_ht = chunk_delta_rule(**tensors, output_final_state=True)
    assert torch.equal(o, ref) and torch.equal(ht, ref_ht)


@OPERATORS
def test_refuses(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 16, 16, 2, torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        op(**{**tensors, 'k': tensors['k'][:, :-1]})
    with pytest.raises(ValueError, match='batch size'):
        op(**tensors, cu_seqlens=torch.tensor([0, 15], device=device))


def test_naive_forms_agree():
    torch.manual_seed(42)
    tensors = {name: x.detach().double() for name, x in make_inputs(2, 33, 2, 5, 4, 2, torch.float).items()}
    tensors.pop('initial_state')
    o, ht = delta_rule_recurrence(**tensors)
    chunk_o, chunk_ht = delta_rule_chunkwise(**tensors, chunk_size=16)
    parallel_o, attn = delta_rule_parallel(**tensors, BM=16, BN=8)
    assert_close('o', o, chunk_o, 1e-9, err_atol=0)
    assert_close('ht', ht, chunk_ht, 1e-9, err_atol=0)
    assert_close('o', o, parallel_o, 1e-9, err_atol=0)
    assert attn.shape == (2, 2, 33, 33) and attn.triu(1).abs().max() < 1e-12


@pytest.mark.parametrize(
    'form',
    [delta_rule_recurrence, delta_rule_chunkwise, delta_rule_parallel],
    ids=['recurrence', 'chunkwise', 'parallel'],
)
def test_naive_gradcheck(form):
    torch.manual_seed(42)
    tensors = {name: leaf(x.double()) for name, x in make_inputs(1, 7, 2, 3, 4, 1, torch.float).items()}
    tensors.pop('initial_state')
    assert torch.autograd.gradcheck(form, list(tensors.values()))
