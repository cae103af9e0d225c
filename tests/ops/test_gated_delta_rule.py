# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.gated_delta_rule import chunk_gated_delta_rule, chunk_gdn, fused_recurrent_gated_delta_rule, fused_recurrent_gdn
from fla.ops.gated_delta_rule.gate import naive_gdn_gate
from fla.ops.gated_delta_rule.naive import naive_chunk_gated_delta_rule, naive_recurrent_gated_delta_rule
from fla.utils import assert_close, by_size, device
from tests.ops.delta_rules import CHUNK_CASES, RECURRENT_CASES, VARLEN_CASES, make_inputs
from tests.ops.operators import compare, leaf, one_by_one, pad_rows, pad_tensor, run

OPERATORS = pytest.mark.parametrize(
    'op',
    [chunk_gated_delta_rule, fused_recurrent_gated_delta_rule],
    ids=['chunk', 'fused_recurrent'],
)


def reference(tensors):
    return naive_recurrent_gated_delta_rule(**tensors, output_final_state=True)


@pytest.mark.parametrize(('shape', 'strength', 'dtype', 'state_v_first'), CHUNK_CASES)
def test_chunk(shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], strength, dtype)
    compare(reference(tensors), run(chunk_gated_delta_rule, tensors, state_v_first), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'strength', 'dtype', 'state_v_first'), VARLEN_CASES)
def test_chunk_varlen(lens, shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), strength, dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    ref = one_by_one(reference, tensors, lens)
    tri = run(chunk_gated_delta_rule, tensors, state_v_first, cu_seqlens=cu_seqlens, cu_seqlens_cpu=cu_seqlens.cpu())
    compare(ref, tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'strength', 'dtype', 'state_v_first'), RECURRENT_CASES)
def test_fused_recurrent(shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], strength, dtype)
    compare(reference(tensors), run(fused_recurrent_gated_delta_rule, tensors, state_v_first), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'strength', 'dtype', 'state_v_first'), VARLEN_CASES)
