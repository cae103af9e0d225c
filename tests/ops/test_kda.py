# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.kda import chunk_kda, fused_recurrent_kda
from fla.ops.kda.fused_recurrent import fused_recurrent_kda_fwd
from fla.ops.kda.gate import naive_kda_gate, naive_kda_lowerbound_gate
from fla.ops.kda.naive import naive_chunk_kda, naive_recurrent_kda
from fla.utils import assert_close, by_size, device
from tests.ops.delta_rules import CHUNK_CASES, RECURRENT_CASES, VARLEN_CASES
from tests.ops.delta_rules import make_inputs as delta_inputs
from tests.ops.operators import DTYPE_NAMES, RATIO, compare, leaf, one_by_one, pad_rows, pad_tensor, run

OPERATORS = pytest.mark.parametrize('op', [chunk_kda, fused_recurrent_kda], ids=['chunk', 'fused_recurrent'])


def make_inputs(B, T, H, HV, K, V, N, strength, dtype, is_normalised=True):
    return delta_inputs(B, T, H, HV, K, V, N, strength, dtype, gate_sizes=(K,), is_normalised=is_normalised)


def reference(tensors):
    return naive_recurrent_kda(**tensors, output_final_state=True)


@pytest.mark.parametrize(('shape', 'strength', 'dtype', 'state_v_first'), CHUNK_CASES)
def test_chunk(shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], strength, dtype)
    compare(reference(tensors), run(chunk_kda, tensors, state_v_first), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'strength', 'dtype', 'state_v_first'), VARLEN_CASES)
def test_chunk_varlen(lens, shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), strength, dtype)
    cu_seqlens = torch.tensor([0, *lens], device=device).cumsum(0)
    tri = run(chunk_kda, tensors, state_v_first, cu_seqlens=cu_seqlens, cu_seqlens_cpu=cu_seqlens.cpu())
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@pytest.mark.parametrize(('shape', 'strength', 'dtype', 'state_v_first'), RECURRENT_CASES)
def test_fused_recurrent(shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], strength, dtype)
    compare(reference(tensors), run(fused_recurrent_kda, tensors, state_v_first), tensors, dtype)


@pytest.mark.parametrize(('lens', 'shape', 'strength', 'dtype', 'state_v_first'), VARLEN_CASES)
def test_fused_recurrent_varlen(lens, shape, strength, dtype, state_v_first):
    torch.manual_seed(42)
    tensors = make_inputs(1, sum(lens), *shape, len(lens), strength, dtype)
    cu_seqlens = torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    tri = run(fused_recurrent_kda, tensors, state_v_first, cu_seqlens=cu_seqlens)
    compare(one_by_one(reference, tensors, lens), tri, tensors, dtype)


@OPERATORS
@pytest.mark.parametrize(
    ('HV', 'K', 'V', 'layout', 'use_l2norm', 'beta', 'lower_bound'),
    [
        pytest.param(2, 20, 36, 'dense', False, 'below2', -5., id='grouped-dense-below2-bounded'),
        pytest.param(1, 16, 16, 'varlen', False, 'below1', None, id='varlen-below1'),
        pytest.param(2, 16, 16, 'dense', True, 'raw', None, id='grouped-dense-l2norm'),
        pytest.param(1, 20, 36, 'varlen', True, 'below2', None, id='varlen-l2norm-below2'),
        pytest.param(1, 16, 16, 'dense', True, 'below1', -5., id='dense-l2norm-below1-bounded'),
        pytest.param(2, 20, 36, 'varlen', True, 'raw', -5., id='grouped-varlen-l2norm-bounded'),
        pytest.param(1, 20, 36, 'dense', False, 'raw', None, id='dense'),
        pytest.param(1, 16, 16, 'dense', False, 'raw', -5., id='dense-bounded'),
    ],
)
def test_gates_in_kernel(op, HV, K, V, layout, use_l2norm, beta, lower_bound):
    torch.manual_seed(42)
    T = by_size(17, 100)
    tensors = make_inputs(1, T, 1, HV, K, V, 1, 1, torch.float, is_normalised=not use_l2norm)
    tensors['g'] = leaf(torch.randn_like(tensors['g']) * 3)
    tensors['A_log'] = leaf(torch.randn(HV, device=device))
    tensors['dt_bias'] = leaf(torch.randn(HV * K, device=device))
    arguments = dict(tensors)
    g, A_log, dt_bias = (arguments.pop(name) for name in ('g', 'A_log', 'dt_bias'))
    if lower_bound is None:
        arguments['g'] = naive_kda_gate(g, A_log, dt_bias)
    else:
        arguments['g'] = naive_kda_lowerbound_gate(g, A_log, dt_bias, lower_bound)
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
        'lower_bound': lower_bound,
        'cu_seqlens': torch.tensor([0, T], device=device) if layout == 'varlen' else None,
    }
    # the gradient of A_log is a sum of terms around 1 that cancel each other, to almost nothing at times
    compare(reference(arguments), run(op, tensors, False, **options), tensors, torch.float, {'A_log': 5e-4})


