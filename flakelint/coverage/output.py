# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The matrix as text: for people, for programs, for a page of Markdown."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from flakelint.coverage.axes import AXES
from flakelint.coverage.matrix import ACCEPTED, EXERCISED, HOLE, UNCLEAR, Cell, Row, described
from flakelint.coverage.suggest import Suggestion


class Report(NamedTuple):
    """What is told.

    Args:
        rows (list[Row]):
            The matrix.
        with_pairs (bool):
            Whether pairs of values count.
        suggestions (list[Suggestion]):
            What would fill the holes, if that was asked for.
    """

    rows: list[Row]
    with_pairs: bool
    suggestions: list[Suggestion]

    def holes(self, state: str = HOLE) -> list[tuple[Row, Cell]]:
        """The cells that are in a state, each with its operator."""
        return [(row, cell) for row in self.rows for cell in row.all if cell.state == state]


def _count(cell: Cell) -> str:
    return {EXERCISED: str(len(cell.tests)), HOLE: 'HOLE', UNCLEAR: '?', ACCEPTED: 'accepted'}[cell.state]


def _text(report: Report) -> str:
    lines = []
    for row in report.rows:
        lines.append(f'{row.operator.name}  {row.operator.place.path}:{row.operator.line}')
        for axis in AXES:
            own = [cell for cell in row.cells if cell.points[0][0] == axis]
            told = '   '.join(f'{cell.points[0][1]} {_count(cell)}' for cell in own)
            lines.extend([f'  {axis:<12} {told}'] if own else [])
        if report.with_pairs:
            open_pairs = [cell for cell in row.pairs if cell.state != EXERCISED]
            lines.append(f'  {"pairs":<12} {len(row.pairs) - len(open_pairs)} of {len(row.pairs)}')
            lines.extend(f'    {_count(cell)}: {described(cell.points)}' for cell in open_pairs)
        lines.append('')
    lines.extend(_told(report))
    return '\n'.join([*lines, _summary(report)]) + '\n'


def _told(report: Report) -> Iterable[str]:
    for row, cell in report.holes(ACCEPTED):
        yield f'{row.operator.name}: {described(cell.points)} is accepted: {cell.reason}'
    for row, cell in report.holes(UNCLEAR):
        yield f'{row.operator.name}: it cannot be read whether {cell.tests[0]} exercises {described(cell.points)}'
    # one case may fill several holes
    same: dict[tuple[str, str], list[Suggestion]] = {}
    for one in report.suggestions:
        same.setdefault((one.where, one.code), []).append(one)
    for (where, code), ones in same.items():
        yield from (f'{one.operator}: {described(one.points)}' for one in ones)
        yield f'  add to the cases of {where}' if where else '  no case of a test comes near; a call that does:'
        yield f'    {code}'
    if report.suggestions:
        yield ''


def _summary(report: Report) -> str:
    numbers = [len(report.holes(state)) for state in (EXERCISED, HOLE, UNCLEAR, ACCEPTED)]
    found = 'values and pairs' if report.with_pairs else 'values'
    told = f'{_counted(len(report.rows), "operator")}: {numbers[0]} {found} exercised, {_counted(numbers[1], "hole")}'
    rest = [f'{numbers[2]} unclear'] if numbers[2] else []
    rest += [f'{numbers[3]} accepted'] if numbers[3] else []
    return ', '.join([told, *rest])


def _counted(number: int, name: str) -> str:
    return f'{number} {name}' if number == 1 else f'{number} {name}s'


def _json(report: Report) -> str:
    operators = [
        {
            'name': row.operator.name,
            'path': row.operator.place.path,
            'line': row.operator.line,
            'values': [_cell(cell) for cell in row.cells],
            **({'pairs': [_cell(cell) for cell in row.pairs]} if report.with_pairs else {}),
        }
        for row in report.rows
    ]
    proposed = [
        {'operator': one.operator, 'points': dict(one.points), 'where': one.where, 'code': one.code}
        for one in report.suggestions
    ]
    return json.dumps({'operators': operators, 'holes': len(report.holes()), 'suggestions': proposed}, indent=2) + '\n'


def _cell(cell: Cell) -> dict[str, object]:
    found: dict[str, object] = {'points': dict(cell.points), 'state': cell.state, 'tests': list(cell.tests)}
    return found | ({'reason': cell.reason} if cell.reason else {})


def _markdown(report: Report) -> str:
    lines = _table([
        ['operator', *(f'{axis}: {value}' for axis, value in columns(report.rows))],
        *([row.operator.name, *(_of_point(row, point) for point in columns(report.rows))] for row in report.rows),
    ])
    told = [f'- {line.strip()}' for line in _told(report) if line]
    return '\n'.join([*lines, '', *told, *([''] if told else []), _summary(report)]) + '\n'


def _table(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ['| ' + ' | '.join(one.ljust(width) for one, width in zip(row, widths, strict=True)) + ' |' for row in cells]
    return [lines[0], '|' + '|'.join('-' * (width + 2) for width in widths) + '|', *lines[1:]]


def columns(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """The values of axes that any operator can reach."""
    reached = {cell.points[0] for row in rows for cell in row.cells}
    return [(axis, value) for axis, values in AXES.items() for value in values if (axis, value) in reached]


def _of_point(row: Row, point: tuple[str, str]) -> str:
    return next((_count(cell) for cell in row.cells if cell.points == (point,)), '')


FORMATS: dict[str, Callable[[Report], str]] = {'text': _text, 'json': _json, 'markdown': _markdown}
