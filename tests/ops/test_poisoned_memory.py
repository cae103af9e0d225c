# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch

from fla.utils import device

SOURCE = '''
def allocate(how, like, **kwargs):
    if how == 'empty':
        return torch.empty(like.shape, dtype=like.dtype, device=like.device, **kwargs)
    if how == 'empty_like':
        return torch.empty_like(like, **kwargs)
    return like.new_empty(like.shape, **kwargs)
'''


def define(module):
    names = {'__name__': module, 'torch': torch}
    exec(SOURCE, names)
    return names['allocate']


@pytest.mark.parametrize('how', ['empty', 'empty_like', 'new_empty'])
def test_memory_of_the_package_is_nan(how):
    torch.manual_seed(42)
    x = torch.randn(3, 5, device=device)
    assert torch.isnan(define('fla.ops.probe')(how, x)).all()
    assert torch.isnan(define('fla')(how, x.half())).all()
    assert define('fla.ops.probe')(how, x.long()).dtype == torch.long


@pytest.mark.parametrize('how', ['empty', 'empty_like', 'new_empty'])
def test_other_memory_is_left_alone(how, monkeypatch):
    torch.manual_seed(42)
    x = torch.randn(3, 5, device=device)
    fills = []
    monkeypatch.setattr(torch.Tensor, 'fill_', lambda self, value: fills.append(value))
    define('flakelint.probe')(how, x)
    define('fla.ops.probe')(how, x, requires_grad=True)
    assert not fills
    define('fla.ops.probe')(how, x)
    assert len(fills) == 1
