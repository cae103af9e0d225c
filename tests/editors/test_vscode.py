# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The extension for VS Code builds, passes its own tests against this server, and packs what it needs."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.tools import REPOSITORY, clean_environment

EXTENSION = REPOSITORY / 'editors' / 'vscode'
MODULES = EXTENSION / 'node_modules'
MADE = ('node_modules', 'dist', 'out', '*.vsix')
# in seconds, for a machine that has other things to do
LIMIT = 1200


def npm(*arguments: str, cwd: Path) -> None:
    result = subprocess.run(
        ['npm', *arguments],
        cwd=cwd,
        env=clean_environment(FLAKELINT_PYTHON=sys.executable),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding='utf-8',
        check=False,
        timeout=LIMIT,
    )
    assert result.returncode == 0, result.stdout


def reaches_registry() -> bool:
    try:
        return not subprocess.run(['npm', 'ping'], capture_output=True, check=False, timeout=60).returncode
    except subprocess.TimeoutExpired:
        return False


@pytest.mark.skipif(shutil.which('npm') is None, reason='npm is not installed')
def test_the_extension_passes_its_tests_and_is_packed(tmp_path: Path) -> None:
    if not MODULES.is_dir() and not reaches_registry():
        pytest.skip('there is neither node_modules nor a registry of npm')
    copy = tmp_path / 'vscode'
    shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns(*MADE))
    if MODULES.is_dir():
        (copy / 'node_modules').symlink_to(MODULES, target_is_directory=True)
    else:
        npm('ci', cwd=copy)
    npm('test', cwd=copy)
    npm('run', 'package', cwd=copy)
    (packed,) = copy.glob('*.vsix')
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
        assert {'extension/package.json', 'extension/dist/extension.js', 'extension/LICENSE.txt'} <= names
        assert not any('node_modules' in name or name.endswith('.ts') for name in names)
        assert archive.getinfo('extension/dist/extension.js').file_size > 100_000
