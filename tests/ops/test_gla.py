# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.gla import chunk_gla, fused_chunk_gla, fused_recurrent_gla
from fla.ops.gla.naive import naive_chunk_gla, naive_recurrent_gla
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, RATIO, compare, leaf, one_by_one, pad_rows, pad_tensor, run


def case(shape, strength, dtype, state_v_first=False):
    """`strength` is the mean log decay of a step, about: sums over a chunk take one reference, one a block, or none."""
    name = '-'.join(f'{dim}{size}' for dim, size in zip('BTHKV', shape, strict=True))
    name = f'{name}-decay{strength}-{DTYPE_NAMES[dtype]}'
    return pytest.param(shape, strength, dtype, state_v_first, id=f'{name}-state_vk' if state_v_first else name)


def varlen_case(lens, shape, strength, dtype, state_v_first=False):
    name = '-'.join(f'{dim}{size}' for dim, size in zip('HKV', shape, strict=True))
    name = f'{"_".join(map(str, lens))}-{name}-decay{strength}-{DTYPE_NAMES[dtype]}'
    return pytest.param(lens, shape, strength, dtype, state_v_first, id=f'{name}-state_vk' if state_v_first else name)


CHUNK_CASES = by_size(
    small=[
        case((1, 63, 1, 64, 64), 0.1, torch.float),
        case((2, 70, 1, 20, 40), 3, torch.float, state_v_first=True),
        case((1, 40, 1, 16, 16), 30, torch.float),
        case((1, 40, 2, 20, 36), 1, torch.half),
        case((1, 63, 1, 60, 16), 0.1, torch.bfloat16, state_v_first=True),
        case((1, 1, 1, 16, 16), 1, torch.float),
    ],
    full=[
        case((1, 63, 1, 64, 64), 0.1, torch.float),
        case((2, 500, 2, 20, 40), 3, torch.float, state_v_first=True),
        case((2, 200, 2, 64, 64), 30, torch.float),
        case((2, 1000, 3, 100, 60), 1, torch.half),
        case((2, 1024, 4, 128, 64), 0.1, torch.bfloat16),
        case((2, 2000, 4, 128, 128), 1, torch.bfloat16),
        case((2, 500, 2, 256, 256), 0.1, torch.half, state_v_first=True),
        case((1, 8192, 2, 128, 128), 0.05, torch.bfloat16),
        case((1, 1, 1, 16, 16), 1, torch.float),
    ],
)
RECURRENT_CASES = by_size(
    small=[
        case((1, 33, 1, 32, 20), 0.1, torch.float),
        case((2, 15, 2, 20, 40), 3, torch.half, state_v_first=True),
        case((1, 15, 1, 130, 16), 1, torch.bfloat16),
        case((1, 1, 1, 16, 16), 1, torch.float),
    ],
    full=[
        case((1, 63, 1, 64, 64), 0.1, torch.float),
        case((2, 100, 2, 20, 40), 3, torch.half, state_v_first=True),
        case((2, 500, 4, 128, 128), 1, torch.bfloat16),
        case((1, 1, 1, 16, 16), 1, torch.float),
    ],
)
VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 64, 0, 10], (1, 20, 20), 1, torch.float),
        varlen_case([33, 3], (1, 32, 16), 0.1, torch.half, state_v_first=True),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 20, 20), 1, torch.float),
        varlen_case([1000, 3, 500, 497], (4, 128, 64), 0.1, torch.half, state_v_first=True),
        varlen_case([15, 2000, 33], (2, 100, 100), 1, torch.bfloat16),
    ],
)


def make_inputs(B, T, H, K, V, N, strength, dtype, gates='gk'):
    tensors = {
        'q': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'k': leaf(torch.randn(B, T, H, K, device=device).to(dtype)),
        'v': leaf(torch.randn(B, T, H, V, device=device).to(dtype)),
        'initial_state': leaf(torch.randn(N, H, K, V, device=device)),
    }
    sizes = {'gk': K, 'gv': V}
    for name in gates.split('+'):
        tensors[name] = leaf(F.logsigmoid(torch.randn(B, T, H, sizes[name], device=device)) * strength)
    return tensors


