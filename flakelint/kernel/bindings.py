# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What statements bind."""

import ast
import copy
from collections.abc import Iterable

from flakelint.kernel.conditions import spell
from flakelint.project.imports import last_name

# blocks that do nothing but choose a width are short
_MAX_COMPARED = 6


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


def without_casts(node: ast.AST) -> str:
    """The text of something, with its casts to 64 bits taken away."""
    return ast.unparse(_WithoutCasts().visit(copy.deepcopy(node)))


class _WithoutCasts(ast.NodeTransformer):

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = last_name(node.func)
        if not node.args or not ast.unparse(node.args[-1]).endswith('int64'):
            return node
        if name == 'to' and isinstance(node.func, ast.Attribute):
            return node.func.value
        return node.args[0] if name == 'cast' and len(node.args) == 2 else node


def differ_in_width(body: list[ast.stmt], orelse: list[ast.stmt]) -> tuple[bool, bool]:
    """Whether the first of two blocks is the second one with casts to 64 bits, and the other way round."""
    if len(body) != len(orelse) or len(body) > _MAX_COMPARED or 'int64' not in ''.join(map(ast.unparse, (*body, *orelse))):
        return False, False
    pairs = [(ast.unparse(one), ast.unparse(other)) for one, other in zip(body, orelse, strict=True)]
    plain = [(without_casts(one), without_casts(other)) for one, other in zip(body, orelse, strict=True)]
    if any(one != other for one, other in plain) or all(one == other for one, other in pairs):
        return False, False
    widens = all(other == bare for (_, other), (_, bare) in zip(pairs, plain, strict=True))
    return widens, all(one == bare for (one, _), (bare, _) in zip(pairs, plain, strict=True))
