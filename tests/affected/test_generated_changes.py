# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Generated packages before and after a change: every test file that behaves otherwise is in the answer.

The truth comes from running them in both states: what each test gives, or which exception it raises, or the import of its file.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flakelint.affected.question import Tree, of_difference
from flakelint.engine.cache import Cache
from flakelint.engine.config import load
from tests.affected.trees import Package, changed
from tests.tools import write

# in full by `HYPOTHESIS_PROFILE=full`, as other properties
SEEDS = 300 if os.environ.get('HYPOTHESIS_PROFILE') == 'full' else 12
# changes of each package
CHANGES = 3

# runs each test file in a process of its own, and prints what its tests give
_DRIVER = '''
import importlib.util, json, os, sys
root, *paths = sys.argv[1:]
sys.path.insert(0, root)
sys.dont_write_bytecode = True
def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
def run(path):
    spec = importlib.util.spec_from_file_location('test_module', os.path.join(root, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: outcome(value) for name, value in vars(module).copy().items() if name.startswith('test')}
for path in paths:
    child = os.fork()
    if not child:
        print(json.dumps([path, outcome(lambda: run(path))]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
'''


def _outcomes(folder: Path, tests: list[str]) -> dict[str, object]:
    command = [sys.executable, '-c', _DRIVER, str(folder), *tests]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(map(json.loads, done.stdout.splitlines()))


def _lay(folder: Path, files: dict[str, str]) -> None:
    for name in ('pkg', 'tests'):
        shutil.rmtree(folder / name, ignore_errors=True)
    for path, text in files.items():
        write(folder / path, text)


def _drawn(folder: Path, rnd: random.Random) -> Package:
    """A package whose tests run."""
    while True:
        package = Package(rnd)
        _lay(folder, package.files)
        tests = [path for path in package.files if path.startswith('tests/')]
        if all(isinstance(one, dict) for one in _outcomes(folder, tests).values()):
            return package


def _git(folder: Path, *arguments: str) -> None:
    command = ['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs processes that are copies')
@pytest.mark.parametrize('seed', range(SEEDS))
def test_what_behaves_otherwise_is_selected(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    package = _drawn(tmp_path, rnd)
    tests = [path for path in package.files if path.startswith('tests/')]
    before = _outcomes(tmp_path, tests)
    _git(tmp_path, 'init', '-q')
    _git(tmp_path, 'add', '-A')
    _git(tmp_path, 'commit', '-qm', 'first')
    store = Cache(str(tmp_path / '.cache'), '')
    for _ in range(CHANGES):
        files = changed(package, rnd)
        _lay(tmp_path, files)
        after = _outcomes(tmp_path, tests)
        truth = {path for path in tests if before[path] != after[path]}
        answer = of_difference(Tree(load(str(tmp_path), None)), 'HEAD')
        found = {one.path for one in answer.selected}
        missed = {path: (before[path], after[path]) for path in truth - found}
        differing = [path for path in files.keys() | package.files.keys() if files.get(path) != package.files.get(path)]
        assert missed == {}, f'after a change of {differing}'
        kept = of_difference(Tree(load(str(tmp_path), None), store), 'HEAD')
        # of ways that are as short as each other either may be told
        assert [one[:2] for one in kept.selected] == [one[:2] for one in answer.selected]
