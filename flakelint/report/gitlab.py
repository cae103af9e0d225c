# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A GitLab Code Quality report."""

import json
from typing import Any, TextIO

from flakelint.engine.findings import Finding
from flakelint.report.fingerprints import fingerprints
from flakelint.report.model import Report, slashed

_SEVERITIES = {'error': 'major', 'warning': 'minor', 'info': 'info'}


def render(report: Report, out: TextIO) -> None:
    """Write the report, with an issue on each line."""
    issues = [
        json.dumps(_issue(finding, mark)) for finding, mark in zip(report.findings, fingerprints(report), strict=True)
    ]
    out.write('[\n  ' + ',\n  '.join(issues) + '\n]\n' if issues else '[]\n')


def _issue(finding: Finding, mark: str) -> dict[str, Any]:
    return {
        'description': f'{finding.code}: {finding.message}',
        'check_name': finding.code,
        'fingerprint': mark,
        'severity': _SEVERITIES[finding.severity],
        'location': {
            'path': slashed(finding.path),
            'positions': {'begin': finding.range.start._asdict(), 'end': finding.range.end._asdict()},
        },
    }
