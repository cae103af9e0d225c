# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.linear_attn import chunk_linear_attn, fused_chunk_linear_attn, fused_recurrent_linear_attn
from fla.ops.linear_attn.naive import naive_chunk_linear_attn, naive_recurrent_linear_attn
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, compare, leaf, one_by_one, pad_rows, pad_tensor

OPS = [chunk_linear_attn, fused_chunk_linear_attn, fused_recurrent_linear_attn]
OP_IDS = ['chunk', 'fused_chunk', 'fused_recurrent']


def case(shape, normalize, dtype, scale=None):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('BTHKV', shape, strict=True))
    name = f'{name}-{"normalized" if normalize else "plain"}-{DTYPE_NAMES[dtype]}'
    return pytest.param(shape, normalize, dtype, scale, id=name if scale is None else f'{name}-scale')


def varlen_case(lens, shape, normalize, dtype):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('HKV', shape, strict=True))
    name = f'{"_".join(map(str, lens))}-{name}-{"normalized" if normalize else "plain"}-{DTYPE_NAMES[dtype]}'
    return pytest.param(lens, shape, normalize, dtype, id=name)


CASES = by_size(
    small=[
        case((1, 63, 1, 64, 64), True, torch.float),
        case((2, 70, 1, 20, 40), False, torch.float, 0.3),
        case((1, 40, 2, 60, 16), True, torch.half, 0.3),
        case((1, 66, 1, 16, 36), False, torch.half),
        case((2, 15, 1, 32, 60), True, torch.bfloat16),
        case((1, 33, 1, 32, 32), False, torch.bfloat16),
        case((1, 1, 1, 16, 16), True, torch.float),
    ],
    full=[
        case((1, 63, 1, 64, 64), True, torch.float),
        case((2, 500, 2, 20, 40), False, torch.float, 0.3),
        case((2, 1000, 3, 100, 60), True, torch.half, 0.3),
        case((2, 500, 2, 200, 256), False, torch.half),
        case((2, 2000, 4, 128, 128), True, torch.bfloat16),
        case((2, 1024, 4, 128, 64), False, torch.bfloat16),
        case((1, 1, 1, 16, 16), True, torch.float),
    ],
)
VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 64, 0, 10], (1, 20, 36), True, torch.float),
        varlen_case([33, 3], (2, 32, 16), False, torch.half),
        varlen_case([1, 30], (1, 16, 16), True, torch.bfloat16),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 36), True, torch.float),
        varlen_case([1000, 3, 500, 497], (4, 128, 64), False, torch.half),
        varlen_case([15, 2000, 33], (2, 100, 100), True, torch.bfloat16),
    ],
)


def make_inputs(B, T, H, K, V, N, dtype):
    """Queries and keys are those of a positive feature map; the state holds the sums of the keys as its last column."""
    return {
        'q': leaf((torch.randn(B, T, H, K, device=device).relu() + 0.1).to(dtype)),
        'k': leaf((torch.randn(B, T, H, K, device=device).relu() + 0.1).to(dtype)),
        'v': leaf(torch.randn(B, T, H, V, device=device).to(dtype)),
        'initial_state': leaf(torch.rand(N, H, K, V + 1, device=device)),
    }


def with_sums(form, initial_state, normalize, **kwargs):
    """A form whose states have the sums of the keys as their last column, 1 where it does not normalise."""
    state = (initial_state[..., :-1], initial_state[..., -1]) if normalize else initial_state[..., :-1]
    o, ht = form(initial_state=state, output_final_state=True, normalize=normalize, **kwargs)
    kv, z = ht if normalize else (ht, initial_state[..., -1])
    return o, torch.cat([kv, z[..., None]], dim=-1)


def reference(tensors, normalize, scale=None, reverse=False):
    inputs = {name: x.flip(1) if reverse and name in 'qkv' else x for name, x in tensors.items()}
    o, ht = with_sums(naive_recurrent_linear_attn, normalize=normalize, scale=scale, **inputs)
    return o.flip(1) if reverse else o, ht


