# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Workflow commands, which GitHub Actions turns into annotations."""

from collections.abc import Mapping
from typing import TextIO

from flakelint.engine.findings import Finding
from flakelint.report.model import Report, slashed

_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'notice'}
_IN_MESSAGE = str.maketrans({'%': '%25', '\r': '%0D', '\n': '%0A'})
_IN_PROPERTY = str.maketrans({'%': '%25', '\r': '%0D', '\n': '%0A', ':': '%3A', ',': '%2C'})


def render(report: Report, out: TextIO) -> None:
    """Write a command for each finding."""
    for finding in report.findings:
        properties = ','.join(f'{key}={_escape(value, _IN_PROPERTY)}' for key, value in _properties(finding).items())
        message = _escape(f'{finding.code} {finding.message}', _IN_MESSAGE)
        out.write(f'::{_LEVELS[finding.severity]} {properties}::{message}\n')


def _properties(finding: Finding) -> dict[str, str]:
    start, end = finding.range
    properties = {
        'title': f'flakelint {finding.code} ({finding.name})',
        'file': slashed(finding.path),
        'line': str(start.line),
        'endLine': str(end.line),
    }
    # the runner refuses columns where an annotation has several lines
    if start.line == end.line:
        properties |= {'col': str(start.column), 'endColumn': str(end.column)}
    return properties


def _escape(text: str, table: Mapping[int, str]) -> str:
    return text.encode(errors='backslashreplace').decode().translate(table)
