# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The docstrings of a file, line by line as the file spells them."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from flakelint.source.file import SourceFile

Owner = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_OPENING = re.compile(r'([rRuU]?)("""|\'\'\'|"|\')')
_ONE_STRING = re.compile(
    r'[rRuU]?(?:"""(?:[^"\\]|\\.|"(?!""))*"""' r"|'''(?:[^'\\]|\\.|'(?!''))*'''" r'|"(?:[^"\\]|\\.)*"' r"|'(?:[^'\\]|\\.)*')",
    re.DOTALL,
)
_CONTINUED = re.compile(r'(?:^|[^\\])(?:\\\\)*\\$')
_FENCE = re.compile(r'\s*(?:```|~~~)')
# reST's directives whose content is no prose
_DIRECTIVE = re.compile(r'\s*\.\. (?:code|code-block|sourcecode|math|parsed-literal|testcode|testsetup|doctest|graphviz)::')
_HOLDERS = ('body', 'orelse', 'handlers', 'finalbody', 'cases')


class DocLine(NamedTuple):
    """A line of a docstring.

    Args:
        text (str):
            The line as the file spells it, without the quotes.
        line (int):
            Its number in the file.
        column (int):
            The column in the file at which `text` begins.
        is_code (bool):
            Whether it is part of a fenced block, a doctest or a literal block, fences included.
    """

    text: str
    line: int
    column: int
    is_code: bool = False


class Docstring(NamedTuple):
    """A docstring.

    Args:
        owner (Owner):
            What it documents.
        node (ast.Constant):
            The string.
        lines (Sequence[DocLine]):
            Its lines.
        is_plain (bool):
            Whether it is one literal, each line of which is a line of the docstring, so that it can be edited line by line.
    """

    owner: Owner
    node: ast.Constant
    lines: Sequence[DocLine]
    is_plain: bool


# several rules ask for those of one file, one after the other
@lru_cache(maxsize=2)
def documented(file: SourceFile) -> list[Docstring]:
    """The docstrings of the module, its classes and functions, in source order."""
    found = []
    for owner in _owners(file.statements):
        value = owner.body[0].value if owner.body and isinstance(owner.body[0], ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found.append(_docstring(owner, value, file))
    return found


def _owners(statements: Sequence[ast.stmt]) -> Iterator[Owner]:
    stack: list[ast.AST] = [ast.Module(list(statements), [])]
    while stack:
        node = stack.pop()
        if isinstance(node, Owner):
            yield node
        below = [child for name in _HOLDERS for child in getattr(node, name, ())]
        stack.extend(reversed(below))


def _docstring(owner: Owner, node: ast.Constant, file: SourceFile) -> Docstring:
    place = file.range(node)
    numbers = range(place.start.line, place.end.line + 1)
    texts = [file.lines.line(number) for number in numbers]
    texts[-1] = texts[-1][:place.end.column - 1]
    spelled = '\n'.join([texts[0][place.start.column - 1:], *texts[1:]])
    prefix, quotes = _OPENING.match(spelled).groups()
    # what is concatenated may end with quotes of another kind
    texts[-1] = texts[-1][:-len(quotes)] if texts[-1].endswith(quotes) else texts[-1].rstrip('"\'')
    first = place.start.column - 1 + len(prefix) + len(quotes)
    texts[0] = texts[0][first:]
    is_plain = _ONE_STRING.fullmatch(spelled) is not None
    if is_plain and not prefix.lower().startswith('r'):
        if texts[0] == '\\' and len(texts) > 1:
            texts[0] = ''
        is_plain = not any(_CONTINUED.search(text) for text in texts[:-1])
    columns = [first + 1] + [1] * (len(texts) - 1)
    marks = _code_marks(texts)
    lines = [DocLine(*one) for one in zip(texts, numbers, columns, marks, strict=True)]
    return Docstring(owner, node, lines, is_plain)


def _code_marks(texts: Sequence[str]) -> list[bool]:
    """Which lines are code."""
    marks = []
    fenced = doctest = False
    # the indentation of the paragraph that a literal block follows
    outer: int | None = None
    last = ''
    for text in texts:
        stripped = text.strip()
        indent = len(text) - len(text.lstrip())
        is_fence = _FENCE.match(text) is not None
        if outer is not None and stripped and indent <= outer:
            outer = None
        doctest = bool(stripped) and (doctest or stripped.startswith('>>>'))
        marks.append(fenced or is_fence or doctest or outer is not None)
        fenced = fenced != is_fence
        if outer is None and not fenced and not doctest and _opens_block(text if stripped else last, bool(stripped)):
            outer = indent if stripped else len(last) - len(last.lstrip())
        last = text
    return marks


def _opens_block(text: str, is_own: bool) -> bool:
    """Whether what stands more deeply below a line is literal: at once below a directive, else below a blank line."""
    if is_own:
        return _DIRECTIVE.match(text) is not None
    return text.rstrip().endswith('::')