def reference(tensors, reverse=False):
    q, k, v, gk = (x.flip(1) if reverse else x for x in (tensors[name] for name in ('q', 'k', 'v', 'gk')))
    o, ht = naive_recurrent_gla(q, k, v, gk, initial_state=tensors.get('initial_state'), output_final_state=True)
    return o.flip(1) if reverse else o, ht


def chunk(gk, **kwargs):
    return chunk_gla(g=gk, **kwargs)


@pytest.mark.parametrize(('shape', 'strength', 'dtype', 'state_v_first'), CHUNK_CASES)
def test_chunk(shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], strength, dtype)
    compare(reference(tensors), run(chunk, tensors, state_v_first), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'strength', 'dtype', 'state_v_first'), VARLEN_CASES)
def test_chunk_varlen(lens, shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), strength, dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    ref = one_by_one(reference, tensors, lens)
    tri = run(chunk, tensors, state_v_first, cu_seqlens=cu_seqlens, cu_seqlens_cpu=cu_seqlens.cpu())
    compare(ref, tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'strength', 'dtype', 'state_v_first'), RECURRENT_CASES)
@pytest.mark.parametrize('reverse', [False, True], ids=['forward', 'reverse'])
def test_fused_recurrent(shape, strength, dtype, state_v_first, reverse):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], strength, dtype)
    compare(reference(tensors, reverse), run(fused_recurrent_gla, tensors, state_v_first, reverse=reverse), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'strength', 'dtype', 'state_v_first'), VARLEN_CASES)
def test_fused_recurrent_varlen(lens, shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), strength, dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    tri = run(fused_recurrent_gla, tensors, state_v_first, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


def test_fused_recurrent_with_decays_of_value_channels():
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(15, 100), 2, 20, 36, 1, 1, torch.float, 'gk+gv')
    q, k, v, h0, gk, gv = tensors.values()
    state, outputs = h0, []
    for t in range(q.shape[1]):
        state = state * (gk[:, t, :, :, None] + gv[:, t, :, None, :]).exp() + k[:, t, :, :, None] * v[:, t, :, None, :]
        outputs.append((q[:, t, :, :, None] * state).sum(-2) * q.shape[-1] ** -0.5)
    compare((torch.stack(outputs, 1), state), run(fused_recurrent_gla, tensors, False), tensors, torch.float)


@pytest.mark.parametrize('op', [chunk, fused_recurrent_gla], ids=['chunk', 'fused_recurrent'])
def test_without_states(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 2, 32, 16, 1, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors, scale=0.5)
    assert ht is None
    ref = reference(tensors)[0] * (0.5 * 32 ** 0.5)
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


@pytest.mark.parametrize('op', [chunk, fused_recurrent_gla], ids=['chunk', 'fused_recurrent'])
@pytest.mark.parametrize('pad', [pad_rows, pad_tensor], ids=['rows', 'tensor'])
def test_padding_is_not_read(op, pad):
    torch.manual_seed(42)
    shape = (1, by_size(17, 100), 1, 20, 36)
    tensors = make_inputs(*shape, 1, 1, torch.float)
    do, dht = torch.randn(*shape[:3], 36, device=device), torch.randn(1, 1, 20, 36, device=device)
    results = []
    for leaves in (tensors, {name: pad(x) for name, x in tensors.items()}):
        o, ht = op(**leaves, output_final_state=True)
        grads = torch.autograd.grad([o, ht], list(leaves.values()), [pad(do).detach(), pad(dht).detach()])
        results.append([o, ht, *grads])
    for name, ref, tri in zip(['o', 'ht', *tensors], *results, strict=True):
        assert tri.abs().max() < 1e20, name
        assert_close(name, ref, tri, 1e-6)


