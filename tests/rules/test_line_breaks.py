# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Fixes keep the line breaks of a file."""

from pathlib import Path

import pytest

from flakelint.engine.repair import mend
from tests.rule_harness import FIXTURES, checker, fixed_names, fixture_files, read_fixture, rules

CASES = [
    (code, path, path.with_name(path.stem + fixed_names(suffix)[0]))
    for code, rule in rules().items() if rule.fix == 'safe'
    for suffix in ('.py', '.md') for path in fixture_files(code, suffix)
]
FIXED = [case for case in CASES if case[2].exists()]


@pytest.mark.parametrize(('code', 'path', 'fixed'), FIXED, ids=lambda value: str(getattr(value, 'name', value)))
def test_a_file_of_windows_stays_one(code: str, path: Path, fixed: Path, tmp_path: Path) -> None:
    fixture = read_fixture(path)
    run = checker(tmp_path, fixture.settings, code)
    name = path.relative_to(FIXTURES / code).as_posix()
    result = mend(fixture.text.replace('\n', '\r\n').encode(), name, run, allow_unsafe=False)
    assert result.data.decode() == read_fixture(fixed).text.replace('\n', '\r\n')
