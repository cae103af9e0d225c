# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The sections of docstrings that list arguments or results, in the style that Google made common."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flakelint.source.docstrings import documented
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.source.docstrings import DocLine, Docstring

# words that begin another section even where they stand as deeply as the entries
_OTHER_SECTIONS = re.compile(
    r'(?:Returns?|Raises|Yields?|Examples?|Notes?|Attributes|Shapes?|Usage|Warnings?|References?|See Also|Todo|Inputs?'
    r'|Outputs?|Tip|Important|Caution|(?:Keyword )?Arg(?:ument)?s|Kwargs|Parameters)\s*:?\s*',
    re.IGNORECASE,
)
_MARK = r'(?P<mark>[-+•] +|\* +)?'
_NAME = r'\\?\*{0,2}(?:\\\*){0,2}[^\W\d]\w*'
_NAMES = re.compile(rf'\s*{_MARK}(?P<names>(?P<tick>`{{0,2}}){_NAME}(?P=tick)(?:\s*(?:,|/|and)\s*`{{0,2}}{_NAME}`{{0,2}})*)')
_ONE_NAME = re.compile(_NAME)
# what is known to be a type: by its name, its dots or its brackets, or written in camel case
_ONE_TYPE = (
    r'(?:bool|bytes|complex|dict|float|frozenset|int|list|object|set|str|tuple|type|tensor|ndarray|None|Any|Array|Callable'
    r'|Dict|Generator|Iterable|Iterator|List|Literal|Mapping|Module|Optional|Parameter|Path|Self|Sequence|Set|Tensor|Tuple'
    r'|Type|Union'
    r'|[A-Z]\w*[a-z0-9][A-Z]\w*|[A-Z]{1,4}[a-z]\w*[A-Z]\w*|[^\W\d]\w*(?:\.[^\W\d]\w*)+)(?:\[[^:]*\])?'
)
_TYPE = re.compile(rf'`{{0,2}}{_ONE_TYPE}(?:\s*(?:\||or)\s*{_ONE_TYPE})*`{{0,2}}')
_AFTER_TYPE = re.compile(r'\s*:(?!:)')
_LIST_ITEM = re.compile(r'\s*(?:[-*+•]|\d+[.)])\s')


class Entry(NamedTuple):
    """What a section says of one argument or result.

    Args:
        names (tuple[str, ...]):
            The names, with stars where there are some.
        head (DocLine):
            The line with the name.
        start (int):
            Where in it the first name begins.
        type (tuple[int, int] | None):
            Where in it the text in parentheses begins and ends, or None.
        colon (int):
            Where in it the place just behind the colon is.
        below (tuple[DocLine, ...]):
            The lines below that are indented more deeply, without blank ones at the end.
        is_item (bool):
            Whether it is written as an item of a list.
    """

    names: tuple[str, ...]
    head: 'DocLine'
    start: int
    type: tuple[int, int] | None
    colon: int
    below: 'tuple[DocLine, ...]'
    is_item: bool

    @property
    def type_text(self) -> str:
        """The text in parentheses."""
        return '' if self.type is None else self.head.text[slice(*self.type)]

    @property
    def rest(self) -> str:
        """What follows the colon on its line."""
        return self.head.text[self.colon:].strip()

    def description(self) -> 'list[DocLine]':
        """The lines of the description that hold something, the rest of the first one included."""
        text, line, column, is_code = self.head
        first = self.head._replace(text=text[self.colon:], column=column + self.colon)
        return [one for one in (first, *self.below) if one.text.strip()]


class Section(NamedTuple):
    """A section.

    Args:
        docstring (Docstring):
            Where it stands.
        heading (DocLine):
            Its first line.
        indent (int):
            How deeply its entries are indented.
        entries (tuple[Entry, ...]):
            Its entries.
        strays (tuple[DocLine, ...]):
            Lines that are indented as entries are, but are none.
    """

    docstring: 'Docstring'
    heading: 'DocLine'
    indent: int
    entries: tuple[Entry, ...]
    strays: 'tuple[DocLine, ...]'


# several rules ask for those of one file, one after the other
@lru_cache(maxsize=4)
def sections_of(file: 'File', names: tuple[str, ...], results: bool = False) -> list[Section]:
    """The sections with some headings in the docstrings of functions and classes.

    Args:
        file (File):
            The file.
        names (tuple[str, ...]):
            The headings, without their colons.
        results (bool, Optional):
            Whether an entry may begin with a type instead of a name. Default: `False`.
    """
    if not any(f'{name}:' in file.text for name in names):
        return []
    heading = re.compile(rf'\s*(?:{"|".join(map(re.escape, names))})\s*:\s*')
    found = []
    for docstring in documented(file):
        if not isinstance(docstring.owner, ast.Module):
            found.extend(_sections(docstring, heading, results))
    return found


