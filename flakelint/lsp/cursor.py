# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is being written at a place, read off the text before it, which need not be valid Python."""

import re
from itertools import pairwise
from typing import NamedTuple

_CALLEE = re.compile(r'(?P<name>[^\W\d][\w.]*)(?P<grid>\s*\[)?\s*$')
_DOTTED = re.compile(r'(?P<owner>[^\W\d][\w.]*)\.(?P<begun>\w*)$')
_KEYWORD = re.compile(r'\s*(?P<name>[^\W\d]\w*)\s*=(?!=)')
_SUPPRESSES = re.compile(
    r'#[ \t]*(?:flakelint:[ \t]*(?:file-)?ignore\[(?:[A-Z]+\d+[ \t]*,[ \t]*)*|noqa:[ \t]*(?:[A-Z]+\d+[ \t,]+)*)'
    r'(?P<begun>\w*)$',
)
_KEY_LIST = re.compile(r'\bkey\s*=\s*[\[(][^\])]*[\'"](?P<begun>\w*)$')
_STRING_OR_COMMENT = re.compile(
    r"""\'\'\'.*?(?:\'\'\'|\Z)|\"\"\".*?(?:\"\"\"|\Z)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\#[^\n]*""", re.DOTALL,
)
# a line that begins in its first column belongs to no call
_BEGINS = re.compile(r'[^\s)\]}]')
_OPEN, _CLOSE = '([{', ')]}'
# how much text before the place is looked at
_REACH = 6_000


class Call(NamedTuple):
    """A call whose arguments are being written.

    Args:
        name (str):
            What is called.
        is_launch (bool):
            Whether a grid stands between the name and the arguments.
        arguments (tuple[str, ...]):
            The arguments so far; the last one is being written.
    """

    name: str
    is_launch: bool
    arguments: tuple[str, ...]

    @property
    def keywords(self) -> list[str]:
        """The names of the keyword arguments before the last argument."""
        return [match['name'] for one in self.arguments[:-1] if (match := _KEYWORD.match(one))]

    @property
    def positional(self) -> int:
        """How many positional arguments stand before the last argument."""
        return len(self.arguments) - 1 - len(self.keywords)

    @property
    def keyword(self) -> str | None:
        """The name of the keyword argument that is being written."""
        match = _KEYWORD.match(self.arguments[-1])
        return match['name'] if match else None


def code_before(text: str) -> str | None:
    """What is begun of the code of a rule, in a comment that suppresses rules."""
    match = _SUPPRESSES.search(text[-_REACH:])
    return match['begun'] if match else None


def is_code(text: str) -> bool:
    """Whether a text ends outside strings and comments."""
    blanked = _blanked(text)
    return blanked[-1:] == text[-1:] and not re.search(r'[\'"]', blanked[blanked.rfind('\n') + 1:])


def member_before(text: str) -> tuple[str, str] | None:
    """The dotted name before the last dot of a text that ends in one, and what follows the dot."""
    match = _DOTTED.search(text[-_REACH:])
    return (match['owner'], match['begun']) if match else None


def key_before(text: str) -> str | None:
    """What is begun of a string in the `key` of a tuner."""
    match = _KEY_LIST.search(text[-_REACH:])
    return match['begun'] if match else None


def call_before(text: str) -> Call | None:
    """The innermost call whose arguments a text ends in."""
    text = _blanked(text[-_REACH:])
    depth = 0
    commas: list[int] = []
    for index in range(len(text) - 1, -1, -1):
        character = text[index]
        if character in _CLOSE:
            depth += 1
        elif character in _OPEN and depth:
            depth -= 1
        elif character in _OPEN:
            return _call(text, index, commas) if character == '(' else None
        elif character == ',' and not depth:
            commas.append(index)
        elif character == '\n' and not depth and _BEGINS.match(text, index + 1):
            return None
    return None


def _call(text: str, opening: int, commas: list[int]) -> Call | None:
    before = text[:opening].rstrip()
    is_launch = before.endswith(']')
    if is_launch:
        start = _matching(before)
        if start is None:
            return None
        before = before[:start]
    match = _CALLEE.search(before)
    if match is None or re.search(r'\b(?:def|class)\s+$', before[:match.start()]):
        return None
    borders = [opening, *reversed(commas), len(text)]
    arguments = tuple(text[one + 1:other] for one, other in pairwise(borders))
    return Call(match['name'], is_launch, arguments)


def _matching(text: str) -> int | None:
    """Where the bracket opens that the last character of a text closes."""
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        if text[index] in _CLOSE:
            depth += 1
        elif text[index] in _OPEN:
            depth -= 1
            if not depth:
                return index
    return None


def _blanked(text: str) -> str:
    """A text as long, without what stands in strings and comments."""
    return _STRING_OR_COMMENT.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)
