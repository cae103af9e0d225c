# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the description of an argument says of its default."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from flakelint.source.docstrings import DocLine

_NUMBER = r'[-+]?(?:0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)'
_QUOTED = r'"[^"`]*"|\'[^\'`]*\''
_TICKED = r'``[^`]+``|`[^`]+`'
_NAME = r'[^\W\d]\w*(?:\.[^\W\d]\w*)+'
_LITERAL = rf'(?:(?:True|False|None)(?![\w.]*\w)|{_QUOTED}|{_NUMBER}(?![\w%/*^-])|\[\]|\(\)|\{{\}}|{_NAME}(?![\w(\[]))'
# one value that can be told where it ends
VALUE = rf'(?:{_TICKED}|{_LITERAL})'
_IS = r'\s*(?:[:=]|\bis\b:?|\bto\b:?|\bvalue\b\s*(?:[:=]|is))\s*'
_VALUE_IN_PARENTHESES = rf'(?:{_IS}(?P<value>{VALUE}|[^()\[\]]+?)|\s+(?P<bare>{VALUE}))'
_LONGEST = 2000
_STATEMENTS = (
    # the form that is asked for
    ('proper', re.compile(r'(?<![\w(\[`*"\'.-])Default:(?=\s|$)')),
    ('parenthesis', re.compile(rf'\s*[(\[](?:[Tt]he )?[Dd]efaults?{_VALUE_IN_PARENTHESES}\.?[)\]]')),
    ('defaults to', re.compile(r'(?<![\w(\[`*"\'.-])(?:[Dd]efaults\s+to\b:?|Default to\b:?|[Dd]efaults:|default:(?=\s))')),
    ('default is', re.compile(
        rf'(?<![\w(\[`*"\'.-])(?:[Tt]he )?[Dd]efault(?: value)?(?:\s*(?:[:=]|\bis\b:?)\s*|(?P<bare>\s+))(?={VALUE})',
    )),
)
_IN_TYPE = re.compile(rf'(?:^|[,;])\s*\*?[Dd]efaults?\*?(?:{_IS}|\s+)(?P<value>{VALUE}|[^,;]+)\s*$')
_SENTENCE_END = re.compile(r'[.!?][)`"\']*\s*$|^\s*$')
_NEXT_SENTENCE = re.compile(r'(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!?][)`"\']*\s+(?=[A-Z`(])')


class Statement(NamedTuple):
    """A place where a description states the default.

    Args:
        kind (str):
            `proper` for `Default:`, `parenthesis`, `defaults to`, or `default is` with a value that can be told.
        index (int):
            Which of the lines of the description it is on.
        start (int):
            Where in the line it begins.
        end (int):
            Where the words end and the value begins; where the parenthesis ends.
        value (str):
            What the line says behind the words; what stands in the parenthesis.
        begins_sentence (bool):
            Whether a sentence begins with it.
        is_last (bool):
            Whether nothing but the value follows, up to the end of the description.
    """

    kind: str
    index: int
    start: int
    end: int
    value: str
    begins_sentence: bool
    is_last: bool


def in_type(text: str) -> tuple[int, str] | None:
    """Where the default among the types of an entry begins, with what sets it apart, and the value."""
    match = _IN_TYPE.search(text)
    return None if match is None else (match.start(), match['value'].strip())


def statements(lines: 'list[DocLine]') -> list[Statement]:
    """The statements of the default in the lines of a description, in order."""
    found: list[Statement] = []
    for index, line in enumerate(lines):
        if not line.is_code and 'efault' in line.text:
            found.extend(_in_line(lines, index))
    return found


def _in_line(lines: 'list[DocLine]', index: int) -> Iterator[Statement]:
    text = lines[index].text
    # a line longer than this is data, not prose
    if len(text) > _LONGEST:
        return
    covered = 0
    matches = [(match.start(), kind, match) for kind, pattern in _STATEMENTS for match in pattern.finditer(text)]
    for start, kind, match in sorted(matches, key=lambda one: one[0]):
        if start < covered:
            continue
        covered = match.end()
        before = text[:start]
        if not before.strip() and index:
            before = lines[index - 1].text
        begins = _SENTENCE_END.search(before) is not None
        # what is only a noun, as in `plus the default 5`
        is_noun = match.group() == 'default:' or (kind == 'default is' and match['bare'])
        if is_noun and not (begins or before.rstrip().endswith((',', ';', '-', '\u2013', '\u2014'))):
            continue
        follows = ' '.join([text[match.end():], *(line.text for line in lines[index + 1:])]).strip()
        if kind == 'parenthesis':
            value, is_last = match['value'] or match['bare'], follows in ('', '.')
        else:
            value, is_last = text[match.end():].strip(), _NEXT_SENTENCE.search(follows) is None
        yield Statement(kind, index, start, match.end(), value, begins, is_last)