@pytest.mark.parametrize(('shape', 'normalize', 'dtype', 'scale'), CASES)
def test_chunk(shape, normalize, dtype, scale):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = with_sums(chunk_linear_attn, normalize=normalize, scale=scale, **tensors)
    compare(reference(tensors, normalize, scale), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'normalize', 'dtype'), VARLEN_CASES)
def test_chunk_varlen(lens, shape, normalize, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = with_sums(chunk_linear_attn, normalize=normalize, cu_seqlens=cu_seqlens, **tensors)
    compare(one_by_one(lambda one: reference(one, normalize), tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'normalize', 'dtype', 'scale'), CASES)
def test_fused_chunk(shape, normalize, dtype, scale):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = with_sums(fused_chunk_linear_attn, normalize=normalize, scale=scale, **tensors)
    compare(reference(tensors, normalize, scale), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'normalize', 'dtype'), VARLEN_CASES)
def test_fused_chunk_varlen(lens, shape, normalize, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = with_sums(fused_chunk_linear_attn, normalize=normalize, cu_seqlens=cu_seqlens, **tensors)
    compare(one_by_one(lambda one: reference(one, normalize), tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'normalize', 'dtype', 'scale'), CASES)
@pytest.mark.parametrize('reverse', [False, True], ids=['forward', 'reverse'])
def test_fused_recurrent(shape, normalize, dtype, scale, reverse):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = with_sums(fused_recurrent_linear_attn, normalize=normalize, scale=scale, reverse=reverse, **tensors)
    compare(reference(tensors, normalize, scale, reverse), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'normalize', 'dtype'), VARLEN_CASES)
