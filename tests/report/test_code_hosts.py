# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is special to GitHub, GitLab and JUnit, and the fingerprints by which hosts know findings again."""

import json

import pytest
from defusedxml.ElementTree import fromstring

from flakelint.report.fingerprints import fingerprints
from flakelint.report.model import Report
from tests.report.samples import finding, place, shown

SOURCE = b'first = 1\nsecond = 2\nthird = 3\n'


def _report(source: bytes, *findings: object, **values: object) -> Report:
    return Report(list(findings), 1, {}, contents={'a.py': source}, **values)


def test_github() -> None:
    findings = [
        finding(place(1, 2, 1, 5), message='50% of\nit', severity='warning'),
        finding(place(2, 1, 4, 1), path='x,y:z.py', severity='info'),
    ]
    assert shown('github', Report(findings, 2, {})).splitlines() == [
        '::warning title=flakelint TRI201 (block-pointer),file=a.py,line=1,endLine=1,col=2,endColumn=5::TRI201 50%25 of%0Ait',
        '::notice title=flakelint TRI201 (block-pointer),file=x%2Cy%3Az.py,line=2,endLine=4::TRI201 a message',
    ]
    assert shown('github', Report([], 2, {})) == ''


def test_gitlab() -> None:
    issue, = json.loads(shown('gitlab', _report(SOURCE, finding(place(2, 1, 2, 7)))))
    assert len(issue.pop('fingerprint')) == 32
    assert issue == {
        'description': 'TRI201: a message',
        'check_name': 'TRI201',
        'severity': 'major',
        'location': {'path': 'a.py', 'positions': {'begin': {'line': 2, 'column': 1}, 'end': {'line': 2, 'column': 7}}},
    }
    assert json.loads(shown('gitlab', Report([], 2, {}))) == []


def test_junit_groups_by_file() -> None:
    findings = [finding(place(1, 2, 1, 3)), finding(place(4, 5, 4, 6)), finding(path='b.py')]
    root = fromstring(shown('junit', Report(findings, 5, {})))
    suites = [(suite.get('name'), suite.get('tests'), suite.get('failures')) for suite in root]
    assert suites == [('a.py', '2', '2'), ('b.py', '1', '1')]
    assert [case.get('name') for case in root.iter('testcase')] == [
        'TRI201 block-pointer at 1:2', 'TRI201 block-pointer at 4:5', 'TRI201 block-pointer at 1:1',
    ]


def test_junit_of_a_clean_run_has_a_test_that_passes() -> None:
    root = fromstring(shown('junit', Report([], 5, {})))
    assert (root.get('tests'), root.get('failures')) == ('1', '0')
    case, = root.iter('testcase')
    assert list(case) == []


@pytest.mark.parametrize('change', [
    lambda item, source: (item._replace(range=place(4, 1, 4, 7)), b'new\n\n' + source),
    lambda item, source: (item._replace(range=place(2, 5, 2, 11)), source.replace(b'second', b'    second')),
    lambda item, source: (item._replace(message='said otherwise'), source),
    lambda item, source: (item._replace(severity='info'), source),
])
def test_fingerprints_outlive_changes_elsewhere(change: object) -> None:
    item = finding(place(2, 1, 2, 7))
    changed, source = change(item, SOURCE)
    assert fingerprints(_report(source, changed)) == fingerprints(_report(SOURCE, item))


@pytest.mark.parametrize('change', [
    lambda item: item._replace(range=place(3, 1, 3, 6)),
    lambda item: item._replace(code='TRI202'),
])
def test_fingerprints_tell_findings_apart(change: object) -> None:
    item = finding(place(2, 1, 2, 7))
    assert fingerprints(_report(SOURCE, change(item))) != fingerprints(_report(SOURCE, item))


def test_findings_on_one_line_have_fingerprints_of_their_own() -> None:
    item = finding(place(2, 1, 2, 7))
    one, two = fingerprints(_report(SOURCE, item, item._replace(range=place(2, 10, 2, 11))))
    assert one != two
    assert fingerprints(_report(SOURCE, item)) == [one]


def test_fingerprints_are_the_same_in_sarif_and_gitlab() -> None:
    report = _report(SOURCE, finding(place(2, 1, 2, 7)), finding(place(3, 1, 3, 2)))
    results = json.loads(shown('sarif', report))['runs'][0]['results']
    marks = [result['partialFingerprints']['flakelint/v1'] for result in results]
    assert marks == [issue['fingerprint'] for issue in json.loads(shown('gitlab', report))] == fingerprints(report)
