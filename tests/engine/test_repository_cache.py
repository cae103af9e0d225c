# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a run remembers of files whose findings depend on other files, and what makes it look again."""

import json
from pathlib import Path

import pytest

from flakelint.engine import workers
from flakelint.engine.cache import Cache, environment
from flakelint.engine.config import load
from flakelint.engine.registry import collect
from flakelint.engine.runner import Job, run
from tests.tools import flakelint, write

# says what the repository knows of each kernel, and writes down which files were looked at
RULE = """\
import os

from flakelint.engine.rule import Rule


class KernelFacts(Rule):
    \"\"\"What is known of kernels.\"\"\"

    code = 'ABC101'
    name = 'kernel-facts'

    def check_file(self, file):
        if log := os.environ.get('CHECKED'):
            with open(log, 'a', encoding='utf-8') as out:
                out.write(f'{file.path}\\n')

    def check_kernel(self, kernel, file):
        known = file.repository
        helper = known.helper(kernel, 'mul')
        facts = [
            [launch.parameters['n'].text for launch in known.launches(kernel) if 'n' in launch.parameters],
            helper and helper.unit.text.splitlines()[-1].strip(),
            known.constant(kernel, 'N'),
            known.is_called_by_kernels(kernel),
        ]
        yield self.finding(file.range(kernel.definition), f'{kernel.name} {facts}')
"""
SETTINGS = 'rule-paths = ["lint"]\nselect = ["ABC", "ENG"]\nexclude = ["lint/"]\n'
IMPORTS = 'import triton\n'
MUL = '@triton.jit\ndef mul(x, y):\n    return x * y\n'
FILES = {
    'ops/__init__.py': 'from ops.op import mul\n',
    'ops/op.py': f'{IMPORTS}\n\n{MUL}\n\ndef host():\n    return 1\n',
    'ops/sizes.py': 'N = 8\n',
    'ops/main.py': (
        f'{IMPORTS}from ops import mul\nfrom ops.sizes import N\n\n\n'
        '@triton.jit\ndef main(x, n):\n    mul(x, N)\n'
    ),
    'ops/run.py': 'from ops.main import main\n\n\ndef run(x):\n    main[(4,)](x, x.shape[0])\n',
    'ops/plain.py': 'def f():\n    return 1\n',
}
MAIN = "main [['x.shape[0]'], 'return x * y', 8, False]"
HELPER = "mul [[], 'return x * y', None, True]"


def project(folder: Path, **files: str) -> None:
    for path, text in (FILES | files).items():
        write(folder / path, text)
    write(folder / 'lint/abc101_kernel_facts.py', RULE)
    write(folder / 'flakelint.toml', SETTINGS)


def check(folder: Path, *arguments: str, stdin: str | None = None) -> tuple[list[str], set[str]]:
    """The messages of a run, and the files that it looked at."""
    log = folder / 'checked.log'
    log.unlink(missing_ok=True)
    result = flakelint('check', '--output-format', 'json', *arguments, cwd=folder, stdin=stdin, CHECKED=str(log))
    assert result.returncode in (0, 1), result.stderr
    messages = [finding['message'] for finding in json.loads(result.stdout)['findings']]
    return sorted(messages), set(log.read_text(encoding='utf-8').split()) if log.exists() else set()


def test_a_warm_run_looks_at_nothing(tmp_path: Path) -> None:
    project(tmp_path)
    messages, checked = check(tmp_path)
    assert messages == [MAIN, HELPER]
    assert checked == set(FILES)
    assert check(tmp_path) == (messages, set())


@pytest.mark.parametrize(
    ('path', 'old', 'new', 'found', 'looked_at'),
    [
        ('ops/op.py', 'x * y', 'x + y', "main [['x.shape[0]'], 'return x + y', 8, False]", {'ops/main.py'}),
        ('ops/sizes.py', '8', '9', "main [['x.shape[0]'], 'return x * y', 9, False]", {'ops/main.py'}),
        ('ops/run.py', 'shape[0]', 'shape[1]', "main [['x.shape[1]'], 'return x * y', 8, False]", {'ops/main.py'}),
        ('ops/run.py', 'main[(4,)]', 'mul[(4,)]', "main [[], 'return x * y', 8, False]", {'ops/main.py'}),
        ('ops/__init__.py', 'ops.op', 'ops.elsewhere', "main [['x.shape[0]'], None, 8, False]", {'ops/main.py', 'ops/op.py'}),
        ('ops/plain.py', 'return 1', 'return 2', MAIN, set()),
        ('ops/op.py', 'return 1', 'return 2', MAIN, set()),
    ],
)
def test_what_others_say_counts(tmp_path: Path, path: str, old: str, new: str, found: str, looked_at: set[str]) -> None:
    project(tmp_path)
    check(tmp_path)
    write(tmp_path / path, FILES[path].replace(old, new))
    messages, checked = check(tmp_path)
    assert found in messages
    assert checked == {path} | looked_at
    assert check(tmp_path) == (messages, set())
    # what was changed back is as it was
    write(tmp_path / path, FILES[path])
    assert check(tmp_path)[0] == [MAIN, HELPER]


def test_a_new_file_counts_where_it_launches_or_calls(tmp_path: Path) -> None:
    project(tmp_path)
    check(tmp_path)
    write(tmp_path / 'ops/more.py', FILES['ops/run.py'].replace('shape[0]', 'stride(1)'))
    messages, checked = check(tmp_path)
    assert "main [['x.stride(1)', 'x.shape[0]'], 'return x * y', 8, False]" in messages
    assert checked == {'ops/more.py', 'ops/main.py'}
    write(tmp_path / 'ops/more.py', f'{IMPORTS}from ops.main import main\n\n\n@triton.jit\ndef top(x):\n    main(x, 1)\n')
    messages, checked = check(tmp_path)
    assert "main [['x.shape[0]'], 'return x * y', 8, True]" in messages
    assert checked == {'ops/more.py', 'ops/main.py'}


