# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whatever the files are, each gets its clear line and the run goes on."""

import ast
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.test_check import LOCAL_RULE
from tests.tools import BLOCK_POINTER, clean_environment, command, flakelint, write

DEEP = 'x = ' + ' + '.join(['a'] * 5000)


def by_path(folder: Path, *arguments: str) -> dict[str, list[tuple[str, str]]]:
    result = flakelint('check', '--output-format', 'json', *arguments, cwd=folder)
    assert result.returncode in (0, 1), result.stderr
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in json.loads(result.stdout)['findings']:
        found.setdefault(finding['path'], []).append((finding['code'], finding['message']))
    return found


def is_too_deep(text: str) -> bool:
    # Python 3.10 and 3.13 take deeper expressions than the versions between
    try:
        ast.parse(text)
    except RecursionError:
        return True
    return False


@pytest.mark.parametrize('jobs', ['1', '2'])
def test_every_kind_of_broken_file(tmp_path: Path, jobs: str) -> None:
    write(tmp_path / 'bad.py', BLOCK_POINTER)
    write(tmp_path / 'syntax.py', 'def f(:\n    pass\n\n\n' + BLOCK_POINTER)
    (tmp_path / 'bytes.py').write_bytes(b'x = 1\ny = "\xff\xfe"\n')
    (tmp_path / 'null.py').write_bytes(b'x = 1\n\0\n')
    (tmp_path / 'utf16.py').write_bytes('x = 1'.encode('utf-16'))
    write(tmp_path / 'cookie.py', '# coding: klingon\n')
    write(tmp_path / 'empty.py', '')
    (tmp_path / 'mark.py').write_bytes(b'\xef\xbb\xbf' + BLOCK_POINTER.encode())
    (tmp_path / 'carriage.py').write_bytes(BLOCK_POINTER.replace('\n', '\r\n').encode())
    write(tmp_path / 'huge.py', 'x = [' + '1, ' * (5_000_000 // 3) + ']\n')
    write(tmp_path / 'deep.py', DEEP + '\n\n\n' + BLOCK_POINTER)
    write(tmp_path / 'deep_kernel.py', BLOCK_POINTER + '    x = tl.program_id(0) * ' + '-' * 700 + 'n\n')
    write(tmp_path / 'strings.py', 'x = (' + '"a" ' * 20_000 + ')\n\n\n' + BLOCK_POINTER)
    (tmp_path / 'gone.py').symlink_to('nowhere.py')
    (tmp_path / 'self.py').symlink_to('self.py')
    os.mkfifo(tmp_path / 'pipe.py')
    (tmp_path / 'folder.py').mkdir()
    (tmp_path / 'loop').symlink_to('.')
    write(tmp_path / ('é' * 60 + ' name.py'), BLOCK_POINTER)
    found = by_path(tmp_path, '--jobs', jobs, '--extend-select', 'TRI102')
    kinds = {path: [code for code, _ in findings] for path, findings in found.items()}
    assert kinds == {
        'bad.py': ['TRI201'],
        'syntax.py': ['ENG001', 'TRI201'],
        'bytes.py': ['ENG002'],
        'null.py': ['ENG001'],
        'utf16.py': ['ENG002'],
        'cookie.py': ['ENG002'],
        'mark.py': ['TRI201'],
        'carriage.py': ['TRI201'],
        'huge.py': ['ENG003'],
        'deep.py': ['ENG003', 'TRI201'] if is_too_deep(DEEP) else ['TRI201'],
        'deep_kernel.py': ['ENG003', 'TRI201'],
        'strings.py': ['TRI201'],
        'gone.py': ['ENG002'],
        'self.py': ['ENG002'],
        'pipe.py': ['ENG002'],
        'é' * 60 + ' name.py': ['TRI201'],
    }
    assert found['bytes.py'][0][1] == 'not text: byte 0xff is not valid utf-8'
    assert 'more than `max-file-size`' in found['huge.py'][0][1]
    assert 'not a regular file' in found['pipe.py'][0][1]


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b'a\xff.py')
    with open(path, 'wb') as file:
        file.write(BLOCK_POINTER.encode())
    for output_format in ('text', 'concise', 'json', 'sarif', 'junit', 'github', 'gitlab', 'json-lines'):
        result = flakelint('check', '--output-format', output_format, cwd=tmp_path)
        assert result.returncode == 1, result.stderr
        assert 'Traceback' not in result.stderr


def test_a_missing_path_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path / 'bad.py', BLOCK_POINTER)
    found = by_path(tmp_path, 'nowhere.py', 'bad.py')
    assert found['nowhere.py'] == [('ENG002', 'cannot be read: No such file or directory')]
    assert [code for code, _ in found['bad.py']] == ['TRI201']


