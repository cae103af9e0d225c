# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The paragraphs of prose in docstrings and in comments that stand together."""

import ast
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.rules.doc.comment_kinds import is_cell, is_pragma
from flakelint.rules.doc.prose import Line, begins_block
from flakelint.rules.rep.copyright_block import is_copyright

if TYPE_CHECKING:
    from flakelint.source.comments import Comment
    from flakelint.source.docstrings import Docstring

# what Python would take for a statement, and is none in prose: a name, an attribute, a text, a number
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Tuple)


def of_docstring(docstring: 'Docstring') -> list[list[Line]]:
    """The paragraphs of a docstring; its first line counts as indented like the quotes."""
    base = docstring.node.col_offset
    lines = []
    for number, one in enumerate(docstring.lines if docstring.is_plain else ()):
        # code ends a paragraph as a blank line does
        words = '' if one.is_code else one.text.strip()
        shift = len(one.text) - len(one.text.lstrip())
        lines.append((base if number == 0 else shift, Line(words, one.line, one.column + shift)))
    return list(_paragraphs(lines))


def of_comments(run: 'Sequence[Comment]') -> list[list[Line]]:
    """The paragraphs of comments that follow each other in one column."""
    texts = [one.text[1:] for one in run]
    if any(_is_for_others(one.text) or is_copyright(one.text) for one in run) or _is_code(texts):
        return []
    lines = []
    for one, text in zip(run, texts, strict=True):
        shift = len(text) - len(text.lstrip())
        lines.append((shift, Line(text.strip(), one.line, one.column + 1 + shift)))
    return list(_paragraphs(lines))


def _is_for_others(text: str) -> bool:
    """Whether a comment speaks to a tool, marks a cell, or is documentation that a tool reads."""
    return is_pragma(text) or is_cell(text) or text.startswith('#:')


def _is_code(texts: Sequence[str]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            statements = ast.parse(textwrap.dedent('\n'.join(texts))).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return not all(isinstance(one, ast.Expr) and isinstance(one.value, _PLAIN) for one in statements)


def _paragraphs(lines: Sequence[tuple[int, Line]]) -> Iterator[list[Line]]:
    paragraph: list[Line] = []
    indent = 0
    # what is indented deeper than this belongs to a list or is no prose
    deeper: int | None = None
    for shift, line in lines:
        if line.text and deeper is not None and shift <= deeper:
            deeper = None
        is_plain = line.text and deeper is None and not begins_block(line.text)
        if paragraph and (not is_plain or shift != indent):
            yield paragraph
            paragraph = []
        if is_plain:
            paragraph.append(line)
            indent = shift
        if line.text and deeper is None and begins_block(line.text):
            deeper = shift
    if paragraph:
        yield paragraph
