# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Neovim and Emacs, run for real with the configuration that `editors/` offers."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import KERNELS
from tests.tools import REPOSITORY, clean_environment, command, write

HERE = Path(__file__).parent
FAULTY, FIXED = 'tl.program_id(0)', 'tl.program_id(0).to(tl.int64)'
LINE = 7
# found as well unless the settings of the editor say otherwise
IGNORED = ['TRI102', 'TRI106']
# in seconds, for a machine that has other things to do
PATIENCE = 120
LIMIT = 600

Drive = Callable[..., dict[str, Any]]


def has_eglot() -> bool:
    if shutil.which('emacs') is None:
        return False
    load = ['emacs', '--batch', '--eval', "(progn (package-initialize) (require 'eglot))"]
    return not subprocess.run(load, capture_output=True, check=False).returncode


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """Runs an editor with what to do; gives what was seen."""

    def run(*editor: str, **settings: Any) -> dict[str, Any]:
        folder = tmp_path / 'work'
        write(folder / 'flakelint.toml', 'select = ["TRI"]\n')
        lines = KERNELS.split('\n')
        task = {
            'editors': str(REPOSITORY / 'editors'),
            'file': str(write(folder / 'kernels.py', KERNELS)),
            'command': command('server'),
            'settings': settings,
            'report': str(tmp_path / 'report.json'),
            'patience': PATIENCE,
            'faulty': FAULTY,
            'fixed': FIXED,
            'line': LINE,
            'column': lines[LINE - 1].index(FAULTY) + 1,
            'hover_line': 9,
            'hover_column': lines[8].index('* N') + 1,
        }
        homes = {name: str(tmp_path / name) for name in ('HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME')}
        environment = clean_environment(**homes, FLAKELINT_TASK=str(write(tmp_path / 'task.json', json.dumps(task))))
        result = subprocess.run(
            editor,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding='utf-8',
            check=False,
            timeout=LIMIT,
        )
        report = tmp_path / 'report.json'
        assert report.exists(), result.stdout + result.stderr
        seen = json.loads(report.read_text(encoding='utf-8'))
        assert not seen.get('problem'), f'{seen["problem"]}\n{seen["messages"]}\n{result.stderr}'
        return seen

    return run


@pytest.mark.skipif(shutil.which('nvim') is None, reason='Neovim is not installed')
def test_neovim(drive: Drive) -> None:
    bare = ('--headless', '-u', 'NONE', '-i', 'NONE', '-n')
    seen = drive('nvim', *bare, '-c', f'luafile {HERE}/drive_neovim.lua', ignore=IGNORED)
    assert seen['found'] == [{'code': 'TRI101', 'line': LINE, 'source': 'flakelint'}]
    assert seen['fixed'] == seen['fixed_all'] == KERNELS.replace(FAULTY, FIXED, 1)
    assert any(title.startswith('Suppress TRI101 here') for title in seen['titles'])
    assert 'int32' in seen['hover']
    assert (seen['lens'], seen['launches']) == ('1 launch', [21])


@pytest.mark.skipif(not has_eglot(), reason='Emacs with eglot is not installed')
def test_emacs(drive: Drive) -> None:
    seen = drive('emacs', '--batch', '--load', str(HERE / 'drive_emacs.el'), ignore=IGNORED)
    (found,) = seen['found']
    assert (found['line'], 'TRI101' in found['text']) == (LINE, True)
    assert seen['fixed'] == seen['fixed_all'] == KERNELS.replace(FAULTY, FIXED, 1)
    assert 'Suppress TRI101 here' in seen['titles']
    assert 'int32' in seen['hover']
