# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The lines of a file around a place, with marks under it."""

from typing import NamedTuple

from flakelint.report.characters import lay_out
from flakelint.source.text import LineTable, Range

# a long line is shown from a little before the place, and a long place without its middle
WINDOW = 160
LEAD = 40
MOST_LINES = 8
_HEAD = 4
_TAIL = 2


class Row(NamedTuple):
    """One line of a frame.

    Args:
        number (int | None):
            The number of the line, or None where lines are left out.
        text (str):
            The line as it is shown.
        marks (str):
            What is under the line; empty where the place does not reach it.
    """

    number: int | None
    text: str = ''
    marks: str = ''


def frame(lines: LineTable, place: Range, context: int, mark: str) -> list[Row]:
    """Show a place.

    Args:
        lines (LineTable):
            The lines of the file.
        place (Range):
            What to mark.
        context (int):
            How many lines to show before and after it; blank ones at the edges are left out.
        mark (str):
            The character to mark it with.
    """
    first = place.start.line
    if first > len(lines):
        return []
    last = min(last_line(place), len(lines))
    column = place.start.column - 1
    shift = 0 if column < WINDOW - LEAD else column - LEAD
    before = _trimmed(lines, range(max(1, first - context), first))
    after = _trimmed(lines, range(min(last + context, len(lines)), last, -1))[::-1]
    rows = [_row(lines, number, place, shift, mark) for number in before]
    rows += _marked(lines, first, last, place, shift, mark)
    return rows + [_row(lines, number, place, shift, mark) for number in after]


def last_line(place: Range) -> int:
    """The last line of which a place holds a character."""
    (first, _), (last, column) = place
    return last - 1 if column == 1 and last > first else last


def _marked(lines: LineTable, first: int, last: int, place: Range, shift: int, mark: str) -> list[Row]:
    numbers = range(first, last + 1)
    if len(numbers) <= MOST_LINES:
        return [_row(lines, number, place, shift, mark) for number in numbers]
    head = [_row(lines, number, place, shift, mark) for number in numbers[:_HEAD]]
    return [*head, Row(None), *(_row(lines, number, place, shift, mark) for number in numbers[-_TAIL:])]


def _trimmed(lines: LineTable, numbers: range) -> range:
    while numbers and not lines.line(numbers[0]).strip():
        numbers = numbers[1:]
    return numbers


def _row(lines: LineTable, number: int, place: Range, shift: int, mark: str) -> Row:
    line = lines.line(number)
    shown, columns = lay_out(line[shift:shift + WINDOW])
    lead = '' if not shift else '…' if line[:shift] else ' '
    text = f'{lead}{shown}{"…" if len(line) > shift + WINDOW else ""}'
    if not place.start.line <= number <= last_line(place):
        return Row(number, text)
    start = place.start.column - 1 if number == place.start.line else len(line) - len(line.lstrip())
    end = place.end.column - 1 if number == place.end.line else len(line.rstrip())
    if number > place.start.line and start >= end:
        return Row(number, text)
    left, right = (columns[min(max(offset - shift, 0), len(columns) - 1)] for offset in (start, end))
    return Row(number, text, ' ' * (len(lead) + left) + mark * max(right - left, 1))
