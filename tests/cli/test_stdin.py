# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check -`."""

import json
import os
import subprocess

import pytest

from tests.tools import BLOCK_POINTER, clean_environment, command, flakelint, write

BANNER = 'EPS = 1\n# --------\nDELTA = 2\n'


def check(folder, text, *arguments):
    return flakelint('check', '-', *arguments, cwd=folder, stdin=text)


def check_bytes(folder, data, *arguments):
    return subprocess.run(
        command('check', '-', *arguments),
        cwd=folder,
        input=data,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )


@pytest.mark.skipif(os.name == 'nt', reason='there are no pseudo-terminals there')
def test_colour_follows_the_stream_that_findings_go_to(tmp_path):
    terminal, end = os.openpty()
    result = subprocess.run(
        command('check', '-', '--fix'),
        cwd=tmp_path,
        input=BLOCK_POINTER.encode(),
        env=clean_environment(TERM='xterm'),
        stdout=end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(end)
    os.close(terminal)
    assert b'TRI201' in result.stderr
    assert b'\x1b' not in result.stderr


def test_clean_input(tmp_path):
    result = check(tmp_path, 'EPS = 1\n', '--output-format', 'concise', '--quiet')
    assert (result.returncode, result.stdout, result.stderr) == (0, '', '')


@pytest.mark.parametrize('name', ['ops/kernel.py', './ops/kernel.py'])
def test_findings_carry_the_given_name(tmp_path, name):
    result = check(tmp_path, BLOCK_POINTER, '--output-format', 'json', '--stdin-filename', name)
    assert result.returncode == 1
    document = json.loads(result.stdout)
    assert {finding['path'] for finding in document['findings']} == {name}
    assert 'TRI201' in {finding['code'] for finding in document['findings']}
    assert not any(tmp_path.iterdir())


def test_source_is_shown_though_there_is_no_file(tmp_path):
    result = check(tmp_path, BLOCK_POINTER)
    assert result.returncode == 1
    assert 'p_x = tl.make_block_ptr' in result.stdout


def test_fix_prints_the_text_and_tells_the_rest_apart(tmp_path):
    text = BANNER + '# TODO: more\n'
    arguments = ('--select', 'DOC106,DOC109', '--output-format', 'concise', '--stdin-filename', 'x.py')
    result = check(tmp_path, text, '--fix', *arguments)
    assert result.returncode == 1
    assert result.stdout == text.replace('# --------\n', '')
    assert result.stderr.startswith('x.py:3:3: DOC109 ')
    again = check(tmp_path, 'EPS = 1\n', '--fix', '--quiet')
    assert (again.returncode, again.stdout, again.stderr) == (0, 'EPS = 1\n', '')


@pytest.mark.parametrize('data', [
    BANNER.replace('\n', '\r\n').encode(),
    b'\xef\xbb\xbf' + BANNER.encode(),
    b'# -*- coding: latin-1 -*-\n# --------\nNAME = "\xe9"\n',
])
def test_fix_keeps_bytes(tmp_path, data):
    result = check_bytes(tmp_path, data, '--fix', '--select', 'DOC106')
    assert result.returncode == 0
    assert result.stdout == data.replace(b'# --------\r\n', b'').replace(b'# --------\n', b'')


def test_fix_hands_back_what_cannot_be_read(tmp_path):
    for data in (b'x = "\xff"\n', b'x = (\n', b''):
        assert check_bytes(tmp_path, data, '--fix').stdout == data


def test_diff(tmp_path):
    result = check(tmp_path, BANNER, '--diff', '--select', 'DOC106', '--stdin-filename', 'ops/norm.py')
    assert result.returncode == 1
    assert result.stdout.startswith('--- a/ops/norm.py\n+++ b/ops/norm.py\n')
    assert '\n-# --------\n' in result.stdout
    assert check(tmp_path, 'EPS = 1\n', '--diff').returncode == 0


def test_settings_of_the_named_file(tmp_path):
    write(tmp_path / 'inner' / 'flakelint.toml', 'select = ["DOC106"]\n[per-file-ignores]\n"old/" = ["DOC106"]\n')
    assert check(tmp_path, BANNER).returncode == 0
    assert check(tmp_path, BANNER, '--stdin-filename', 'inner/x.py').returncode == 1
    assert check(tmp_path, BANNER, '--stdin-filename', 'inner/old/x.py').returncode == 0


def test_named_file_is_excluded_only_by_force(tmp_path):
    write(tmp_path / 'flakelint.toml', 'select = ["DOC106"]\nexclude = ["generated/"]\n')
    arguments = ('--stdin-filename', 'generated/x.py', '--output-format', 'concise')
    assert check(tmp_path, BANNER, *arguments).returncode == 1
    forced = check(tmp_path, BANNER, '--force-exclude', *arguments)
    assert (forced.returncode, forced.stdout, forced.stderr) == (0, '', '')
    fixed = check(tmp_path, BANNER, '--force-exclude', '--fix', *arguments)
    assert (fixed.returncode, fixed.stdout, fixed.stderr) == (0, BANNER, '')


def test_baseline_of_the_named_file(tmp_path):
    write(tmp_path / 'flakelint.toml', 'select = ["DOC106"]\nbaseline = "known.json"\n')
    write(tmp_path / 'x.py', BANNER)
    assert flakelint('check', '--update-baseline', cwd=tmp_path).returncode == 0
    assert check(tmp_path, f'\n{BANNER}', '--stdin-filename', 'x.py').returncode == 0
    assert check(tmp_path, f'{BANNER}# ====\n', '--stdin-filename', 'x.py').returncode == 1
    assert check(tmp_path, BANNER, '--stdin-filename', 'y.py').returncode == 1


def test_output_file_and_exit_zero(tmp_path):
    result = check(tmp_path, BANNER, '--select', 'DOC106', '-o', 'out.json', '--output-format', 'json', '--exit-zero')
    assert (result.returncode, result.stdout) == (0, '')
    assert len(json.loads((tmp_path / 'out.json').read_text())['findings']) == 1


@pytest.mark.parametrize('arguments', [['--add-ignore'], ['--update-baseline'], ['--statistics'], ['x.py']])
def test_what_needs_files(tmp_path, arguments):
    result = check(tmp_path, 'EPS = 1\n', *arguments)
    assert (result.returncode, result.stdout) == (2, '')
    assert 'flakelint: error: ' in result.stderr


def test_nothing_is_kept(tmp_path):
    check(tmp_path, BANNER, '--stdin-filename', 'x.py')
    assert not any(tmp_path.iterdir())
