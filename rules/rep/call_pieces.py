# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How a call is written: its bracket, and its arguments as they stand between the commas."""

import ast
import io
import tokenize
from bisect import bisect_left
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from flakelint.rules.doc.comment_runs import is_suppression

if TYPE_CHECKING:
    from flakelint.engine.context import File

_OPENING = frozenset('([{')
_CLOSING = frozenset(')]}')
_BLANK = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


class Piece(NamedTuple):
    """An argument as it is written, its parentheses included.

    Args:
        text (str):
            The text.
        start (int):
            Where it begins in the file.
        end (int):
            Where it ends.
    """

    text: str
    start: int
    end: int

    @property
    def is_one_line(self) -> bool:
        """Whether it stands on one line."""
        return '\n' not in self.text and '\r' not in self.text


class Written(NamedTuple):
    """A call as it is written.

    Args:
        opening (int):
            Where its opening bracket stands.
        pieces (list[Piece]):
            Its arguments, in order.
        end (int):
            Where it ends.
        is_suppressed (bool):
            Whether a comment in it asks for silence.
    """

    opening: int
    pieces: list[Piece]
    end: int
    is_suppressed: bool


def written_call(call: ast.Call, file: 'File') -> Written | None:
    """A call as it is written; `None` where a comment stands in it that says something."""
    end = file.lines.offset(file.range(call).end)
    behind = file.lines.offset(file.range(call.func).end)
    at = bisect_left(file.comments, behind, key=lambda comment: comment.offset)
    inner = list(takewhile(lambda comment: comment.offset < end, islice(file.comments, at, None)))
    if not all(is_suppression(comment.text) for comment in inner):
        return None
    # the function itself may stand in parentheses, which close behind it
    begin = file.text.index('(', behind)
    text = file.text[begin:end]
    lines = [0]
    for line in io.StringIO(text, newline=''):
        lines.append(lines[-1] + len(line))
    try:
        tokens = [one for one in tokenize.generate_tokens(io.StringIO(text, newline='').readline) if one.type not in _BLANK]
    except (tokenize.TokenError, SyntaxError):
        return None

    def offset(position: tuple[int, int]) -> int:
        return begin + lines[position[0] - 1] + position[1]

    groups: list[list[tokenize.TokenInfo]] = [[]]
    depth = 0
    for one in tokens[1:-1]:
        is_sign = one.type == tokenize.OP
        depth += (is_sign and one.string in _OPENING) - (is_sign and one.string in _CLOSING)
        if is_sign and one.string == ',' and not depth:
            groups.append([])
        else:
            groups[-1].append(one)
    spans = [(offset(group[0].start), offset(group[-1].end)) for group in groups if group]
    return Written(begin, [Piece(file.text[one:other], one, other) for one, other in spans], end, bool(inner))
