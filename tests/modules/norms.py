# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the tests of norms have in common: make the inputs, and compare results and all gradients."""

from collections.abc import Callable

import torch

from fla.utils import assert_close, by_size, device
from tests.ops.operators import RATIO, leaf, pad_tensor

# all can be cut into 4 groups
SHAPES = by_size(
    small=[(2, 15, 36), (33, 100), (1, 64), (1, 4)],
    full=[(2, 1000, 100), (3, 63, 2000), (5000, 4096), (1, 64), (1, 4)],
)
NAMED = {'ids': lambda shape: 'x'.join(map(str, shape))}


def make_tensors(shape: tuple[int, ...], dtype: torch.dtype, names: tuple[str, ...]) -> dict[str, torch.Tensor]:
    """Rows, or for `weight` and `bias` one for all rows, by name; rows of `x` have a mean of their own."""
    tensors = {}
    for name in names:
        values = torch.randn(shape[-1:] if name in ('weight', 'bias') else shape, device=device)
        tensors[name] = leaf((values + 2 if name == 'x' else values).to(dtype))
    return tensors


def as_tuple(result: torch.Tensor | tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def compare(reference: Callable, op: Callable, tensors: dict[str, torch.Tensor], **options) -> None:
    """Assert that the results and the gradients of all tensors agree, types too."""
    ratio = RATIO[tensors['x'].dtype]
    ref, tri = (as_tuple(form(**tensors, **options)) for form in (reference, op))
    weights = [torch.randn_like(one, dtype=torch.float) for one in ref]
    leaves = list(tensors.values())
    grads = [
        torch.autograd.grad(sum((one * w).sum() for one, w in zip(outputs, weights, strict=True)), leaves)
        for outputs in (ref, tri)
    ]
    for name, one, other in zip(('y', 'total'), ref, tri, strict=False):
        assert one.dtype == other.dtype
        assert_close(name, one, other, max(ratio, RATIO[one.dtype]))
    assert len(ref) == len(tri)
    for name, one, other in zip(tensors, *grads, strict=True):
        assert one.dtype == other.dtype
        assert_close(f'd{name}', one, other, max(ratio, RATIO[one.dtype]))


def compare_with_padded(op: Callable, tensors: dict[str, torch.Tensor], **options) -> None:
    """Assert that nothing beside the tensors is read."""
    padded = {name: pad_tensor(tensor) for name, tensor in tensors.items()}
    results = []
    for inputs in (tensors, padded):
        y = op(**inputs, **options)
        results.append((y, *torch.autograd.grad(y.square().sum(), list(inputs.values()))))
    for name, one, other in zip(('y', *tensors), *results, strict=True):
        assert_close(name, one, other, 1e-6)
