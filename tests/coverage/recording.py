# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A plugin for pytest that notes with what each test first calls an operator of the kernel package, and ends the test there.

    python -m pytest -p tests.coverage.recording FILE

It writes a line of JSON for each test to the file that `RECORDING` names: the test, the operator, and what was passed.
"""

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable

from fla.ops import simple_gla

_NAMES = ('chunk_simple_gla', 'fused_recurrent_simple_gla')


class CalledError(Exception):
    """An operator was called."""


def _recorded(function: Callable) -> Callable:
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        passed = inspect.signature(function).bind(*args, **kwargs).arguments
        facts = {
            'test': os.environ['PYTEST_CURRENT_TEST'].rpartition(' (')[0],
            'operator': function.__name__,
            'varlen': passed.get('cu_seqlens') is not None,
            'initial': passed.get('initial_state') is not None,
            'sizes': [passed['k'].shape[-1], passed['v'].shape[-1]],
        }
        with open(os.environ['RECORDING'], 'a', encoding='utf-8') as file:
            file.write(json.dumps(facts) + '\n')
        raise CalledError
    return wrapper


for _name in _NAMES:
    _function = getattr(simple_gla, _name)
    for _module in list(sys.modules.values()):
        if getattr(_module, _name, None) is _function:
            setattr(_module, _name, _recorded(_function))
