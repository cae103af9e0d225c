# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Settings that the package reads from the environment, once, at import."""

import os


def flag(name: str, default: str) -> bool:
    """Whether a variable, or its default, says yes."""
    return os.getenv(name, default).strip().lower() in ('1', 'true', 'yes', 'on')


FLA_CI_ENV = flag('FLA_CI_ENV', '0')
FLA_CACHE_RESULTS = flag('FLA_CACHE_RESULTS', '1')
FLA_DISABLE_TENSOR_CACHE = flag('FLA_DISABLE_TENSOR_CACHE', '0')
FLA_TENSOR_CACHE_SIZE = int(os.getenv('FLA_TENSOR_CACHE_SIZE', '4'))
FLA_USE_TMA = flag('FLA_USE_TMA', '0')
