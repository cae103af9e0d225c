# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The autograd functions in fixtures, run on the CPU: what a rule finds fails or computes another gradient, and what it leaves alone does not.

A fixture takes part with functions named `run_<Class>`, which do what a training step would do with the class and compare its gradients.
"""

import ast
from pathlib import Path

import pytest

from tests.rule_harness import fixture_files, read_fixture

torch = pytest.importorskip('torch')

PREFIX = 'run_'


def classes(path: Path) -> dict[str, bool]:
    """The classes of a fixture that can be run, each with whether something is expected in it."""
    fixture = read_fixture(path)
    tree = ast.parse(fixture.text)
    runs = {node.name.removeprefix(PREFIX) for node in tree.body if isinstance(node, ast.FunctionDef)}
    lines = [line for line, _, _ in fixture.expected]
    return {
        node.name: any(node.lineno <= line <= node.end_lineno for line in lines)
        for node in tree.body if isinstance(node, ast.ClassDef) and node.name in runs
    }


CASES = [
    pytest.param(path, name, is_faulty, id=f'{code}-{path.stem}-{name}')
    for code in ('OPS101', 'OPS102', 'OPS106')
    for path in fixture_files(code)
    for name, is_faulty in classes(path).items()
]


@pytest.mark.parametrize(('path', 'name', 'is_faulty'), CASES)
def test_gradients(path: Path, name: str, is_faulty: bool) -> None:
    torch.manual_seed(42)
    module: dict[str, object] = {'__name__': 'fixture'}
    exec(compile(read_fixture(path).text, str(path), 'exec'), module)
    run = module[f'{PREFIX}{name}']
    if is_faulty:
        with pytest.raises((RuntimeError, ValueError, IndexError)):
            assert run()
    else:
        assert run()


def test_fixtures_of_each_kind_are_run() -> None:
    assert {case.values[2] for case in CASES} == {True, False}
