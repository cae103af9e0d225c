# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the engine itself has to say about a file; the rules of family ENG document these codes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Finding, Fix
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.source.file import ParseError, SourceFile
    from flakelint.source.suppressions import Suppression

_FAMILY = 'ENG'
SYNTAX_ERROR = ('ENG001', 'syntax-error')
UNREADABLE_FILE = ('ENG002', 'unreadable-file')
TOO_COMPLEX = ('ENG003', 'too-complex')
UNUSED_SUPPRESSION = ('ENG004', 'unused-suppression')
INTERNAL_ERROR = ('ENG005', 'internal-error')
INVALID_SUPPRESSION = ('ENG006', 'invalid-suppression')
COMPILE_ERROR = ('ENG007', 'compile-error')


def is_engines(code: str) -> bool:
    """Whether the engine itself reports under a code: what it says is of the file as a whole, to be mended or set aside in the settings."""
    return code.startswith(_FAMILY)


def problem(kind: tuple[str, str], message: str, line: int = 1, column: int = 1, severity: str = 'error') -> Finding:
    """A finding of the engine, at one character."""
    code, name = kind
    return Finding(code, name, severity, message, '', Range(Position(line, column), Position(line, column + 1)))


def parse_problem(error: 'ParseError') -> Finding:
    """The finding for a file that cannot be parsed as a whole."""
    if error.deep:
        return problem(TOO_COMPLEX, f'not analysed as a whole: {error.reason}')
    return problem(SYNTAX_ERROR, error.reason, *error.position)


def invalid_suppressions(file: 'SourceFile', known: set[str]) -> Iterator[Finding]:
    """Comments that were meant to suppress and cannot."""
    for malformed in file.suppressions.malformed:
        yield _at(INVALID_SUPPRESSION, malformed.reason, file, malformed.comment.offset, len(malformed.comment.text))
    for request in file.suppressions.requests:
        for named in request.codes if not request.foreign else ():
            if named.code not in known:
                yield _at(INVALID_SUPPRESSION, f'there is no rule `{named.code}`', file, named.start, len(named.code))


def unused_suppressions(file: 'SourceFile', enabled: set[str]) -> Iterator[Finding]:
    """Requests for silence of enabled rules that silenced nothing, with the fix that takes them away."""
    for request in file.suppressions.requests:
        unused = {named.code for named in request.codes if named.code in enabled} - request.used
        for named in request.codes:
            if named.code in unused:
                message = f'`{named.code}` is suppressed here, but not found'
                finding = _at(UNUSED_SUPPRESSION, message, file, named.start, len(named.code))
                yield finding._replace(severity='warning', fix=_removal(file, request, unused))


def _at(kind: tuple[str, str], message: str, file: 'SourceFile', offset: int, length: int) -> Finding:
    return Finding(*kind, 'error', message, '', file.lines.range(offset, offset + length))


def _removal(file: 'SourceFile', request: 'Suppression', unused: set[str]) -> Fix:
    kept = [named.code for named in request.codes if named.code not in unused]
    if kept:
        place = file.lines.range(request.codes[0].start, request.codes[-1].end)
        return Fix('safe', 'Remove the unused codes', (Edit(place, ', '.join(kept)),))
    text = file.lines.line(request.comment.line)
    line_start = file.lines.starts[request.comment.line - 1]
    start, end = request.start - line_start, request.end - line_start
    rest = text[end:].strip()
    start = start if rest else len(text[:start].rstrip())
    if not start and not rest:
        return Fix('safe', 'Remove the unused comment', (Edit(_whole_line(request.comment.line), ''),))
    end = end if rest else len(text)
    return Fix('safe', 'Remove the unused comment', (Edit(file.lines.range(line_start + start, line_start + end), ''),))


def _whole_line(line: int) -> Range:
    return Range(Position(line, 1), Position(line + 1, 1))
