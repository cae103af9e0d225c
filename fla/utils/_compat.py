# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the installed versions of Triton and of the CUDA tools can do."""

import functools
import importlib.util
import inspect
import shutil
import subprocess

import triton
from packaging.version import Version

from fla.utils._config import FLA_CACHE_RESULTS

_TRITON_VERSION = Version(triton.__version__)

TRITON_ABOVE_3_4_0 = _TRITON_VERSION >= Version('3.4.0')
TRITON_ABOVE_3_5_1 = _TRITON_VERSION >= Version('3.5.1')
TRITON_ABOVE_3_7_1 = _TRITON_VERSION >= Version('3.7.1')

SUPPORTS_AUTOTUNE_CACHE = 'cache_results' in inspect.signature(triton.autotune).parameters

autotune_cache_kwargs = {'cache_results': FLA_CACHE_RESULTS} if SUPPORTS_AUTOTUNE_CACHE else {}


@functools.cache
def find_spec_cached(name: str):
    """`importlib.util.find_spec`, remembered; a missing parent package gives `None` too."""
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None


@functools.cache
def has_usable_nvcc() -> bool:
    """Whether an `nvcc` is on the search path and answers `--version`."""
    nvcc = shutil.which('nvcc')
    if nvcc is None:
        return False
    try:
        return subprocess.run([nvcc, '--version'], capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
