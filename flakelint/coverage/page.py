# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The matrix as a page for a browser: a heat map, and for each hole what would fill it."""

from collections.abc import Sequence
from html import escape
from string import Template

from flakelint.coverage.axes import AXES, VERIFIER, Point
from flakelint.coverage.matrix import ACCEPTED, EXERCISED, HOLE, UNCLEAR, Cell, Row, described
from flakelint.coverage.output import Report, columns

_PAGE = Template('''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>What the tests exercise of the operators</title>
<style>
:root { color-scheme: light dark; --line: #8885; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: center; white-space: nowrap; }
tbody th, .operator { text-align: left; font-weight: normal; }
.exercised { background: hsl(140 45% calc(88% - var(--heat) * 40%)); color: #111; }
.hole { background: #c62828; } .hole a { color: #fff; font-weight: bold; }
.unclear { background: #f9a825; color: #111; } .accepted { background: #9e9e9e; color: #111; }
pre { border: 1px solid var(--line); padding: .6rem; overflow-x: auto; }
:target { outline: 3px solid #1976d2; }
</style>
</head>
<body>
<h1>What the tests exercise of the operators</h1>
<p>$summary</p>
<div class="scroll">$matrix</div>
$pairs
$holes
</body>
</html>
''')
_NAMES = {HOLE: 'hole', UNCLEAR: '?', ACCEPTED: 'accepted'}


def page(report: Report) -> str:
    """The page."""
    numbers = {state: len(report.holes(state)) for state in (EXERCISED, HOLE, UNCLEAR, ACCEPTED)}
    summary = ', '.join(f'{number} {state}' for state, number in numbers.items())
    most = max([len(cell.tests) for row in report.rows for cell in row.cells] or [1])
    pairs = ''.join(_pairs(row, most) for row in report.rows) if report.with_pairs else ''
    return _PAGE.substitute(summary=summary, matrix=_matrix(report, most), pairs=pairs, holes=_holes(report))


def _matrix(report: Report, most: int) -> str:
    points = columns(report.rows)
    groups = [(axis, [value for one, value in points if one == axis]) for axis in AXES]
    head = ''.join(f'<th colspan="{len(values)}">{escape(axis)}</th>' for axis, values in groups if values)
    below = ''.join(f'<th>{escape(value)}</th>' for _, values in groups for value in values)
    body = ''.join(f'<tr><th>{escape(row.operator.name)}</th>{_cells(row, points, most)}</tr>' for row in report.rows)
    return f'<table><thead><tr><th rowspan="2">operator</th>{head}</tr><tr>{below}</tr></thead><tbody>{body}</tbody></table>'


def _cells(row: Row, points: Sequence[Point], most: int) -> str:
    known = {cell.points[0]: cell for cell in row.cells}
    return ''.join(_cell(row, known.get(point), most) for point in points)


def _cell(row: Row, cell: Cell | None, most: int) -> str:
    if cell is None:
        return '<td></td>'
    told = escape('\n'.join(cell.tests) or cell.reason or described(cell.points), quote=True)
    if cell.state == EXERCISED:
        heat = len(cell.tests) / max(most, 1)
        return f'<td class="exercised" style="--heat: {heat:.2f}" title="{told}">{len(cell.tests)}</td>'
    name = _NAMES[cell.state]
    shown = f'<a href="#{_anchor(row, cell)}">{name}</a>' if cell.state == HOLE else name
    return f'<td class="{cell.state}" title="{told}">{shown}</td>'


def _pairs(row: Row, most: int) -> str:
    """The pairs of an operator as a triangle."""
    points = [cell.points[0] for cell in row.cells if cell.points[0][0] != VERIFIER]
    known = {frozenset(cell.points): cell for cell in row.pairs}
    head = ''.join(f'<th>{escape(described([point]))}</th>' for point in points[1:])
    body = ''
    for place, point in enumerate(points[:-1]):
        cells = ''.join(_cell(row, known.get(frozenset((point, other))), most) for other in points[place + 1:])
        body += f'<tr><th>{escape(described([point]))}</th>{"<td></td>" * place}{cells}</tr>'
    table = f'<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<h2>{escape(row.operator.name)}: pairs</h2>\n<div class="scroll">{table}</div>\n'


def _holes(report: Report) -> str:
    proposed = {(one.operator, one.points): one for one in report.suggestions}
    parts = []
    for row, cell in report.holes():
        one = proposed[row.operator.name, cell.points]
        where = f'Add to {one.where}:' if one.where else 'No case of a test comes near; a call that does:'
        parts.append(
            f'<h3 id="{_anchor(row, cell)}">{escape(row.operator.name)}: {escape(described(cell.points))}</h3>\n'
            f'<p>{escape(where)}</p>\n<pre>{escape(one.code)}</pre>\n'
        )
    return '<h2>Holes</h2>\n' + ''.join(parts) if parts else ''


def _anchor(row: Row, cell: Cell) -> str:
    text = '-'.join([row.operator.name, *(f'{axis}-{value}' for axis, value in cell.points)])
    return ''.join(one if one.isalnum() or one == '-' else '-' for one in text)
