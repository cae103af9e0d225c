# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.simple_gla import chunk_simple_gla, fused_chunk_simple_gla, fused_recurrent_simple_gla
from fla.ops.simple_gla.naive import naive_chunk_simple_gla, naive_parallel_simple_gla, naive_recurrent_simple_gla
from fla.utils import assert_close, by_size, device, device_torch_lib
from tests.ops.operators import DTYPE_NAMES, compare, leaf, one_by_one, pad_rows, pad_tensor, run

OPS = [chunk_simple_gla, fused_chunk_simple_gla, fused_recurrent_simple_gla]
OP_IDS = ['chunk', 'fused_chunk', 'fused_recurrent']


def case(shape, gates, dtype, scale=None, state_v_first=False):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('BTHKV', shape, strict=True))
    name = f'{name}-{gates or "none"}-{DTYPE_NAMES[dtype]}'
    name = name if scale is None else f'{name}-scale'
    return pytest.param(shape, gates, dtype, scale, state_v_first, id=f'{name}-state_vk' if state_v_first else name)


def varlen_case(lens, shape, gates, dtype, state_v_first=False):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('HKV', shape, strict=True))
    name = f'{"_".join(map(str, lens))}-{name}-{gates or "none"}-{DTYPE_NAMES[dtype]}'
    return pytest.param(lens, shape, gates, dtype, state_v_first, id=f'{name}-state_vk' if state_v_first else name)


CHUNK_CASES = by_size(
    small=[
        case((1, 63, 1, 64, 64), 'g', torch.float),
        case((2, 100, 2, 20, 40), 'g+g_gamma', torch.float, 0.3, state_v_first=True),
        case((1, 130, 2, 100, 16), 'g_gamma', torch.half),
        case((1, 128, 2, 32, 64), '', torch.bfloat16),
        case((2, 15, 1, 60, 100), 'g', torch.bfloat16, state_v_first=True),
        case((1, 1, 1, 16, 16), 'g', torch.float),
    ],
    full=[
        case((1, 63, 1, 64, 64), 'g', torch.float),
        case((2, 100, 2, 20, 40), 'g+g_gamma', torch.float, 0.3, state_v_first=True),
        case((2, 1000, 3, 100, 60), 'g_gamma', torch.half),
        case((2, 1024, 4, 128, 64), '', torch.bfloat16),
        case((2, 2000, 4, 128, 128), 'g', torch.bfloat16),
        case((2, 500, 2, 256, 256), 'g', torch.half, state_v_first=True),
        case((1, 1, 1, 16, 16), 'g', torch.float),
    ],
)
RECURRENT_CASES = by_size(
    small=[
        case((1, 63, 1, 32, 20), 'g', torch.float),
        case((2, 15, 2, 20, 40), 'g+g_gamma', torch.float, 0.3, state_v_first=True),
        case((1, 20, 1, 130, 16), 'g_gamma', torch.half),
        case((1, 16, 2, 16, 16), '', torch.bfloat16),
        case((1, 1, 1, 16, 16), 'g', torch.bfloat16),
    ],
    full=[
        case((1, 63, 1, 64, 64), 'g', torch.float),
        case((2, 100, 2, 20, 40), 'g+g_gamma', torch.float, 0.3, state_v_first=True),
        case((2, 1000, 3, 200, 60), 'g_gamma', torch.half),
        case((2, 1024, 4, 128, 64), '', torch.bfloat16),
        case((2, 500, 4, 128, 128), 'g', torch.bfloat16),
        case((1, 1, 1, 16, 16), 'g', torch.bfloat16),
    ],
)
CHUNK_VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 64, 0, 70], (2, 20, 40), 'g', torch.float),
        varlen_case([130, 3], (1, 64, 32), 'g+g_gamma', torch.half, state_v_first=True),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 40), 'g', torch.float),
        varlen_case([1000, 3, 500, 497], (4, 128, 64), 'g+g_gamma', torch.half, state_v_first=True),
        varlen_case([15, 2000, 33], (2, 100, 100), '', torch.bfloat16),
    ],
)
RECURRENT_VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 9, 0, 20], (2, 20, 40), 'g', torch.float),
        varlen_case([13, 3], (1, 32, 16), 'g+g_gamma', torch.half, state_v_first=True),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 40), 'g', torch.float),
        varlen_case([300, 3, 197], (4, 128, 64), 'g+g_gamma', torch.half, state_v_first=True),
    ],
)


