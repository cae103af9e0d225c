# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Fixes, ruff and autopep8 come to rest together: after one round of the three a second one changes nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flakelint.engine.config import load
from flakelint.engine.repair import mend
from flakelint.engine.runner import Job
from tests.rule_harness import FIXTURES, fixture_files, read_fixture, registry

ROOT = Path(__file__).parents[2]
CODES = tuple(code for code in registry().codes() if code.startswith(('DOC', 'REP', 'TST')) or code == 'TRI405')
TOOLS = Path(sys.executable).parent
# what cannot be read as Python, or is there to be read as it stands
LEFT_OUT = ('broken_syntax', 'tabs')


@pytest.fixture(scope='module')
def tree(tmp_path_factory) -> Path:
    """The fixtures of the rules of conventions, each without what it says of itself."""
    folder = tmp_path_factory.mktemp('tree')
    shutil.copy(ROOT / 'pyproject.toml', folder)
    for code in CODES:
        for path in fixture_files(code):
            if path.stem not in LEFT_OUT:
                target = folder / 'all' / path.relative_to(FIXTURES)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(read_fixture(path).text.encode())
    return folder


def one_round(folder: Path) -> dict[str, bytes]:
    """Mend all files, then let ruff and autopep8 at them, then mend them again."""
    run = Job(load(str(folder)), registry(), CODES, 1).checker()
    files = sorted((folder / 'all').rglob('*.py'))

    def fix() -> None:
        for path in files:
            name = path.relative_to(folder).as_posix()
            path.write_bytes(mend(path.read_bytes(), name, run, allow_unsafe=False).data)

    fix()
    ruff = [TOOLS / 'ruff', 'check', '--fix', '--exit-zero', '--quiet', '--select', 'E,W,I', '--ignore', 'E501', 'all']
    subprocess.run(ruff, cwd=folder, check=True, capture_output=True)
    pep8 = [TOOLS / 'autopep8', '--in-place', '--recursive', '--max-line-length', '127', '--jobs', '2', 'all']
    subprocess.run(pep8, cwd=folder, check=True, capture_output=True)
    fix()
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_second_round_changes_nothing(tree: Path) -> None:
    first = one_round(tree)
    second = one_round(tree)
    assert len(first) > 200
    assert [name for name in first if first[name] != second[name]] == []
