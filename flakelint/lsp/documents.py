# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The files that an editor has open, as they are in it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from lsprotocol import types
from pygls.uris import to_fs_path

from flakelint.lsp.positions import Places, column_of
from flakelint.source.markdown import is_markdown
from flakelint.source.text import LineTable

PYTHON = 'python'


@dataclass(frozen=True)
class Snapshot:
    """A file at one moment.

    Args:
        uri (str):
            What the client calls it.
        version (int):
            The version that the client gave it.
        text (str):
            The content.
        encoding (str):
            The encoding in whose units the client counts columns.
        language (str, Optional):
            The language, as the client names it. Default: `python`.
    """

    uri: str
    version: int
    text: str
    encoding: str
    language: str = PYTHON

    @cached_property
    def lines(self) -> LineTable:
        """The lines of the content."""
        return LineTable(self.text)

    @cached_property
    def places(self) -> Places:
        """The places in the content."""
        return Places(self.lines, self.encoding)

    @property
    def path(self) -> str | None:
        """Where the file is on the disk; None for one that is not there."""
        return path_of(self.uri)

    @property
    def is_checked(self) -> bool:
        """Whether it is of a language in which anything is checked."""
        return self.language == PYTHON or (self.path or '').endswith('.py') or self.is_markdown

    @property
    def is_markdown(self) -> bool:
        """Whether it is Markdown."""
        return is_markdown(self.path or '') or self.language == 'markdown'


@dataclass
class Document:
    """An open file.

    Args:
        snapshot (Snapshot):
            How it is now.
    """

    snapshot: Snapshot

    @property
    def version(self) -> int:
        """The version that the client gave it."""
        return self.snapshot.version

    def change(self, version: int, changes: Iterable[types.TextDocumentContentChangeEvent]) -> None:
        """Apply what was changed, in order."""
        text = edited(self.snapshot.text, changes, self.snapshot.encoding)
        self.snapshot = replace(self.snapshot, text=text, version=version)


def edited(text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: str) -> str:
    """A text after changes, in order; what lies outside the text counts as the nearest place in it.

    Args:
        text (str):
            The text.
        changes (Iterable[types.TextDocumentContentChangeEvent]):
            New contents, or contents of stretches.
        encoding (str):
            The encoding in whose units columns are counted.
    """
    lines = LineTable(text).all()
    for one in changes:
        if not isinstance(one, types.TextDocumentContentChangePartial):
            lines = LineTable(one.text).all()
            continue
        (first, start), (last, end) = sorted(_place(lines, place, encoding) for place in (one.range.start, one.range.end))
        # a line break may come to be, or be parted, at either end
        above, below = max(first - 1, 0), last + 2
        before, behind = ''.join(lines[above:first]) + lines[first][:start], lines[last][end:] + ''.join(lines[last + 1:below])
        follows = below < len(lines)
        new = LineTable(f'{before}{one.text}{behind}').all()
        lines[above:below] = new[:-1] if follows and not new[-1] else new
    return ''.join(lines)


def path_of(uri: str) -> str | None:
    """The path of a file that a URI names; None for what is not on the disk."""
    return to_fs_path(uri) if uri.startswith('file:') else None


def _place(lines: list[str], position: types.Position, encoding: str) -> tuple[int, int]:
    """The number of a line, from 0, and the offset in it."""
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    line = lines[max(position.line, 0)].rstrip('\r\n')
    return max(position.line, 0), column_of(line, position.character, encoding)
