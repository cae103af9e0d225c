# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Every rule over its fixtures: what it finds, what it leaves alone, and what its fixes make of the text."""

from pathlib import Path

import pytest

from flakelint.engine.repair import mend
from tests.rule_harness import FIXED, FIXTURES, checker, fixed_names, fixture_files, read_fixture, reads_files, rules

RULES = sorted(code for code, rule in rules().items() if reads_files(rule))
CASES = [(code, path) for code in RULES for suffix in ('.py', '.md') for path in fixture_files(code, suffix)]


def by_name(value: object) -> str:
    return str(value.relative_to(FIXTURES)) if isinstance(value, Path) else str(value)


def check(code: str, path: Path, folder: Path):
    fixture = read_fixture(path)
    run = checker(folder, fixture.settings, code)
    name = path.relative_to(FIXTURES / code).as_posix()
    return fixture, run, name, run.check(name, fixture.text.encode())


@pytest.mark.parametrize('code', RULES)
def test_rule_has_fixtures(code):
    files = [path for one, path in CASES if one == code]
    assert any(path.name.startswith('sound_') for path in files), f'{code} has no look-alikes'
    assert any(read_fixture(path).expected for path in files), f'{code} has no faulty file'


def test_folders_are_named_after_rules():
    folders = {path.name for path in FIXTURES.iterdir() if path.is_dir() and path.name != '__pycache__'}
    assert folders <= set(rules())


@pytest.mark.parametrize(('code', 'path'), CASES, ids=by_name)
def test_findings(code, path, tmp_path):
    fixture, _, _, findings = check(code, path, tmp_path)
    wrong = [one.message for one in findings if one.code != code]
    assert not wrong
    places = [(one.range.start.line, one.code, one.range.start.column) for one in findings]
    assert [place[:2] for place in places] == [place[:2] for place in fixture.expected]
    for place, expected in zip(places, fixture.expected, strict=True):
        assert expected[2] in (None, place[2])
    if path.name.startswith('sound_'):
        assert not fixture.expected
    for one in findings:
        assert one.message and '\n' not in one.message
        assert one.range.start < one.range.end


@pytest.mark.parametrize(('code', 'path'), CASES, ids=by_name)
@pytest.mark.parametrize(('suffix', 'allow_unsafe'), list(zip(FIXED, (False, True), strict=True)), ids=('safe', 'unsafe'))
def test_fixes(code, path, suffix, allow_unsafe, tmp_path):
    fixture, run, name, findings = check(code, path, tmp_path)
    allowed = ('safe', 'unsafe') if allow_unsafe else ('safe',)
    fixable = [one for one in findings if one.fix and one.fix.applicability in allowed]
    fixed = mend(fixture.text.encode(), name, run, allow_unsafe)
    expected = path.with_name(path.stem + suffix.replace('.py', path.suffix))
    assert not fixed.refused
    assert len(fixed.findings) == len(findings) - len(fixable)
    if expected.exists():
        assert fixed.data.decode() == read_fixture(expected).text
    # the safe text speaks for both where no fix is unsafe
    elif any(one.fix.applicability == allowed[-1] for one in fixable):
        pytest.fail(f'{expected.name} is missing')
    again = mend(fixed.data, name, run, allow_unsafe)
    assert (again.data, again.applied) == (fixed.data, {})


@pytest.mark.parametrize(('code', 'path'), CASES, ids=by_name)
def test_fix_kinds_are_declared(code, path, tmp_path):
    *_, findings = check(code, path, tmp_path)
    offered = {one.fix.applicability for one in findings if one.fix}
    # a rule that fixes safely may still leave some cases to a person
    assert offered <= {'safe': {'safe', 'unsafe'}, 'unsafe': {'unsafe'}, 'none': set()}[rules()[code].fix]


def test_fixed_texts_belong_to_a_fixture():
    for kind in ('.py', '.md'):
        for path in FIXTURES.rglob(f'*{kind}'):
            for suffix in fixed_names(kind):
                if path.name.endswith(suffix):
                    assert path.with_name(path.name.removesuffix(suffix) + kind).exists(), path
