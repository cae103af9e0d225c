# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.retention import chunk_retention, fused_chunk_retention, fused_recurrent_retention, parallel_retention
from fla.ops.retention.naive import naive_parallel_retention, naive_recurrent_retention
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, RATIO, compare, leaf, one_by_one, pad_rows, pad_tensor, run

OPS = [chunk_retention, fused_chunk_retention, fused_recurrent_retention]
OP_IDS = ['chunk', 'fused_chunk', 'fused_recurrent']
ALL_OPS = [*OPS, parallel_retention]
ALL_IDS = [*OP_IDS, 'parallel']


def case(shape, dtype, scale=None):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('BTHKV', shape, strict=True))
    name = f'{name}-{DTYPE_NAMES[dtype]}'
    return pytest.param(shape, dtype, scale, id=name if scale is None else f'{name}-scale')


def varlen_case(lens, shape, dtype):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('HKV', shape, strict=True))
    return pytest.param(lens, shape, dtype, id=f'{"_".join(map(str, lens))}-{name}-{DTYPE_NAMES[dtype]}')


LAYOUTS = [pytest.param(False, id='state_kv'), pytest.param(True, id='state_vk')]
CASES = by_size(
    small=[
        case((1, 63, 1, 64, 64), torch.float),
        case((2, 70, 3, 20, 40), torch.float, 0.3),
        case((1, 66, 2, 60, 16), torch.half),
        case((2, 15, 1, 32, 60), torch.bfloat16),
        case((1, 1, 1, 16, 16), torch.float),
    ],
    full=[
        case((1, 63, 1, 64, 64), torch.float),
        case((2, 500, 3, 20, 40), torch.float, 0.3),
        case((2, 1000, 8, 100, 60), torch.half),
        case((2, 500, 2, 200, 256), torch.half),
        case((2, 2000, 4, 128, 128), torch.bfloat16),
        case((1, 1, 1, 16, 16), torch.float),
    ],
)
VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 64, 0, 10], (1, 20, 36), torch.float),
        varlen_case([33, 3], (2, 32, 16), torch.half),
        varlen_case([1, 30], (1, 16, 16), torch.bfloat16),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 36), torch.float),
        varlen_case([1000, 3, 500, 497], (4, 128, 64), torch.half),
        varlen_case([15, 2000, 33], (2, 100, 100), torch.bfloat16),
    ],
)


def make_inputs(B, T, H, K, V, N, dtype):
    return {
        'q': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'k': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'v': leaf(torch.randn(B, T, H, V, device=device).to(dtype)),
        'initial_state': leaf(torch.randn(N, H, K, V, device=device)),
    }


def reference(tensors, scale=None, reverse=False):
    inputs = {name: x.flip(1) if reverse and name in 'qkv' else x for name, x in tensors.items()}
    o, ht = naive_recurrent_retention(**inputs, scale=scale, output_final_state=True)
    return o.flip(1) if reverse else o, ht


@pytest.mark.parametrize(('shape', 'dtype', 'scale'), CASES)
def test_chunk(shape, dtype, scale):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = chunk_retention(**tensors, scale=scale, output_final_state=True)
    compare(reference(tensors, scale), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'dtype'), VARLEN_CASES)
def test_chunk_varlen(lens, shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = chunk_retention(**tensors, output_final_state=True, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'dtype', 'scale'), CASES)
def test_fused_chunk(shape, dtype, scale):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = fused_chunk_retention(**tensors, scale=scale, output_final_state=True)
    compare(reference(tensors, scale), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'dtype'), VARLEN_CASES)
def test_fused_chunk_varlen(lens, shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = fused_chunk_retention(**tensors, output_final_state=True, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'dtype', 'scale'), CASES)
@pytest.mark.parametrize('reverse', [False, True], ids=['forward', 'reverse'])
@pytest.mark.parametrize('state_v_first', LAYOUTS)
def test_fused_recurrent(shape, dtype, scale, state_v_first, reverse):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = run(fused_recurrent_retention, tensors, state_v_first, scale=scale, reverse=reverse)
    compare(reference(tensors, scale, reverse), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'dtype'), VARLEN_CASES)
@pytest.mark.parametrize('state_v_first', LAYOUTS)
def test_fused_recurrent_varlen(lens, shape, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    tri = run(fused_recurrent_retention, tensors, state_v_first, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


def compare_parallel(ref, tri, tensors, dtype):
    """Assert that outputs, scores and the gradients of all inputs agree; scores take no part in gradients."""
    do = torch.randn_like(ref[0])
    grads = [torch.autograd.grad(o, list(tensors.values()), do) for o in (ref[0], tri[0])]
    assert tri[0].dtype == tri[1].dtype == dtype and not tri[1].requires_grad
    assert_close('o', ref[0], tri[0], RATIO[dtype])
    assert_close('attn', ref[1], tri[1], RATIO[dtype])
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, RATIO[dtype])


@pytest.mark.parametrize(('shape', 'dtype', 'scale'), CASES)
def test_parallel(shape, dtype, scale):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tensors.pop('initial_state')
    ref = naive_parallel_retention(**tensors, scale=scale)
    tri = parallel_retention(**tensors, scale=scale, output_attentions=True)
    compare_parallel(ref, tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'dtype'), VARLEN_CASES)
