# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What tests of kernels need before triton is imported, and memory that shows what a kernel left unwritten."""

import glob
import importlib.util
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parent
POISONED = (TESTS / 'ops', TESTS / 'modules')
DEVICE_NODES = ('/dev/nvidia*', '/dev/kfd', '/dev/dri/renderD*', '/dev/davinci*', '/dev/dxg')

# the sample is the same in every run; `scripts/full_checks.sh` runs the full profile
settings.register_profile('sample', max_examples=100, derandomize=True, deadline=None)
settings.register_profile('full', max_examples=3000, deadline=None)
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'sample'))


def _has_accelerator() -> bool:
    # torch takes seconds to load, so it is asked only where there may be a device
    if not any(glob.glob(pattern) for pattern in DEVICE_NODES):
        return False
    import torch

    return torch.accelerator.is_available()


if importlib.util.find_spec('torch') is not None and not _has_accelerator():
    os.environ.setdefault('TRITON_INTERPRET', '1')
# compiling every configuration of every kernel takes many minutes
os.environ.setdefault('FLA_CI_ENV', '1')


def _is_called_from_fla() -> bool:
    # the frames of this function and of the wrapper come first
    name = sys._getframe(2).f_globals.get('__name__', '')
    return name == 'fla' or name.startswith('fla.')


def _poison(allocate):
    import torch

    def wrapper(*args, **kwargs):
        result = allocate(*args, **kwargs)
        if torch.compiler.is_compiling() or result.requires_grad or not _is_called_from_fla():
            return result
        if result.is_floating_point() or result.is_complex():
            result.fill_(float('nan'))
        return result

    return wrapper


@pytest.fixture(autouse=True)
def poisoned_memory(request, monkeypatch):
    """Fill with NaN what the package allocates without a value, in tests of operators and modules."""
    if not any(request.path.is_relative_to(folder) for folder in POISONED):
        return
    import torch

    for owner, name in ((torch, 'empty'), (torch, 'empty_like'), (torch.Tensor, 'new_empty')):
        monkeypatch.setattr(owner, name, _poison(getattr(owner, name)))
