# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Comments that suppress findings: where they go, and what they say."""

import re
from typing import TYPE_CHECKING

from flakelint.engine.diagnostics import is_engines
from flakelint.engine.findings import Edit
from flakelint.engine.fixes import apply
from flakelint.source.comments import long_strings
from flakelint.source.file import SourceFile
from flakelint.source.suppressions import Pieces
from flakelint.source.text import Decoded, DecodeError, Position, Range, encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flakelint.engine.findings import Finding
    from flakelint.source.comments import Comment
    from flakelint.source.suppressions import Suppression

_FOR_OTHERS = re.compile(r'#!|[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+')

_Wanted = dict[int, set[str]]


def ignored(data: bytes, findings: 'Iterable[Finding]', reason: str) -> 'tuple[bytes, int, list[Finding]]':
    """A content with comments that suppress findings in it.

    Returns:
        tuple[bytes, int, list[Finding]]:
            The content, how many comments were added or extended, and the findings that no comment can suppress.
    """
    wanted = [finding for finding in findings if not is_engines(finding.code)]
    left = [finding for finding in findings if is_engines(finding.code)]
    try:
        before = SourceFile('', data)
    except DecodeError:
        return data, 0, list(findings)
    while wanted:
        edits, above, refused = _Plan(before, wanted, reason).made()
        try:
            after = encode(apply(edits, before.text), before.decoded.encoding, before.decoded.bom)
        except UnicodeEncodeError:
            refused = wanted
        else:
            refused += _still_found(SourceFile('', after), [one for one in wanted if one not in refused], above)
            if not refused:
                return after, len(edits), left
        left += refused
        wanted = [finding for finding in wanted if finding not in refused]
    return data, 0, left


def suppressing(file: SourceFile, finding: 'Finding', reason: str = '') -> 'tuple[Edit, ...]':
    """The edits that suppress one finding where it stands; none where no comment can."""
    edits, above, refused = _Plan(file, [finding], reason).made()
    after = SourceFile('', Decoded(apply(edits, file.text), file.decoded.encoding, file.decoded.bom))
    return () if is_engines(finding.code) or refused or _still_found(after, [finding], above) else tuple(edits)


def suppressing_in_file(file: SourceFile, code: str) -> Edit:
    """The edit that suppresses a code in the whole file: behind the comments at the top, if no comment for the file is there yet."""
    for request in file.suppressions.requests:
        if not request.first and not request.foreign:
            place = file.lines.position(request.codes[-1].end)
            return Edit(Range(place, place), f', {code}')
    top = 1
    while file.lines.line(top).startswith('#'):
        top += 1
    place = Position(top, 1)
    comment = f'# flakelint: file-ignore[{code}]\n'
    return Edit(Range(place, place), f'\n{comment}' if top > 1 else f'{comment}\n')


def _still_found(after: SourceFile, findings: 'list[Finding]', above: list[int]) -> 'list[Finding]':
    """The findings that the comments of a new content do not suppress."""
    found = []
    for finding in findings:
        lines = (finding.range.start.line, finding.range.end.line)
        places = [line + sum(1 for inserted in above if inserted <= line) for line in lines]
        if not after.suppressions.silence(finding.code, places):
            found.append(finding)
    return found


class _Plan:
    """Where comments for findings go in a file.

    Args:
        file (SourceFile):
            The file.
        findings (list[Finding]):
            What is to be suppressed.
        reason (str):
            Why.
    """

    def __init__(self, file: SourceFile, findings: 'list[Finding]', reason: str) -> None:
        self._file = file
        self._reason = reason
        self._pieces = Pieces(file.comments, long_strings(file.text, file.lines), file.lines)
        self._comments = {comment.line: comment for comment in file.comments}
        ours = [request for request in file.suppressions.requests if not request.foreign and request.first]
        self._requests = {request.comment.line: request for request in ours}
        self._malformed = {malformed.comment.line for malformed in file.suppressions.malformed}
        self._above: _Wanted = {}
        self._behind: _Wanted = {}
        self._refused = [finding for finding in findings if not self._place(finding)]

    def made(self) -> 'tuple[list[Edit], list[int], list[Finding]]':
        """The edits, the lines above which they insert a line, and the findings for which there is no place."""
        edits = []
        above = []
        for line, codes in sorted(self._above.items()):
            request = self._requests.get(line - 1)
            if request is not None and request.comment.own_line:
                edits.append(self._extended(request, codes))
            else:
                above.append(line)
                text = self._file.lines.line(line)
                indent = text[:len(text) - len(text.lstrip())]
                edits.append(Edit(Range(Position(line, 1), Position(line, 1)), f'{indent}{self._comment(codes)}\n'))
        for line, codes in sorted(self._behind.items()):
            request = self._requests.get(line)
            edits.append(self._extended(request, codes) if request is not None else self._appended(line, codes))
        return edits, above, self._refused

    def _place(self, finding: 'Finding') -> bool:
        """Choose where the comment for a finding goes; says whether there is a place."""
        line = finding.range.start.line
        comment = self._comments.get(line)
        # a comment that is found fault with must keep its words, or the fault is another one
        if comment is not None and (comment.own_line or finding.range.start.column >= comment.column):
            return self._put_above(line, comment, finding.code)
        line = self._pieces.last(line)
        if line in self._malformed:
            return False
        self._behind.setdefault(line, set()).add(finding.code)
        return True

    def _put_above(self, line: int, comment: 'Comment', code: str) -> bool:
        top = max((number for number in (1, 2) if _FOR_OTHERS.match(self._file.lines.line(number))), default=0)
        line = self._pieces.first(line)
        if line <= top:
            return False
        self._above.setdefault(line, set()).add(code)
        return True

    def _appended(self, line: int, codes: set[str]) -> Edit:
        text = self._file.lines.line(line)
        place = Range(Position(line, len(text.rstrip()) + 1), Position(line, len(text) + 1))
        return Edit(place, f'{"  " if text.strip() else ""}{self._comment(codes)}')

    def _extended(self, request: 'Suppression', codes: set[str]) -> Edit:
        named = [one.code for one in request.codes]
        place = self._file.lines.range(request.codes[0].start, request.codes[-1].end)
        return Edit(place, ', '.join([*named, *sorted(codes - set(named))]))

    def _comment(self, codes: set[str]) -> str:
        return f'# flakelint: ignore[{", ".join(sorted(codes))}] {self._reason}'.rstrip()
