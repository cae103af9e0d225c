# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import functools
import itertools

import pytest
import torch
import torch.nn.functional as F

from fla.modules import (
    FusedLayerNormGated,
    FusedLayerNormSwishGate,
    FusedLayerNormSwishGateLinear,
    FusedRMSNormGated,
    FusedRMSNormSwishGate,
    FusedRMSNormSwishGateLinear,
)
from fla.modules.fused_norm_gate import (
    layer_norm_gated,
    naive_layer_norm_gated,
    naive_rms_norm_gated,
    rms_norm_gated,
)
from fla.utils import assert_close, device
from tests.modules.norms import NAMED, SHAPES, compare, compare_with_padded, make_tensors
from tests.ops.operators import DTYPE_NAMES, RATIO, leaf

ALL = ('x', 'g', 'weight', 'bias', 'residual')
FORMS = {'layer': (naive_layer_norm_gated, layer_norm_gated), 'rms': (naive_rms_norm_gated, rms_norm_gated)}
MODULES = {
    'layer': (FusedLayerNormGated, FusedLayerNormSwishGate, FusedLayerNormSwishGateLinear, naive_layer_norm_gated),
    'rms': (FusedRMSNormGated, FusedRMSNormSwishGate, FusedRMSNormSwishGateLinear, naive_rms_norm_gated),
}
over_forms = pytest.mark.parametrize(('reference', 'op'), FORMS.values(), ids=FORMS)
over_modules = pytest.mark.parametrize(('gated', 'swish', 'linear', 'reference'), MODULES.values(), ids=MODULES)
over_activations = pytest.mark.parametrize('activation', ['swish', 'silu', 'sigmoid'])


@over_forms
@over_activations
@pytest.mark.parametrize('shape', SHAPES, **NAMED)
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_norm_gated(reference, op, activation, shape, dtype):
    torch.manual_seed(42)
    compare(reference, op, make_tensors(shape, dtype, ALL[:4]), activation=activation)


@over_forms
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
@pytest.mark.parametrize('residual_in_fp32', [False, True], ids=['as_x', 'in_fp32'])
@pytest.mark.parametrize('prenorm', [False, True], ids=['alone', 'prenorm'])
@pytest.mark.parametrize('residual_dtype', [None, *RATIO], ids=['no_residual', *DTYPE_NAMES.values()])
def test_norm_gated_with_residual(reference, op, dtype, residual_in_fp32, prenorm, residual_dtype):
    torch.manual_seed(42)
    tensors = make_tensors((3, 5, 20), dtype, ALL)
    residual = tensors.pop('residual')
    if residual_dtype is not None:
        tensors['residual'] = leaf(residual.to(residual_dtype))
    compare(reference, op, tensors, prenorm=prenorm, residual_in_fp32=residual_in_fp32)


@over_forms
@over_activations
def test_norm_gated_without_parameters(reference, op, activation):
    torch.manual_seed(42)
    for names in itertools.chain.from_iterable(itertools.combinations(ALL[2:], n) for n in range(4)):
        compare(reference, op, make_tensors((7, 100), torch.float, ('x', 'g', *names)), activation=activation, eps=0.1)


@over_forms
@over_activations
def test_norm_gated_by_large_gates(reference, op, activation):
    torch.manual_seed(42)
    tensors = make_tensors((7, 20), torch.float, ALL)
    tensors['g'] = leaf(tensors['g'] * 1000)
    compare(reference, op, tensors, activation=activation)


@over_forms
def test_norm_gated_of_nothing(reference, op):
    torch.manual_seed(42)
    compare(reference, op, make_tensors((0, 20), torch.float, ALL), prenorm=True)


@over_forms
@over_activations
def test_norm_gated_does_not_read_padding(reference, op, activation):
    torch.manual_seed(42)
    compare_with_padded(op, make_tensors((33, 20), torch.float, ALL), activation=activation)


@pytest.mark.parametrize('form', [naive_layer_norm_gated, naive_rms_norm_gated], ids=FORMS)
@over_activations
def test_naive_norm_gated_against_gradcheck(form, activation):
    torch.manual_seed(42)
    inputs = make_tensors((3, 8), torch.float64, ALL)

    def run(*tensors):
        return form(**dict(zip(ALL, tensors, strict=True)), activation=activation, prenorm=True)

    assert torch.autograd.gradcheck(run, tuple(inputs.values()))


def test_naive_norm_gated_against_torch():
    torch.manual_seed(42)
    x, g, weight, bias = make_tensors((5, 20), torch.float, ALL[:4]).values()
    layer, rms = F.layer_norm(x, (20,), weight, bias), F.rms_norm(x, (20,), weight, eps=1e-5)
    assert_close('layer', layer * F.silu(g), naive_layer_norm_gated(x, g, weight, bias), 1e-5)
    assert_close('rms', rms * g.sigmoid(), naive_rms_norm_gated(x, g, weight, activation='sigmoid'), 1e-5)


@over_modules
@over_activations
@pytest.mark.parametrize('is_affine', [False, True], ids=['plain', 'affine'])
def test_norm_gated_as_a_module(gated, swish, linear, reference, activation, is_affine):
    torch.manual_seed(42)
    options = {'bias': True} if gated is FusedLayerNormGated else {}
    module = gated(20, elementwise_affine=is_affine, activation=activation, eps=0.1, device=device, **options)
    assert [name for name, _ in module.named_parameters()] == ['weight', 'bias'][:is_affine * (1 + len(options))]
    assert f'activation={activation}' in repr(module)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    tensors = make_tensors((3, 5, 20), torch.float, ('x', 'g', 'residual')) | dict(module.named_parameters())

    def run(x, g, residual, prenorm, weight=None, bias=None):
        return module(x, g, residual, prenorm)

    compare(functools.partial(reference, activation=activation, eps=0.1), run, tensors, prenorm=True)


@over_modules
def test_norm_swish_gate(gated, swish, linear, reference):
    torch.manual_seed(42)
    module = swish(20, eps=0.1, device=device)
    tensors = make_tensors((3, 5, 20), torch.float, ('x', 'g')) | {'weight': module.weight}
    compare(functools.partial(reference, eps=0.1), lambda x, g, weight: module(x, g), tensors)


@over_modules
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
@pytest.mark.parametrize('prenorm', [False, True], ids=['alone', 'prenorm'])
def test_norm_swish_gate_linear(gated, swish, linear, reference, dtype, prenorm):
    torch.manual_seed(42)
    module = linear(20, eps=0.1, device=device)
    tensors = make_tensors((3, 5, 20), dtype, ('x', 'g', 'residual'))
    tensors['matrix'], tensors['shift'] = (leaf(torch.randn(size, device=device)) for size in ((6, 20), (6,)))

    def run(x, g, residual, matrix, shift):
        return module(x, g, matrix, shift, residual, prenorm)

    def expect(x, g, residual, matrix, shift):
        y, total = reference(x, g, module.weight, residual=residual, prenorm=True, eps=0.1)
        y = F.linear(y, matrix.to(x.dtype), shift.to(x.dtype))
        return (y, total) if prenorm else y

    compare(expect, run, tensors)


def test_norm_gated_of_unfitting_inputs():
    torch.manual_seed(42)
    x = torch.randn(3, 20, device=device)
    with pytest.raises(ValueError, match='g has to be of shape'):
        rms_norm_gated(x, x[:1])
    with pytest.raises(ValueError, match='activation has to be one of swish, silu, sigmoid'):
        FusedRMSNormGated(20, activation='tanh')
