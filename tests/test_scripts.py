# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What CI runs of the tests: on a branch those that its difference needs, on main all."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import REPOSITORY, clean_environment, write


def _git(folder: Path, *arguments: str) -> None:
    command = ['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two modules with a test each, on a branch of their own."""
    write(tmp_path / 'pyproject.toml', '[tool.flakelint]\n[tool.pytest.ini_options]\npythonpath = ["."]\n')
    write(tmp_path / '.gitignore', '.flakelint_cache/\n__pycache__/\n.pytest_cache/\n')
    for name in ('one', 'other'):
        write(tmp_path / f'pkg/{name}.py', 'def f():\n    return 1\n')
        write(tmp_path / f'tests/test_{name} it.py', f'from pkg.{name} import f\ndef test_{name}():\n    assert f()\n')
    (tmp_path / 'scripts').mkdir()
    shutil.copy(REPOSITORY / 'scripts/run_tests.sh', tmp_path / 'scripts')
    _git(tmp_path, 'init', '-q', '-b', 'main')
    _git(tmp_path, 'add', '-A')
    _git(tmp_path, 'commit', '-qm', 'first')
    _git(tmp_path, 'checkout', '-qb', 'work')
    return tmp_path


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = clean_environment(PYTHON=sys.executable, PYTHONPATH=str(REPOSITORY))
    command = ['bash', 'scripts/run_tests.sh', *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize('arguments', [(), ('main',)], ids=['without a branch', 'on the branch itself'])
def test_all_tests_run(repository: Path, arguments: tuple[str, ...]) -> None:
    done = _run(repository, *arguments)
    assert done.returncode == 0 and '2 passed' in done.stdout


def test_on_a_branch_the_tests_that_it_needs_run(repository: Path) -> None:
    write(repository / 'pkg/one.py', 'def f():\n    return 0\n')
    _git(repository, 'commit', '-qam', 'change')
    done = _run(repository, 'main')
    assert done.returncode == 1
    assert '1 failed' in done.stdout and 'passed' not in done.stdout


def test_a_comment_needs_none(repository: Path) -> None:
    write(repository / 'pkg/one.py', '# a remark\ndef f():\n    return 1\n')
    _git(repository, 'commit', '-qam', 'change')
    done = _run(repository, 'main')
    assert (done.returncode, done.stdout) == (0, 'no test reaches what differs from main\n')


def test_a_branch_that_is_not_there_fails(repository: Path) -> None:
    done = _run(repository, 'nowhere')
    assert (done.returncode, done.stdout, done.stderr) == (2, '', 'no commit is named nowhere\n')
