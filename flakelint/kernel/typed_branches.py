# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Branches that ask for types or shapes: what stands in them is compiled for some types only."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.kernel.frames import Frame

_ASKS = re.compile(
    r'\.(type|dtype|shape|numel|element_ty|scalar|is_\w+|primitive_bitwidth|value)\b'
    r'|\b(isinstance|len|hasattr|getattr)\(|dtype|type\b|\b(NDIM|RANK|DIMS?)\b', re.IGNORECASE,
)


class TypedBranches:
    """Tells what stands in such branches, or behind one that leaves."""

    def __init__(self) -> None:
        self._found: dict[int, set[int]] = {}

    def has(self, node: ast.AST, frame: 'Frame') -> bool:
        """Whether something in a function, or the call that led there, stands in such a branch."""
        here: Frame | None = frame
        while here is not None and node is not None:
            if id(node) in self._of(here):
                return True
            node, here = here.call, here.caller
        return False

    def _of(self, frame: 'Frame') -> set[int]:
        definition = frame.kernel.definition
        if id(definition) not in self._found:
            self._found[id(definition)] = {id(node) for part in _parts(definition.body) for node in ast.walk(part)}
        return self._found[id(definition)]


def _parts(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """The parts of statements that are compiled for some types only."""
    for position, statement in enumerate(statements):
        if isinstance(statement, ast.If) and _ASKS.search(ast.unparse(statement.test)):
            yield from (*statement.body, *statement.orelse)
            if _leaves([*statement.body, *statement.orelse]):
                yield from statements[position + 1:]
                return
            continue
        for field in ('body', 'orelse'):
            yield from _parts(getattr(statement, field, []))
        for node in ast.walk(statement) if not isinstance(statement, ast.If | ast.For | ast.While | ast.With) else ():
            if isinstance(node, ast.IfExp) and _ASKS.search(ast.unparse(node.test)):
                yield from (node.body, node.orelse)


def _leaves(statements: Iterable[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return) for statement in statements for node in ast.walk(statement))
