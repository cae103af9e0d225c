# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A top-level statement: the unit that is parsed, analysed and remembered by itself."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.source.syntax import first_line, parse_tree
from flakelint.source.text import LineTable, Range

if TYPE_CHECKING:
    import libcst as cst

# libcst's parser is recursive: somewhere past 3,000 levels it overflows the stack of its thread and takes the process with it.
MAX_DEPTH = 500


class TooDeepError(Exception):
    """A statement is nested too deeply for the parser to be trusted with it."""


class Unit:
    """The statements that share the lines of one top-level statement, decorators included.

    Args:
        nodes (list[ast.stmt]):
            The statements; more than one only where semicolons join them.
        first_line (int):
            The line in the file on which the unit begins.
        text (str):
            Its lines, with line breaks.
        offset (int):
            The offset in the file of its first character.
        lines (LineTable):
            The lines of the file.
    """

    def __init__(self, nodes: list[ast.stmt], first_line: int, text: str, offset: int, lines: LineTable) -> None:
        self.nodes = nodes
        self.first_line = first_line
        # the line in the file on which its last statement ends
        self.last_line = max(node.end_lineno for node in nodes)
        self.text = text
        self.offset = offset
        self._lines = lines

    @cached_property
    def tree(self) -> 'cst.Module':
        """The libcst tree of the unit, parsed when first asked for.

        Raises:
            TooDeepError: the parser might overflow its stack.
        """
        from flakelint.source.parsing import parse

        _refuse_deep(self.nodes)
        try:
            return parse(self.text)
        except SyntaxError as error:
            raise TooDeepError(f'libcst cannot parse it: {error.msg}') from None

    @cached_property
    def buckets(self) -> dict[str, list['cst.CSTNode']]:
        """The nodes of the tree by the name of their class."""
        from flakelint.source.walk import buckets

        return buckets(self.tree)

    @cached_property
    def _spans(self):
        from flakelint.source.positions import Spans

        return Spans(self.tree)

    def span(self, node: 'cst.CSTNode') -> tuple[int, int]:
        """The offsets of a node in the file."""
        start, end = self._spans.of(node)
        return start + self.offset, end + self.offset

    def range(self, node: 'cst.CSTNode') -> Range:
        """The places of a node in the file."""
        return self._lines.range(*self.span(node))

    def source(self, node: 'cst.CSTNode') -> str:
        """The text of a node."""
        start, end = self._spans.of(node)
        return self.text[start:end]


def split(statements: list[ast.stmt], text: str, lines: LineTable) -> Iterator[Unit]:
    """The units that the top-level statements of a file make, in order."""
    groups: list[tuple[int, int, list[ast.stmt]]] = []
    for node in statements:
        first = first_line(node)
        if groups and first <= groups[-1][1]:
            start, last, nodes = groups.pop()
            groups.append((start, max(last, node.end_lineno), [*nodes, node]))
        else:
            groups.append((first, node.end_lineno, [node]))
    for first, last, nodes in groups:
        yield Unit(nodes, first, lines.segment(first, last), lines.starts[first - 1], lines)


def salvage(text: str, lines: LineTable) -> list[ast.stmt]:
    """The top-level statements of a broken file that can be parsed by themselves.

    A statement is taken to begin where a line has neither white space, nor a comment, nor a closing bracket in its first column, and does not go on with what stands above it.
    """
    statements: list[ast.stmt] = []
    first = None
    decorated = False
    for number in range(1, len(lines) + 2):
        line = lines.line(number)
        if number <= len(lines) and (not _BEGINS.match(line) or (decorated and first is not None)):
            decorated = decorated and (not _BEGINS.match(line) or line.startswith('@'))
            continue
        if first is not None:
            statements.extend(parse_alone(lines.segment(first, number - 1), first))
        first = number
        decorated = line.startswith('@')
    return statements


_BEGINS = re.compile(r'(?!(?:else|elif|except|finally|case)\b)[^\s#)\]}"\']')


def parse_alone(text: str, first_line: int) -> list[ast.stmt]:
    """The statements of some lines, with their places in the file; none where they cannot be parsed."""
    try:
        # blank lines above are cheaper than to move the nodes
        return parse_tree('\n' * (first_line - 1) + text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _refuse_deep(nodes: list[ast.stmt]) -> None:
    stack = [(node, 1) for node in nodes]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise TooDeepError(f'nested more than {MAX_DEPTH} levels deep')
        if _is_short(node):
            continue
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.expr, ast.stmt)):
                stack.append((child, depth + 1))
            else:
                stack.extend((item, depth + 1) for item in ast.iter_child_nodes(child))


def _is_short(node: ast.AST) -> bool:
    """Whether a node is shorter in characters than `MAX_DEPTH`, and so cannot be deeper."""
    return getattr(node, 'lineno', 0) == getattr(node, 'end_lineno', 1) and node.end_col_offset - node.col_offset < MAX_DEPTH