def test_parallel_varlen(lens, shape, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, 1, dtype)
    tensors.pop('initial_state')
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    parts = zip(*(x.split(lens, dim=1) for x in tensors.values()), strict=True)
    outputs, scores = zip(*(naive_parallel_retention(*part) for part in parts), strict=True)
    attn = torch.zeros(1, shape[0], sum(lens), sum(lens), device=device)
    bos = 0
    for length, part in zip(lens, scores, strict=True):
        attn[..., bos:bos + length, bos:bos + length] = part
        bos += length
    tri = parallel_retention(**tensors, output_attentions=True, cu_seqlens=cu_seqlens)
    compare_parallel((torch.cat(outputs, dim=1), attn), tri, tensors, dtype)


@pytest.mark.parametrize(
    'op',
    [chunk_retention, fused_chunk_retention, fused_recurrent_retention, parallel_retention],
    ids=ALL_IDS,
)
def test_without_states(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 2, 32, 16, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors)
    assert ht is None
    ref, _ = naive_recurrent_retention(**tensors)
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


@pytest.mark.parametrize('op', ALL_OPS, ids=ALL_IDS)
@pytest.mark.parametrize('pad', [pad_rows, pad_tensor], ids=['rows', 'tensor'])
def test_padding_is_not_read(op, pad):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 1, 20, 36, 1, torch.float)
    tensors.pop('initial_state')
    do = torch.randn_like(tensors['v'])
    results = []
    for leaves in (tensors, {name: pad(x) for name, x in tensors.items()}):
        o, _ = op(**leaves)
        results.append([o, *torch.autograd.grad(o, list(leaves.values()), pad(do).detach())])
    for name, ref, tri in zip(['o', *tensors], *results, strict=True):
        assert tri.abs().max() < 1e20, name
        assert_close(name, ref, tri, 1e-6)


@pytest.mark.parametrize('op', ALL_OPS, ids=ALL_IDS)
def test_refuses(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 16, 16, 2, torch.float)
    q, k, v, _ = tensors.values()
    with pytest.raises(ValueError, match='do not fit'):
        op(q, k[:, :-1], v)
    with pytest.raises(ValueError, match='batch size'):
        op(q, k, v, cu_seqlens=torch.tensor([0, 15], device=device))
    with pytest.raises(ValueError, match='head_first'):
        op(q, k, v, head_first=True)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_no_tokens(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 0, 1, 16, 16, 2, torch.float)
    o, ht = op(**tensors, output_final_state=True)
    assert o.shape == tensors['v'].shape
    assert torch.equal(ht, tensors['initial_state'])


def test_naive_forms_agree():
    torch.manual_seed(42)
    q, k = torch.randn(2, 2, 33, 3, 5, dtype=torch.double, device=device)
    v = torch.randn(2, 33, 3, 4, dtype=torch.double, device=device)
    o, _ = naive_recurrent_retention(q, k, v)
    assert_close('parallel', o, naive_parallel_retention(q, k, v)[0], 1e-9, err_atol=0)


def test_naive_recurrent_decays_of_heads():
    torch.manual_seed(42)
    q, v = torch.ones(1, 2, 3, 1, dtype=torch.double, device=device), torch.zeros(1, 2, 3, 1, device=device)
    v[:, 0] = 1
    o, _ = naive_recurrent_retention(q, q, v.double())
    assert_close('decay', torch.tensor([31 / 32, 63 / 64, 127 / 128], device=device), o[0, 1, :, 0], 1e-9)


@pytest.mark.parametrize(
    'form',
    [
        lambda q, k, v, h0: naive_recurrent_retention(q, k, v, initial_state=h0, output_final_state=True),
        lambda q, k, v, h0: naive_parallel_retention(q, k, v),
    ],
    ids=['recurrent', 'parallel'],
)
def test_naive_gradcheck(form):
    torch.manual_seed(42)

    def double(*shape):
        return torch.randn(*shape, dtype=torch.double, device=device).requires_grad_()

    assert torch.autograd.gradcheck(form, [double(1, 7, 2, 3), double(1, 7, 2, 3), double(1, 7, 2, 4), double(1, 2, 3, 4)])
