# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Small changes of a module that may make tests fail: other operators, numbers, arguments and results, statements that are gone."""

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}
_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}
_REMOVABLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Assert, ast.Raise)


class Site(NamedTuple):
    """A place that a mutation changes.

    Args:
        statement (int):
            The number of the top-level statement.
        number (int):
            The number of the place in it.
    """

    statement: int
    number: int


def sites(text: str) -> list[list[Site]]:
    """The places of a module, by top-level statement; imports and texts by themselves have none."""
    return [[Site(place, number) for number in range(len(list(_changes(one))))] for place, one in _statements(text)]


def mutated(text: str, chosen: Iterable[Site]) -> str:
    """A module changed in some places, each in a statement of its own."""
    tree = ast.parse(text)
    for site in chosen:
        list(_changes(tree.body[site.statement]))[site.number]()
    return ast.unparse(ast.fix_missing_locations(tree)) + '\n'


def _statements(text: str) -> Iterator[tuple[int, ast.stmt]]:
    for place, one in enumerate(ast.parse(text).body):
        if not isinstance(one, ast.Import | ast.ImportFrom) and not _is_text(one):
            yield place, one


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _changes(statement: ast.stmt) -> Iterator[Callable[[], None]]:
    texts = {id(node.value) for node in ast.walk(statement) if _is_text(node)}
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            yield _setting(node, 'op', _OPERATORS[type(node.op)]())
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
            yield _setting(node, 'ops', [_COMPARISONS[type(node.ops[0])](), *node.ops[1:]])
        elif isinstance(node, ast.Constant) and id(node) not in texts:
            yield from _of_constant(node)
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            yield _setting(node, 'args', [node.args[1], node.args[0], *node.args[2:]])
        elif isinstance(node, ast.Return) and node.value is not None:
            yield _setting(node, 'value', ast.Constant(None))
        yield from _without_one(node)


def _of_constant(node: ast.Constant) -> Iterator[Callable[[], None]]:
    if isinstance(node.value, bool):
        yield _setting(node, 'value', not node.value)
    elif isinstance(node.value, int | float):
        yield _setting(node, 'value', node.value + 1)


def _without_one(node: ast.AST) -> Iterator[Callable[[], None]]:
    body = getattr(node, 'body', None)
    for place, one in enumerate(body if isinstance(body, list) else ()):
        if isinstance(one, _REMOVABLE) and not _is_text(one):
            yield _setting(node, 'body', [*body[:place], ast.Pass(), *body[place + 1:]])


def _setting(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)
