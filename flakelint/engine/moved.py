# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Findings in statements that stand in other lines by now."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Finding, Related
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    # where a line stands now, if it is known
    Moves = Callable[[int], int | None]

# `line 12`, and the file in which that is where it is another one
_LINE = re.compile(r'\bline (?P<number>\d+)\b(?: of `?(?P<path>[^\s`,;:]+\.py)\b)?')


class UnknownLineError(Exception):
    """A finding speaks of a line of which it is not known where it stands now."""


def moved(finding: Finding, path: str, moves: 'Moves') -> Finding:
    """A finding as it is where the lines moved.

    Args:
        finding (Finding):
            The finding.
        path (str):
            Its file.
        moves (Callable[[int], int | None]):
            Where a line of the file stands now, if it is known.

    Raises:
        UnknownLineError: of a line that it speaks of this is not known.
    """
    def here(text: str) -> str:
        return _message(text, path, moves)

    related = []
    for one in finding.related:
        is_here = one.path in ('', path)
        related.append(Related(moved_range(one.range, moves), here(one.message), one.path) if is_here else one)
    edits = tuple(Edit(moved_range(edit.range, moves), edit.text) for edit in finding.fix.edits) if finding.fix else ()
    return finding._replace(
        range=moved_range(finding.range, moves),
        message=here(finding.message),
        related=tuple(related),
        fix=finding.fix and finding.fix._replace(edits=edits),
    )


def moved_range(place: Range, moves: 'Moves') -> Range:
    """A place as it is where the lines moved.

    Raises:
        UnknownLineError: this is not known.
    """
    first = _now(place.start.line, moves)
    # what ends in front of a line ends behind the one above
    above = place.end.column == 1 and place.end != place.start
    last = _now(place.end.line - above, moves) + above
    return Range(Position(first, place.start.column), Position(last, place.end.column))


def by_statements(before: Iterable[tuple[int, int]], now: Iterable[tuple[int, int]]) -> 'Moves':
    """Where lines stand now, by the first and last lines of statements before and now."""
    places = [(first, last, new - first) for (first, last), (new, _) in zip(before, now, strict=True)]

    def moves(line: int) -> int | None:
        # fixes add lines above and below statements, too
        for border in (0, 1):
            for first, last, by in places:
                if first - border <= line <= last + border:
                    return line + by
        return None

    return moves


def _now(line: int, moves: 'Moves') -> int:
    now = moves(line)
    if now is None:
        raise UnknownLineError(line)
    return now


def _message(text: str, path: str, moves: 'Moves') -> str:
    def number(match: re.Match) -> str:
        if match['path'] not in (None, path):
            return match.group()
        rest = match.group().removeprefix(f'line {match["number"]}')
        return f'line {_now(int(match["number"]), moves)}{rest}'

    return _LINE.sub(number, text)
