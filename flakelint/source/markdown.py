# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A Markdown file as the rules see it, read by markdown-it-py."""

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flakelint.source.text import LineTable, decode

if TYPE_CHECKING:
    from markdown_it.token import Token

SUFFIXES = ('.md', '.markdown')

# CommonMark has no front matter, and reads it as a rule and a heading
_FRONT_MATTER = re.compile(r'(?s)\A(?P<fence>---|\+\+\+)[ \t]*\r?\n.*?^(?P=fence)[ \t]*$', re.MULTILINE)


class Block(NamedTuple):
    """A paragraph or a table: its first and its last line, from 1."""

    first: int
    last: int


class MarkdownFile:
    """One file; it is parsed when its blocks are first asked for.

    Args:
        path (str):
            The path as findings show it, with forward slashes.
        data (bytes):
            The content of the file.

    Raises:
        DecodeError: the content is no text.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.decoded = decode(data)
        self.text = self.decoded.text
        self.lines = LineTable(self.text)

    @cached_property
    def paragraphs(self) -> list[Block]:
        """The paragraphs that stand neither in a list nor in a quotation, in order."""
        return self._blocks('paragraph_open')

    @cached_property
    def tables(self) -> list[Block]:
        """The tables that stand neither in a list nor in a quotation, in order."""
        return self._blocks('table_open')

    def _blocks(self, kind: str) -> list[Block]:
        return [Block(one.map[0] + 1, one.map[1]) for one in self._tokens if one.type == kind and not one.level and one.map]

    @cached_property
    def _tokens(self) -> 'list[Token]':
        # runs without a Markdown file do not load the parser
        from markdown_it import MarkdownIt

        front = _FRONT_MATTER.match(self.text)
        hidden = re.sub(r'[^\r\n]+', '', front.group()) if front else ''
        return MarkdownIt('commonmark').enable('table').parse(hidden + self.text[len(front.group()) if front else 0:])


def is_markdown(path: str) -> bool:
    """Whether a file is Markdown, by its name."""
    return path.lower().endswith(SUFFIXES)
