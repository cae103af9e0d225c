# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which names Triton knows where a loop or a branch begins: what a loop or one side of a run-time branch binds first is gone behind it."""

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.bindings import bound_in
from flakelint.project.imports import last_name

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

Names = frozenset[str]


class Scope(NamedTuple):
    """The names around a loop or a branch.

    Args:
        before (Names):
            Those that are known where it begins.
        both (Names, Optional):
            Those that are known at the end of both sides of a branch. Default: none.
    """

    before: Names
    both: Names = frozenset()


class Scopes:
    """The names around the loops and branches of functions.

    Args:
        is_at_run_time (Callable[[ast.If], bool]):
            Tells whether the condition of a branch is certainly decided at run time.
    """

    def __init__(self, is_at_run_time: Callable[[ast.If], bool]) -> None:
        self._is_at_run_time = is_at_run_time
        self._found: dict[int, dict[int, Scope]] = {}

    def of(self, node: ast.AST, kernel: 'Kernel') -> Scope:
        """The names around a loop or a branch of a function."""
        definition = kernel.definition
        if id(definition) not in self._found:
            self._found[id(definition)] = {}
            names = frozenset(one.name for one in kernel.parameters)
            self._block(definition.body, names, self._found[id(definition)])
        return self._found[id(definition)].get(id(node), Scope(frozenset()))

    def _block(self, statements: Sequence[ast.stmt], names: Names, found: dict[int, Scope]) -> Names:
        """The names that are known behind some statements."""
        for statement in statements:
            if isinstance(statement, ast.If):
                names = self._branch(statement, names, found)
            elif isinstance(statement, ast.For | ast.While):
                found[id(statement)] = Scope(names)
                inner = names | bound_in([statement]) - bound_in(statement.body)
                after = self._block(statement.body, inner, found)
                names = after if _is_unrolled(statement) else inner
            elif isinstance(statement, ast.With):
                names = self._block(statement.body, names, found)
            else:
                names |= bound_in([statement])
        return names

    def _branch(self, statement: ast.If, names: Names, found: dict[int, Scope]) -> Names:
        body = self._block(statement.body, names, found)
        orelse = self._block(statement.orelse, names, found)
        found[id(statement)] = Scope(names, body & orelse)
        return body & orelse if self._is_at_run_time(statement) else body | orelse


def _is_unrolled(statement: ast.stmt) -> bool:
    call = statement.iter if isinstance(statement, ast.For) else None
    return isinstance(call, ast.Call) and last_name(call.func) == 'static_range'
