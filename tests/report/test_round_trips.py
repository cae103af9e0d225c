# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Every format that programs read gives back every finding, whatever stands in its paths and messages."""

import json
import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import example, given

from flakelint.engine.findings import Edit, Finding, Fix, Related
from flakelint.report.model import Report
from tests.report.samples import REPORTS, encodable, finding, place
from tests.tools import flakelint, write

QUOTED = 'a b/%41é"\'&<>.py'
BROKEN = 'c:d,e\n\t#?.py'
NASTY = Report(
    [
        finding(place(1, 1, 2, 3), path=QUOTED, message='first\r\nsecond, 100%: "quoted" <&> \x1b[0m \u2028 ::error::'),
        finding(place(3, 2, 3, 2), path=BROKEN, message='\x00\ufffe\U0001f600', severity='info'),
    ],
    2,
    {},
    contents={QUOTED: b'one\ntwo\n', BROKEN: b''},
)
NOT_UTF_8 = os.fsdecode(b'caf\xe9.py')


@given(REPORTS)
@example(NASTY)
def test_json(report: Report) -> None:
    document = json.loads(encodable('json', report))
    assert [_from_json(item) for item in document['findings']] == [_with_paths(item) for item in report.findings]


@given(REPORTS)
@example(NASTY)
def test_json_lines(report: Report) -> None:
    lines = encodable('json-lines', report).splitlines()
    assert [_from_json(json.loads(line)) for line in lines] == [_with_paths(item) for item in report.findings]


@given(REPORTS)
@example(NASTY)
def test_sarif(report: Report) -> None:
    run = json.loads(encodable('sarif', report))['runs'][0]
    names = {rule['id']: rule['name'] for rule in run['tool']['driver']['rules']}
    assert set(names) == {item.code for item in report.findings}
    read = [_from_sarif(result) for result in run['results']]
    # a rule has one name, which a log holds once
    assert read == [_with_paths(item)._replace(name='') for item in report.findings]
    for result in run['results']:
        assert run['tool']['driver']['rules'][result['ruleIndex']]['id'] == result['ruleId']


@given(REPORTS)
@example(NASTY)
def test_gitlab(report: Report) -> None:
    issues = json.loads(encodable('gitlab', report))
    read = [
        (
            issue['location']['path'], issue['check_name'], issue['description'].removeprefix(f'{issue["check_name"]}: '),
            *(tuple(issue['location']['positions'][end].values()) for end in ('begin', 'end')), issue['severity'],
        )
        for issue in issues
    ]
    severities = {'error': 'major', 'warning': 'minor', 'info': 'info'}
    assert read == [(item.path, item.code, item.message, *item.range, severities[item.severity]) for item in report.findings]
    assert len({issue['fingerprint'] for issue in issues}) == len(issues)


@given(REPORTS)
@example(NASTY)
def test_junit(report: Report) -> None:
    root = fromstring(encodable('junit', report).encode('ascii'))
    read = [
        (case.get('file'), int(case.get('line')), int(case.get('column')), failure.get('type'), failure.get('message'))
        for case in root.iter('testcase') for failure in case.iter('failure')
    ]
    assert read == [(_in_xml(item.path), *item.range.start, item.code, _in_xml(item.message)) for item in report.findings]
    assert int(root.get('failures')) == len(read)
    cases = list(root.iter('testcase'))
    assert sum(int(suite.get('tests')) for suite in root.iter('testsuite')) == int(root.get('tests')) == len(cases)
    for case, item in zip(cases, report.findings, strict=False):
        assert case.find('failure').text.endswith(f'{item.code} {_in_xml(item.message)}')


@given(REPORTS)
@example(NASTY)
def test_github(report: Report) -> None:
    lines = encodable('github', report).split('\n')
    assert lines.pop() == ''
    read = []
    for line in lines:
        level, properties, message = re.fullmatch(r'::(\w+) ([^:]*)::(.*)', line, re.DOTALL).groups()
        values = {key: _decoded(value) for key, value in (pair.split('=', 1) for pair in properties.split(','))}
        read.append((level, values['file'], int(values['line']), int(values['endLine']), values.get('col'), _decoded(message)))
    levels = {'error': 'error', 'warning': 'warning', 'info': 'notice'}
    assert read == [
        (levels[item.severity], item.path, start.line, end.line, _column(item), f'{item.code} {item.message}')
        for item in report.findings
        for start, end in [item.range]
    ]


@given(REPORTS)
@example(NASTY)
def test_formats_for_people_keep_a_finding_on_its_line(report: Report) -> None:
    concise = encodable('concise', report)
    assert len(concise.splitlines()) == len(report.findings)
    text = encodable('text', report)
    assert set(concise.splitlines()) <= set(text.splitlines())
    assert not re.search('[\x00-\x09\x0b-\x1f\x7f\u202e]', text + concise)


