# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import functools

import pytest
import torch
import torch.nn.functional as F

from fla.modules import logsigmoid, sigmoid, silu, swiglu, swish
from fla.modules.activations import naive_logsigmoid, naive_sigmoid, naive_swiglu, naive_swish
from fla.utils import assert_close, by_size, device
from tests.modules.norms import NAMED, compare, compare_with_padded
from tests.ops.operators import DTYPE_NAMES, RATIO, leaf

SHAPES = by_size(small=[(2, 15, 3, 20), (33, 100), (1, 1), (0, 20)], full=[(2, 1000, 4, 100), (8192, 2048), (1, 1), (0, 20)])
FORMS = {
    'sigmoid': (naive_sigmoid, sigmoid),
    'logsigmoid': (naive_logsigmoid, logsigmoid),
    'logsigmoid_16': (functools.partial(naive_logsigmoid, temperature=16), functools.partial(logsigmoid, temperature=16)),
    'swish': (naive_swish, swish),
    'swiglu': (naive_swiglu, swiglu),
}
over_forms = pytest.mark.parametrize(('name', 'reference', 'op'), [(name, *forms) for name, forms in FORMS.items()], ids=FORMS)


def make_tensors(name, shape, dtype, scale=2):
    names = ('x', 'y') if name == 'swiglu' else ('x',)
    return {one: leaf((torch.randn(shape, device=device) * scale).to(dtype)) for one in names}


@over_forms
@pytest.mark.parametrize('shape', SHAPES, **NAMED)
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_activation(name, reference, op, shape, dtype):
    torch.manual_seed(42)
    compare(reference, op, make_tensors(name, shape, dtype))


@over_forms
@pytest.mark.parametrize('sign', [-1, 1], ids=['below', 'above'])
def test_activation_far_from_zero(name, reference, op, sign):
    torch.manual_seed(42)
    tensors = make_tensors(name, (7, 20), torch.float)
    tensors['x'] = leaf(sign * (tensors['x'].abs() + 30))
    for options in (tensors, {**tensors, 'x': leaf(tensors['x'] * 1000)}):
        compare(reference, op, options)


@over_forms
def test_activation_keeps_digits_of_tails(name, reference, op):
    """Of small results and gradients too the relative error is small."""
    torch.manual_seed(42)
    tensors = make_tensors(name, (), torch.float)
    for value in (-80., -20., 5., 15.):
        tensors['x'] = leaf(torch.full((), value, device=device))
        doubles = {key: leaf(tensor.double()) for key, tensor in tensors.items()}
        results = []
        for form, inputs in ((reference, doubles), (op, tensors)):
            y = form(**inputs)
            results.append((y, *torch.autograd.grad(y, list(inputs.values()))))
        for one, other in zip(*results, strict=True):
            assert_close('value', torch.ones_like(one), other.double() / one, 1e-5)


@over_forms
def test_activation_does_not_read_padding(name, reference, op):
    torch.manual_seed(42)
    compare_with_padded(op, make_tensors(name, (33, 20), torch.float))


@over_forms
def test_activation_of_strided_elements(name, reference, op):
    torch.manual_seed(42)
    forms = (lambda f=f, **inputs: f(**{key: x.transpose(0, 1) for key, x in inputs.items()}) for f in (reference, op))
    compare(*forms, make_tensors(name, (3, 5, 20), torch.float))


@over_forms
def test_naive_activation_against_gradcheck(name, reference, op):
    torch.manual_seed(42)
    assert torch.autograd.gradcheck(reference, tuple(make_tensors(name, (3, 5), torch.float64).values()))


def test_naive_activation_against_torch():
    torch.manual_seed(42)
    x, y = make_tensors('swiglu', (5, 20), torch.float).values()
    assert_close('sigmoid', 1 / (1 + (-x).exp()), naive_sigmoid(x), 1e-5)
    assert_close('logsigmoid', -(1 + (-x).exp()).log() / 2, naive_logsigmoid(x, 2.), 1e-5)
    assert_close('swish', F.silu(x), naive_swish(x), 1e-5)
    assert_close('swiglu', F.silu(x) * y, naive_swiglu(x, y), 1e-5)
    assert silu is swish


@pytest.mark.parametrize('other', RATIO, ids=DTYPE_NAMES.values())
@pytest.mark.parametrize('dtype', RATIO, ids=DTYPE_NAMES.values())
def test_swiglu_of_two_types(dtype, other):
    torch.manual_seed(42)
    tensors = make_tensors('swiglu', (7, 20), dtype)
    tensors['y'] = leaf(tensors['y'].to(other))
    compare(naive_swiglu, swiglu, tensors)


def test_swiglu_of_two_shapes():
    torch.manual_seed(42)
    x = torch.randn(3, 20, device=device)
    with pytest.raises(ValueError, match='x and y have to be of one shape'):
        swiglu(x, x[:1])
