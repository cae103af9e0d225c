# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The files that an editor has open, as they are in it."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from lsprotocol import types
from pygls.uris import to_fs_path

from flakelint.lsp.positions import Places
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
        language (str):
            The language, as the client names it.
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
        is_open (bool, Optional):
            Whether it still is. Default: `True`.
    """

    snapshot: Snapshot
    is_open: bool = field(default=True)

    def change(self, version: int, changes: list[types.TextDocumentContentChangeEvent]) -> None:
        """Apply what was changed, in order."""
        for one in changes:
            text = one.text
            if isinstance(one, types.TextDocumentContentChangePartial):
                before = self.snapshot
                start, end = map(before.lines.offset, before.places.stretch(one.range))
                text = f'{before.text[:start]}{text}{before.text[end:]}'
            self.snapshot = replace(self.snapshot, text=text, version=version)
        self.snapshot = replace(self.snapshot, version=version)


def path_of(uri: str) -> str | None:
    """The path of a file that a URI names; None for what is not on the disk."""
    return to_fs_path(uri) if uri.startswith('file:') else None