@pytest.mark.parametrize('output_format', ['text', 'concise', 'json', 'json-lines', 'sarif', 'github', 'gitlab', 'junit'])
def test_a_path_that_is_not_utf_8_can_be_written(output_format: str) -> None:
    encodable(output_format, Report([finding(path=NOT_UTF_8)], 1, {}))


def test_json_and_sarif_keep_a_path_that_is_not_utf_8() -> None:
    report = Report([finding(path=NOT_UTF_8)], 1, {})
    assert json.loads(encodable('json', report))['findings'][0]['path'] == NOT_UTF_8
    assert 'caf%E9.py' in encodable('sarif', report)


@pytest.mark.skipif(os.name == 'nt', reason='such names cannot be had there')
def test_names_on_a_disk(tmp_path: Path) -> None:
    names = ['a b.py', 'ü%20"\'.py', 'line\nbreak.py', '日本/x&<y>.py', 'c:d,e.py']
    for name in names:
        write(tmp_path / name, 'x = (\n')

    def run(output_format: str) -> str:
        result = flakelint('check', '--no-cache', '--select', 'ENG001', '--output-format', output_format, cwd=tmp_path)
        assert result.returncode == 1
        return result.stdout

    assert {item['path'] for item in json.loads(run('json'))['findings']} == set(names)
    assert {json.loads(line)['path'] for line in run('json-lines').splitlines()} == set(names)
    assert {issue['location']['path'] for issue in json.loads(run('gitlab'))} == set(names)
    assert {case.get('file') for case in ElementTree.fromstring(run('junit')).iter('testcase')} == set(names)
    assert {_decoded(re.search(r'file=([^,]*)', line)[1]) for line in run('github').splitlines()} == set(names)
    results = json.loads(run('sarif'))['runs'][0]['results']
    assert {_from_sarif(result).path for result in results} == set(names)


def _column(item: Finding) -> str | None:
    return str(item.range.start.column) if item.range.start.line == item.range.end.line else None


def _with_paths(item: Finding) -> Finding:
    """A finding that says of related places in its own file in which file they are."""
    return item._replace(related=tuple(other._replace(path=other.path or item.path) for other in item.related))


def _from_json(item: dict) -> Finding:
    related = tuple(Related(_json_range(other['range']), other['message'], other['path']) for other in item['related'])
    fix = item['fix'] and Fix(
        item['fix']['applicability'], item['fix']['title'],
        tuple(Edit(_json_range(edit['range']), edit['text']) for edit in item['fix']['edits']),
    )
    head = (item[key] for key in ('code', 'name', 'severity', 'message', 'path'))
    return Finding(*head, _json_range(item['range']), related, fix)


def _json_range(value: dict) -> tuple:
    return place(*(value[end][key] for end in ('start', 'end') for key in ('line', 'column')))


def _from_sarif(result: dict) -> Finding:
    location, = result['locations']
    path, where = _sarif_place(location)
    related = tuple(
        Related(_sarif_place(other)[1], other['message']['text'], _sarif_place(other)[0])
        for other in result.get('relatedLocations', ())
    )
    severity = {'error': 'error', 'warning': 'warning', 'note': 'info'}[result['level']]
    fix = _sarif_fix(path, result['fixes'][0]) if 'fixes' in result else None
    return Finding(result['ruleId'], '', severity, result['message']['text'], path, where, related, fix)


def _sarif_fix(path: str, fix: dict) -> Fix:
    change, = fix['artifactChanges']
    assert _sarif_path(change['artifactLocation']) == path
    edits = (Edit(_sarif_range(part['deletedRegion']), part['insertedContent']['text']) for part in change['replacements'])
    return Fix(fix['properties']['applicability'], fix['description']['text'], tuple(edits))


def _sarif_place(location: dict) -> tuple:
    physical = location['physicalLocation']
    return _sarif_path(physical['artifactLocation']), _sarif_range(physical['region'])


def _sarif_path(location: dict) -> str:
    parts = urlsplit(location['uri'])
    assert location['uri'].isascii()
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ('', '', '', '')
    return unquote(parts.path, errors='strict')


def _sarif_range(region: dict) -> tuple:
    return place(*(region[key] for key in ('startLine', 'startColumn', 'endLine', 'endColumn')))


def _in_xml(text: str) -> str:
    def written(match: re.Match) -> str:
        number = ord(match[0])
        return f'\\x{number:02x}' if number < 0x100 else f'\\u{number:04x}'

    return re.sub('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]', written, text)


def _decoded(text: str) -> str:
    for escaped, character in (('%0D', '\r'), ('%0A', '\n'), ('%3A', ':'), ('%2C', ','), ('%25', '%')):
        text = text.replace(escaped, character)
    return text
