# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What statements bind."""

import ast
from collections.abc import Iterable

from flakelint.kernel.conditions import spell


def bound_in(statements: Iterable[ast.stmt]) -> set[str]:
    """The names that statements bind."""
    found = set()
    stack: list[ast.AST] = list(statements)
    while stack:
        statement = stack.pop()
        if isinstance(statement, ast.Assign):
            targets = list(statement.targets)
        elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
            targets = [statement.target]
        elif isinstance(statement, ast.For):
            targets = [statement.target]
            stack.extend((*statement.body, *statement.orelse))
        else:
            targets = []
            for field in ('body', 'orelse', 'handlers', 'finalbody'):
                stack.extend(getattr(statement, field, ()))
        while targets:
            target = targets.pop()
            if isinstance(target, ast.Name):
                found.add(target.id)
            elif isinstance(target, ast.Tuple | ast.List):
                targets.extend(target.elts)
            elif isinstance(target, ast.Starred):
                targets.append(target.value)
    return found


def only_widens(statement: ast.stmt) -> bool:
    """Whether a statement only casts a name to 64 bits."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1 or not isinstance(statement.targets[0], ast.Name):
        return False
    call, name = statement.value, statement.targets[0].id
    if not isinstance(call, ast.Call) or len(call.args) not in (1, 2) or call.keywords:
        return False
    is_cast = spell(call.func, {}) == f'{name}.to' if len(call.args) == 1 else spell(call.args[0], {}) == name
    return is_cast and spell(call.args[-1], {}).rpartition('.')[2] == 'int64'
