# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Findings with the source around them, for people."""

from collections.abc import Callable
from typing import TextIO

from flakelint.engine.findings import Finding, Related
from flakelint.report.characters import one_line
from flakelint.report.frames import Row, frame
from flakelint.report.model import Report, slashed
from flakelint.report.summary import summary
from flakelint.source.text import Position

CONTEXT = 2

_STYLES = {
    'path': '1',
    'error': '1;31',
    'warning': '1;33',
    'info': '1;36',
    'fixable': '36',
    'gutter': '1;34',
    'note': '1;34',
    'help': '1;36',
}

_Paint = Callable[[str, str], str]


def render(report: Report, out: TextIO) -> None:
    """Write each finding with a frame of its source, and a summary."""
    paint = _coloured if report.colour else _plain
    for finding in report.findings:
        out.writelines(f'{line}\n' for line in _finding(report, finding, paint))
        out.write('\n')
    if not report.quiet:
        out.writelines(f'{line}\n' for line in summary(report))


def _finding(report: Report, finding: Finding, paint: _Paint) -> list[str]:
    lines = report.lines(finding.path)
    path = one_line(slashed(finding.path))
    rows = frame(lines, finding.range, CONTEXT, '^') if lines else []
    related = [(other, _related_frame(report, finding, other)) for other in finding.related]
    width = _width([rows, *(group for _, group in related)])
    shown = [_headline(report, finding, path, paint), *_framed(rows, width, finding.severity, paint)]
    for other, group in related:
        where = _place(one_line(slashed(other.path)) if other.path else path, other.range.start)
        shown.append(_remark('note', f'{where}: {one_line(other.message)}', width, paint))
        shown += _framed(group, width, 'note', paint)
    if finding.fix:
        caution = '' if finding.fix.applicability == 'safe' else f' ({finding.fix.applicability} fix)'
        shown.append(_remark('help', f'{one_line(finding.fix.title)}{caution}', width, paint))
    return shown


def _related_frame(report: Report, finding: Finding, other: Related) -> list[Row]:
    lines = report.lines(other.path or finding.path)
    return frame(lines, other.range, 0, '-') if lines else []


def _width(groups: list[list[Row]]) -> int:
    return max((len(str(row.number)) for group in groups for row in group if row.number), default=0)


def _headline(report: Report, finding: Finding, path: str, paint: _Paint) -> str:
    marker = f' {paint("[*]", "fixable")}' if report.fixable(finding) else ''
    place = paint(_place(path, finding.range.start), 'path')
    return f'{place}: {paint(finding.code, finding.severity)}{marker} {one_line(finding.message)}'


def _place(path: str, position: Position) -> str:
    return f'{path}:{position.line}:{position.column}'


def _framed(rows: list[Row], width: int, style: str, paint: _Paint) -> list[str]:
    if not rows:
        return []
    bar = paint('|', 'gutter')
    blank = f'{" " * width} {bar}'
    shown = [blank]
    for row in rows:
        if row.number is None:
            shown.append(paint('.' * max(width, 3), 'gutter'))
            continue
        number = paint(f'{row.number:>{width}}', 'gutter')
        shown.append(f'{number} {bar} {row.text}'.rstrip())
        if row.marks:
            space = len(row.marks) - len(row.marks.lstrip())
            shown.append(f'{blank} {row.marks[:space]}{paint(row.marks[space:], style)}')
    return [*shown, blank]


def _remark(kind: str, text: str, width: int, paint: _Paint) -> str:
    return f'{" " * width} {paint("=", "gutter")} {paint(f"{kind}:", kind)} {text}'


def _plain(text: str, style: str) -> str:
    return text


def _coloured(text: str, style: str) -> str:
    return f'\x1b[{_STYLES[style]}m{text}\x1b[0m'
