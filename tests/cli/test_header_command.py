# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint header`."""

import os
from datetime import date

import pytest
from click.testing import CliRunner

from flakelint.cli.main import cli
from tests.tools import write

BLOCK = (
    '# Copyright (c) {years}, The Kernel Authors\n'
    '#\n'
    '# This source code is licensed under the MIT License found in the LICENSE file in the root directory of '
    'this source tree.\n'
    '# For a list of all contributors, see the git history of this repository.\n'
)
FOREIGN = '# Copyright (c) 2020-2021, Acme Kernels Ltd.\n'


def run(*arguments):
    return CliRunner().invoke(cli, ['header', *arguments])


def block(years):
    return BLOCK.format(years=years)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / 'flakelint.toml', '[header]\nowner = "The Kernel Authors"\nstart-year = 2024\n')
    return tmp_path


def test_check_is_the_default_and_changes_nothing(folder):
    write(folder / 'good.py', block(2024) + '\nEPS = 1\n')
    bad = write(folder / 'bad.py', 'EPS = 1\n')
    for arguments in ((), ('--check',)):
        result = run(*arguments)
        assert result.exit_code == 1
        (line,) = result.stdout.splitlines()
        assert line.startswith('bad.py:1: the copyright header is missing')
    assert bad.read_text() == 'EPS = 1\n'


def test_clean_tree(folder):
    write(folder / 'good.py', block(2024))
    write(folder / 'third_party' / 'other.py', 'EPS = 1\n')
    write(folder / 'empty.py', '')
    result = run()
    assert (result.exit_code, result.output) == (0, '')


def test_fix_adds_replaces_and_keeps_modes(folder):
    write(folder / 'missing.py', 'EPS = 1\n').chmod(0o755)
    write(folder / 'old.py', '# copyright 2025 the kernel authors\n\nEPS = 1\n')
    result = run('--fix')
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ['missing.py: add the header', 'old.py: replace the header']
    assert folder.joinpath('missing.py').read_text() == block(f'2024-{date.today().year}') + '\nEPS = 1\n'
    assert folder.joinpath('missing.py').stat().st_mode & 0o777 == 0o755
    assert folder.joinpath('old.py').read_text() == block(2025) + '\nEPS = 1\n'
    again = run('--fix')
    assert (again.exit_code, again.output) == (0, '')


def test_year_moves_ours_and_leaves_others_alone(folder):
    file = write(folder / 'norm.py', block(2024) + FOREIGN + '\nEPS = 1  # 2024\n')
    result = run('--year', '2027')
    assert (result.exit_code, result.stdout) == (0, 'norm.py: 2024 -> 2024-2027\n')
    assert file.read_text() == block('2024-2027') + FOREIGN + '\nEPS = 1  # 2024\n'
    assert run('--year', '2028').stdout == 'norm.py: 2024-2027 -> 2024-2028\n'


@pytest.mark.parametrize(('years', 'year'), [('2024-2030', '2027'), ('2027', '2027'), ('2029', '2027')])
def test_year_never_lowers(folder, years, year):
    file = write(folder / 'norm.py', block(years))
    result = run('--year', year)
    assert (result.exit_code, result.output) == (0, '')
    assert file.read_text() == block(years)


def test_year_without_a_value_is_this_year(folder):
    file = write(folder / 'ops' / 'norm.py', block(2024).replace('\n', '\r\n'))
    assert run('--year', 'ops').exit_code == 0
    assert file.read_bytes() == block(f'2024-{date.today().year}').replace('\n', '\r\n').encode()
    write(folder / 'top.py', block(2024))
    assert run('--year').stdout == f'top.py: 2024 -> 2024-{date.today().year}\n'


def test_year_says_which_files_have_no_header(folder):
    file = write(folder / 'norm.py', FOREIGN + '\nEPS = 1\n')
    result = run('--year', '2027')
    assert result.exit_code == 1
    assert result.stdout.startswith('norm.py:1: the copyright header is missing')
    assert file.read_text() == FOREIGN + '\nEPS = 1\n'


def test_no_owner_is_an_error(folder):
    write(folder / 'flakelint.toml', '')
    result = run()
    assert (result.exit_code, result.stdout) == (2, '')
    assert 'owner' in result.stderr and 'flakelint.toml' in result.stderr


@pytest.mark.parametrize('mode', [(), ('--fix',), ('--year', '2027')])
def test_wrong_settings_are_told_in_one_line(folder, mode):
    settings = '[header]\nowner = "The Kernel Authors"\n[per-file-ignores]\n"*.py" = ["REP1O1"]\n'
    write(folder / 'flakelint.toml', settings)
    write(folder / 'norm.py', 'EPS = 1\n')
    result = run(*mode)
    assert (result.exit_code, result.stdout) == (2, '')
    assert result.stderr == 'flakelint: error: per-file-ignores: unknown rule `REP1O1`; did you mean `REP101`?\n'


def test_modes_exclude_each_other():
    assert run('--fix', '--year', '2027').exit_code == 2
    assert run('--fix', '--check').exit_code == 2


@pytest.mark.parametrize('mode', [(), ('--fix',), ('--year', '2027')])
def test_files_that_cannot_be_read_do_not_end_the_run(folder, mode):
    (folder / 'binary.py').write_bytes(b'x = "\xff"\n')
    os.symlink('nowhere.py', folder / 'dangling.py')
    write(folder / 'good.py', block('2024-2027'))
    result = run(*mode)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith('binary.py:1: not text')
    assert lines[1].startswith('dangling.py: cannot be read')


def test_takes_excludes_and_suppressions_of_check(folder):
    write(folder / 'flakelint.toml', 'exclude = ["generated/"]\n[header]\nowner = "The Kernel Authors"\nstart-year = 2024\n')
    write(folder / 'generated' / 'table.py', 'EPS = 1\n')
    write(folder / 'kept.py', '# flakelint: file-ignore[REP101] taken over as it is\nEPS = 1\n')
    result = run('--fix')
    assert (result.exit_code, result.output) == (0, '')


def test_named_file_is_excluded_only_by_force(folder):
    write(folder / 'flakelint.toml', 'exclude = ["generated/"]\n[header]\nowner = "The Kernel Authors"\n')
    write(folder / 'generated' / 'table.py', 'EPS = 1\n')
    assert run('generated/table.py').exit_code == 1
    assert run('--force-exclude', 'generated/table.py').exit_code == 0