def test_decays_of_every_strength_in_one_chunk():
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(64, 200), 1, 32, 16, 1, 1, torch.float)
    # of one channel all steps decay little, of the others some, and of some everything is forgotten at once
    strength = torch.logspace(-2, 2.5, 32, device=device)
    tensors['gk'] = leaf(-torch.rand_like(tensors['gk']) * strength)
    compare(reference(tensors), run(chunk, tensors, False), tensors, torch.float)


@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_chunk_that_forgets_in_its_first_step(dtype):
    torch.manual_seed(42)
    # the last chunk is no whole one, and what is before its first step decays more than an exponential bears
    tensors = make_inputs(1, by_size(70, 100), 1, 16, 16, 1, 0.1, dtype)
    tensors['gk'] = leaf(tensors['gk'].detach().index_fill(1, torch.tensor([0, 64], device=device), -200.))
    compare(reference(tensors), run(chunk, tensors, False), tensors, dtype)


@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_chunk_of_large_inputs(dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(64, 128), 1, 16, 16, 1, 0.3, dtype)
    for name in 'qk':
        tensors[name] = leaf(tensors[name] * 20)
    compare(reference(tensors), run(chunk, tensors, False), tensors, dtype)


def test_fused_chunk():
    torch.manual_seed(42)
    tensors = make_inputs(1, 15, 1, 16, 16, 1, 1, torch.float)
    tensors['g'] = tensors.pop('gk')
    o, ht = fused_chunk_gla(**tensors, output_final_state=True)
    ref, ref_ht = chunk_gla(**tensors, output_final_state=True)
    assert torch.equal(o, ref) and torch.equal(ht, ref_ht)


@pytest.mark.parametrize('op', [chunk, fused_recurrent_gla], ids=['chunk', 'fused_recurrent'])
def test_refuses(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 16, 16, 2, 1, torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        op(**{**tensors, 'k': tensors['k'][:, :-1]})
    with pytest.raises(ValueError, match='batch size'):
        op(**tensors, cu_seqlens=torch.tensor([0, 15], device=device))
    with pytest.raises(ValueError, match='gk has to be'):
        op(**{**tensors, 'gk': tensors['gk'][..., :-1]})


@pytest.mark.parametrize('op', [chunk, fused_recurrent_gla], ids=['chunk', 'fused_recurrent'])
def test_no_tokens(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 0, 1, 16, 16, 2, 1, torch.float)
    o, ht = op(**tensors, output_final_state=True)
    assert o.shape == tensors['v'].shape
    assert torch.equal(ht, tensors['initial_state'])


def test_naive_forms_agree():
    torch.manual_seed(42)
    q, k, gk = torch.randn(3, 2, 33, 3, 5, dtype=torch.double, device=device)
    v = torch.randn(2, 33, 3, 4, dtype=torch.double, device=device)
    ref = naive_recurrent_gla(q, k, v, F.logsigmoid(gk), output_final_state=True)
    tri = naive_chunk_gla(q, k, v, F.logsigmoid(gk), output_final_state=True, chunk_size=16)
    for name, one, other in zip(('o', 'ht'), ref, tri, strict=True):
        assert_close(name, one, other, 1e-9, err_atol=0)


@pytest.mark.parametrize('form', [naive_recurrent_gla, naive_chunk_gla], ids=['recurrent', 'chunk'])
def test_naive_gradcheck(form):
    torch.manual_seed(42)

    def double(*shape):
        return torch.randn(*shape, dtype=torch.double, device=device).requires_grad_()

    inputs = [double(1, 7, 2, 3), double(1, 7, 2, 3), double(1, 7, 2, 4), double(1, 7, 2, 3), double(1, 2, 3, 4)]
    assert torch.autograd.gradcheck(lambda *tensors: form(*tensors, output_final_state=True), inputs)
