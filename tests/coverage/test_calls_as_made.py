# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The tests of the kernel package: what is read of their calls is what they pass when they run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flakelint.affected.question import Tree
from flakelint.coverage.axes import position
from flakelint.coverage.matrix import Suite
from flakelint.coverage.modules import Modules
from flakelint.coverage.operators import operators_of
from flakelint.coverage.suite import dimensions_of, examples_of, read
from flakelint.engine.config import load
from tests.tools import REPOSITORY, clean_environment, flakelint

pytest.importorskip('torch')

_AXES = ('layout', 'state', 'head sizes')
TEST = 'tests/ops/test_simple_gla.py'


def _ran(record: Path) -> list[dict]:
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'tests.coverage.recording', '-p', 'no:cacheprovider', TEST]
    environment = clean_environment(RECORDING=str(record), PYTHONPATH=str(REPOSITORY), TRITON_INTERPRET='1')
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert 'CalledError' in done.stdout, done.stdout[-2000:]
    return [json.loads(line) for line in record.read_text(encoding='utf-8').splitlines()]


def _first_calls() -> dict[str, tuple[str, set]]:
    """What is read of the first call of each case of each test."""
    config = load(str(REPOSITORY), None)
    modules = Modules(Tree(config))
    suite = Suite(modules, operators_of(modules, config.settings.coverage))
    found = {}
    for test in (one for one in suite.tests() if one.path == TEST):
        for example in examples_of(dimensions_of(test, suite.run())):
            run = suite.run()
            read(test, example, run)
            if run.record.calls:
                call = run.record.calls[0]
                name = f'{test.id}[{example.id}]' if example.id else test.id
                points = position(call, suite.operators[call.operator]).points
                found[name] = call.operator.name, {one for one in points if one[0] in _AXES}
    return found


def test_calls_are_read_as_they_are_made(tmp_path: Path) -> None:
    first = _first_calls()
    ran = _ran(tmp_path / 'recorded.jsonl')
    assert len(ran) >= 40
    for one in ran:
        expected = {('layout', 'varlen' if one['varlen'] else 'dense')}
        expected |= {('state', 'initial')} if one['initial'] else set()
        k, v = one['sizes']
        expected |= {('head sizes', 'same' if k == v else 'different')}
        assert first[one['test']] == (one['operator'], expected), one['test']


def test_no_hole_in_the_kernel_package() -> None:
    done = flakelint('coverage', '--pairs', '--fail-on-holes', cwd=REPOSITORY)
    assert (done.returncode, done.stderr) == (0, '')
    assert ' 0 holes' in done.stdout
