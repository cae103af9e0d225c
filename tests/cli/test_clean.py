# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint clean`."""

import pytest
from click.testing import CliRunner

from flakelint.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('FLAKELINT_CACHE_DIR', raising=False)
    tmp_path.joinpath('module.py').write_text('x = 1\n')
    return tmp_path


def cached(folder):
    return any(path.suffix == '.sqlite' for path in folder.rglob('*'))


def test_removes_the_cache(folder):
    assert run('check', '-q').exit_code == 0
    assert cached(folder)
    result = run('clean')
    assert (result.exit_code, result.stdout) == (0, 'removed the cache from .flakelint_cache\n')
    assert not (folder / '.flakelint_cache').exists()
    assert (folder / 'module.py').exists()


def test_nothing_to_remove(folder):
    result = run('clean')
    assert result.exit_code == 0
    assert result.stdout.startswith('nothing to remove')


@pytest.mark.parametrize('by', ['option', 'environment', 'settings'])
def test_removes_the_cache_where_it_is(folder, monkeypatch, by):
    arguments = ['--cache-dir', 'elsewhere'] if by == 'option' else []
    if by == 'environment':
        monkeypatch.setenv('FLAKELINT_CACHE_DIR', str(folder / 'elsewhere'))
    if by == 'settings':
        folder.joinpath('flakelint.toml').write_text('cache-dir = "elsewhere"\n')
    assert run('check', '-q', *arguments).exit_code == 0
    assert cached(folder / 'elsewhere')
    assert run('clean', *arguments).exit_code == 0
    assert not (folder / 'elsewhere').exists()


def test_leaves_foreign_files_alone(folder):
    run('check', '-q', '--cache-dir', 'shared')
    folder.joinpath('shared', 'notes.txt').write_text('keep')
    assert run('clean', '--cache-dir', 'shared').exit_code == 0
    assert sorted(path.name for path in (folder / 'shared').iterdir()) == ['notes.txt']


def test_a_folder_without_a_cache_is_left_alone(folder):
    folder.joinpath('.gitignore').write_text('build/\n')
    result = run('clean', '--cache-dir', '.')
    assert result.output == 'nothing to remove at .\n'
    run('check', '-q', '--cache-dir', '.')
    assert run('clean', '--cache-dir', '.').output == 'removed the cache from .\n'
    assert not cached(folder)
    assert folder.joinpath('.gitignore').read_text() == 'build/\n'
