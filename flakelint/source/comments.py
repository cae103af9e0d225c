# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The comments of a file, found without tokenising it.

`tokenize` costs more than twice `ast.parse`, a scan for strings and comments next to nothing. The scan is exact except where an f-string holds its own quote again (Python 3.12), so a comment found behind an f-string on its line is checked with `tokenize`.
"""

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.source.text import LineTable

_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\r\n]|\\(?:\r\n|.))*"'
    r"|'(?:[^'\\\r\n]|\\(?:\r\n|.))*'"
    r'|(\#[^\r\n]*)',
    re.DOTALL,
)
_FSTRING = re.compile(r"""(?i)(?<![a-z0-9_])(?:[ft]r?|r[ft])["']""")


class Comment(NamedTuple):
    """A comment: `text` begins with its `#`; `own_line` says that no code stands before it on its line."""

    line: int
    column: int
    offset: int
    text: str
    own_line: bool

    def range(self, start: int = 0, end: int | None = None) -> Range:
        """Where it stands, or a part of its text."""
        last = len(self.text) if end is None else end
        return Range(Position(self.line, self.column + start), Position(self.line, self.column + last))


def scan(text: str, lines: 'LineTable') -> list[Comment]:
    """All comments of a Python text, in order; of a text that is not valid Python, those that can be told."""
    if '#' not in text:
        return []
    comments = list(_scan_fast(text, lines))
    if sys.version_info >= (3, 12) and any(_behind_fstring(comment, lines) for comment in comments):
        exact = _scan_exact(text, lines)
        return comments if exact is None else exact
    return comments


def long_strings(text: str, lines: 'LineTable') -> list[tuple[int, int]]:
    """The first and last lines of the strings that go over several lines, in order."""
    found = []
    for match in _STRING_OR_COMMENT.finditer(text):
        if not match.lastindex and ('\n' in match.group() or '\r' in match.group()):
            found.append((lines.position(match.start()).line, lines.position(match.end()).line))
    return found


def _scan_fast(text: str, lines: 'LineTable') -> Iterator[Comment]:
    for match in _STRING_OR_COMMENT.finditer(text):
        if match.lastindex:
            yield _comment(match.start(), match.group(1), lines)


def _scan_exact(text: str, lines: 'LineTable') -> list[Comment] | None:
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline='').readline):
            if token.type == tokenize.COMMENT:
                found.append(_comment(lines.starts[token.start[0] - 1] + token.start[1], token.string, lines))
    except (tokenize.TokenError, SyntaxError):
        return None
    return found


def _comment(offset: int, text: str, lines: 'LineTable') -> Comment:
    line, column = lines.position(offset)
    own_line = not lines.line(line)[:column - 1].strip()
    return Comment(line, column, offset, text, own_line)


def _behind_fstring(comment: Comment, lines: 'LineTable') -> bool:
    return not comment.own_line and _FSTRING.search(lines.line(comment.line)[:comment.column - 1]) is not None
