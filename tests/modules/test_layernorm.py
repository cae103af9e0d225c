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
    GroupNorm,
    GroupNormLinear,
    LayerNorm,
    LayerNormLinear,
    RMSNorm,
    RMSNormLinear,
    group_norm,
    layer_norm,
    rms_norm,
)
from fla.modules.layernorm import naive_group_norm, naive_layer_norm, naive_rms_norm
from fla.modules.norm import NormOptions
from fla.utils import assert_close, device
from tests.modules.norms import NAMED, SHAPES, compare, compare_with_padded, make_tensors
from tests.ops.operators import DTYPE_NAMES, RATIO, leaf

ALL = ('x', 'weight', 'bias', 'residual')
GROUPED_RMS = {'num_groups': 4, 'is_rms_norm': True}
FORMS = {
    'layer': (naive_layer_norm, layer_norm),
    'rms': (naive_rms_norm, rms_norm),
    'group': (functools.partial(naive_group_norm, num_groups=4), functools.partial(group_norm, num_groups=4)),
    'group_rms': (functools.partial(naive_group_norm, **GROUPED_RMS), functools.partial(group_norm, **GROUPED_RMS)),
}
MODULES = {
    'layer': (LayerNorm, LayerNormLinear, (), naive_layer_norm),
    'rms': (RMSNorm, RMSNormLinear, (), naive_rms_norm),
    'group': (GroupNorm, GroupNormLinear, (4,), functools.partial(naive_group_norm, num_groups=4)),
}
over_forms = pytest.mark.parametrize(('reference', 'op'), FORMS.values(), ids=FORMS)
over_modules = pytest.mark.parametrize(('norm', 'linear', 'groups', 'reference'), MODULES.values(), ids=MODULES)


@over_forms
@pytest.mark.parametrize('shape', SHAPES, **NAMED)
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_norm(reference, op, shape, dtype):
    torch.manual_seed(42)
    compare(reference, op, make_tensors(shape, dtype, ('x', 'weight', 'bias')))


@over_forms
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
@pytest.mark.parametrize('residual_in_fp32', [False, True], ids=['as_x', 'in_fp32'])
@pytest.mark.parametrize('prenorm', [False, True], ids=['alone', 'prenorm'])
@pytest.mark.parametrize('residual_dtype', [None, *RATIO], ids=['no_residual', *DTYPE_NAMES.values()])
def test_norm_with_residual(reference, op, dtype, residual_in_fp32, prenorm, residual_dtype):
    torch.manual_seed(42)
    tensors = make_tensors((3, 5, 20), dtype, ALL)
    residual = tensors.pop('residual')
    if residual_dtype is not None:
        tensors['residual'] = leaf(residual.to(residual_dtype))
    compare(reference, op, tensors, prenorm=prenorm, residual_in_fp32=residual_in_fp32)


@over_forms
def test_norm_without_parameters(reference, op):
    torch.manual_seed(42)
    for names in itertools.chain.from_iterable(itertools.combinations(ALL[1:], n) for n in range(4)):
        compare(reference, op, make_tensors((7, 100), torch.float, ('x', *names)), eps=0.1)


@over_forms
def test_norm_of_which_only_the_sum_is_used(reference, op):
    torch.manual_seed(42)
    # the parameters have no part in it
    weight, bias = make_tensors((7, 20), torch.float, ('weight', 'bias')).values()
    forms = (lambda x, residual, f=f: f(x, weight, bias, residual, prenorm=True)[1] for f in (reference, op))
    compare(*forms, make_tensors((7, 20), torch.float, ('x', 'residual')))


@over_forms
def test_norm_of_nothing(reference, op):
    torch.manual_seed(42)
    compare(reference, op, make_tensors((0, 20), torch.float, ALL), prenorm=True)


@over_forms
def test_norm_does_not_read_padding(reference, op):
    torch.manual_seed(42)
    compare_with_padded(op, make_tensors((33, 20), torch.float, ALL))


