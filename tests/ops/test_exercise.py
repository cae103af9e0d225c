# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`benchmarks.ops.exercise` is what memcheck watches: it has to reach every kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fla.utils import device_platform

ROOT = Path(__file__).parents[2]
# prints the kernels that are not launched
MISSING = """
import triton.runtime.interpreter as interpreter

launched = set()
launch = interpreter.GridExecutor.__call__

def note(self, *args, **kwargs):
    launched.add(self.fn.__name__)
    return launch(self, *args, **kwargs)

interpreter.GridExecutor.__call__ = note
from benchmarks.ops import exercise
from tests.compiler.test_fla_compiles import SIZES

exercise.run_tools('dense')
for name in exercise.ops.__all__:
    exercise.run(name, 'dense')
print('missing:', sorted(SIZES.keys() - launched))
"""


@pytest.mark.skipif(device_platform != 'cpu', reason='the interpreter says which kernels are launched')
def test_exercise_reaches_every_kernel():
    environment = {**os.environ, 'TRITON_INTERPRET': '1', 'FLA_CI_ENV': '1'}
    run = subprocess.run([sys.executable, '-c', MISSING], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == 'missing: []'
