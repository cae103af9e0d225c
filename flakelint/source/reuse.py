# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Take over what an edit left alone, so that only the edited statement is parsed again."""

import ast
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import NamedTuple

from flakelint.source import unit
from flakelint.source.file import SourceFile
from flakelint.source.text import LineTable

_CODE = re.compile(r'(?:\A|[\r\n])[ \t\f]*[^ \t\f\r\n#]|\0')


class Change(NamedTuple):
    """How one text differs from an earlier one.

    Args:
        first (int):
            The first line that differs, from 1.
        last (int):
            The last line of the earlier text that differs; less than `first` where lines were only added.
        moved (int):
            By how many lines what stands below moved down.
    """

    first: int
    last: int
    moved: int


def change(before: LineTable, after: LineTable) -> Change:
    """How a text differs from an earlier one, by whole lines."""
    old, new = before.text, after.text
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    first = before.position(head).line
    end = before.position(len(old) - tail)
    # what ends where a line begins leaves that line alone
    is_whole = end.column == 1 and after.position(len(new) - tail).column == 1
    return Change(first, end.line - is_whole, len(after) - len(before))


def moves(before: LineTable, after: LineTable) -> Callable[[int], int | None]:
    """Where a line of an earlier text stands now; None for one that differs."""
    first, last, moved = change(before, after)
    old = [before.line(number) for number in range(first, last + 1)]
    new = [after.line(number) for number in range(first, last + moved + 1)]
    within = {}
    for start, to, length in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        within.update((first + start + number, first + to + number) for number in range(length))

    def line(number: int) -> int | None:
        if first <= number <= last:
            return within.get(number)
        return number if number < first else number + moved

    return line


def take_over(before: SourceFile, after: SourceFile) -> Callable[[], None]:
    """Give a file the syntax trees of its earlier content, except for the statements that were edited, which alone are parsed.

    Trees below lines that were added or removed are moved, after which they are no longer those of the earlier content. Where what was edited cannot be parsed by itself, the file is parsed as a whole; only if that fails, and no line was added or removed, what was not edited is taken over.

    Args:
        before (SourceFile):
            The file with the earlier content, which can be parsed.
        after (SourceFile):
            The file with its content now, of which nothing was asked yet.

    Returns:
        Callable[[], None]:
            Gives the trees back to the earlier content; for who is not going on with the later one.
    """
    changed = change(before.lines, after.lines)
    kept = [one for one in before.units if one.last_line < changed.first]
    below = [one for one in before.units if one.first_line > changed.last]
    touched = before.units[len(kept):len(before.units) - len(below)]
    first = min([changed.first, *(one.first_line for one in touched)])
    last = max([changed.last, *(one.last_line for one in touched)]) + changed.moved
    text = after.lines.segment(first, last)
    # a line that ends in a backslash goes on here
    if first > 1 and after.lines.line(first - 1).endswith('\\'):
        return _nothing
    edited = unit.parse_alone(text, first)
    if edited or not _CODE.search(text):
        after.__dict__['problem'] = None
    elif after.problem is None or changed.moved:
        return _nothing
    after.__dict__['statements'] = [*_nodes(kept), *edited, *_nodes(below)]
    after.keep_nodes(before)
    if not changed.moved:
        return _nothing
    after.move(_nodes(below), changed.moved)
    return lambda: after.move(_nodes(below), -changed.moved)


def _nothing() -> None:
    pass


def _nodes(units: list[unit.Unit]) -> list[ast.stmt]:
    return [node for one in units for node in one.nodes]


def _common(one: str, other: str) -> int:
    """How many characters at their beginnings two texts have in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