@over_forms
def test_norm_of_strided_rows(reference, op):
    torch.manual_seed(42)
    forms = (lambda x, f=f: f(x.transpose(0, 1)).transpose(0, 1) for f in (reference, op))
    compare(*forms, make_tensors((3, 5, 20), torch.float, ('x',)))


@pytest.mark.parametrize('form', [naive_layer_norm, naive_rms_norm, FORMS['group'][0]], ids=['layer', 'rms', 'group'])
def test_naive_norm_against_gradcheck(form):
    torch.manual_seed(42)
    inputs = make_tensors((3, 8), torch.float64, ALL)
    assert torch.autograd.gradcheck(lambda *tensors: form(*tensors, prenorm=True), tuple(inputs.values()))


def test_naive_norm_against_torch():
    torch.manual_seed(42)
    x, weight, bias = make_tensors((5, 20), torch.float, ALL[:3]).values()
    assert_close('layer', F.layer_norm(x, (20,), weight, bias), naive_layer_norm(x, weight, bias), 1e-5)
    assert_close('rms', F.rms_norm(x, (20,), weight, eps=1e-5), naive_rms_norm(x, weight), 1e-5)
    assert_close('group', F.group_norm(x, 4, weight, bias), naive_group_norm(x, weight, bias, num_groups=4), 1e-5)


@over_modules
@pytest.mark.parametrize('has_bias', [False, True], ids=['no_bias', 'bias'])
@pytest.mark.parametrize('is_affine', [False, True], ids=['plain', 'affine'])
def test_norm_as_a_module(norm, linear, groups, reference, has_bias, is_affine):
    torch.manual_seed(42)
    module = norm(*groups, 20, elementwise_affine=is_affine, bias=has_bias, eps=0.1, device=device)
    assert [name for name, _ in module.named_parameters()] == ['weight', 'bias'][:is_affine * (1 + has_bias)]
    assert '20' in repr(module)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    tensors = make_tensors((3, 5, 20), torch.float, ('x', 'residual')) | dict(module.named_parameters())

    def run(x, residual, prenorm, weight=None, bias=None):
        return module(x, residual, prenorm)

    compare(functools.partial(reference, eps=0.1), run, tensors, prenorm=True)


@over_modules
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
@pytest.mark.parametrize('prenorm', [False, True], ids=['alone', 'prenorm'])
def test_norm_linear(norm, linear, groups, reference, dtype, prenorm):
    torch.manual_seed(42)
    module = linear(*groups, 20, bias=True, device=device)
    tensors = make_tensors((3, 5, 20), dtype, ('x', 'residual'))
    tensors['matrix'], tensors['shift'] = (leaf(torch.randn(size, device=device)) for size in ((6, 20), (6,)))

    def run(x, residual, matrix, shift):
        return module(x, matrix, shift, residual, prenorm)

    def expect(x, residual, matrix, shift):
        y, total = reference(x, module.weight, module.bias, residual, prenorm=True)
        y = F.linear(y, matrix.to(x.dtype), shift.to(x.dtype))
        return (y, total) if prenorm else y

    compare(expect, run, tensors)


def test_norm_of_unfitting_inputs():
    torch.manual_seed(42)
    x = torch.randn(3, 20, device=device)
    for name, tensor in (('weight', x), ('bias', x[0, :1]), ('residual', x[:1])):
        with pytest.raises(ValueError, match=f'{name} has to be of shape'):
            layer_norm(x, **{name: tensor})
    with pytest.raises(ValueError, match='20 channels are no 3 groups'):
        group_norm(x, num_groups=3)
    with pytest.raises(ValueError, match='20 channels are no 3 groups'):
        GroupNorm(3, 20)
    with pytest.raises(ValueError, match='activation has to be one of swish, silu, sigmoid'):
        NormOptions(activation='tanh')
    with pytest.raises(ValueError, match='does not fit into a block of 16384'):
        rms_norm(torch.randn(1, 16385, device=device))
