# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import gc
import warnings
import weakref

import pytest

torch = pytest.importorskip('torch')
pytest.importorskip('triton')

from fla.utils import (  # noqa: E402
    FLA_TENSOR_CACHE_SIZE,
    autocast_custom_bwd,
    autocast_custom_fwd,
    checkpoint,
    contiguous,
    deprecate_kwarg,
    device,
    input_guard,
    require_version,
    tensor_cache,
)


def test_input_guard_makes_tensors_contiguous():
    torch.manual_seed(42)
    x = torch.randn(3, 4, device=device).T

    @input_guard
    def op(a, n, *rest, b=None):
        return a, n, rest, b

    a, n, rest, b = op(x, 2, x, b=x)
    assert n == 2
    for y in (a, *rest, b):
        assert y.is_contiguous() and torch.equal(y, x)
    assert contiguous(lambda a: a.is_contiguous())(x)


@pytest.mark.parametrize('kept', [['a'], ('a',), {'a'}], ids=['list', 'tuple', 'set'])
def test_input_guard_leaves_named_arguments(kept):
    torch.manual_seed(42)
    x = torch.randn(3, 4, device=device).T

    @input_guard(no_guard_contiguous=kept)
    def op(a, b):
        return a.is_contiguous(), b.is_contiguous()

    assert op(x, x) == (False, True)
    assert op(b=x, a=x) == (False, True)


def test_input_guard_options():
    torch.manual_seed(42)
    x = torch.randn(3, 4, device=device).T
    assert input_guard(no_guard_contiguous=True)(lambda a: a is x)(x)
    with pytest.raises(ValueError, match="no parameter 'c'"):
        input_guard(lambda a: a, no_guard_contiguous=['c'])


def test_tensor_cache_remembers():
    torch.manual_seed(42)
    calls = []

    @tensor_cache
    def double(x, n=2, y=None):
        calls.append(n)
        return x * n

    x, y = torch.randn(2, 3, device=device)
    first = double(x, 3)
    assert double(x, 3) is first
    assert double(x, n=3) is not first
    assert not torch.equal(double(x, 4), first)
    assert torch.equal(double(y, 3), y * 3)
    x += 1
    assert torch.equal(double(x, 3), x * 3)
    assert len(calls) == 5


def test_tensor_cache_leaves_inference_tensors_alone():
    torch.manual_seed(42)
    double = tensor_cache(lambda x, y=None: x * 2)
    with torch.inference_mode():
        x = torch.randn(3, device=device)
        assert torch.equal(double(x), x * 2)
        x += 1
        assert torch.equal(double(x), x * 2)
        y = torch.randn(3, device=device)
        assert double(x, y=y) is not double(x, y=y)


def test_tensor_cache_is_bounded():
    torch.manual_seed(42)
    double = tensor_cache(lambda x: x * 2)
    tensors = [torch.randn(3, device=device) for _ in range(FLA_TENSOR_CACHE_SIZE + 1)]
    first = weakref.ref(double(tensors[0]))
    for x in tensors:
        double(x)
    gc.collect()
    assert first() is None


def test_autocast_reaches_the_backward():
    torch.manual_seed(42)
    states = []

    class Double(torch.autograd.Function):
        @staticmethod
        @autocast_custom_fwd
        def forward(ctx, x):
            states.append(torch.is_autocast_enabled(device))
            return x * 2

        @staticmethod
        @autocast_custom_bwd
        def backward(ctx, grad):
            states.append(torch.is_autocast_enabled(device))
            return grad * 2

    x = torch.randn(3, device=device, requires_grad=True)
    with torch.autocast(device, dtype=torch.bfloat16):
        y = Double.apply(x)
    y.sum().backward()
    assert states == [True, True]
    assert torch.equal(x.grad, torch.full_like(x, 2))


def test_checkpoint_recomputes():
    torch.manual_seed(42)
    calls = []

    @checkpoint
    def square(x, scale=1):
        calls.append(scale)
        return (x * x * scale).sum()

    x = torch.randn(3, device=device, requires_grad=True)
    square(x, scale=3).backward()
    assert calls == [3, 3]
    assert torch.allclose(x.grad, 6 * x)


def test_require_version():
    torch.manual_seed(42)
    assert require_version('torch>=2.0', 'Update it.')(lambda x: x + 1)(1) == 2
    with pytest.raises(ImportError, match=r'torch<1\.0.*Go back\.'):
        require_version('torch<1.0', 'Go back.')(lambda: None)()
    with pytest.raises(ImportError, match='not installed'):
        require_version('no-such-distribution-of-ours', 'Install it.')(lambda: None)()


def deprecated(version, new_name='new', **options):
    @deprecate_kwarg('old', version=version, new_name=new_name, **options)
    def op(new=None, **kwargs):
        return new, kwargs

    return op


def test_deprecated_kwarg_moves_to_its_new_name():
    op = deprecated('999.0', additional_message='See the notes.')
    with pytest.warns(FutureWarning, match='`old` of .* to be removed in version 999.0. Use `new` instead. See the notes.'):
        assert op(old=1) == (1, {})
    with pytest.warns(FutureWarning, match='`new` is used'):
        assert op(old=1, new=2) == (2, {})
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert op(new=3) == (3, {})


def test_deprecated_kwarg_without_a_new_name():
    with pytest.warns(FutureWarning, match='deprecated'):
        assert deprecated('999.0', new_name=None)(old=1) == (None, {'old': 1})


def test_deprecated_kwarg_after_its_version():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert deprecated('0.0.1')(old=1) == (1, {})
    with pytest.warns(FutureWarning, match='removed since'):
        deprecated('0.0.1', warn_if_greater_or_equal_version=True)(old=1)
    with pytest.raises(ValueError, match='removed since'):
        deprecated('0.0.1', raise_if_greater_or_equal_version=True)(old=1)
    with pytest.raises(ValueError, match='Both'):
        deprecated('999.0', raise_if_both_names=True)(old=1, new=2)