@pytest.mark.parametrize(
    ('HV', 'K', 'V', 'layout', 'use_l2norm', 'use_sigmoid'),
    [
        (1, 16, 16, 'dense', False, True),
        (2, 20, 36, 'varlen', True, False),
        (2, 16, 16, 'dense', True, True),
        (1, 20, 36, 'dense', False, False),
    ],
    ids=['sigmoid', 'grouped-varlen-l2norm', 'grouped-l2norm-sigmoid', 'plain'],
)
def test_chunk_with_safe_gate(HV, K, V, layout, use_l2norm, use_sigmoid):
    torch.manual_seed(42)
    T = by_size(17, 100)
    tensors = make_inputs(1, T, 1, HV, K, V, 1, 1, torch.float, is_normalised=not use_l2norm)
    arguments = dict(tensors)
    if use_l2norm:
        for name in 'qk':
            arguments[name] = arguments[name] * (arguments[name].square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    if use_sigmoid:
        arguments['beta'] = arguments['beta'].sigmoid()
    options = {
        'safe_gate': True,
        'use_qk_l2norm_in_kernel': use_l2norm,
        'use_beta_sigmoid_in_kernel': use_sigmoid,
        'cu_seqlens': torch.tensor([0, T], device=device) if layout == 'varlen' else None,
    }
    compare(reference(arguments), run(chunk_kda, tensors, False, **options), tensors, torch.float)


def test_chunk_with_decays_of_every_strength():
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(64, 200), 1, 1, 32, 16, 1, 1, torch.float)
    # of one channel all steps decay little, of the others some, and of some everything is forgotten at once
    strength = torch.logspace(-2, 2.5, 32, device=device)
    tensors['g'] = leaf(-torch.rand_like(tensors['g']) * strength)
    compare(reference(tensors), run(chunk_kda, tensors, False), tensors, torch.float)


@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_chunk_that_forgets_in_its_first_step(dtype):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(70, 100), 1, 1, 16, 16, 1, 0.1, dtype)
    tensors['g'] = leaf(tensors['g'].detach().index_fill(1, torch.tensor([0, 64], device=device), -200.))
    compare(reference(tensors), run(chunk_kda, tensors, False), tensors, dtype)


def test_chunk_returns_intermediate_states():
    torch.manual_seed(42)
    tensors = make_inputs(1, 70, 1, 1, 20, 36, 1, 0.1, torch.float)
    o, ht, h = chunk_kda(**tensors, output_final_state=True, return_intermediate_states=True)
    assert h.shape == (1, 2, 1, 20, 36)
    first = {name: x if name == 'initial_state' else x[:, :64] for name, x in tensors.items()}
    assert_close('h', tensors['initial_state'], h[:, 0], 1e-6)
    assert_close('h', reference(first)[1], h[:, 1], 1e-4)
    assert_close('o', reference(tensors)[0], o, 1e-4)


