# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which tests a change needs: every way in which one file leads to another, and none that does not."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from flakelint.affected.shards import read_durations
from tests.tools import REPOSITORY, clean_environment, flakelint, write

_CASE = re.compile(
    r'^=== (?P<name>.*)\n(?:changed: (?P<changed>.*)\nneeded:(?P<needed>.*)\n)?(?P<files>(?:(?!=== ).*\n)*)', re.MULTILINE,
)
_FILE = re.compile(r'^--- (?P<path>.*)\n(?P<text>(?:(?!--- ).*\n)*)', re.MULTILINE)


class Case(NamedTuple):
    """A tree of files, and a change in it."""

    files: dict[str, str]
    path: str
    symbol: str
    needed: list[str]


def _read_cases() -> dict[str, Case]:
    found = {}
    for match in _CASE.finditer(Path(__file__).with_name('cases.txt').read_text()):
        files = {one['path']: one['text'].rstrip('\n') + '\n' for one in _FILE.finditer(match['files'])}
        path, _, symbol = (match['changed'] or '').partition(':')
        found[match['name']] = Case(files, path, symbol, (match['needed'] or '').split())
    return found


CASES = _read_cases()
PACKAGE = CASES.pop('the package').files


def _tree(folder: Path, files: dict[str, str]) -> None:
    for path, text in (PACKAGE | files).items():
        write(folder / path, text)
    write(folder / 'pyproject.toml', '[tool.flakelint]\n')


