# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Mutants of the kernel package: no test that fails on one is left out of its answer.

A test file is run on all mutants at once whose answers leave it out, those of one definition one after the other: where it needs none of them, it passes. The tests that are in an answer need not be run for that.
"""

import os
import random
import shutil
import subprocess
import sys
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

from flakelint.affected.question import Tree, of_difference
from flakelint.engine.config import load
from tests.affected.mutations import Site, mutated, sites
from tests.tools import REPOSITORY, clean_environment

pytest.importorskip('torch')

IS_FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
COUNT = 300 if IS_FULL else 24
# of how many it is looked at whether the tests in their answers see them
TRIED = 30
# the quickest, where not all are run
QUICK = ['tests/ops/test_index.py', 'tests/utils/test_fla_testing.py']
_FOLDERS = [REPOSITORY / 'tests' / name for name in ('ops', 'utils')]
TESTS = sorted(str(path.relative_to(REPOSITORY)) for folder in _FOLDERS for path in folder.glob('test_*.py'))
SECONDS = 300


class Mutant(NamedTuple):
    """A module of the package changed in one place, and the test files that are said to need it."""

    path: str
    site: Site
    answer: frozenset[str]


class Copy:
    """The package and its tests in a repository of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ('fla', 'tests/ops', 'tests/utils'):
            shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns('__pycache__'))
        for name in ('tests/__init__.py', 'tests/conftest.py', 'pyproject.toml'):
            shutil.copy(REPOSITORY / name, folder / name)
        as_somebody = ['-c', 'user.name=a', '-c', 'user.email=a@b']
        for arguments in (['init', '-q'], ['add', '-A'], [*as_somebody, 'commit', '-qm', 'first']):
            subprocess.run(['git', *arguments], cwd=folder, check=True)
        self.texts = {str(path.relative_to(folder)): path.read_text() for path in (folder / 'fla').rglob('*.py')}

    def apply(self, chosen: list[tuple[str, Site]]) -> None:
        """Write the package with these places changed, and no others."""
        for path, text in self.texts.items():
            places = [site for where, site in chosen if where == path]
            (self.folder / path).write_text(mutated(text, places) if places else text)

    def run(self, *tests: str) -> subprocess.CompletedProcess:
        """Run test files, until one fails."""
        command = [sys.executable, '-B', '-m', 'pytest', '-qx', '-p', 'no:cacheprovider', *tests]
        environment = clean_environment(PYTHONPATH=str(self.folder))
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )


def _drawn(texts: dict[str, str]) -> list[tuple[str, Site]]:
    """Places of all definitions in turn."""
    rnd = random.Random(0)
    found = [[(path, site) for site in rnd.sample(ones, len(ones))] for path in sorted(texts) for ones in sites(texts[path])]
    rnd.shuffle(found)
    return list(islice((one for one in chain(*zip_longest(*found)) if one is not None), COUNT))


def _rounds(mutants: list[Mutant]) -> list[list[Mutant]]:
    """Mutants in groups in which no two change the same statement."""
    found: list[dict[tuple[str, int], Mutant]] = []
    for one in mutants:
        key = one.path, one.site.statement
        group = next((group for group in found if key not in group), None)
        if group is None:
            group = {}
            found.append(group)
        group[key] = one
    return [list(group.values()) for group in found]


@pytest.fixture(scope='module')
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp('mutants'))


@pytest.fixture(scope='module')
def mutants(copy: Copy) -> list[Mutant]:
    found = []
    for path, site in _drawn(copy.texts):
        copy.apply([(path, site)])
        answer = of_difference(Tree(load(str(copy.folder), None)), 'HEAD')
        found.append(Mutant(path, site, frozenset(one.path for one in answer.selected)))
    pairs = sum(len(one.answer) for one in found)
    others = len(found) * len(TESTS) - pairs
    print(f'{len(found)} mutants, {pairs} pairs of one and a test file in its answer, {others} others')
    return found


@pytest.mark.parametrize('test', TESTS if IS_FULL else QUICK)
def test_what_is_left_out_does_not_fail(copy: Copy, mutants: list[Mutant], test: str) -> None:
    for group in _rounds([one for one in mutants if test not in one.answer]):
        copy.apply([(one.path, one.site) for one in group])
        done = copy.run(test)
        assert done.returncode == 0, f'{done.stdout[-3000:]}\n{group}'


@pytest.mark.skipif(not IS_FULL, reason='runs many tests')
def test_mutants_are_seen(copy: Copy, mutants: list[Mutant]) -> None:
    tried = random.Random(0).sample([one for one in mutants if one.answer], TRIED)
    seen = sum(_is_seen(copy, one) for one in tried)
    print(f'{seen} of {len(tried)} mutants make a test in their answers fail')
    assert seen >= TRIED // 3


def _is_seen(copy: Copy, mutant: Mutant) -> bool:
    copy.apply([(mutant.path, mutant.site)])
    try:
        return copy.run(*sorted(mutant.answer)).returncode != 0
    except subprocess.TimeoutExpired:
        return True