def make_inputs(B, T, H, K, V, N, gates, dtype):
    tensors = {
        'q': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'k': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'v': leaf(torch.randn(B, T, H, V, device=device).to(dtype)),
        'initial_state': leaf(torch.randn(N, H, K, V, device=device)),
    }
    if 'g' in gates.split('+'):
        tensors['g'] = leaf(F.logsigmoid(torch.randn(B, T, H, device=device)))
    g_gamma = -torch.rand(H, device=device) if 'g_gamma' in gates.split('+') else None
    return tensors, g_gamma


def total_gate(g, g_gamma, like):
    if g_gamma is None:
        return g
    return g_gamma.expand(like.shape[:3]) + (0 if g is None else g)


def reference(tensors, g_gamma, scale, reverse=False):
    q, k, v, h0 = (tensors[name] for name in ('q', 'k', 'v', 'initial_state'))
    g = total_gate(tensors.get('g'), g_gamma, q)
    if not reverse:
        return naive_recurrent_simple_gla(q, k, v, g, scale=scale, initial_state=h0)
    q, k, v, g = (None if x is None else x.flip(1) for x in (q, k, v, g))
    o, ht = naive_recurrent_simple_gla(q, k, v, g, scale=scale, initial_state=h0)
    return o.flip(1), ht


@pytest.mark.parametrize(('shape', 'gates', 'dtype', 'scale', 'state_v_first'), CHUNK_CASES)
def test_chunk(shape, gates, dtype, scale, state_v_first):
    torch.manual_seed(42)
    tensors, g_gamma = make_inputs(*shape, shape[0], gates, dtype)
    ref = reference(tensors, g_gamma, scale)
    tri = run(chunk_simple_gla, tensors, state_v_first, g_gamma=g_gamma, scale=scale)
    compare(ref, tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'gates', 'dtype', 'state_v_first'), CHUNK_VARLEN_CASES)
def test_chunk_varlen(lens, shape, gates, dtype, state_v_first):
    torch.manual_seed(42)
    tensors, g_gamma = make_inputs(1, sum(lens), *shape, len(lens), gates, dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    ref = one_by_one(lambda one: reference(one, g_gamma, None), tensors, lens)
    tri = run(
        chunk_simple_gla,
        tensors,
        state_v_first,
        g_gamma=g_gamma,
        cu_seqlens=cu_seqlens,
        cu_seqlens_cpu=cu_seqlens.cpu(),
    )
    compare(ref, tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'gates', 'dtype', 'scale', 'state_v_first'), CHUNK_CASES)
def test_fused_chunk(shape, gates, dtype, scale, state_v_first):
    torch.manual_seed(42)
    tensors, g_gamma = make_inputs(*shape, shape[0], gates, dtype)
    tri = fused_chunk_simple_gla(**tensors, g_gamma=g_gamma, scale=scale, output_final_state=True)
    compare(reference(tensors, g_gamma, scale), tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'gates', 'dtype', 'state_v_first'), CHUNK_VARLEN_CASES)
def test_fused_chunk_varlen(lens, shape, gates, dtype, state_v_first):
    torch.manual_seed(42)
    tensors, g_gamma = make_inputs(1, sum(lens), *shape, len(lens), gates, dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = fused_chunk_simple_gla(**tensors, g_gamma=g_gamma, output_final_state=True, cu_seqlens=cu_seqlens)
    compare(one_by_one(lambda one: reference(one, g_gamma, None), tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'gates', 'dtype', 'scale', 'state_v_first'), RECURRENT_CASES)
@pytest.mark.parametrize('reverse', [False, True], ids=['forward', 'reverse'])
def test_fused_recurrent(shape, gates, dtype, scale, state_v_first, reverse):
    torch.manual_seed(42)
    tensors, g_gamma = make_inputs(*shape, shape[0], gates, dtype)
    ref = reference(tensors, g_gamma, scale, reverse)
    tri = run(fused_recurrent_simple_gla, tensors, state_v_first, g_gamma=g_gamma, scale=scale, reverse=reverse)
    compare(ref, tri, tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'gates', 'dtype', 'state_v_first'), RECURRENT_VARLEN_CASES)
