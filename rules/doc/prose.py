# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where prose is broken into lines in the middle of a sentence."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

# after these a paragraph may break, whatever closes a quotation, a bracket or an emphasis behind them; signs beyond ASCII are spelled by number
_END = re.compile(r'[.,;:!?\-\u2013\u2014\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f][)\]}"\'`*_\u00bb\u201d\u2019]*$')
_WORD = re.compile(r"[^\W\d_]{2,}(?:['\u2019-][^\W\d_]+)*[.,;:!?)]*")
_WIDE = re.compile(r'[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]')
# what lines begin with that are more than a piece of a sentence: items, rows, directives, fields, pictures, tags, prompts, headings
_LIST = re.compile(
    r'(?:[-*+\u2022\u2013](?:\s|$)|[>|<=]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]+)[.)]\s|\\\w|:::|\$\$|\.\.\s|:\w+[ :]|!?\['
    r'|\{%|>>>|#|~~~|```|@\w|[\u2600-\u27bf\U0001f300-\U0001faff]|`*\w{1,20}`*\s[-\u2013\u2014]\s)',
)
_LABEL = re.compile(r'[^.!?;]{1,70}?:(?:\s|$)')
# formulas that stand on lines of their own, in TeX
_DISPLAY = re.compile(r'\$\$|\\[\[\]()]')
# a line that stands for itself: an address, a definition, an assignment, a name of C++
_ITSELF = re.compile(r'https?://|\S+(?:\(.*?\))? (?:=|->|:=|<-|==) |\S*::\S|[-=~^*+#"\']{3,}\s*$|:\s')
# a line longer than this is data, not prose
_LONGEST = 5000
_CAPITAL = re.compile(r'[A-Z]')
_COLUMNS = re.compile(r'\S {2,}\S|\t')


class Line(NamedTuple):
    """A line of prose: its words, and where they stand.

    Args:
        text (str):
            The line without what surrounds its words.
        line (int):
            Its number.
        column (int):
            The column of its first character.
    """

    text: str
    line: int
    column: int


def wraps(lines: Sequence[Line], shortest: int) -> list[int]:
    """The lines of a paragraph that end in the middle of a sentence, by their index; none where one of them may be meant so.

    Args:
        lines (Sequence[Line]):
            The paragraph.
        shortest (int):
            The column up to which a line is too short to have been wrapped.
    """
    if any(len(one.text) > _LONGEST or _WIDE.search(one.text) or _DISPLAY.search(one.text) for one in lines):
        return []
    # names in backticks at the start of several lines are a list
    if sum(one.text.startswith('`') for one in lines) > 1:
        return []
    inside = Inside()
    found = []
    for index, (one, other) in enumerate(pairwise(lines)):
        inside.read(one.text)
        if _END.search(one.text) or inside.is_open:
            continue
        if not _is_wrapped(one, other, shortest) or (len(lines) == 2 and _CAPITAL.match(other.text)):
            return []
        found.append(index)
    return found


def _is_wrapped(one: Line, other: Line, shortest: int) -> bool:
    """Whether a line ends where it does since the next word did not fit."""
    word = other.text.split(maxsplit=1)[0] if other.text else ''
    widest = max(len(one.text), len(other.text))
    fits = len(one.text) + 1 + len(word) <= widest
    return one.column + len(one.text) > shortest and not fits and is_prose(one.text) and _goes_on(other.text)


class Inside:
    """Whether a text has come to its end in the middle of a link or of code."""

    def __init__(self) -> None:
        self._brackets = 0
        self._ticks = 0

    def read(self, text: str) -> None:
        """Take in the next line."""
        self._ticks += text.count('`')
        self._brackets += text.count('[') - text.count(']')

    @property
    def is_open(self) -> bool:
        """Whether something is open."""
        return self._brackets > 0 or self._ticks % 2 == 1


def is_prose(text: str) -> bool:
    """Whether a line is a piece of a sentence, and no formula, label, picture or row of a table."""
    words = text.split()
    plain = sum(bool(_WORD.fullmatch(word)) for word in words)
    return plain >= 4 and plain * 2 > len(words) and not _COLUMNS.search(text)


def begins_block(text: str) -> bool:
    """Whether a line begins an item, a picture, a directive and the like."""
    return bool(_LIST.match(text))


def _goes_on(text: str) -> bool:
    """Whether a line goes on with the sentence of the line before."""
    return bool(text) and not any(one.match(text) for one in (_LIST, _LABEL, _ITSELF)) and not _COLUMNS.search(text)