def test_fused_recurrent_varlen(lens, shape, normalize, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    tri = with_sums(fused_recurrent_linear_attn, normalize=normalize, cu_seqlens=cu_seqlens, **tensors)
    compare(one_by_one(lambda one: reference(one, normalize), tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize('op', [chunk_linear_attn, fused_chunk_linear_attn, fused_recurrent_linear_attn], ids=OP_IDS)
@pytest.mark.parametrize('normalize', [False, True], ids=['plain', 'normalized'])
def test_without_states(op, normalize):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 2, 32, 16, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors, normalize=normalize)
    assert ht is None
    ref, _ = naive_recurrent_linear_attn(**tensors, normalize=normalize)
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_states_carry_on(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(40, 200), 1, 20, 36, 1, torch.float)
    tensors.pop('initial_state')
    whole, (kv, z) = op(**tensors, output_final_state=True, normalize=True)
    half = whole.shape[1] // 2
    first, state = op(**{name: x[:, :half] for name, x in tensors.items()}, output_final_state=True, normalize=True)
    rest = {name: x[:, half:] for name, x in tensors.items()}
    second, (kv_end, z_end) = op(**rest, initial_state=state, output_final_state=True, normalize=True)
    assert_close('o', whole, torch.cat([first, second], dim=1), 1e-5)
    assert_close('kv', kv, kv_end, 1e-5)
    assert_close('z', z, z_end, 1e-5)
    # sums that are not given start at 0
    alone, _ = op(**rest, initial_state=state[0], normalize=True)
    zeros, _ = op(**rest, initial_state=(state[0], torch.zeros_like(z)), normalize=True)
    assert_close('alone', zeros, alone, 1e-6)
    # and mean nothing where nothing is divided
    pair, _ = op(**rest, initial_state=state, normalize=False)
    single, _ = op(**rest, initial_state=state[0], normalize=False)
    assert torch.equal(pair, single)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_weights_add_up_to_one(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, by_size(20, 100), 2, 16, 36, 2, torch.float)
    o, _ = op(tensors['q'], tensors['k'], torch.ones_like(tensors['v']), normalize=True)
    assert_close('o', torch.ones_like(o), o, 1e-5)


@pytest.mark.parametrize('op', [chunk_linear_attn, fused_chunk_linear_attn, fused_recurrent_linear_attn], ids=OP_IDS)
def test_sums_beyond_half_precision(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(200, 500), 1, 16, 20, 1, torch.half)
    for name in 'qk':
        tensors[name] = leaf(tensors[name] * 20)
    ref = reference(tensors, True)
    assert (tensors['q'].float() * tensors['k'].float().cumsum(1)).sum(-1).max() / 4 > 65504
    compare(ref, with_sums(op, normalize=True, **tensors), tensors, torch.half)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
@pytest.mark.parametrize('pad', [pad_rows, pad_tensor], ids=['rows', 'tensor'])
def test_padding_is_not_read(op, pad):
    torch.manual_seed(42)
    shape = (1, by_size(17, 100), 1, 20, 36)
    tensors = make_inputs(*shape, 1, torch.float)
    do, dht = torch.randn(*shape[:3], 36, device=device), torch.randn(1, 1, 20, 37, device=device)
    results = []
    for leaves in (tensors, {name: pad(x) for name, x in tensors.items()}):
        o, ht = with_sums(op, normalize=True, **leaves)
        grads = torch.autograd.grad([o, ht], list(leaves.values()), [pad(do).detach(), dht])
        results.append([o, ht, *grads])
    for name, ref, tri in zip(['o', 'ht', *tensors], *results, strict=True):
        assert tri.abs().max() < 1e20, name
        assert_close(name, ref, tri, 1e-6)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_refuses(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 16, 16, 2, torch.float)
    q, k, v, state = tensors.values()
    with pytest.raises(ValueError, match='do not fit'):
        op(q, k[:, :-1], v)
    with pytest.raises(ValueError, match='initial state'):
        op(q, k, v, initial_state=state)
    with pytest.raises(ValueError, match='initial state'):
        op(q, k, v, initial_state=(state[..., :-1], state[:1, ..., -1]), normalize=True)
    with pytest.raises(ValueError, match='batch size'):
        op(q, k, v, cu_seqlens=torch.tensor([0, 15], device=device))


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_no_tokens(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 0, 1, 16, 16, 2, torch.float)
    o, ht = with_sums(op, normalize=True, **tensors)
    assert o.shape == tensors['v'].shape
    assert torch.equal(ht, tensors['initial_state'])


@pytest.mark.parametrize('normalize', [False, True], ids=['plain', 'normalized'])
def test_naive_forms_agree(normalize):
    torch.manual_seed(42)
    q, k = torch.rand(2, 2, 33, 3, 5, dtype=torch.double, device=device)
    v = torch.randn(2, 33, 3, 4, dtype=torch.double, device=device)
    state = torch.rand(2, 3, 5, 5, dtype=torch.double, device=device)
    forms = (naive_recurrent_linear_attn, naive_chunk_linear_attn)
    ref, tri = (with_sums(form, q=q, k=k, v=v, initial_state=state, normalize=normalize) for form in forms)
    for name, one, other in zip(('o', 'ht'), ref, tri, strict=True):
        assert_close(name, one, other, 1e-9, err_atol=0)


@pytest.mark.parametrize('form', [naive_recurrent_linear_attn, naive_chunk_linear_attn], ids=['recurrent', 'chunk'])
@pytest.mark.parametrize('normalize', [False, True], ids=['plain', 'normalized'])
def test_naive_gradcheck(form, normalize):
    torch.manual_seed(42)

    def double(*shape):
        return torch.rand(*shape, dtype=torch.double, device=device).requires_grad_()

    inputs = [double(1, 7, 2, 3), double(1, 7, 2, 3), double(1, 7, 2, 4), double(1, 2, 3, 5)]
    names = ('q', 'k', 'v', 'initial_state')
    assert torch.autograd.gradcheck(
        lambda *tensors: with_sums(form, normalize=normalize, **dict(zip(names, tensors, strict=True))),
        inputs,
    )
