# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Comments that ask for silence.

`# flakelint: ignore[TRI102, TRI402] reason` behind code speaks for its line, and for the lines of a string that ends there or that a backslash joins to it. On a line of its own it speaks for the lines down to the next line of code. `# flakelint: file-ignore[TRI102] reason` speaks for the file. `# noqa: TRI102` behind code is honoured as well, where it names our codes.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flakelint.source.comments import Comment
    from flakelint.source.text import LineTable

_OURS = re.compile(r'#\s*flakelint:\s*(?P<verb>[\w-]*)\s*(?P<rest>(?:[^#]|#(?=\d))*)')
_CODES = re.compile(r'\[(?P<codes>[^\]]*)\]')
_NOQA = re.compile(r'#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)', re.IGNORECASE)
_CODE = re.compile(r'[A-Za-z]+[0-9]+')


class NamedCode(NamedTuple):
    """A code as a suppression comment spells it, and the offsets in the file where it stands."""

    code: str
    start: int
    end: int


@dataclass
class Suppression:
    """One comment that asks for silence.

    Args:
        comment (Comment):
            Where it stands.
        codes (list[NamedCode]):
            What it silences.
        first (int):
            The first line it speaks for; 0 is the whole file.
        last (int):
            The last line it speaks for.
        start (int):
            The offset at which the request begins within a longer comment.
        end (int):
            The offset just past it, its reason included.
        foreign (bool):
            Whether it is a `noqa` comment, which other tools read too.
        used (set[str], Optional):
            The codes that it silenced so far. Default: none.
    """

    comment: 'Comment'
    codes: list[NamedCode]
    first: int
    last: int
    start: int
    end: int
    foreign: bool
    used: set[str] = field(default_factory=set)


class Malformed(NamedTuple):
    """A comment that was meant to suppress and does not."""

    comment: 'Comment'
    reason: str


@dataclass
class Suppressions:
    """All requests for silence of a file."""

    requests: list[Suppression]
    malformed: list[Malformed]

    def silence(self, code: str, lines: 'Iterable[int]') -> bool:
        """Whether a finding on any of these lines is suppressed; remembers which request did it."""
        wanted = [0, *lines]
        silenced = False
        for request in self.requests:
            speaks = any(request.first <= line <= request.last for line in wanted)
            if speaks and any(named.code == code for named in request.codes):
                request.used.add(code)
                silenced = True
        return silenced


def may_have_any(text: str) -> bool:
    """Whether a text can hold a suppression at all; a cheap look before comments are read."""
    return 'flakelint:' in text or 'noqa' in text.lower()


class Pieces:
    """Which lines of a file no comment can come between: those of a string, and those that backslashes join.

    Args:
        comments (Iterable[Comment]):
            The comments of the file.
        strings (Iterable[tuple[int, int]]):
            The first and last line of each string of several lines.
        lines (LineTable):
            The lines of the file.
    """

    def __init__(self, comments: 'Iterable[Comment]', strings: 'Iterable[tuple[int, int]]', lines: 'LineTable') -> None:
        self._commented = {comment.line for comment in comments}
        self._strings = list(strings)
        self._lines = lines

    def first(self, line: int) -> int:
        """The first line of the piece that ends on a line."""
        while True:
            above = min((first for first, last in self._strings if first < line <= last), default=line)
            if above == line and not self.joined(line):
                return line
            line = min(above, line - 1)

    def last(self, line: int) -> int:
        """The last line of the piece that begins on a line, behind which a comment may stand."""
        while True:
            below = max((last for first, last in self._strings if first <= line < last), default=line)
            if below == line and not self.joined(line + 1):
                return line
            line = max(below, line + 1)

    def joined(self, line: int) -> bool:
        """Whether a backslash joins a line to the one above it."""
        return line > 1 and line - 1 not in self._commented and self._lines.line(line - 1).endswith('\\')

    def inside(self, line: int) -> bool:
        """Whether a line begins within a string, or is joined to the one above it."""
        return self.joined(line) or any(first < line <= last for first, last in self._strings)


def read(comments: 'list[Comment]', strings: 'Iterable[tuple[int, int]]', lines: 'LineTable') -> Suppressions:
    """The suppressions among the comments of a file, of whose strings the first and last lines are told."""
    found = Suppressions([], [])
    pieces = Pieces(comments, strings, lines)
    for comment in comments:
        if match := _OURS.search(comment.text):
            _read_ours(comment, match, pieces, lines, found)
        elif match := _NOQA.search(comment.text):
            codes = _named_codes(match.group('codes'), comment.offset + match.start('codes'))
            first = comment.line if comment.own_line else pieces.first(comment.line)
            start, end = (comment.offset + place for place in match.span())
            found.requests.append(Suppression(comment, codes, first, comment.line, start, end, foreign=True))
    return found


def _read_ours(comment: 'Comment', match: re.Match, pieces: Pieces, lines: 'LineTable', found: Suppressions) -> None:
    verb, rest = match.group('verb'), match.group('rest')
    if verb not in ('ignore', 'file-ignore'):
        found.malformed.append(Malformed(comment, f'`{verb}` is not `ignore` or `file-ignore`'))
        return
    bracket = _CODES.match(rest)
    codes = _named_codes(bracket.group('codes'), comment.offset + match.start('rest') + 1) if bracket else []
    if not codes:
        found.malformed.append(Malformed(comment, f'name the codes: `# flakelint: {verb}[TRI102] reason`'))
        return
    if verb == 'file-ignore':
        first = last = 0
    elif comment.own_line:
        first, last = comment.line, pieces.last(_next_code_line(comment, lines))
    else:
        first, last = pieces.first(comment.line), comment.line
    start, end = (comment.offset + place for place in match.span())
    found.requests.append(Suppression(comment, codes, first, last, start, end, foreign=False))


def _named_codes(text: str, offset: int) -> list[NamedCode]:
    return [NamedCode(match.group().upper(), offset + match.start(), offset + match.end()) for match in _CODE.finditer(text)]


def _next_code_line(comment: 'Comment', lines: 'LineTable') -> int:
    number = comment.line + 1
    while number <= len(lines) and (not (text := lines.line(number).strip()) or text.startswith('#')):
        number += 1
    return number