@OPERATORS
def test_without_states(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 2, 2, 32, 16, 1, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = op(**tensors, scale=0.5)
    assert ht is None
    ref, _ = naive_recurrent_kda(**tensors, scale=0.5)
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
def test_gradients_of_the_final_state_alone(op):
    torch.manual_seed(42)
    tensors = make_inputs(1, by_size(17, 100), 1, 1, 20, 36, 1, 1, torch.float)
    states = reference(tensors)[1], op(**tensors, output_final_state=True)[1]
    dht = torch.randn_like(states[0])
    grads = [torch.autograd.grad(ht, list(tensors.values()), dht, materialize_grads=True) for ht in states]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 0.001)


@OPERATORS
def test_no_tokens(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 0, 1, 1, 16, 16, 2, 1, torch.float)
    o, ht = op(**tensors, output_final_state=True)
    assert o.shape == tensors['v'].shape
    assert torch.equal(ht, tensors['initial_state'])


@pytest.mark.parametrize('in_place', [False, True], ids=['new', 'in_place'])
def test_fused_recurrent_fwd_with_a_pool_of_states(in_place):
    torch.manual_seed(42)
    lens = [3, 1, 5]
    tensors = make_inputs(1, sum(lens), 1, 2, 20, 36, 7, 1, torch.float)
    tensors = {name: x.detach() for name, x in tensors.items()}
    pool, rows = tensors['initial_state'], torch.tensor([5, 0, 2], device=device)
    ref, ref_ht = one_by_one(reference, {**tensors, 'initial_state': pool[rows]}, lens)
    before, out = pool.clone(), torch.empty_like(tensors['v'])
    o, ht = fused_recurrent_kda_fwd(
        **tensors,
        output_final_state=True,
        inplace_final_state=in_place,
        cu_seqlens=torch.tensor([0, *lens], device=device).cumsum(0),
        ssm_state_indices=rows,
        out=out,
    )
    assert o is out
    assert_close('o', ref, o, 1e-4)
    assert_close('ht', ref_ht, ht[rows] if in_place else ht, 1e-4)
    others = [1, 3, 4, 6]
    assert torch.equal(pool[others], before[others])
    assert (ht is pool) == in_place and torch.equal(pool, before) != in_place


@OPERATORS
def test_refuses(op):
    torch.manual_seed(42)
    tensors = make_inputs(2, 15, 2, 4, 16, 16, 2, 1, torch.float)
    with pytest.raises(ValueError, match='do not fit'):
        op(**{**tensors, 'k': tensors['k'][:, :-1]})
    with pytest.raises(ValueError, match='gk has to be'):
        op(**{**tensors, 'g': tensors['g'][..., :-1]})
    with pytest.raises(ValueError, match='batch size'):
        op(**tensors, cu_seqlens=torch.tensor([0, 15], device=device))


def test_chunk_refuses():
    torch.manual_seed(42)
    tensors = make_inputs(1, 15, 1, 1, 16, 16, 1, 1, torch.float)
    with pytest.raises(NotImplementedError, match='several devices'):
        chunk_kda(**tensors, cp_context=object())
    with pytest.raises(ValueError, match='needs lower_bound'):
        chunk_kda(**tensors, safe_gate=True, use_gate_in_kernel=True)


def test_naive_forms_agree():
    torch.manual_seed(42)
    tensors = {name: x.detach().double() for name, x in make_inputs(2, 33, 2, 4, 5, 4, 2, 1, torch.float).items()}
    ref = naive_recurrent_kda(**tensors, output_final_state=True)
    tri = naive_chunk_kda(**tensors, output_final_state=True, chunk_size=16)
    for name, one, other in zip(('o', 'ht'), ref, tri, strict=True):
        assert_close(name, one, other, 1e-9, err_atol=0)


@pytest.mark.parametrize('form', [naive_recurrent_kda, naive_chunk_kda], ids=['recurrent', 'chunk'])
def test_naive_gradcheck(form):
    torch.manual_seed(42)
    tensors = {name: leaf(x.double()) for name, x in make_inputs(1, 7, 1, 2, 3, 4, 1, 1, torch.float).items()}

    def call(*values):
        return form(**dict(zip(tensors, values, strict=True)), output_final_state=True)

    assert torch.autograd.gradcheck(call, list(tensors.values()))