def test_a_file_deleted_during_the_run(tmp_path: Path) -> None:
    delete = "__import__('pathlib').Path('b.py').unlink(missing_ok=True)"
    rule = LOCAL_RULE.replace("if node.value == 'LOUD':", f'{delete}\n        if 0:')
    write(tmp_path / 'lint/abc101_shouting.py', rule)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n')
    write(tmp_path / 'a.py', 'x\n')
    write(tmp_path / 'b.py', 'x\n')
    write(tmp_path / 'c.py', BLOCK_POINTER)
    found = by_path(tmp_path, '--no-cache')
    assert found['b.py'] == [('ENG002', 'cannot be read: No such file or directory')]
    assert [code for code, _ in found['c.py']] == ['TRI201']


@pytest.mark.parametrize('death', ['os._exit(1)', 'os.kill(os.getpid(), 9)', 'os.abort()'])
def test_a_process_that_dies_loses_one_file_only(tmp_path: Path, death: str) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE.replace('place = unit.range(node)', f'import os; {death}'))
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n')
    for number in range(40):
        write(tmp_path / f'f{number:02d}.py', BLOCK_POINTER)
    write(tmp_path / 'f13.py', 'LOUD = 1\n')
    found = by_path(tmp_path, '--jobs', '2', '--no-cache')
    assert len(found) == 40
    assert [path for path, findings in found.items() if findings[0][0] == 'ENG003'] == ['f13.py']


def test_killing_a_fixing_run_leaves_whole_files(tmp_path: Path) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nselect = ["ABC"]\nexclude = ["lint/"]\n')
    old = ''.join(f'x{number} = LOUD\n' for number in range(300))
    new = old.replace('LOUD', 'quiet')
    paths = [tmp_path / f'src/f{number:02d}.py' for number in range(30)]
    rng = random.Random(7)
    mixed = 0
    for _ in range(12):
        for path in paths:
            write(path, old)
        process = subprocess.Popen(
            command('check', 'src', '--fix', '--no-cache', '--jobs', '1', '-q'),
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
        )
        while all(path.read_text() == old for path in paths) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.random() * 0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        contents = [path.read_text() for path in paths]
        assert set(contents) <= {old, new}
        mixed += len(set(contents)) == 2
    assert mixed, 'no run was caught in the middle'


@pytest.mark.parametrize('damage', ['truncate', 'noise', 'empty', 'folder', 'payload'])
def test_a_damaged_cache_is_ignored(tmp_path: Path, damage: str) -> None:
    for number in range(5):
        write(tmp_path / f'f{number}.py', BLOCK_POINTER)
    expected = flakelint('check', '--output-format', 'json', cwd=tmp_path).stdout
    (database,) = (tmp_path / '.flakelint_cache').glob('*.sqlite')
    content = database.read_bytes()
    if damage == 'truncate':
        database.write_bytes(content[:len(content) // 2])
    elif damage == 'noise':
        database.write_bytes(random.Random(1).randbytes(len(content)))
    elif damage == 'empty':
        database.write_bytes(b'')
    elif damage == 'payload':
        database.write_bytes(content.replace(b'TRI201', b'TRI999'))
    else:
        database.unlink()
        database.mkdir()
    for _ in range(2):
        result = flakelint('check', '--output-format', 'json', cwd=tmp_path)
        assert result.stdout == expected
        assert result.stderr == ''


def test_a_cache_that_cannot_be_written_does_not_matter(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', BLOCK_POINTER)
    write(tmp_path / 'taken', '')
    result = flakelint('check', '--cache-dir', 'taken', '--output-format', 'concise', cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout.count('TRI201') == 1


def test_ten_runs_at_once_agree(tmp_path: Path) -> None:
    for number in range(60):
        write(tmp_path / f'f{number:02d}.py', BLOCK_POINTER if number % 2 else 'x = (\n')
    alone = flakelint('check', '--no-cache', '--output-format', 'json', cwd=tmp_path).stdout
    for _ in range(2):
        runs = [
            subprocess.Popen(
                command('check', '--output-format', 'json'),
                cwd=tmp_path,
                env=clean_environment(),
                stdout=subprocess.PIPE,
                text=True,
                encoding='utf-8',
            )
            for _ in range(10)
        ]
        assert {run.communicate()[0] for run in runs} == {alone}


def test_a_changed_file_is_checked_again(tmp_path: Path) -> None:
    path = write(tmp_path / 'a.py', BLOCK_POINTER)
    status = path.stat()
    assert by_path(tmp_path)
    path.write_text(BLOCK_POINTER.replace('make_block_ptr', 'static_print  '))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert by_path(tmp_path) == {}


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='only Linux has a device that is always full')
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', BLOCK_POINTER)
    with open('/dev/full', 'w') as full:
        result = subprocess.run(
            command('check', '--no-cache'),
            cwd=tmp_path,
            env=clean_environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 2
    assert 'Traceback' not in result.stderr
