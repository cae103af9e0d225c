# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Code in comments, told from prose by parsing it."""

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_WORDS = (
    r'(?:and|as|assert|async|await|class|def|del|elif|else|except|for|from|global|if|import|in|is|lambda|not|nonlocal|or'
    r'|raise|return|while|with|yield)\b'
)
# two words beside each other, neither of which joins expressions
_PROSE = re.compile(rf'(?<![\w.])(?!{_WORDS})[A-Za-z_]\w* +(?!{_WORDS})[A-Za-z_]\w*(?![\'"])')
# words that `is`, `in` and their like join are an expression too
_ONLY_WORDS = re.compile(
    r'\s*(?!(?:assert|del|from|global|import|nonlocal|raise|return|yield)\b)[A-Za-z]+(?: [A-Za-z]+){2,}[.!?]?\s*',
)
_MAY_BE_CODE = re.compile(rf'[=(\[{{@]|^\s*{_WORDS}|[,:]\s*$')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_REASON = re.compile(r'#(?P<reason>.*\w.*)')
_CLAUSE = re.compile(r'(?:elif|else|except|finally)\b')
_BULLET = re.compile(r'\s*(?:[-*\u2022]|\d+[.)]|>>>|\.\.\.)\s')
_TRIES = 40
# what stands in front of a clause of a statement
_IF, _TRY = 'if 1:\n    pass\n', 'try:\n    pass\n'
_BEFORE = {'elif': _IF, 'else': _IF, 'except': _TRY, 'finally': _TRY}


class Code(NamedTuple):
    """Comments that are code.

    Args:
        first (int):
            The index of the first in its run.
        last (int):
            The index of the last.
        statements (list[ast.stmt]):
            What they say; the elements of a list or call are one statement, a call of them.
        are_elements (bool):
            Whether they are elements, rather than statements.
        ends_with_comma (bool):
            Whether the last of them ends with a comma.
    """

    first: int
    last: int
    statements: list[ast.stmt]
    are_elements: bool
    ends_with_comma: bool


def is_prose(text: str) -> bool:
    """Whether a line of a comment cannot be part of a Python text, by its words alone."""
    bare = _REASON.sub('', _STRING.sub("''", text))
    if not bare.isascii() or _BULLET.match(text):
        return True
    return _PROSE.search(bare) is not None or _ONLY_WORDS.fullmatch(bare) is not None


def reason_in(text: str) -> bool:
    """Whether a line of commented-out code has a comment of its own that says something."""
    return _REASON.search(_STRING.sub('', text)) is not None


def find_code(texts: Sequence[str], in_brackets: bool) -> Iterator[Code]:
    """What of the lines of comments, without their `#`, is code."""
    index = 0
    while index < len(texts):
        end = index
        while end < len(texts) and not is_prose(texts[end]):
            end += 1
        if any(_MAY_BE_CODE.search(text) for text in texts[index:end]):
            yield from _in_stretch(texts, index, end, in_brackets)
        index = end + 1


def _in_stretch(texts: Sequence[str], start: int, end: int, in_brackets: bool) -> Iterator[Code]:
    tries = _TRIES
    while start < end:
        if _is_empty(texts[start]):
            start += 1
            continue
        for stop in range(end, start, -1):
            if _is_empty(texts[stop - 1]):
                continue
            tries -= 1
            if tries < 0:
                return
            found = _read('\n'.join(texts[start:stop]), in_brackets)
            if found is not None:
                last = _REASON.sub('', _STRING.sub('0', texts[stop - 1])).rstrip()
                yield Code(start, stop - 1, *found, last.endswith(','))
                start = stop - 1
                break
        start += 1


def _is_empty(text: str) -> bool:
    return text.strip()[:1] in ('', '#')


def _read(text: str, in_brackets: bool) -> tuple[list[ast.stmt], bool] | None:
    text = textwrap.dedent(text)
    clause = _CLAUSE.match(text)
    if clause is not None:
        text = f'{_BEFORE[clause[0]]}{text}'
    if in_brackets:
        for opening, closing in ('f(', ')'), ('{', '}'):
            found = _parse(f'{opening}{text}\n{closing}')
            if found is not None:
                return found, True
        return None
    found = _parse(text)
    if found is None and text.rstrip().endswith(':'):
        last = text.rstrip().rpartition('\n')[2]
        indent = last[:len(last) - len(last.lstrip())]
        found = _parse(f'{text.rstrip()}\n{indent}    pass')
    if found is None and text.lstrip().startswith('@'):
        found = _parse(f'{text}\ndef f():\n    pass')
    return None if found is None else (found, False)


@lru_cache(maxsize=256)
def _parse(text: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return ast.parse(text).body or None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
