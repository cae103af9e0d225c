# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Triton kernels for linear attention; importing the package loads neither torch nor triton."""

import importlib

__version__ = '0.1.0'

_SUBMODULES = ('ops', 'utils')


def __getattr__(name: str):
    if name in _SUBMODULES:
        return importlib.import_module(f'{__name__}.{name}')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__():
    return sorted([*globals(), *_SUBMODULES])
