# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint commit-msg`."""

import pytest
from click.testing import CliRunner

from flakelint.cli.main import cli
from tests.tools import write


def run(*arguments):
    return CliRunner().invoke(cli, ['commit-msg', *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize('message', [
    '[Fix] Mask the last block\n\nBody without any tag.\n', '', '# nothing but comments\n', "Merge branch 'a'\n",
])
def test_lets_a_good_message_through(folder, message):
    write(folder / 'COMMIT_EDITMSG', message)
    result = run('COMMIT_EDITMSG')
    assert (result.exit_code, result.output) == (0, '')


def test_refuses_and_says_what_to_write(folder):
    write(folder / 'COMMIT_EDITMSG', '# note\n[fix] Mask the last block.\n')
    result = run('COMMIT_EDITMSG')
    assert (result.exit_code, result.stdout) == (1, '')
    assert result.stderr.splitlines() == [
        'REP106 there is no tag `[fix]`: write `[Fix]`',
        'REP106 the subject ends with a full stop: leave it out',
        'the subject is: [fix] Mask the last block.',
    ]


def test_settings_of_the_repository(folder):
    write(folder / 'flakelint.toml', '[commits]\ntags = ["core"]\nmax-length = 20\n')
    write(folder / 'message', '[core] Start')
    assert run('message').exit_code == 0
    write(folder / 'message', '[core] Start all over again')
    result = run('message')
    assert result.exit_code == 1
    assert '27 characters, more than 20' in result.stderr


def test_bytes_that_are_no_text(folder):
    (folder / 'message').write_bytes(b'[Fix] caf\xe9\n')
    assert run('message').exit_code == 0


@pytest.mark.parametrize('name', ['nowhere', '.'])
def test_file_that_cannot_be_read(name):
    result = run(name)
    assert (result.exit_code, result.stdout) == (2, '')
    assert f'flakelint: error: {name}: cannot be read' in result.stderr
