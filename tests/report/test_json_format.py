# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The JSON document, as the schema and the documentation promise it."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator, FormatChecker

from flakelint.engine.findings import Related
from flakelint.report.model import Report
from tests.report.samples import REPORTS, finding, fix, place, shown
from tests.tools import BLOCK_POINTER, flakelint, write

SCHEMA = json.loads((files('flakelint.report') / 'findings-1.schema.json').read_text(encoding='utf-8'))
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker())
LINES = VALIDATOR.evolve(schema={**SCHEMA['$defs']['finding'], '$defs': SCHEMA['$defs']})


def _whole() -> dict:
    item = finding(place(6, 11, 6, 60), fix=fix('unsafe'), related=(Related(place(7, 1, 7, 2), 'used here'),))
    return json.loads(shown('json', Report([item], 3, {}, fixed={'DOC106': 2}, known=4)))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_key_and_value() -> None:
    span = {'start': {'line': 6, 'column': 11}, 'end': {'line': 6, 'column': 60}}
    assert _whole() == {
        'version': 1,
        'findings': [{
            'code': 'TRI201',
            'name': 'block-pointer',
            'severity': 'error',
            'message': 'a message',
            'path': 'a.py',
            'range': span,
            'related': [{
                'message': 'used here', 'path': 'a.py',
                'range': {'start': {'line': 7, 'column': 1}, 'end': {'line': 7, 'column': 2}},
            }],
            'fix': {
                'applicability': 'unsafe', 'title': 'Mend it',
                'edits': [{'range': {'start': {'line': 1, 'column': 1}, 'end': {'line': 1, 'column': 2}}, 'text': ''}],
            },
            'url': 'https://github.com/flakelint/flakelint/blob/main/docs/rules/TRI201.md',
        }],
        'summary': {'files': 3, 'findings': 1, 'fixable': 0, 'fixed': 2, 'known': 4, 'by_code': {'TRI201': 1}},
    }


def test_fixable_depends_on_what_is_asked_for() -> None:
    findings = [finding(fix=fix()), finding(fix=fix('unsafe')), finding()]
    for unsafe, count in ((False, 1), (True, 2)):
        document = json.loads(shown('json', Report(findings, 1, {}, unsafe_fixes=unsafe)))
        assert document['summary']['fixable'] == count


@given(REPORTS)
def test_the_schema_accepts_every_report(report: Report) -> None:
    VALIDATOR.validate(json.loads(shown('json', report)))
    for line in shown('json-lines', report).splitlines():
        LINES.validate(json.loads(line))


@pytest.mark.parametrize(('path', 'value'), [
    ('version', 2),
    ('version', '1'),
    ('findings', {}),
    ('summary', None),
    ('findings 0 code', 'tri201'),
    ('findings 0 code', 'TRI2011'),
    ('findings 0 severity', 'note'),
    ('findings 0 message', ''),
    ('findings 0 path', None),
    ('findings 0 range start line', 0),
    ('findings 0 range start column', 0),
    ('findings 0 range end line', '6'),
    ('findings 0 range end column', 1.5),
    ('findings 0 related', None),
    ('findings 0 related 0 range', {}),
    ('findings 0 fix', {}),
    ('findings 0 fix', 'Mend it'),
    ('findings 0 fix applicability', 'maybe'),
    ('findings 0 fix edits', []),
    ('findings 0 fix edits 0 text', None),
    ('findings 0 url', 3),
    ('summary files', -1),
    ('summary by_code', {'TRI201': 0}),
    ('summary by_code', {'block-pointer': 1}),
])
def test_the_schema_refuses_wrong_values(path: str, value: object) -> None:
    document = _whole()
    *parents, last = [int(key) if key.isdigit() else key for key in path.split()]
    target = document
    for key in parents:
        target = target[key]
    assert last in target
    target[last] = value
    assert not VALIDATOR.is_valid(document)


