# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Findings to render, and what reads them back."""

import io
from collections.abc import Callable

from hypothesis import strategies as st

from flakelint.engine.findings import Edit, Finding, Fix, Related
from flakelint.report import render
from flakelint.report.model import Report
from flakelint.source.text import Position, Range


def place(line: int, column: int, end_line: int, end_column: int) -> Range:
    """A range, from its four numbers."""
    return Range(Position(line, column), Position(end_line, end_column))


START = place(1, 1, 1, 2)


def finding(where: Range = START, **values: object) -> Finding:
    """A finding whose other values do not matter."""
    defaults = {'code': 'TRI201', 'name': 'block-pointer', 'severity': 'error', 'message': 'a message', 'path': 'a.py'}
    return Finding(**{**defaults, **values}, range=where)


def fix(applicability: str = 'safe', title: str = 'Mend it', where: Range = START, text: str = '') -> Fix:
    """A fix of one edit."""
    return Fix(applicability, title, (Edit(where, text),))


def shown(output_format: str, report: Report) -> str:
    """A report in a format."""
    out = io.StringIO()
    render(output_format, report, out)
    return out.getvalue()


def encodable(output_format: str, report: Report) -> str:
    """A report in a format, which must fit the encoding of files that flakelint writes."""
    text = shown(output_format, report)
    assert text.encode('utf-8').decode('utf-8') == text
    return text


_SEGMENT = st.text(st.characters(exclude_characters='/\x00', codec='utf-8'), min_size=1, max_size=12).filter(
    lambda segment: segment not in ('.', '..'),
)
PATHS = st.lists(_SEGMENT, min_size=1, max_size=3).map('/'.join)
MESSAGES = st.text(min_size=1, max_size=40)


@st.composite
def _ranges(draw: Callable) -> Range:
    line, column = draw(st.integers(1, 50)), draw(st.integers(1, 50))
    end_line = draw(st.integers(line, line + 3))
    return place(line, column, end_line, draw(st.integers(column if end_line == line else 1, 60)))


RANGES = _ranges()
EDITS = st.builds(Edit, range=RANGES, text=st.text(max_size=20))
FIXES = st.builds(
    Fix,
    applicability=st.sampled_from(['safe', 'unsafe']),
    title=MESSAGES,
    edits=st.lists(EDITS, min_size=1, max_size=2).map(tuple),
)
FINDINGS = st.builds(
    Finding,
    code=st.sampled_from(['TRI201', 'ENG001', 'ABC123']),
    name=st.sampled_from(['block-pointer', 'syntax-error']),
    severity=st.sampled_from(['error', 'warning', 'info']),
    message=MESSAGES,
    path=PATHS,
    range=RANGES,
    related=st.lists(st.builds(Related, range=RANGES, message=MESSAGES, path=st.just('') | PATHS), max_size=2).map(tuple),
    fix=st.none() | FIXES,
)


def _report(findings: list[Finding], source: bytes) -> Report:
    findings = sorted(findings, key=Finding.sort_key)
    return Report(findings, len(findings), {}, contents={item.path: source for item in findings})


REPORTS = st.builds(_report, st.lists(FINDINGS, max_size=5), st.text(max_size=200).map(str.encode))
