# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Processes find what one process finds, however they are started."""

from pathlib import Path

import pytest

from flakelint.engine import workers
from flakelint.engine.config import load
from flakelint.engine.registry import collect
from flakelint.engine.runner import Job, run
from tests.cli.test_check import LOCAL_RULE
from tests.tools import BLOCK_POINTER, write


@pytest.mark.parametrize('method', ['fork', 'spawn'])
def test_start_methods_agree(tmp_path: Path, monkeypatch, method: str) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\n')
    files = [str(write(tmp_path / f'f{number}.py', f'{BLOCK_POINTER}LOUD = {number}\n')) for number in range(20)]
    config = load(str(tmp_path))
    registry = collect(config)
    codes = tuple(registry.selected(config.layers))
    alone = run(files, Job(config, registry, codes, 1), None)
    monkeypatch.setattr(workers, 'START_METHOD', method)
    together = run(files, Job(config, registry, codes, 2), None)
    assert together == alone
    assert {finding.code for findings in together.values() for finding in findings} == {'ABC101', 'TRI201'}
