# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The calls in a file that call a name of its module."""

import ast
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from flakelint.project.imports import Bindings, dotted
from flakelint.project.meanings import imported_by
from flakelint.project.statements import FUNCTIONS, inside, scope_statements
from flakelint.source.syntax import HOLDS_STATEMENTS, nodes_in_order

_DEFINITIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_IMPORTS = frozenset({ast.Import, ast.ImportFrom})
_Function = ast.FunctionDef | ast.AsyncFunctionDef
# packages from which much is imported, and that no repository holds
_ELSEWHERE = frozenset({
    'collections', 'dataclasses', 'einops', 'functools', 'math', 'numpy', 'os', 'pytest', 'torch', 'triton', 'typing',
})


class NamedCall(NamedTuple):
    """A call of a name of the module.

    Args:
        node (ast.Call):
            The call.
        name (str):
            The dotted name that it calls.
        owner (ast.FunctionDef | ast.AsyncFunctionDef | None):
            The outermost function in which it stands.
        may_fail (bool):
            Whether the code around it is prepared for an exception.
    """

    node: ast.Call
    name: str
    owner: _Function | None
    may_fail: bool


def own_functions(statements: Sequence[ast.stmt], bindings: Bindings) -> frozenset[str]:
    """The names of a module that may be functions of its repository: those that it defines, and those that it imports by themselves."""
    defined = {node.name for node in scope_statements(statements) if isinstance(node, FUNCTIONS)}
    imported = {name: full.lstrip('.').partition('.')[0] for name, full in bindings.items() if full != name}
    return frozenset(defined | {name for name, package in imported.items() if package not in _ELSEWHERE})


def named_calls(statements: Sequence[ast.stmt], skipped: Container[ast.AST] = ()) -> Iterator[NamedCall]:
    """The calls of names that no function around them binds.

    Args:
        statements (Sequence[ast.stmt]):
            The statements of the module.
        skipped (Container[ast.AST], Optional):
            Functions that are not looked into. Default: none.
    """
    stack: list[ast.AST] = list(reversed(statements))
    while stack:
        node = stack.pop()
        if node in skipped:
            continue
        if isinstance(node, FUNCTIONS):
            yield from _in_function(node, skipped)
            continue
        held = inside(node)
        if not held:
            yield from _calls(nodes_in_order([node]), None, frozenset())
            continue
        stack.extend(reversed(held))
        for _, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            expressions = [one for one in parts if isinstance(one, ast.AST) and not isinstance(one, HOLDS_STATEMENTS)]
            yield from _calls(nodes_in_order(expressions), None, frozenset())


def _in_function(function: _Function, skipped: Container[ast.AST]) -> Iterator[NamedCall]:
    nodes = nodes_in_order([function])
    inner = [node for node in nodes if isinstance(node, FUNCTIONS) and node in skipped]
    if inner:
        left_out = set(nodes_in_order(inner))
        nodes = [node for node in nodes if node not in left_out]
    yield from _calls(nodes, function, frozenset(_bound_in(function, nodes)))


def _calls(nodes: Sequence[ast.AST], owner: _Function | None, bound: frozenset[str]) -> Iterator[NamedCall]:
    prepared: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Try | ast.With | ast.AsyncWith) and _is_prepared(node):
            prepared.update(nodes_in_order(node.body))
    for node in nodes:
        name = dotted(node.func) if type(node) is ast.Call else None
        if name is not None and name.partition('.')[0] not in bound:
            yield NamedCall(node, name, owner, node in prepared)


def _is_prepared(node: ast.Try | ast.With | ast.AsyncWith) -> bool:
    """Whether a statement expects its body to fail: `try`, or `with pytest.raises(...)`."""
    if isinstance(node, ast.Try):
        return bool(node.handlers)
    called = [item.context_expr.func for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any((dotted(one) or '').rpartition('.')[2] in ('raises', 'assertRaises', 'suppress') for one in called)


def _bound_in(function: _Function, nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names that a function and what stands in it bind."""
    for node in nodes:
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is ast.Store:
                yield node.id
        elif kind is ast.arg:
            yield node.arg
        elif kind in _IMPORTS:
            yield from (name for name, _ in imported_by(node))
        elif kind in _DEFINITIONS and node is not function:
            yield node.name