def place_in(line: 'DocLine', start: int, end: int) -> Range:
    """The places of a stretch of a line of a docstring."""
    return Range(Position(line.line, line.column + start), Position(line.line, line.column + end))


def indent_of(text: str) -> int:
    """How many columns of white space a line begins with."""
    head = text[:len(text) - len(text.lstrip())]
    return len(head.expandtabs(8))


def is_type(text: str) -> bool:
    """Whether a text is a type and nothing else, as far as its looks tell."""
    return _TYPE.fullmatch(text.removesuffix(', optional').removesuffix(', Optional')) is not None


def begins_with_type(text: str) -> bool:
    """Whether a text begins with a type."""
    match = _TYPE.match(text)
    return match is not None and not text[match.end():match.end() + 1].isalnum()


def has_items(lines: 'Sequence[DocLine]') -> bool:
    """Whether some lines are items of a list, or entries of their own."""
    return any(_LIST_ITEM.match(line.text) or _entry(line, ()) is not None for line in lines)


def _sections(docstring: 'Docstring', heading: re.Pattern, results: bool) -> Iterator[Section]:
    lines = docstring.lines
    # the text of the first line begins behind the quotes
    indents = [indent_of(line.text) if index else docstring.node.col_offset for index, line in enumerate(lines)]
    for index, line in enumerate(lines):
        if line.is_code or not heading.fullmatch(line.text):
            continue
        end = index + 1
        while end < len(lines) and (not lines[end].text.strip() or indents[end] > indents[index]):
            end += 1
        section = _section(docstring, line, lines[index + 1:end], results)
        if section is not None:
            yield section


def _section(
    docstring: 'Docstring', heading: 'DocLine', lines: 'Sequence[DocLine]', results: bool,
) -> Section | None:
    filled = [line for line in lines if line.text.strip()]
    if not filled:
        return None
    indent = indent_of(filled[0].text)
    entries: list[Entry] = []
    strays = []
    index = 0
    while index < len(lines):
        line = lines[index]
        end = index + 1
        while end < len(lines) and (not lines[end].text.strip() or indent_of(lines[end].text) > indent):
            end += 1
        if line.text.strip():
            # what is less indented is another list, or prose: nobody can tell where the section ends
            if indent_of(line.text) < indent:
                return None
            if _OTHER_SECTIONS.fullmatch(line.text.strip()):
                break
            below = _filled(lines[index + 1:end])
            entry = None if line.is_code else (results and _result(line, below)) or _entry(line, below)
            wraps = strays and strays[-1].line == line.line - 1
            # without a type, it may be how a sentence goes on
            if entry is None or (wraps and entry.type is None):
                strays.append(line)
            else:
                entries.append(entry)
        index = end
    return Section(docstring, heading, indent, tuple(entries), tuple(strays))


def _filled(lines: 'Sequence[DocLine]') -> 'tuple[DocLine, ...]':
    end = len(lines)
    while end and not lines[end - 1].text.strip():
        end -= 1
    return tuple(lines[:end])


def _entry(line: 'DocLine', below: 'tuple[DocLine, ...]') -> Entry | None:
    text = line.text
    match = _NAMES.match(text)
    if match is None:
        return None
    end = match.end()
    inner = _parentheses(text, end)
    if inner is not None:
        end = inner[1] + 1
    colon = _AFTER_TYPE.match(text, end)
    if colon is None:
        return None
    names = tuple(one.replace('\\', '') for one in _ONE_NAME.findall(re.sub(r'\band\b', ',', match['names'])))
    return Entry(names, line, match.start('names'), inner, colon.end(), below, match['mark'] is not None)


def _result(line: 'DocLine', below: 'tuple[DocLine, ...]') -> Entry | None:
    """An entry that begins with a type."""
    start = len(line.text) - len(line.text.lstrip())
    match = _TYPE.match(line.text, start)
    colon = _AFTER_TYPE.match(line.text, match.end()) if match is not None else None
    return None if colon is None else Entry((), line, start, match.span(), colon.end(), below, False)


def _parentheses(text: str, start: int) -> tuple[int, int] | None:
    """Where the text in parentheses behind a name begins and ends."""
    match = re.compile(r'\s*\(').match(text, start)
    if match is None:
        return None
    depth = 1
    for index in range(match.end(), len(text)):
        depth += {'(': 1, ')': -1}.get(text[index], 0)
        if depth == 0:
            return match.end(), index
    return None
