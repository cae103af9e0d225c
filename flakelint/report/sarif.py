# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""SARIF 2.1.0, which code hosts and editors read."""

import inspect
import json
import os
from typing import Any, TextIO
from urllib.parse import quote

from flakelint import __version__
from flakelint.engine.config import SettingsError
from flakelint.engine.findings import Finding, Fix
from flakelint.report.fingerprints import fingerprints
from flakelint.report.model import HOME_URL, Report, slashed
from flakelint.source.text import Range

SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'note'}
_BASE = '%SRCROOT%'


def render(report: Report, out: TextIO) -> None:
    """Write a log with one run."""
    # `json.dump` would encode piece by piece, which takes several times as long
    log = json.dumps({'$schema': SCHEMA, 'version': '2.1.0', 'runs': [_run(report)]})
    out.write(f'{log}\n')


def _run(report: Report) -> dict[str, Any]:
    first = {finding.code: finding for finding in reversed(report.findings)}
    indices = {code: index for index, code in enumerate(sorted(first))}
    marks = fingerprints(report)
    return {
        'tool': {
            'driver': {
                'name': 'flakelint',
                'version': __version__,
                'informationUri': HOME_URL,
                'rules': [_rule(report, first[code]) for code in indices],
            },
        },
        'columnKind': 'unicodeCodePoints',
        'newlineSequences': ['\r\n', '\n', '\r'],
        'originalUriBaseIds': {_BASE: {'description': {'text': 'The folder in which flakelint ran.'}}},
        'results': [
            _result(finding, indices[finding.code], mark) for finding, mark in zip(report.findings, marks, strict=True)
        ],
    }


def _rule(report: Report, finding: Finding) -> dict[str, Any]:
    reference = report.rules.get(finding.code)
    descriptor = {'id': finding.code, 'name': finding.name, 'defaultConfiguration': {'level': _LEVELS[finding.severity]}}
    if url := report.url(finding.code):
        descriptor['helpUri'] = url
    try:
        rule = reference and reference.load()
    except SettingsError:
        rule = None
    if rule and rule.__doc__:
        text = inspect.cleandoc(rule.__doc__)
        descriptor['shortDescription'] = {'text': rule.summary()}
        descriptor['fullDescription'] = {'text': rule.summary()}
        descriptor['help'] = {'text': text, 'markdown': text}
    return descriptor


def _result(finding: Finding, index: int, mark: str) -> dict[str, Any]:
    result = {
        'ruleId': finding.code,
        'ruleIndex': index,
        'level': _LEVELS[finding.severity],
        'message': {'text': finding.message},
        'locations': [{'physicalLocation': _place(finding.path, finding.range)}],
        'partialFingerprints': {'flakelint/v1': mark},
    }
    if finding.related:
        result['relatedLocations'] = [
            {
                'id': number,
                'physicalLocation': _place(other.path or finding.path, other.range),
                'message': {'text': other.message},
            }
            for number, other in enumerate(finding.related, start=1)
        ]
    if finding.fix:
        result['fixes'] = [_fix(finding.path, finding.fix)]
    return result


def _fix(path: str, fix: Fix) -> dict[str, Any]:
    replacements = [{'deletedRegion': _region(edit.range), 'insertedContent': {'text': edit.text}} for edit in fix.edits]
    return {
        'description': {'text': fix.title},
        'artifactChanges': [{'artifactLocation': _artifact(path), 'replacements': replacements}],
        'properties': {'applicability': fix.applicability},
    }


def _place(path: str, place: Range) -> dict[str, Any]:
    return {'artifactLocation': _artifact(path), 'region': _region(place)}


def _artifact(path: str) -> dict[str, str]:
    # a colon in the first segment would make a scheme of it, so all that may be escaped is
    return {'uri': quote(os.fsencode(slashed(path)), safe='/'), 'uriBaseId': _BASE}


def _region(place: Range) -> dict[str, int]:
    (line, column), (end_line, end_column) = place
    return {'startLine': line, 'startColumn': column, 'endLine': end_line, 'endColumn': end_column}
