# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Places as the engine counts them, and as a client does: from 0, with columns in units of an encoding."""

from collections.abc import Callable

from lsprotocol import types

from flakelint.source.text import BOM, LineTable, Position, Range

_UNITS: dict[str, Callable[[str], int]] = {
    'utf-8': lambda text: len(text.encode('utf-8', 'surrogatepass')),
    'utf-16': lambda text: len(text) + sum(character > '\uffff' for character in text),
    'utf-32': len,
}


class Places:
    """The places in a text. The engine does not count a byte order mark at its beginning, and a client does.

    Args:
        lines (LineTable):
            The lines of the text.
        encoding (str):
            The encoding in whose units the client counts columns: `utf-8`, `utf-16` or `utf-32`.
    """

    def __init__(self, lines: LineTable, encoding: str) -> None:
        self._lines = lines
        self._encoding = encoding
        self._mark = lines.text.startswith(BOM)

    def position(self, place: Position) -> types.Position:
        """A place, for the client."""
        line = self._lines.line(place.line)
        column = place.column - 1 + (self._mark and place.line == 1)
        return types.Position(place.line - 1, column if line.isascii() else _UNITS[self._encoding](line[:column]))

    def range(self, place: Range) -> types.Range:
        """A stretch of text, for the client."""
        return types.Range(self.position(place.start), self.position(place.end))

    def place(self, position: types.Position) -> Position:
        """A place of the client; one outside the text is the nearest in it."""
        if position.line >= len(self._lines):
            return self._lines.position(len(self._lines.text))
        number = max(position.line, 0) + 1
        column = column_of(self._lines.line(number), position.character, self._encoding)
        return Position(number, max(column - (self._mark and number == 1), 0) + 1)

    def stretch(self, place: types.Range) -> Range:
        """A stretch of text of the client; its ends are put in order."""
        start, end = self.place(place.start), self.place(place.end)
        return Range(min(start, end), max(start, end))


def column_of(line: str, units: int, encoding: str) -> int:
    """The offset in a line of what a client counts in units of an encoding; the nearest in the line."""
    if line.isascii():
        return min(max(units, 0), len(line))
    for column, character in enumerate(line):
        units -= _UNITS[encoding](character)
        if units < 0:
            return column
    return len(line)
