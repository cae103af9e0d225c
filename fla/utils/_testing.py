# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Comparison of a kernel with its reference, and the sizes that tests run with."""

import os
import warnings

import torch

from fla.utils._device import device_platform

IS_SMALL = device_platform == 'cpu' or os.getenv('TRITON_INTERPRET', '0') == '1'


def by_size(small, full):
    """The small case for Triton's interpreter, the full one for a GPU."""
    return small if IS_SMALL else full


def _difference(x, y):
    if x.shape != y.shape:
        raise AssertionError(f'shapes differ: {tuple(x.shape)} and {tuple(y.shape)}')
    return x.detach().double() - y.detach().double()


def get_abs_err(x, y):
    """The largest absolute difference; 0 for empty tensors."""
    diff = _difference(x, y)
    return diff.abs().max().item() if diff.numel() else 0.


def get_err_ratio(x, y):
    """The root mean square of the difference over that of `x`, the reference."""
    diff = _difference(x, y)
    if not diff.numel():
        return 0.
    error = diff.square().mean().sqrt().item()
    base = x.detach().double().square().mean().sqrt().item()
    return error / (base + 1e-8)


def assert_close(prefix, ref, tri, ratio, warning=False, err_atol=1e-6):
    """Assert that a result agrees with its reference.

    NaN is looked for first, in both; then the error ratio has to be below `ratio`,
    unless the absolute error is at most `err_atol`.

    Args:
        prefix (str):
            The name of the compared value, for the message.
        ref (Tensor):
            The reference.
        tri (Tensor):
            The result under test.
        ratio (float):
            The bound of the error ratio.
        warning (bool, Optional):
            Warn about a ratio out of bounds instead of failing. Default: `False`.
        err_atol (float, Optional):
            The absolute error that always passes. Default: `1e-6`.
    """
    assert not torch.isnan(ref).any(), f'{prefix}: NaN in the reference'
    assert not torch.isnan(tri).any(), f'{prefix}: NaN in the result'
    abs_err = get_abs_err(ref, tri)
    err_ratio = get_err_ratio(ref, tri)
    message = f'{prefix:>16} diff: {abs_err:.6f} ratio: {err_ratio:.6f}'
    print(message)
    if abs_err <= err_atol or err_ratio < ratio:
        return
    message = f'{message}, bound: {ratio}'
    if not warning:
        raise AssertionError(message)
    warnings.warn(message, stacklevel=2)