@pytest.mark.parametrize('reverse', [False, True], ids=['forward', 'reverse'])
def test_fused_recurrent_varlen(lens, shape, gates, dtype, state_v_first, reverse):
    torch.manual_seed(42)
    tensors, g_gamma = make_inputs(1, sum(lens), *shape, len(lens), gates, dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    ref = one_by_one(lambda one: reference(one, g_gamma, None, reverse), tensors, lens)
    tri = run(fused_recurrent_simple_gla, tensors, state_v_first, g_gamma=g_gamma, cu_seqlens=cu_seqlens, reverse=reverse)
    compare(ref, tri, tensors, dtype)


@pytest.mark.parametrize('op', [chunk_simple_gla, fused_chunk_simple_gla, fused_recurrent_simple_gla], ids=OP_IDS)
def test_without_states(op):
    torch.manual_seed(42)
    tensors, _ = make_inputs(1, by_size(17, 100), 2, 32, 16, 1, 'g', torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors)
    assert ht is None
    ref, _ = naive_recurrent_simple_gla(**tensors)
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_autocast(op):
    torch.manual_seed(42)
    tensors, _ = make_inputs(1, by_size(17, 100), 1, 16, 16, 1, 'g', torch.float)
    leaves = list(tensors.values())
    results = []
    for enabled in (False, True):
        with torch.autocast(device, dtype=torch.bfloat16, enabled=enabled):
            o, ht = op(**tensors, output_final_state=True)
        results.append([o, ht, *torch.autograd.grad(o.sum() + ht.sum(), leaves)])
    for name, ref, tri in zip(['o', 'ht', *tensors], *results, strict=True):
        assert ref.dtype == tri.dtype == torch.float
        assert_close(name, ref, tri, 1e-6)


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
@pytest.mark.parametrize('pad', [pad_rows, pad_tensor], ids=['rows', 'tensor'])
def test_padding_is_not_read(op, pad):
    torch.manual_seed(42)
    shape = (1, by_size(17, 100), 1, 20, 36)
    tensors, _ = make_inputs(*shape, 1, 'g', torch.float)
    do, dht = torch.randn(*shape[:3], 36, device=device), torch.randn(1, 1, 20, 36, device=device)
    results = []
    for leaves in (tensors, {name: pad(x) for name, x in tensors.items()}):
        o, ht = op(**leaves, output_final_state=True)
        grads = torch.autograd.grad([o, ht], list(leaves.values()), [pad(do).detach(), pad(dht).detach()])
        results.append([o, ht, *grads])
    for name, ref, tri in zip(['o', 'ht', *tensors], *results, strict=True):
        assert tri.abs().max() < 1e20, name
        assert_close(name, ref, tri, 1e-6)


@pytest.mark.parametrize('op', [chunk_simple_gla, fused_chunk_simple_gla, fused_recurrent_simple_gla], ids=OP_IDS)
def test_strong_decay(op):
    torch.manual_seed(42)
    tensors, _ = make_inputs(1, by_size(33, 100), 1, 16, 16, 1, 'g', torch.float)
    forgets = torch.rand_like(tensors['g']) < 0.3
    tensors['g'] = tensors['g'].detach().masked_fill(forgets, -100.).requires_grad_()
    compare(reference(tensors, None, None), op(**tensors, output_final_state=True), tensors, torch.float)


@pytest.mark.parametrize('op', [chunk_simple_gla, fused_recurrent_simple_gla], ids=['chunk', 'fused_recurrent'])
def test_refuses(op):
    torch.manual_seed(42)
    tensors, _ = make_inputs(2, 15, 2, 16, 16, 2, 'g', torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        op(**{**tensors, 'k': tensors['k'][:, :-1]})
    with pytest.raises(ValueError, match='one type'):
        op(**{**tensors, 'v': tensors['v'].half()})
    with pytest.raises(ValueError, match='initial state'):
        op(**{**tensors, 'initial_state': tensors['initial_state'][:1]})
    with pytest.raises(ValueError, match='batch size'):
        op(**tensors, cu_seqlens=torch.tensor([0, 15], device=device))
    with pytest.raises(ValueError, match='head_first'):
        op(**tensors, head_first=True)
    with pytest.warns(UserWarning, match='ignored: initial_sate') as caught:
        op(**tensors, initial_sate=None)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match='g_gamma'):
        op(**tensors, g_gamma=torch.zeros(3, device=device))


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
def test_second_derivative_is_refused(op):
    torch.manual_seed(42)
    tensors, _ = make_inputs(1, 15, 1, 16, 16, 1, 'g', torch.float)
    o, _ = op(**tensors)
    dq, = torch.autograd.grad(o.square().sum(), tensors['q'], create_graph=True)
    with pytest.raises(RuntimeError, match='differentiate twice'):
        dq.sum().backward()


@pytest.mark.parametrize('op', OPS, ids=OP_IDS)
@pytest.mark.parametrize(('B', 'T', 'offsets'), [(2, 0, None), (1, 0, [0, 0, 0])], ids=['dense', 'varlen'])
def test_no_tokens(op, B, T, offsets):
    torch.manual_seed(42)
    tensors, _ = make_inputs(B, T, 1, 16, 16, 2, 'g', torch.float)
    cu_seqlens = torch.tensor(offsets, device=device) if offsets else None
    o, ht = op(**tensors, output_final_state=True, cu_seqlens=cu_seqlens)
    assert o.shape == tensors['v'].shape
    assert torch.equal(ht, tensors['initial_state'])
    ht.sum().backward()
    assert torch.equal(tensors['initial_state'].grad, torch.ones_like(ht))
    assert tensors['q'].grad.shape == tensors['q'].shape


@pytest.mark.skipif(device != 'cuda', reason='only CUDA tells of synchronisations')
def test_chunk_varlen_with_offsets_on_the_cpu_does_not_wait():
    torch.manual_seed(42)
    tensors, _ = make_inputs(1, 130, 2, 64, 64, 2, 'g', torch.float)
    leaves = list(tensors.values())
    for lens, mode in (((63, 67), 'default'), ((100, 30), 'error')):
        cu_seqlens_cpu = torch.tensor([0, *lens]).cumsum(0)
        cu_seqlens = cu_seqlens_cpu.to(device)
        device_torch_lib.set_sync_debug_mode(mode)
        try:
            o, ht = chunk_simple_gla(**tensors, output_final_state=True, cu_seqlens=cu_seqlens, cu_seqlens_cpu=cu_seqlens_cpu)
            torch.autograd.grad(o.sum() + ht.sum(), leaves)
        finally:
            device_torch_lib.set_sync_debug_mode('default')


@pytest.mark.parametrize('with_gate', [False, True], ids=['none', 'g'])
def test_naive_forms_agree(with_gate):
    torch.manual_seed(42)
    q, k = torch.randn(2, 2, 63, 3, 5, dtype=torch.double, device=device)
    v = torch.randn(2, 63, 3, 4, dtype=torch.double, device=device)
    g = F.logsigmoid(torch.randn(2, 63, 3, dtype=torch.double, device=device)) if with_gate else None
    o, ht = naive_recurrent_simple_gla(q, k, v, g)
    assert_close('parallel', o, naive_parallel_simple_gla(q, k, v, g)[0], 1e-9, err_atol=0)
    chunk_o, chunk_ht = naive_chunk_simple_gla(q, k, v, g, chunk_size=16)
    assert_close('chunk', o, chunk_o, 1e-9, err_atol=0)
    assert_close('chunk ht', ht, chunk_ht, 1e-9, err_atol=0)


@pytest.mark.parametrize(
    'form',
    [
        lambda q, k, v, g, h0: naive_recurrent_simple_gla(q, k, v, g, initial_state=h0),
        lambda q, k, v, g, h0: naive_chunk_simple_gla(q, k, v, g, initial_state=h0, chunk_size=3),
        lambda q, k, v, g, h0: naive_parallel_simple_gla(q, k, v, g),
    ],
    ids=['recurrent', 'chunk', 'parallel'],
)
def test_naive_gradcheck(form):
    torch.manual_seed(42)

    def leaf(*shape):
        return torch.randn(*shape, dtype=torch.double, device=device).requires_grad_()

    inputs = [leaf(1, 7, 2, 3), leaf(1, 7, 2, 3), leaf(1, 7, 2, 4), leaf(1, 7, 2), leaf(1, 2, 3, 4)]
    assert torch.autograd.gradcheck(form, inputs)
