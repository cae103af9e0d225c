# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A walk over statements alone, which need not look at expressions."""

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_BODY = ('body',)
_BODIES: dict[type, tuple[str, ...]] = {
    ast.FunctionDef: _BODY,
    ast.AsyncFunctionDef: _BODY,
    ast.ClassDef: _BODY,
    ast.With: _BODY,
    ast.AsyncWith: _BODY,
    ast.ExceptHandler: _BODY,
    ast.match_case: _BODY,
    ast.Match: ('cases',),
    ast.If: ('body', 'orelse'),
    ast.For: ('body', 'orelse'),
    ast.AsyncFor: ('body', 'orelse'),
    ast.While: ('body', 'orelse'),
    ast.Try: ('body', 'handlers', 'orelse', 'finalbody'),
}
if sys.version_info >= (3, 11):
    _BODIES[ast.TryStar] = _BODIES[ast.Try]
_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})


def inside(node: ast.AST) -> Sequence[ast.AST]:
    """The statements that stand directly in a statement, in order, with handlers and cases for what they are."""
    names = _BODIES.get(type(node))
    if names is None:
        return ()
    if len(names) == 1:
        return getattr(node, names[0])
    return [child for name in names for child in getattr(node, name)]


def scope_statements(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements that run in one scope, in source order: those in branches and loops, but not those of functions and classes."""
    return _walk(statements, _SCOPES)


def all_statements(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All statements, in source order, those of functions and classes too."""
    return _walk(statements, frozenset())


def _walk(statements: Iterable[ast.AST], closed: frozenset[type]) -> Iterator[ast.AST]:
    stack = list(statements)
    stack.reverse()
    while stack:
        node = stack.pop()
        yield node
        if type(node) in _BODIES and type(node) not in closed:
            stack.extend(reversed(inside(node)))
