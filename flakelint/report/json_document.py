# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One JSON document, for editors, pipelines and agents; `findings-1.schema.json` describes it.

Everything outside ASCII is escaped, so that the document is the same whatever the encoding of standard output.
"""

import json
from collections import Counter
from typing import Any, TextIO

from flakelint.engine.findings import Finding, Fix, Related
from flakelint.report.model import Report, slashed
from flakelint.source.text import Range

VERSION = 1


def render(report: Report, out: TextIO) -> None:
    """Write the document, with a finding on each line."""
    out.write(f'{{"version": {VERSION}, "findings": [')
    for index, finding in enumerate(report.findings):
        out.write(f'{"," if index else ""}\n  {json.dumps(finding_object(report, finding))}')
    end = '\n' if report.findings else ''
    out.write(f'{end}], "summary": {json.dumps(_summary(report))}}}\n')


def finding_object(report: Report, finding: Finding) -> dict[str, Any]:
    """A finding as the document holds it."""
    path = slashed(finding.path)
    return {
        'code': finding.code,
        'name': finding.name,
        'severity': finding.severity,
        'message': finding.message,
        'path': path,
        'range': _range(finding.range),
        'related': [_related(other, path) for other in finding.related],
        'fix': finding.fix and _fix(finding.fix),
        'url': report.url(finding.code),
    }


def _related(other: Related, path: str) -> dict[str, Any]:
    return {'message': other.message, 'path': slashed(other.path) if other.path else path, 'range': _range(other.range)}


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{'range': _range(edit.range), 'text': edit.text} for edit in fix.edits]
    return {'applicability': fix.applicability, 'title': fix.title, 'edits': edits}


def _range(place: Range) -> dict[str, dict[str, int]]:
    return {'start': place.start._asdict(), 'end': place.end._asdict()}


def _summary(report: Report) -> dict[str, Any]:
    return {
        'files': report.files,
        'findings': len(report.findings),
        'fixable': sum(map(report.fixable, report.findings)),
        'fixed': sum(report.fixed.values()),
        'known': report.known,
        'by_code': dict(sorted(Counter(finding.code for finding in report.findings).items())),
    }