def test_fused_recurrent_varlen(lens, shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), strength, dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    tri = run(fused_recurrent_gated_delta_rule, tensors, state_v_first, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize('gates', ['gk', 'gv', 'g+gk+gv'])
def test_fused_recurrent_with_decays_of_channels(gates):
    torch.manual_seed(42)
    B, T, H, HV, K, V = shape = (1, by_size(15, 100), 1, 2, 20, 36)
    tensors = make_inputs(*shape, 1, 1, torch.float)
    tensors.pop('g')
    sizes = {'g': [], 'gk': [K], 'gv': [V]}
    for name in gates.split('+'):
        tensors[name] = leaf(F.logsigmoid(torch.randn(B, T, HV, *sizes[name], device=device)))
    q, k = (tensors[name].repeat_interleave(HV // H, dim=2) for name in 'qk')
    v, beta, state, outputs = tensors['v'], tensors['beta'], tensors['initial_state'], []
    zeros = torch.zeros(B, T, HV, device=device)
    g, gk, gv = tensors.get('g', zeros), tensors.get('gk', zeros[..., None]), tensors.get('gv', zeros[..., None])
    for t in range(T):
        state = state * (g[:, t, :, None, None] + gk[:, t, :, :, None] + gv[:, t, :, None, :]).exp()
        error = v[:, t] - (state * k[:, t, :, :, None]).sum(-2)
        state = state + k[:, t, :, :, None] * (beta[:, t, :, None] * error)[:, :, None]
        outputs.append((q[:, t, :, :, None] * state).sum(-2) * K ** -0.5)
    ref = torch.stack(outputs, 1), state
    compare(ref, run(fused_recurrent_gated_delta_rule, tensors, False), tensors, torch.float)


@OPERATORS
@pytest.mark.parametrize(
    ('HV', 'K', 'V', 'layout', 'use_l2norm', 'beta'),
    [
        pytest.param(2, 20, 36, 'dense', False, 'below2', id='grouped-dense-below2'),
        pytest.param(1, 16, 16, 'varlen', False, 'below1', id='varlen-below1'),
        pytest.param(2, 16, 16, 'dense', True, 'raw', id='grouped-dense-l2norm'),
        pytest.param(1, 20, 36, 'varlen', True, 'below2', id='varlen-l2norm-below2'),
        pytest.param(1, 16, 16, 'dense', True, 'below1', id='dense-l2norm-below1'),
        pytest.param(2, 20, 36, 'varlen', True, 'raw', id='grouped-varlen-l2norm'),
        pytest.param(1, 20, 36, 'dense', False, 'raw', id='dense'),
    ],
)
def test_gates_in_kernel(op, HV, K, V, layout, use_l2norm, beta):
    torch.manual_seed(42)
    T = by_size(17, 100)
    tensors = make_inputs(1, T, 1, HV, K, V, 1, 1, torch.float, is_normalised=not use_l2norm)
    tensors['g'] = leaf(torch.randn_like(tensors['g']) * 3)
    tensors['A_log'] = leaf(torch.randn(HV, device=device))
    tensors['dt_bias'] = leaf(torch.randn(HV, device=device))
    arguments = dict(tensors)
    arguments['g'] = naive_gdn_gate(arguments['g'], arguments.pop('A_log'), arguments.pop('dt_bias'))
    if beta != 'raw':
        arguments['beta'] = arguments['beta'].sigmoid() * (2 if beta == 'below2' else 1)
    if use_l2norm:
        for name in 'qk':
            arguments[name] = arguments[name] * (arguments[name].square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    options = {
        'use_qk_l2norm_in_kernel': use_l2norm,
        'use_gate_in_kernel': True,
        'use_beta_sigmoid_in_kernel': beta != 'raw',
        'allow_neg_eigval': beta == 'below2',
        'cu_seqlens': torch.tensor([0, T], device=device) if layout == 'varlen' else None,
    }
    # the gradient of A_log is a sum of terms around 1 that cancel each other, to almost nothing at times
    compare(reference(arguments), run(op, tensors, False, **options), tensors, torch.float, {'A_log': 5e-4})


def test_chunk_of_keys_that_are_all_alike():
    torch.manual_seed(42)
    # the inverse of I + L is as far from I as it gets: each step undoes the one before it
    tensors = make_inputs(1, by_size(64, 200), 1, 1, 16, 16, 1, 0, torch.float)
    tensors['k'] = leaf(torch.full_like(tensors['k'], 0.25))
    tensors['beta'] = leaf(torch.ones_like(tensors['beta']))
    compare(reference(tensors), run(chunk_gated_delta_rule, tensors, False), tensors, torch.float)


@OPERATORS
def test_without_states(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 2, 2, 32, 16, 1, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors, scale=0.5)
    assert ht is None
    ref, _ = naive_recurrent_gated_delta_rule(**tensors, scale=0.5)
    assert_close('o', ref, o, 0.001)
    do = torch.randn_like(o)
    leaves = list(tensors.values())
    grads = [torch.autograd.grad(x, leaves, do) for x in (ref, o)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


@OPERATORS
@pytest.mark.parametrize('pad', [pad_rows, pad_tensor], ids=['rows', 'tensor'])
def test_padding_is_not_read(op, pad):
    torch.manual_seed(42)
    B, T, H, HV, K, V = shape = (1, by_size(17, 100), 1, 2, 20, 36)
    tensors = make_inputs(*shape, 1, 1, torch.float)
    do, dht = torch.randn(B, T, HV, V, device=device), torch.randn(1, HV, K, V, device=device)
    results = []
    for leaves in (tensors, {name: pad(x) for name, x in tensors.items()}):
        o, ht = op(**leaves, output_final_state=True)
        grads = torch.autograd.grad([o, ht], list(leaves.values()), [pad(do).detach(), pad(dht).detach()])
        results.append([o, ht, *grads])
    for name, ref, tri in zip(['o', 'ht', *tensors], *results, strict=True):
        assert tri.abs().max() < 1e20, name
        assert_close(name, ref, tri, 1e-6)


@OPERATORS
def test_no_tokens(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 0, 1, 1, 16, 16, 2, 1, torch.float)
    o, ht = op(**tensors, output_final_state=True)
    assert o.shape == tensors['v'].shape
    assert torch.equal(ht, tensors['initial_state'])


@OPERATORS
def test_refuses(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 4, 16, 16, 2, 1, torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        op(**{**tensors, 'k': tensors['k'][:, :-1]})
    with pytest.raises(ValueError, match='do not fit'):
        op(**{**tensors, 'v': tensors['v'][:, :, :3]})
    with pytest.raises(ValueError, match='batch size'):
        op(**tensors, cu_seqlens=torch.tensor([0, 15], device=device))
    with pytest.raises(ValueError, match='beta has to be'):
        op(**{**tensors, 'beta': tensors['beta'][..., :-1]})
    with pytest.raises(ValueError, match='initial state has to be'):
        op(**{**tensors, 'initial_state': tensors['initial_state'][:, :2]})


def test_chunk_refuses_sequences_over_several_devices():
    torch.manual_seed(42)
    with pytest.raises(NotImplementedError, match='several devices'):
        chunk_gated_delta_rule(**make_inputs(1, 15, 1, 1, 16, 16, 1, 1, torch.float), cp_context=object())


def test_short_names():
    assert chunk_gdn is chunk_gated_delta_rule
    assert fused_recurrent_gdn is fused_recurrent_gated_delta_rule


def test_naive_forms_agree():
    torch.manual_seed(42)
    tensors = {name: x.detach().double() for name, x in make_inputs(2, 33, 2, 4, 5, 4, 2, 1, torch.float).items()}
    ref = naive_recurrent_gated_delta_rule(**tensors, output_final_state=True)
    tri = naive_chunk_gated_delta_rule(**tensors, chunk_size=16, output_final_state=True)
    for name, one, other in zip(('o', 'ht'), ref, tri, strict=True):
        assert_close(name, one, other, 1e-9, err_atol=0)


@pytest.mark.parametrize('form', [naive_recurrent_gated_delta_rule, naive_chunk_gated_delta_rule], ids=['recurrent', 'chunk'])
def test_naive_gradcheck(form):
    torch.manual_seed(42)
    tensors = {name: leaf(x.double()) for name, x in make_inputs(1, 7, 1, 2, 3, 4, 1, 1, torch.float).items()}

    def call(*values):
        return form(**dict(zip(tensors, values, strict=True)), output_final_state=True)

    assert torch.autograd.gradcheck(call, list(tensors.values()))
