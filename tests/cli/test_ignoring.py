# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check --add-ignore`."""

import ast
import json
import re

import pytest

from flakelint.engine.ignoring import ignored
from tests.rule_harness import FIXTURES, checker, fixture_files, read_fixture, reads_files, rules
from tests.tools import BLOCK_POINTER, flakelint, write

RULES = sorted(code for code, rule in rules().items() if reads_files(rule))
CASES = [(code, path) for code in RULES for path in fixture_files(code)]
LINES = BLOCK_POINTER.splitlines()
CALL = next(number for number, line in enumerate(LINES) if 'make_block_ptr' in line)


def add(folder, *arguments):
    return flakelint('check', '--no-cache', '--add-ignore', '--reason', 'to be replaced', *arguments, cwd=folder)


def is_clean(folder):
    return flakelint('check', '--no-cache', '--select', 'TRI201,DOC1,REP101,ENG', cwd=folder).returncode == 0


@pytest.mark.parametrize(('code', 'path'), CASES, ids=lambda value: str(getattr(value, 'name', value)))
@pytest.mark.parametrize('newline', ['\n', '\r\n'], ids=['lf', 'crlf'])
def test_only_what_cannot_be_ignored_is_left(code, path, newline, tmp_path):
    fixture = read_fixture(path)
    run = checker(tmp_path, fixture.settings, code, 'ENG004', 'ENG006')
    name = path.relative_to(FIXTURES / code).as_posix()
    data = fixture.text.replace('\n', newline).encode()
    findings = run.check(name, data)
    after, _, left = ignored(data, findings, 'known, see #12')
    assert not left
    assert run.check(name, after) == []
    assert after.count(b'\n') == after.count(newline.encode())
    added = re.compile(rb'(?:^[ ]*|  )# flakelint: ignore\[[A-Z0-9, ]+\] known, see #12$')
    kept = [line for line in after.splitlines() if not added.fullmatch(line)]
    assert [added.sub(b'', line).rstrip() for line in kept] == [line.rstrip() for line in data.splitlines()]
    assert ignored(after, run.check(name, after), 'again')[:2] == (after, 0)


def test_comment_stands_behind_the_line(tmp_path):
    file = write(tmp_path / 'kernel.py', BLOCK_POINTER.replace('\n', '\r\n'))
    result = add(tmp_path)
    assert result.returncode == 0
    assert result.stdout == ''
    assert 'added 1 suppression comment\n' in result.stderr
    expected = [*LINES]
    expected[CALL] += '  # flakelint: ignore[TRI201] to be replaced'
    assert file.read_bytes().decode() == '\r\n'.join([*expected, ''])
    assert is_clean(tmp_path)


def test_codes_of_one_line_share_a_comment(tmp_path):
    kernel = BLOCK_POINTER.replace('(0,))\n', '(0,))  # TODO: replace\n')
    file = write(tmp_path / 'kernel.py', kernel)
    add(tmp_path, '--select', 'TRI201,DOC109')
    text = file.read_text()
    assert '    # flakelint: ignore[DOC109] to be replaced\n' in text
    assert '  # TODO: replace  # flakelint: ignore[TRI201] to be replaced\n' in text
    assert is_clean(tmp_path)


@pytest.mark.parametrize('comment', ['# noqa: F841', '# type: ignore', '# a reason'])
def test_other_comments_stay_in_front(tmp_path, comment):
    file = write(tmp_path / 'kernel.py', BLOCK_POINTER.replace('(0,))\n', f'(0,))  {comment}\n'))
    add(tmp_path)
    assert f'(0,))  {comment}  # flakelint: ignore[TRI201] to be replaced\n' in file.read_text()
    assert is_clean(tmp_path)


def test_own_comment_is_extended(tmp_path):
    file = write(tmp_path / 'kernel.py', BLOCK_POINTER.replace('(0,))\n', '(0,))  # flakelint: ignore[TRI101] wide enough\n'))
    add(tmp_path, '--select', 'TRI201')
    assert '(0,))  # flakelint: ignore[TRI101, TRI201] wide enough\n' in file.read_text()


def test_strings_and_joined_lines_are_never_broken(tmp_path):
    text = (
        'def gate(x):\n'
        '    """Of x.\n\n    TODO: say more.\n    """\n'
        '    y = x + \\\n        x  # fine\n'
        "    return '''a\nb''', y, '''c\n"
        "d'''\n"
    )
    file = write(tmp_path / 'gate.py', text)
    add(tmp_path, '--select', 'DOC109')
    after = file.read_text()
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    assert '    """  # flakelint: ignore[DOC109] to be replaced\n' in after
    assert is_clean(tmp_path)


def test_call_behind_a_backslash(tmp_path):
    kernel = BLOCK_POINTER.replace('p_x = tl', 'p_x = \\\n        tl')
    kernel = kernel.replace('(n,), (1,), (0,)', '(n,), \\\n        (1,), (0,)')
    file = write(tmp_path / 'kernel.py', kernel)
    add(tmp_path, '--select', 'TRI201')
    assert '        (1,), (0,), (B,), (0,))  # flakelint: ignore[TRI201] to be replaced\n' in file.read_text()
    assert is_clean(tmp_path)


def test_missing_header_above_comment_and_behind_code(tmp_path):
    write(tmp_path / 'flakelint.toml', '[header]\nowner = "The Kernel Authors"\n')
    comment = write(tmp_path / 'comment.py', '# a note\nEPS = 1\n')
    code = write(tmp_path / 'code.py', '#!/usr/bin/env python3\nEPS = 1\n')
    add(tmp_path, '--select', 'REP101')
    assert comment.read_text() == '# flakelint: ignore[REP101] to be replaced\n# a note\nEPS = 1\n'
    assert code.read_text() == '#!/usr/bin/env python3\nEPS = 1  # flakelint: ignore[REP101] to be replaced\n'
    assert is_clean(tmp_path)


def test_what_cannot_be_ignored_is_told(tmp_path):
    write(tmp_path / 'flakelint.toml', '[header]\nowner = "The Kernel Authors"\n')
    write(tmp_path / 'broken.py', 'x = (\n')
    shebang = write(tmp_path / 'shebang.py', '#!/usr/bin/env python3\n')
    result = add(tmp_path, '--select', 'REP101,ENG')
    assert 'broken.py: no comment can ignore ENG001 on line 1' in result.stderr
    assert 'shebang.py: no comment can ignore REP101 on line 1' in result.stderr
    assert shebang.read_text() == '#!/usr/bin/env python3\n'


def test_the_rest_of_a_broken_file_is_ignored(tmp_path):
    file = write(tmp_path / 'kernel.py', f'{BLOCK_POINTER}\n\ndef broken(:\n    pass\n')
    add(tmp_path)
    assert '  # flakelint: ignore[TRI201] to be replaced\n' in file.read_text()
    result = flakelint('check', '--no-cache', '--output-format', 'json', cwd=tmp_path)
    assert [finding['code'] for finding in json.loads(result.stdout)['findings']] == ['ENG001']


def test_file_that_cannot_be_written_does_not_end_the_run(tmp_path):
    (tmp_path / 'a_binary.py').write_bytes(b'x = "\xff"\n')
    file = write(tmp_path / 'kernel.py', BLOCK_POINTER)
    result = add(tmp_path)
    assert 'a_binary.py: no comment can ignore ENG002 on line 1' in result.stderr
    assert 'flakelint: ignore[TRI201]' in file.read_text()
