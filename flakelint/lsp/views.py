# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A file, or a cell of a notebook, as part of the text that is checked."""

from dataclasses import dataclass

from lsprotocol import types

from flakelint.lsp.documents import Snapshot
from flakelint.source.text import Position, Range


@dataclass(frozen=True)
class View:
    """What a client calls a document, within the text that is checked.

    Args:
        uri (str):
            What the client calls it.
        whole (Snapshot):
            The text that is checked.
        first (int, Optional):
            How many lines of the text stand before it. Default: 0.
        count (int | None, Optional):
            How many lines it has. Default: `None`, for all.
    """

    uri: str
    whole: Snapshot
    first: int = 0
    count: int | None = None

    def holds(self, line: int) -> bool:
        """Whether a line of the text belongs to it."""
        return self.first < line and (self.count is None or line <= self.first + self.count)

    def place(self, position: types.Position) -> Position:
        """A place of the client in the text."""
        line = position.line if self.count is None else min(position.line, self.count - 1)
        return self.whole.places.place(types.Position(line + self.first, position.character))

    def stretch(self, place: types.Range) -> Range:
        """A stretch of text of the client in the text."""
        return Range(self.place(place.start), self.place(place.end))

    def position(self, place: Position) -> types.Position:
        """A place in the text for the client."""
        found = self.whole.places.position(place)
        return types.Position(max(found.line - self.first, 0), found.character)

    def range(self, place: Range) -> types.Range:
        """A stretch of the text for the client."""
        return types.Range(self.position(place.start), self.position(place.end))
