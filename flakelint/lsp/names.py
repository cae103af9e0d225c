# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The name at a place of a file, and what it means."""

import ast
import re
from typing import TYPE_CHECKING

from flakelint.project.imports import dotted
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel

_CODE = re.compile(r'\b[A-Z]{3}\d{3}\b')


def expression_at(file: 'File', place: Position) -> ast.Name | ast.Attribute | None:
    """The name or attribute whose last word is at a place; the whole of a dotted name, up to that word."""
    found = None
    for node in file.nodes:
        if isinstance(node, ast.Name | ast.Attribute) and node.lineno <= place.line <= node.end_lineno:
            last = last_word(file, node)
            if last.start <= place <= last.end:
                found = node
    return found


def last_word(file: 'File', node: ast.Name | ast.Attribute) -> Range:
    """Where the last word of a dotted name is."""
    whole = file.range(node)
    if isinstance(node, ast.Name):
        return whole
    return Range(Position(whole.end.line, whole.end.column - len(node.attr)), whole.end)


def full_name(file: 'File', node: ast.expr) -> str | None:
    """The full name of a dotted name through imports; None for what is no such name."""
    spelled = dotted(node)
    return None if spelled is None else file.bindings.resolve(spelled)


def function_at(file: 'File', place: Position) -> ast.FunctionDef | None:
    """The function whose own name, where it is defined, is at a place."""
    for node in file.nodes:
        if isinstance(node, ast.FunctionDef) and node.lineno == place.line:
            name = file.name_range(node)
            if name.start <= place <= name.end:
                return node
    return None


def kernel_at(file: 'File', place: Position) -> 'Kernel | None':
    """The kernel that the name at a place means, where it is defined or used."""
    function = function_at(file, place)
    if function is not None:
        return next((kernel for kernel in file.kernels if kernel.definition is function), None)
    node = expression_at(file, place)
    spelled = dotted(node) if node is not None else None
    return None if spelled is None else file.repository.launched(file.module, spelled)


def kernel_around(file: 'File', place: Position) -> 'Kernel | None':
    """The innermost kernel in which a place is."""
    around = [kernel for kernel in file.kernels if kernel.definition.lineno <= place.line <= kernel.definition.end_lineno]
    return max(around, key=lambda kernel: kernel.definition.lineno, default=None)


def code_at(text: str, column: int) -> str | None:
    """The code of a rule that a line of text spells at a column."""
    for match in _CODE.finditer(text):
        if match.start() <= column - 1 <= match.end():
            return match.group()
    return None
