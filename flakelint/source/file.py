# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A Python file as the rules see it."""

import ast
import sys
from collections.abc import Iterable
from functools import cached_property

from flakelint.source import comments, suppressions, unit
from flakelint.source.syntax import HOLDS_STATEMENTS, nodes_in_order, parse_tree
from flakelint.source.text import Decoded, LineTable, Position, Range, decode


class ParseError(Exception):
    """A file is no Python that the running interpreter understands.

    Args:
        reason (str):
            What is wrong, for a person.
        position (Position):
            Where.
        deep (bool):
            Whether it is only nested too deeply.
    """

    def __init__(self, reason: str, position: Position, deep: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position
        self.deep = deep


class SourceFile:
    """One file; everything but the text is found when first asked for, and kept.

    Args:
        path (str):
            The path as findings show it, with forward slashes.
        data (bytes | Decoded):
            The content of the file, decoded or not.

    Raises:
        DecodeError: the content is no text.
    """

    def __init__(self, path: str, data: bytes | Decoded) -> None:
        self.path = path
        self.decoded = data if isinstance(data, Decoded) else decode(data)
        self.text = self.decoded.text
        self.lines = LineTable(self.text)
        # of statements that an earlier content had, too
        self._nodes_of: dict[ast.stmt, list[ast.AST]] = {}

    @cached_property
    def tree(self) -> ast.Module:
        """The abstract syntax tree.

        Raises:
            ParseError: the text is not valid Python, or nested too deeply.
        """
        try:
            return parse_tree(self.text)
        except SyntaxError as error:
            raise ParseError(_describe(error), self._place(error.lineno, error.offset)) from None
        except ValueError as error:
            raise ParseError(str(error), self._null_byte()) from None
        except (RecursionError, MemoryError):
            raise ParseError('nested too deeply to be parsed', Position(1, 1), deep=True) from None

    @cached_property
    def problem(self) -> ParseError | None:
        """Why the file as a whole cannot be parsed, or None."""
        try:
            _ = self.tree
        except ParseError as error:
            return error
        return None

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The top-level statements, in order; of a file that cannot be parsed, those that can be parsed by themselves."""
        if self.problem is None:
            return self.tree.body
        return unit.salvage(self.text, self.lines)

    def keep_nodes(self, before: 'SourceFile') -> None:
        """Take over what is known of statements that an earlier content has, too."""
        known = before._nodes_of
        self._nodes_of = {one: known[one] for one in self.statements if one in known}

    def move(self, statements: Iterable[ast.stmt], lines: int) -> None:
        """Move statements down by some lines, or up."""
        for one in statements:
            for node in self._nodes_in(one):
                if hasattr(node, 'lineno'):
                    node.lineno += lines
                    node.end_lineno += lines

    def _nodes_in(self, statement: ast.stmt) -> list[ast.AST]:
        if statement not in self._nodes_of:
            self._nodes_of[statement] = nodes_in_order([statement])
        return self._nodes_of[statement]

    def keep_statements(self, before: 'SourceFile', changed: Iterable[int]) -> None:
        """Take over the syntax trees of an earlier content, except where it was changed; there are as many lines as before.

        Args:
            before (SourceFile):
                The file with the earlier content.
            changed (Iterable[int]):
                The offsets in it where its text was changed.
        """
        numbers = [before.lines.position(offset).line for offset in changed]
        statements: list[ast.stmt] = []
        for one in before.units:
            last = one.first_line + one.text.count('\n')
            if not any(one.first_line <= number <= last for number in numbers):
                statements.extend(one.nodes)
                continue
            parsed = unit.parse_alone(self.lines.segment(one.first_line, one.last_line), one.first_line)
            if not parsed:
                return
            statements.extend(parsed)
        self.__dict__.update(problem=before.problem, statements=statements)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The nodes of all statements, in source order."""
        return [node for one in self.statements for node in self._nodes_in(one)]

    def nodes_of(self, one: unit.Unit) -> list[ast.AST]:
        """The nodes of one of its units, in source order."""
        return [node for statement in one.nodes for node in self._nodes_in(statement)]

    @cached_property
    def units(self) -> list[unit.Unit]:
        """The units that the top-level statements make, in order."""
        return list(unit.split(self.statements, self.text, self.lines))

    @cached_property
    def comments(self) -> list[comments.Comment]:
        """The comments, in order."""
        return comments.scan(self.text, self.lines)

    @cached_property
    def suppressions(self) -> suppressions.Suppressions:
        """The comments by which the file asks for silence."""
        if not suppressions.may_have_any(self.text):
            return suppressions.Suppressions([], [])
        return suppressions.read(self.comments, comments.long_strings(self.text, self.lines), self.lines)

    @cached_property
    def docstrings(self) -> list[ast.Constant]:
        """The docstrings of the module, its classes and functions, in source order."""
        found = []
        stack: list[ast.AST] = [ast.Module(self.statements, [])]
        while stack:
            node = stack.pop()
            body = getattr(node, 'body', None)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and body:
                value = body[0].value if isinstance(body[0], ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found.append(value)
            stack.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, HOLDS_STATEMENTS))
        return sorted(found, key=lambda node: node.lineno)

    def range(self, node: ast.AST) -> Range:
        """The places of a node of the abstract syntax tree."""
        return Range(
            self._place_of_bytes(node.lineno, node.col_offset),
            self._place_of_bytes(node.end_lineno, node.end_col_offset),
        )

    def name_range(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Range:
        """The places of the name of a function in its definition."""
        start = self.text.index(node.name, self.lines.offset(self.range(node).start) + len('def'))
        return self.lines.range(start, start + len(node.name))

    def _place_of_bytes(self, line: int, byte_offset: int) -> Position:
        text = self.lines.line(line)
        if text.isascii():
            return Position(line, byte_offset + 1)
        return Position(line, len(text.encode()[:byte_offset].decode(errors='ignore')) + 1)

    def _place(self, line: int | None, column: int | None) -> Position:
        number = min(max(line or 1, 1), len(self.lines))
        return Position(number, min(max(column or 1, 1), len(self.lines.line(number)) + 1))

    def _null_byte(self) -> Position:
        return self.lines.position(max(self.text.find('\0'), 0))


def _describe(error: SyntaxError) -> str:
    return f'{error.msg} (Python {sys.version_info.major}.{sys.version_info.minor})'
