# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How text takes up room on a terminal, and how to keep it from steering one."""

import re
import unicodedata
from collections.abc import Sequence

TAB = 4

# control characters, line and paragraph separators, marks that turn the direction of text, and halves of characters
_UNPRINTABLE = re.compile('[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')
_PICTURES = 0x2400
_DELETE = '\x7f'


def one_line(text: str) -> str:
    """Text with its control characters written out, so that it stays on its line and can be encoded."""
    return _UNPRINTABLE.sub(lambda match: match[0].encode('unicode_escape').decode(), text)


def lay_out(text: str) -> tuple[str, Sequence[int]]:
    """A line of source as a terminal should show it, and the column at which each character begins.

    Returns:
        tuple[str, Sequence[int]]:
            What to show, and for each character of `text`, and for its end, the number of cells to its left.
    """
    if text.isascii() and text.isprintable():
        return text, range(len(text) + 1)
    shown = []
    columns = [0]
    for character in text:
        piece, width = _cell(character, columns[-1])
        shown.append(piece)
        columns.append(columns[-1] + width)
    return ''.join(shown), columns


def _cell(character: str, column: int) -> tuple[str, int]:
    if character == '\t':
        width = TAB - column % TAB
        return ' ' * width, width
    if character == _DELETE:
        return '\u2421', 1
    if character < ' ':
        return chr(_PICTURES + ord(character)), 1
    if _UNPRINTABLE.match(character):
        return '\ufffd', 1
    if unicodedata.category(character) in ('Mn', 'Me', 'Cf'):
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in 'WF' else 1
