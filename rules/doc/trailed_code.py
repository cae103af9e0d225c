# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The code that a comment trails."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flakelint.source.syntax import HOLDS_STATEMENTS, first_line

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.source.comments import Comment

_OPEN_OR_NEXT = ('(', '[', '{', ',')
_CLOSING = re.compile(r'\s*(?:#[^\n]*\s*)*[)\]}]')
_LAST_ELEMENT = re.compile(r'[\s,]*(?:#[^\n]*\s*)*[)\]}]')


class Spot(NamedTuple):
    """A statement, or the header of one that holds others.

    Args:
        node (ast.AST):
            The statement.
        first (int):
            Its first line, decorators included.
        last (int):
            The last line of it, or of its header.
        is_field (bool):
            Whether it is an assignment in the body of a class.
    """

    node: ast.AST
    first: int
    last: int
    is_field: bool


@lru_cache(maxsize=1)
def spots(file: 'File') -> Mapping[int, list[Spot]]:
    """The statements and headers on each line of a file, in source order."""
    found = defaultdict(list)
    fields: set[int] = set()
    for node in file.nodes:
        if isinstance(node, ast.ClassDef):
            fields.update(id(one) for one in node.body if isinstance(one, (ast.Assign, ast.AnnAssign)))
        if isinstance(node, HOLDS_STATEMENTS) and not isinstance(node, ast.match_case):
            spot = Spot(node, first_line(node), _last_line(node), id(node) in fields)
            for line in range(spot.first, spot.last + 1):
                found[line].append(spot)
    return found


def labels_element(comment: 'Comment', spot: Spot, file: 'File') -> bool:
    """Whether a comment inside the brackets of a statement stands behind an element."""
    code = file.lines.line(comment.line)[:comment.column - 1].rstrip()
    if code.endswith(','):
        return True
    if comment.line > spot.first and code.endswith(_OPEN_OR_NEXT):
        return True
    if comment.line >= spot.last or not _CLOSING.match(file.text, comment.offset + len(comment.text)):
        return False
    return any(_ends_at(element, comment.line, len(code), file) for element in _elements(spot.node))


def _elements(statement: ast.AST) -> 'Iterable[ast.AST]':
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            yield from (*node.args, *node.keywords)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            yield from node.elts
        elif isinstance(node, ast.Dict):
            yield from node.values
        elif isinstance(node, ast.arguments):
            yield from (*node.args, *node.posonlyargs, *node.kwonlyargs, *node.defaults, *filter(None, node.kw_defaults))
            yield from filter(None, (node.vararg, node.kwarg))
        elif isinstance(node, ast.ImportFrom):
            yield from node.names
        elif isinstance(node, ast.ClassDef):
            yield from (*node.bases, *node.keywords)


def _ends_at(node: ast.AST, line: int, column: int, file: 'File') -> bool:
    if node.end_lineno != line:
        return False
    # brackets around an element are none of its own
    return file.lines.line(line)[file.range(node).end.column - 1:column].strip() in ('', ')', ']')


def _last_line(node: ast.AST) -> int:
    body = getattr(node, 'body', None) or getattr(node, 'cases', None)
    if not body:
        return node.end_lineno
    first = body[0].pattern.lineno if isinstance(body[0], ast.match_case) else first_line(body[0])
    return max(node.lineno, first - 1)
