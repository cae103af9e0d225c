# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What statements bind."""

import ast
import copy
from collections.abc import Callable, Iterable

from flakelint.kernel.conditions import spell
from flakelint.project.imports import last_name
from flakelint.source.syntax import nodes_in_order

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


def only_widens(statement: ast.stmt, holds: Callable[[str, str], bool]) -> bool:
    """Whether a statement only casts a name to 64 bits.

    Args:
        statement (ast.stmt):
            The statement.
        holds (Callable[[str, str], bool]):
            Tells whether one name holds what another one does.
    """
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1 or not isinstance(statement.targets[0], ast.Name):
        return False
    call, name = statement.value, statement.targets[0].id
    if not isinstance(call, ast.Call) or len(call.args) not in (1, 2) or call.keywords:
        return False
    if spell(call.args[-1], {}).rpartition('.')[2] != 'int64':
        return False
    cast, _, method = spell(call.func, {}).rpartition('.') if len(call.args) == 1 else (spell(call.args[0], {}), '', 'to')
    return method == 'to' and (cast == name or holds(name, cast))


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


def _is_wide_name(node: ast.AST) -> bool:
    return 'int64' in getattr(node, 'attr', getattr(node, 'id', ''))


def differ_in_width(body: list[ast.stmt], orelse: list[ast.stmt]) -> tuple[bool, bool]:
    """Whether the first of two blocks is the second one with casts to 64 bits, and the other way round."""
    if not any(map(_is_wide_name, nodes_in_order((*body, *orelse)))):
        return False, False
    first, second = _assigned(body), _assigned(orelse)
    if first and second:
        # the order does not matter, nor what one of them binds alone
        pairs = [(first[name], second[name]) for name in first if name in second]
    elif len(body) == len(orelse) <= _MAX_COMPARED:
        pairs = list(zip(body, orelse, strict=True))
    else:
        pairs = []
    texts = [(ast.unparse(one), ast.unparse(other)) for one, other in pairs]
    plain = [(without_casts(one), without_casts(other)) for one, other in pairs]
    if any(one != other for one, other in plain) or all(one == other for one, other in texts):
        return False, False
    widens = all(other == bare for (_, other), (_, bare) in zip(texts, plain, strict=True))
    return widens, all(one == bare for (one, _), (bare, _) in zip(texts, plain, strict=True))


def _assigned(block: list[ast.stmt]) -> dict[str, ast.expr]:
    """What a block gives to its names, if it does nothing else."""
    found: dict[str, ast.expr] = {}
    stack = list(block)
    while stack:
        statement = stack.pop()
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            found[statement.targets[0].id] = statement.value
        elif isinstance(statement, ast.If):
            stack.extend((*statement.body, *statement.orelse))
        elif not isinstance(statement, ast.Pass):
            return {}
    return found