def test_one_file_is_checked_with_what_all_say(tmp_path: Path) -> None:
    project(tmp_path)
    assert check(tmp_path, 'ops/main.py') == ([MAIN], {'ops/main.py'})
    assert check(tmp_path, 'ops/main.py') == ([MAIN], set())
    write(tmp_path / 'ops/run.py', FILES['ops/run.py'].replace('shape[0]', 'shape[1]'))
    assert check(tmp_path, 'ops/main.py')[0] == [MAIN.replace('shape[0]', 'shape[1]')]


def test_what_is_excluded_says_nothing(tmp_path: Path) -> None:
    project(tmp_path)
    write(tmp_path / 'flakelint.toml', SETTINGS.replace('["lint/"]', '["lint/", "ops/run.py"]'))
    assert check(tmp_path, 'ops/main.py')[0] == ["main [[], 'return x * y', 8, False]"]
    assert check(tmp_path, '--exclude', 'ops/sizes.py', 'ops/main.py')[0] == ["main [[], 'return x * y', None, False]"]
    write(tmp_path / '.gitignore', 'op.py\n')
    write(tmp_path / '.git/HEAD', '')
    assert check(tmp_path, 'ops/main.py')[0] == ["main [[], None, 8, False]"]


def test_standard_input_is_checked_with_what_all_say(tmp_path: Path) -> None:
    project(tmp_path)
    text = FILES['ops/main.py'] + '\n\ndef here(x):\n    main[(1,)](x, 5)\n'
    messages, _ = check(tmp_path, '-', '--stdin-filename', 'ops/main.py', stdin=text)
    assert messages == ["main [['5', 'x.shape[0]'], 'return x * y', 8, False]"]
    # what is learned of other files is kept, what is found in a text that is not saved is not
    assert (tmp_path / '.flakelint_cache').is_dir()
    assert check(tmp_path, 'ops/main.py') == ([MAIN], {'ops/main.py'})


def test_a_folder_that_is_no_project_is_not_searched(tmp_path: Path) -> None:
    for path, text in FILES.items():
        write(tmp_path / path, text)

    def paths() -> list[str]:
        config = load(str(tmp_path), isolated=True)
        return Job(config, collect(config), (), 1).contents([str(tmp_path / 'ops/main.py')]).paths

    assert paths() == ['ops/main.py']
    write(tmp_path / '.git/HEAD', '')
    assert paths() == sorted(FILES)


def test_files_outside_the_root_are_checked(tmp_path: Path) -> None:
    project(tmp_path)
    settings = write(tmp_path / 'elsewhere/flakelint.toml', SETTINGS.replace('"lint"', '"../lint"'))
    assert check(tmp_path, '--config', str(settings), 'ops')[0] == [MAIN, HELPER]


def test_a_damaged_cache_is_made_again(tmp_path: Path) -> None:
    project(tmp_path)
    expected, _ = check(tmp_path)
    (database,) = (tmp_path / '.flakelint_cache').glob('*.sqlite')
    data = database.read_bytes()
    for damaged in (b'', b'no database', data[:len(data) // 2], data.replace(b'mul', b'lum')):
        database.write_bytes(damaged)
        assert check(tmp_path)[0] == expected
        assert check(tmp_path) == (expected, set())


def test_fixes_are_remembered_as_they_are_found_again(tmp_path: Path) -> None:
    project(tmp_path)
    write(tmp_path / 'flakelint.toml', SETTINGS.replace('"ABC"', '"ABC", "DOC106"'))
    write(tmp_path / 'ops/main.py', f'#### banner\n{FILES["ops/main.py"]}')
    check(tmp_path)
    messages, _ = check(tmp_path, '--fix')
    assert 'banner' in (tmp_path / 'ops/main.py').read_text(encoding='utf-8')
    assert messages == [MAIN, HELPER]
    assert check(tmp_path)[0] == [MAIN, HELPER]
    assert check(tmp_path) == ([MAIN, HELPER], set())


@pytest.mark.parametrize('method', ['fork', 'spawn'])
def test_processes_find_what_one_finds(tmp_path: Path, monkeypatch, method: str) -> None:
    project(tmp_path)
    for number in range(40):
        name = f'k{number}'
        kernel = f'from ops.op import mul\n\n\n@triton.jit\ndef {name}(x, n):\n    mul(x, n)\n'
        launch = f'from many.{name} import {name}\n\n\ndef run(x):\n    {name}[(1,)](x, {number})\n'
        write(tmp_path / f'many/{name}.py', IMPORTS + kernel)
        write(tmp_path / f'many/r{number}.py', launch)
    files = sorted(str(path) for folder in ('many', 'ops') for path in (tmp_path / folder).glob('*.py'))
    config = load(str(tmp_path))
    registry = collect(config)
    codes = tuple(registry.selected(config.layers))
    alone = run(files, Job(config, registry, codes, 1), None)
    monkeypatch.setattr(workers, 'START_METHOD', method)
    cache = Cache(str(tmp_path / 'cache'), environment(config, [registry.rules[code] for code in codes]))
    assert run(files, Job(config, registry, codes, 2), cache) == alone
    messages = [finding.message for findings in alone.values() for finding in findings]
    assert len(messages) == 42
    assert "k7 [['7'], 'return x * y', None, False]" in messages
    # from the cache
    assert run(files, Job(config, registry, codes, 2), cache) == alone