def _git(folder: Path, *arguments: str) -> None:
    command = ['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def _commit(folder: Path) -> None:
    _git(folder, 'init', '-q', '-b', 'main')
    _git(folder, 'add', '-A')
    _git(folder, 'commit', '-qm', 'first')


def _names(answer: str) -> list[str]:
    return [Path(line).stem for line in answer.splitlines()]


def _changed(text: str, name: str) -> str:
    """A text with other code in one of its definitions."""
    lines = text.splitlines(True)
    if not name:
        return f'{text}print(1)\n'
    word = name.rpartition('.')[2]
    for number, line in enumerate(lines):
        if line.lstrip().startswith(f'def {word}('):
            indent = len(line) - len(line.lstrip()) + 4
            return ''.join([*lines[:number + 1], f'{" " * indent}print(1)\n', *lines[number + 1:]])
        if line.startswith(f'{word} = '):
            return ''.join([*lines[:number], f'{word} = 99\n', *lines[number + 1:]])
    raise AssertionError(name)


@pytest.mark.parametrize('name', CASES)
def test_what_a_changed_definition_needs(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    _tree(tmp_path, case.files)
    _commit(tmp_path)
    changed = tmp_path / case.path
    changed.write_text(_changed(changed.read_text(), case.symbol))
    done = flakelint('affected', '--base', 'main', cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, '')
    assert _names(done.stdout) == case.needed


@pytest.mark.parametrize('name', CASES)
def test_a_file_as_a_whole_needs_no_less(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    _tree(tmp_path, case.files)
    found = _names(flakelint('affected', case.path, cwd=tmp_path).stdout)
    assert set(case.needed) <= set(found) and 'test_alone' not in found


_CHANGE = re.compile(r'^=== (?P<name>.*)\nneeded: (?P<needed>.*)\n(?P<files>(?:(?!=== ).*\n)*)', re.MULTILINE)
_STATE = re.compile(r'^(?P<state>---|\+\+\+) (?P<gone>gone )?(?P<path>.*)\n(?P<text>(?:(?!--- |\+\+\+ ).*\n)*)', re.MULTILINE)
CHANGES = {match['name']: match for match in _CHANGE.finditer(Path(__file__).with_name('changes.txt').read_text())}


@pytest.mark.parametrize('name', CHANGES)
def test_a_change_that_makes_tests_fail(tmp_path: Path, name: str) -> None:
    states = list(_STATE.finditer(CHANGES[name]['files']))
    for one in (one for one in states if one['state'] == '---'):
        write(tmp_path / one['path'], one['text'])
    _commit(tmp_path)
    for one in (one for one in states if one['state'] == '+++'):
        if one['gone']:
            (tmp_path / one['path']).unlink()
        else:
            write(tmp_path / one['path'], one['text'])
    found = flakelint('affected', '--base', 'HEAD', cwd=tmp_path).stdout.splitlines()
    assert set(CHANGES[name]['needed'].split()) <= set(found)


def test_what_is_kept_of_a_lazy_package_is_renewed(tmp_path: Path) -> None:
    lazy = 'import importlib\ndef __getattr__(name):\n    return importlib.import_module(f".{}_{{name}}", __name__)\n'
    write(tmp_path / 'pkg/__init__.py', lazy.format('a'))
    for name in 'ab':
        write(tmp_path / f'pkg/{name}_x.py', 'def f(): return 1\n')
    write(tmp_path / 'tests/test_x.py', 'import pkg\ndef test_x(): assert pkg.x.f()\n')
    assert flakelint('affected', 'pkg/a_x.py', cwd=tmp_path).stdout == 'tests/test_x.py\n'
    write(tmp_path / 'pkg/__init__.py', lazy.format('b'))
    assert flakelint('affected', 'pkg/b_x.py', cwd=tmp_path).stdout == 'tests/test_x.py\n'


@pytest.mark.parametrize('text', [
    '# remark\nLIMIT = 3\n\n\ndef double(x):\n    """Twice."""\n    return 2 * x\n\n\ndef triple(x):\n    return (3 * x)\n',
    'LIMIT = 3\n\n\ndef triple(x):\n    return 3 * x\n\n\ndef double(x):\n    # twice\n    return 2 * x\n',
])
def test_what_python_does_not_run_needs_nothing(tmp_path: Path, text: str) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    write(tmp_path / 'pkg/ops/common.py', text)
    assert flakelint('affected', '--base', 'main', cwd=tmp_path).stdout == ''


def test_what_is_gone_and_what_is_renamed(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    (tmp_path / 'pkg/ops/shift.py').rename(tmp_path / 'pkg/ops/shifted.py')
    # the package that both import takes a name from it
    assert _names(flakelint('affected', '--base', 'main', cwd=tmp_path).stdout) == ['test_moved', 'test_scale']
    assert _names(flakelint('affected', 'pkg/ops/shift.py', cwd=tmp_path).stdout) == ['test_moved', 'test_scale']
    (tmp_path / 'pkg/ops/shifted.py').rename(tmp_path / 'pkg/ops/shift.py')
    write(tmp_path / 'pkg/ops/common.py', 'LIMIT = 3\n')
    assert _names(flakelint('affected', '--base', 'main', cwd=tmp_path).stdout) == ['test_moved', 'test_scale']
    write(tmp_path / 'pkg/ops/common.py', 'def double(x):\n    return 2 * x\n')
    assert flakelint('affected', '--base', 'main', cwd=tmp_path).stdout == ''


def test_a_branch_is_compared_with_where_it_began(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    _git(tmp_path, 'checkout', '-qb', 'mine')
    write(tmp_path / 'pkg/ops/shift.py', 'def shift(x):\n    return x + 2\n')
    _git(tmp_path, 'commit', '-qam', 'mine')
    _git(tmp_path, 'checkout', '-q', 'main')
    write(tmp_path / 'pkg/ops/common.py', 'def double(x):\n    return x\n')
    _git(tmp_path, 'commit', '-qam', 'theirs')
    _git(tmp_path, 'checkout', '-q', 'mine')
    assert _names(flakelint('affected', '--base', 'main', cwd=tmp_path).stdout) == ['test_moved']


@pytest.mark.parametrize(('path', 'count'), [
    ('pyproject.toml', 3), ('uv.lock', 3), ('README.md', 0), ('docs/page.txt', 0), ('strange.bin', 3), ('tests/cases.json', 1),
])
def test_other_files_than_code(tmp_path: Path, path: str, count: int) -> None:
    _tree(tmp_path, {'tests/test_alone.py': 'def test_alone():\n    open("cases.json")\n'})
    if path != 'pyproject.toml':
        write(tmp_path / path, '')
    done = flakelint('affected', path, cwd=tmp_path)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == count


def test_the_settings_name_the_tests_of_data(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    settings = '[affected]\nunknown = "nothing"\n[affected.data]\n"data/**" = ["tests/test_alone.py"]\n'
    write(tmp_path / 'flakelint.toml', settings)
    write(tmp_path / 'data/a/b.bin', '')
    write(tmp_path / 'strange.bin', '')
    assert _names(flakelint('affected', 'data/a/b.bin', cwd=tmp_path).stdout) == ['test_alone']
    assert flakelint('affected', 'strange.bin', cwd=tmp_path).stdout == ''


def test_the_ways_to_ask_and_to_answer(tmp_path: Path) -> None:
    _tree(tmp_path, {'tests/test_a b.py': 'from pkg.ops import moved\n\n\ndef test_it():\n    moved(1)\n'})
    changed = 'pkg/utils.py'
    expected = ['tests/test_a b.py', 'tests/test_moved.py', 'tests/test_scale.py']
    assert flakelint('affected', '--null', cwd=tmp_path, stdin=f'{changed}\0').stdout.splitlines() == expected
    assert flakelint('affected', changed, '--output-format', 'line', cwd=tmp_path).stdout == shlex.join(expected) + '\n'
    assert flakelint('affected', changed, '--output-format', 'null', cwd=tmp_path).stdout == '\0'.join([*expected, ''])
    told = json.loads(flakelint('affected', changed, '--output-format', 'json', cwd=tmp_path).stdout)
    assert [one['path'] for one in told['tests']] == expected and told['total'] == 4
    assert flakelint('affected', 'ops', cwd=tmp_path / 'pkg').stdout.splitlines() == [f'../{path}' for path in expected]


def test_the_functions_that_reach_a_change(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    write(tmp_path / 'pkg/ops/shift.py', 'def shift(x):\n    return x + 2\n')
    done = flakelint('affected', '--base', 'main', '--output-format', 'ids', cwd=tmp_path)
    assert done.stdout == 'tests/test_moved.py::test_moved\n'


def test_why_a_test_is_needed(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    told = flakelint('affected', 'pkg/ops/common.py', '--why', 'tests/test_scale.py', cwd=tmp_path).stdout
    assert told.splitlines()[0] == 'tests/test_scale.py'
    assert told.splitlines()[-1].endswith('pkg/ops/common.py:double changed')
    assert all(':' in line for line in told.splitlines()[1:-1])
    refused = flakelint('affected', 'pkg/ops/common.py', '--why', 'tests/test_alone.py', cwd=tmp_path)
    assert refused.returncode == 2 and 'does not reach what changed' in refused.stderr


@pytest.mark.parametrize('arguments', [
    (), ('--base', 'nosuch'), ('--base', 'HEAD', 'pkg'), ('/tmp',), ('--base', '--output=x'),
    ('--config', 'nosuch.toml', 'pkg'), ('pkg/nosuch.py',), ('nosuch',), ('pkg', 'docs/nosuch.md'),
])
def test_what_cannot_be_answered(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    done = flakelint('affected', *arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ''
    assert 'Traceback' not in done.stderr


def test_a_path_that_only_earlier_commits_have(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    _git(tmp_path, 'rm', '-q', 'pkg/ops/shift.py')
    _git(tmp_path, 'commit', '-qm', 'second')
    assert _names(flakelint('affected', 'pkg/ops/shift.py', cwd=tmp_path).stdout) == ['test_moved', 'test_scale']
    missing = flakelint('affected', 'pkg/ops/shif.py', cwd=tmp_path)
    assert missing.returncode == 2 and missing.stderr.count('\n') == 1 and 'shif.py is not there' in missing.stderr


def test_a_file_that_cannot_be_parsed(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    _commit(tmp_path)
    write(tmp_path / 'pkg/ops/common.py', 'def double(x:\n    return 2 * x\n')
    assert _names(flakelint('affected', '--base', 'main', cwd=tmp_path).stdout) == ['test_moved', 'test_scale']


def test_the_script_from_any_folder(tmp_path: Path) -> None:
    def run(*arguments: str, cwd: Path = REPOSITORY, **environment: str) -> subprocess.CompletedProcess:
        command = [sys.executable, str(REPOSITORY / 'scripts/find_dependent_tests.py'), *arguments]
        made = clean_environment(**environment)
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=made)

    here = run('fla/ops/simple_gla/naive.py')
    assert 'tests/ops/test_simple_gla.py' in here.stdout.split() and here.stdout.count('\n') == 1
    elsewhere = run(str(REPOSITORY / 'fla/ops/simple_gla/naive.py'), cwd=tmp_path)
    assert len(elsewhere.stdout.split()) == len(here.stdout.split())
    assert run('fla/ops/simple_gla/naive.py', TEST_SCOPE='MODELS_ONLY').stdout == '\n'
    assert run('fla/ops/simple_gla/naive.py', TEST_SCOPE='some').returncode == 2
    assert run().returncode == 2


def test_shares_for_jobs_are_about_equal(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    paths = flakelint('affected', 'pkg', cwd=tmp_path).stdout.split()
    seconds = {f'{path}::test_a': 1.0 for path in paths} | {f'{paths[-1]}::test_long': len(paths) - 3.0}
    write(tmp_path / 'durations.json', json.dumps(seconds))
    given = ('--output-format', 'github', '--shards', '2')
    jobs = json.loads(flakelint('affected', 'pkg', *given, '--durations', 'durations.json', cwd=tmp_path).stdout)['include']
    assert [one['shard'] for one in jobs] == [1, 2]
    shared = [shlex.split(one['tests']) for one in jobs]
    assert sorted(shared[0] + shared[1]) == sorted(paths)
    assert shared[0] == [paths[-1]] or shared[1] == [paths[-1]]
    write(tmp_path / 'LICENSE', 'free')
    assert json.loads(flakelint('affected', *given, 'LICENSE', cwd=tmp_path).stdout) == {'include': []}


def test_durations_as_pytest_writes_them(tmp_path: Path) -> None:
    slow = 'import time\ndef test_a(): time.sleep(0.3)\nclass TestIt:\n    def test_b(self): pass\n'
    write(tmp_path / 'tests/test_long.py', slow)
    write(tmp_path / 'tests/sub/test_short.py', 'def test_a(): pass\n')
    command = [sys.executable, '-m', 'pytest', '-q', '--junitxml', 'run.xml', '-p', 'no:cacheprovider']
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    found = read_durations(str(tmp_path / 'run.xml'))
    assert found.keys() == {'tests/test_long.py', 'tests/sub/test_short.py'}
    assert found['tests/test_long.py'] >= 0.3 > found['tests/sub/test_short.py']


def test_files_that_took_no_time_are_shared_out_too(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    paths = flakelint('affected', 'pkg', cwd=tmp_path).stdout.split()
    write(tmp_path / 'durations.json', json.dumps(dict.fromkeys(paths, 0.0) | {'tests/test_nan.py': float('nan')}))
    given = ('--output-format', 'github', '--shards', '3', '--durations', 'durations.json')
    jobs = json.loads(flakelint('affected', 'pkg', *given, cwd=tmp_path).stdout)['include']
    counts = [len(shlex.split(one['tests'])) for one in jobs]
    assert sum(counts) == len(paths) and max(counts) - min(counts) <= 1


def test_why_takes_a_test_for_its_file_and_knows_what_is_none(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    path = flakelint('affected', 'pkg', cwd=tmp_path).stdout.split()[0]
    ways = [flakelint('affected', 'pkg', '--why', name, cwd=tmp_path).stdout for name in (path, f'{path}::test_a[x-1]')]
    assert ways[0] == ways[1] != ''
    done = flakelint('affected', 'pkg', '--why', 'tests/nosuch.py', cwd=tmp_path)
    assert done.returncode == 2 and 'is no Python file of' in done.stderr


def test_an_empty_path_is_refused(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    done = flakelint('affected', '', cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, 'flakelint: error: a path is empty\n')


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    write(tmp_path / 'docs/a.md', 'text')
    assert flakelint('affected', 'docs', cwd=tmp_path).stdout == ''
    write(tmp_path / 'docs/schema.bin', '1')
    write(tmp_path / 'data/b.bin', '1')
    assert flakelint('affected', 'docs', cwd=tmp_path).stdout == ''
    assert 'every test depends on data/b.bin' in flakelint('affected', 'data', cwd=tmp_path).stderr


@pytest.mark.parametrize(('text', 'message'), [
    ('[1]', 'neither what pytest writes'), ('<a', 'neither what pytest writes'), (None, 'cannot be read'),
])
def test_durations_that_cannot_be_read(tmp_path: Path, text: str | None, message: str) -> None:
    write(tmp_path / 'a.py', '')
    if text is not None:
        write(tmp_path / 'durations', text)
    done = flakelint('affected', 'a.py', '--output-format', 'github', '--durations', 'durations', cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, '')
    assert message in done.stderr and done.stderr.count('\n') == 1


def test_shards_need_their_format(tmp_path: Path) -> None:
    done = flakelint('affected', 'a.py', '--shards', '2', cwd=tmp_path)
    assert done.returncode == 2 and '--output-format github' in done.stderr


def test_pictures(tmp_path: Path) -> None:
    _tree(tmp_path, {})
    graph = flakelint('affected', 'pkg/ops/common.py', '--output-format', 'dot', cwd=tmp_path).stdout
    page = flakelint('affected', 'pkg/ops/common.py', '--output-format', 'html', cwd=tmp_path).stdout
    for path in flakelint('affected', 'pkg/ops/common.py', cwd=tmp_path).stdout.split():
        assert f'"{path}' in graph and path in page
    assert graph.startswith('digraph') and graph.count('{') == graph.count('}') == 1
    # each part but what changed has one way to it
    texts, lines = page.count('<text'), page.count('<path')
    assert texts == lines + page.count('class="change"')
