# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the README shows is what happens."""

import re
from pathlib import Path

from flakelint.cli.main import _COMMANDS
from tests.tools import BLOCK_POINTER, REPOSITORY, flakelint, write

README = (REPOSITORY / 'README.md').read_text(encoding='utf-8')


def blocks(language: str) -> list[str]:
    return re.findall(rf'^```{language}\n(.*?)^```$', README, re.MULTILINE | re.DOTALL)


def test_the_samples_are_what_runs_print(tmp_path: Path) -> None:
    write(tmp_path / 'kernels.py', blocks('python')[0])
    for sample in blocks('text')[:2]:
        command, _, expected = sample.partition('\n')
        result = flakelint(*command.removeprefix('$ flakelint ').split(), cwd=tmp_path)
        assert result.stdout == expected


def test_the_settings_are_accepted(tmp_path: Path) -> None:
    write(tmp_path / 'pyproject.toml', blocks('toml')[0])
    result = flakelint('config', cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_the_first_commands_install_check_and_test() -> None:
    install, test = blocks('bash')[:2]
    assert install.endswith('flakelint check fla/\n')
    assert test.count("pip install -e '.[test]'") == 1
    assert 'pytest' in test


def test_the_table_lists_every_command() -> None:
    listed = set(re.findall(r'^\| `flakelint ([\w-]+)', README, re.MULTILINE))
    assert listed == set(_COMMANDS)


def test_the_hooks_exist() -> None:
    offered = set(re.findall(r'^- id: (\S+)', (REPOSITORY / '.pre-commit-hooks.yaml').read_text(), re.MULTILINE))
    assert set(re.findall(r'^ +- id: (\S+)', README, re.MULTILINE)) | {'flakelint'} == offered


def test_the_rule_in_the_guide_works(tmp_path: Path) -> None:
    guide = (REPOSITORY / 'CONTRIBUTING.md').read_text(encoding='utf-8')
    rule = re.search(r'^```python\n(.*?)^```$', guide, re.MULTILINE | re.DOTALL)[1]
    write(tmp_path / 'lint/abc101_tiny_block.py', rule)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nselect = ["ABC"]\n')
    kernel = write(tmp_path / 'a.py', BLOCK_POINTER.replace('tl.arange(0, B)', 'tl.arange(0, 8)'))
    result = flakelint('check', '--fix', cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert 'tl.arange(0, 16)' in kernel.read_text()
