# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.ops.gated_delta_rule.gate import fused_gdn_gate, gdn_gate_bwd, gdn_gate_chunk_cumsum, gdn_gate_fwd, naive_gdn_gate
from fla.ops.kda.gate import fused_kda_gate, naive_kda_gate, naive_kda_lowerbound_gate
from fla.ops.utils import chunk_local_cumsum
from fla.utils import assert_close, by_size, device
from tests.ops.operators import DTYPE_NAMES, RATIO, leaf

T = by_size(33, 1000)
BIAS = pytest.mark.parametrize('has_bias', [False, True], ids=['plain', 'bias'])


def make_inputs(shape, HV, n_bias, has_bias, dtype=torch.float):
    x = torch.randn(shape, device=device) * 4
    # where softplus is the identity, and where it is 0
    x.view(-1)[:2] = torch.tensor([50., -50.], device=device)
    inputs = {'g': leaf(x.to(dtype)), 'A_log': leaf(torch.randn(HV, device=device))}
    if has_bias:
        inputs['dt_bias'] = leaf(torch.randn(n_bias, device=device))
    return inputs


def compare(ref, tri, inputs, ratio):
    assert_close('g', ref, tri, ratio)
    dg = torch.randn_like(ref)
    grads = [torch.autograd.grad(one, list(inputs.values()), dg) for one in (ref, tri)]
    for name, ref_grad, tri_grad in zip(inputs, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, ratio)


@BIAS
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_fused_gdn_gate(has_bias, dtype):
    torch.manual_seed(42)
    inputs = make_inputs((2, T, 5), 5, 5, has_bias, dtype)
    compare(naive_gdn_gate(**inputs), fused_gdn_gate(**inputs), inputs, RATIO[dtype])


@BIAS
@pytest.mark.parametrize('lower_bound', [None, -5.], ids=['unbounded', 'bounded'])
def test_fused_kda_gate(has_bias, lower_bound):
    torch.manual_seed(42)
    inputs = make_inputs((2, T, 3, 20), 3, 60, has_bias)
    if lower_bound is None:
        ref = naive_kda_gate(**inputs)
    else:
        ref = naive_kda_lowerbound_gate(**inputs, lower_bound=lower_bound)
        assert ref.min() >= lower_bound
    compare(ref, fused_kda_gate(**inputs, lower_bound=lower_bound), inputs, 1e-4)


def test_fused_kda_gate_without_rates():
    torch.manual_seed(42)
    inputs = make_inputs((T, 3, 20), 3, 60, True)
    inputs.pop('A_log')
    compare(naive_kda_lowerbound_gate(**inputs), fused_kda_gate(**inputs, lower_bound=-5.), inputs, 1e-4)


def test_gdn_gate_fwd_and_bwd():
    torch.manual_seed(42)
    inputs = make_inputs((1, T, 2), 2, 2, True)
    ref = naive_gdn_gate(**inputs)
    dyg = torch.randn_like(ref)
    grads = torch.autograd.grad(ref, list(inputs.values()), dyg)
    g, A_log, dt_bias = (x.detach() for x in inputs.values())
    assert_close('g', ref, gdn_gate_fwd(g, A_log, dt_bias), 1e-4)
    for name, ref_grad, tri_grad in zip(inputs, grads, gdn_gate_bwd(g, A_log, dt_bias, dyg), strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 1e-4)


def test_gdn_gate_chunk_cumsum():
    torch.manual_seed(42)
    inputs = {name: x.detach() for name, x in make_inputs((1, T, 2), 2, 2, True).items()}
    cu_seqlens = torch.tensor([0, 10, 10, T], device=device)
    ref = chunk_local_cumsum(naive_gdn_gate(**inputs), 16, cu_seqlens=cu_seqlens) * 0.5
    assert_close('g', ref, gdn_gate_chunk_cumsum(**inputs, chunk_size=16, scale=0.5, cu_seqlens=cu_seqlens), 1e-4)


@pytest.mark.parametrize('form', [naive_kda_gate, naive_kda_lowerbound_gate], ids=['unbounded', 'bounded'])
def test_naive_gradcheck(form):
    torch.manual_seed(42)
    x, A_log, dt_bias = (torch.randn(*shape, dtype=torch.double, device=device) for shape in ((5, 2, 3), (2,), (6,)))
    inputs = [one.requires_grad_() for one in (x, A_log, dt_bias)]
    assert torch.autograd.gradcheck(lambda *tensors: form(*tensors, output_dtype=torch.double), inputs)


@pytest.mark.parametrize(('gate', 'shape', 'sizes'), [
    pytest.param(fused_gdn_gate, (1, 5, 4), {'A_log': 2}, id='gdn-A_log'),
    pytest.param(fused_gdn_gate, (1, 5, 4), {'A_log': 4, 'dt_bias': 1}, id='gdn-dt_bias'),
    pytest.param(fused_kda_gate, (1, 5, 4, 8), {'A_log': 8}, id='kda-A_log'),
    pytest.param(fused_kda_gate, (1, 5, 4, 8), {'A_log': 4, 'dt_bias': 4}, id='kda-dt_bias'),
])
def test_gates_refuse(gate, shape, sizes):
    torch.manual_seed(42)
    with pytest.raises(ValueError, match=f'{list(sizes)[-1]} has to hold'):
        gate(torch.randn(shape, device=device), **{name: torch.randn(size, device=device) for name, size in sizes.items()})
