# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is remembered is forgotten when a rule of the repository changes, or a module beside it that it may import."""

from pathlib import Path

import pytest

from flakelint.engine.cache import environment
from flakelint.engine.config import load
from flakelint.engine.registry import collect
from tests.cli.test_check import LOCAL_RULE
from tests.tools import write


def _environment(root: Path) -> str:
    config = load(str(root))
    return environment(config, [collect(config).rules['ABC101']])


@pytest.mark.parametrize('name', ['abc101_shouting.py', 'helper.py'])
def test_a_change_in_the_folder_of_rules_is_noticed(tmp_path: Path, name: str) -> None:
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\n')
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE)
    write(tmp_path / 'lint/helper.py', 'WORD = "LOUD"\n')
    before = _environment(tmp_path)
    assert _environment(tmp_path) == before
    path = tmp_path / 'lint' / name
    write(path, f'{path.read_text()}CHANGED = True\n')
    assert _environment(tmp_path) != before
