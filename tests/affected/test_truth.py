# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The tests of the kernel package: whatever one of them runs, its file is needed for."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flakelint.affected.graph import Graph
from flakelint.affected.parts import FUNCTION, METHOD, Part
from flakelint.affected.question import Tree
from flakelint.affected.selection import select
from flakelint.affected.steps import Node
from flakelint.engine.config import load
from tests.tools import REPOSITORY, clean_environment

pytest.importorskip('torch')
pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason='code has no qualified name')

_FOLDERS = [REPOSITORY / 'tests' / name for name in ('ops', 'utils')]
IS_FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
TESTS = sorted(str(path.relative_to(REPOSITORY)) for folder in _FOLDERS for path in folder.glob('test_*.py'))
if not IS_FULL:
    # to note every call of all of them takes minutes
    TESTS = ['tests/ops/test_index.py', 'tests/utils/test_fla_decorators.py', 'tests/utils/test_fla_testing.py']


@pytest.fixture(scope='module')
def graph() -> Graph:
    return Graph(Tree(load(str(REPOSITORY), None)).files())


@pytest.fixture(scope='module')
def entered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[Node]]:
    """What each test file runs while it is imported and tested."""
    return {test: set(_entered(test, tmp_path_factory.mktemp('recorded') / 'entered.jsonl')) for test in TESTS}


def _entered(test: str, record: Path) -> Iterator[Node]:
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'tests.affected.recording', '-p', 'no:cacheprovider', test]
    environment = clean_environment(RECORDING=str(record), PYTHONPATH=str(REPOSITORY))
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    for line in record.read_text(encoding='utf-8').splitlines():
        path, name = json.loads(line)
        # what stands in a function is a part of it
        yield path, name.partition('.<locals>')[0]


def _code(parts: list[Part]) -> list[Part]:
    return [part for part in parts if part.kind in (FUNCTION, METHOD)]


def test_what_runs_is_selected_and_little_more(graph: Graph, entered: dict[str, set[Node]]) -> None:
    needed = chosen = 0
    missed = []
    for path, parts in graph.files.items():
        for part in _code(parts) if path.startswith('fla/') else ():
            node = (path, part.name)
            truth = {test for test in TESTS if node in entered[test]}
            found = {one.path for one in select(graph, [node])} & set(TESTS)
            missed.extend((node, test) for test in truth - found)
            needed, chosen = needed + len(truth), chosen + len(found)
    print(f'{needed} pairs of a definition and a test file that runs it, {chosen} selected, {len(missed)} missed')
    assert missed == []
    if IS_FULL:
        # on the average of all; what leads to few tests is less even
        assert chosen <= 1.25 * needed