def test_the_schema_refuses_a_document_without_any_one_key() -> None:
    count = 0
    whole = _whole()
    for holder in _objects(whole):
        for key in list(holder):
            if holder is whole['summary']['by_code']:
                continue
            value = holder.pop(key)
            assert not VALIDATOR.is_valid(whole), key
            holder[key] = value
            count += 1
    VALIDATOR.validate(whole)
    assert count > 30


def test_the_schema_describes_every_key() -> None:
    whole = _whole()
    assert sorted(SCHEMA['properties']) == sorted(whole)
    assert sorted(SCHEMA['$defs']['finding']['properties']) == sorted(whole['findings'][0])
    assert sorted(SCHEMA['$defs']['summary']['properties']) == sorted(whole['summary'])


def test_the_command_line_on_real_files(tmp_path: Path) -> None:
    write(tmp_path / 'kernels' / 'copy.py', BLOCK_POINTER)
    write(tmp_path / 'broken.py', 'def f(:\n    pass\n')
    write(tmp_path / 'clean.py', 'x = 1\n')
    result = flakelint('check', '--no-cache', '--select', 'TRI201,ENG001', '--output-format', 'json', cwd=tmp_path)
    document = json.loads(result.stdout)
    VALIDATOR.validate(document)
    assert result.returncode == 1
    assert [(item['code'], item['path']) for item in document['findings']] == [
        ('ENG001', 'broken.py'), ('TRI201', 'kernels/copy.py'),
    ]
    pointer = document['findings'][1]['range']
    line = BLOCK_POINTER.splitlines()[pointer['start']['line'] - 1]
    assert line[pointer['start']['column'] - 1:pointer['end']['column'] - 1].startswith('tl.make_block_ptr')
    assert document['summary'] == {
        'files': 3, 'findings': 2, 'fixable': 0, 'fixed': 0, 'known': 0, 'by_code': {'ENG001': 1, 'TRI201': 1},
    }
    lines = flakelint('check', '--no-cache', '--select', 'TRI201,ENG001', '--output-format', 'json-lines', cwd=tmp_path)
    assert [json.loads(line) for line in lines.stdout.splitlines()] == document['findings']


def test_edits_from_the_command_line_mend_the_file(tmp_path: Path) -> None:
    source = 'x = "日本"  # flakelint: ignore[TRI201] old\ny = 2\n'
    path = write(tmp_path / 'a.py', source)
    options = ('check', '--no-cache', '--select', 'TRI201,ENG004', '--output-format', 'json')
    document = json.loads(flakelint(*options, cwd=tmp_path).stdout)
    VALIDATOR.validate(document)
    assert document['summary']['fixable'] == 1
    edit, = document['findings'][0]['fix']['edits']
    start, end = edit['range']['start'], edit['range']['end']
    assert start['line'] == end['line'] == 1
    first, rest = source.split('\n', 1)
    assert f'{first[:start["column"] - 1]}{edit["text"]}{first[end["column"] - 1:]}\n{rest}' == 'x = "日本"\ny = 2\n'
    after = json.loads(flakelint(*options, '--fix', cwd=tmp_path).stdout)
    assert path.read_text(encoding='utf-8') == 'x = "日本"\ny = 2\n'
    assert (after['findings'], after['summary']['fixed']) == ([], 1)


def test_the_output_does_not_depend_on_the_encoding_of_standard_output(tmp_path: Path) -> None:
    write(tmp_path / 'ü.py', 'x = (\n')
    options = ('check', '--no-cache', '--output-format', 'json')
    encodings = ('utf-8', 'ascii', 'latin-1')
    outputs = {flakelint(*options, cwd=tmp_path, PYTHONIOENCODING=encoding).stdout for encoding in encodings}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())['findings'][0]['path'] == 'ü.py'


def _objects(value: object) -> list[dict]:
    if isinstance(value, dict):
        return [value, *(inner for item in value.values() for inner in _objects(item))]
    return [inner for item in value for inner in _objects(item)] if isinstance(value, list) else []
