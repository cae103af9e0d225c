# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Edits that add to a list of arguments, elements or names, and keep the layout that is there."""

import ast
import re
from collections.abc import Sequence

from flakelint.engine.findings import Edit
from flakelint.source.file import SourceFile
from flakelint.source.text import Range

_SKIPPED = re.compile(r'(?:\s|\\\r?\n|\)|#[^\r\n]*)*')
_QUOTE = re.compile(r'(?<!["\'\\])(["\'])(?!\1)')


def append(file: SourceFile, holder: ast.expr, items: Sequence[ast.AST], text: str) -> tuple[Edit, ...]:
    """Edits that add an item behind the last one.

    Args:
        file (SourceFile):
            The file.
        holder (ast.expr):
            The call, list, tuple or set that ends with a closing bracket.
        items (Sequence[ast.AST]):
            What it holds.
        text (str):
            The item to add.
    """
    close = file.lines.offset(file.range(holder).end) - 1
    if not items:
        return (_insert(file, close, text),)
    last = max(file.range(item).end for item in items)
    comma = _comma(file.text, file.lines.offset(last), close)
    # brackets around the last item belong to it
    end = comma if comma is not None else _end_of_item(file.text, file.lines.offset(last), close)
    first_of_last = max(items, key=lambda item: file.range(item).end)
    indent = _own_line(file, first_of_last)
    closes_below = '\n' in file.text[end:close] or '\r' in file.text[end:close]
    if indent is None:
        return (_insert(file, end, f', {text}'),)
    if not closes_below:
        return (_insert(file, end, f',\n{indent}{text}'),)
    line = file.lines.position(end).line
    line_end = file.lines.starts[line - 1] + len(file.lines.line(line))
    added = f'\n{indent}{text}'
    if comma is not None:
        return (_insert(file, line_end, f'{added},'),)
    return (_insert(file, end, f',{added}'),) if line_end == end else (_insert(file, end, ','), _insert(file, line_end, added))


def remove(file: SourceFile, item: ast.AST, items: Sequence[ast.AST]) -> Edit:
    """An edit that takes an item out of a list, with the comma and the white space that set it apart."""
    places = sorted(file.range(one) for one in items)
    index = places.index(file.range(item))
    if index + 1 < len(places):
        return Edit(Range(places[index].start, places[index + 1].start), '')
    start = places[index - 1].end if index else places[index].start
    return Edit(Range(start, places[index].end), '')


def quote(file: SourceFile) -> str:
    """The quotation mark that a file prefers."""
    marks = _QUOTE.findall(file.text)
    return '"' if marks.count('"') > marks.count("'") else "'"


def _insert(file: SourceFile, offset: int, text: str) -> Edit:
    place = file.lines.position(offset)
    return Edit(Range(place, place), text)


def _comma(text: str, start: int, close: int) -> int | None:
    """The offset of the comma behind the last item, if there is one."""
    found = _SKIPPED.match(text, start, close).end()
    return found if found < close and text[found] == ',' else None


def _end_of_item(text: str, start: int, close: int) -> int:
    end = start
    for match in re.finditer(r'#[^\r\n]*|\)', text[start:close]):
        if match.group() == ')':
            end = start + match.end()
    return end


def _own_line(file: SourceFile, item: ast.AST) -> str | None:
    """The white space before an item that begins its line."""
    line, column = file.range(item).start
    before = file.lines.line(line)[:column - 1].rstrip('(')
    return before if not before.strip() else None
