# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Our walk over abstract syntax trees finds what `ast.walk` finds."""

import ast
from pathlib import Path

import pytest

from flakelint.source.syntax import nodes_in_order, parse_tree
from tests.tools import REPOSITORY

PASSED_OVER = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.type_ignore)
FILES = sorted(path for folder in ('flakelint', 'fla', 'tests') for path in (REPOSITORY / folder).rglob('*.py'))
FILES = [path for path in FILES if 'fixtures' not in path.parts] + [Path(ast.__file__)]


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_finds_all_nodes_in_order(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding='utf-8'))
    found = nodes_in_order([tree])
    expected = [node for node in ast.walk(tree) if not isinstance(node, PASSED_OVER)]
    assert len(found) == len(expected)
    assert {id(node) for node in found} == {id(node) for node in expected}
    statements = [node.lineno for node in found if isinstance(node, ast.stmt) and not getattr(node, 'decorator_list', None)]
    assert statements == sorted(statements)


def test_every_kind_of_statement() -> None:
    text = (
        'global a\nasync def f(x: int, /, *, y=1, **z) -> T:\n  async with a as b, c: pass\n  async for i in x: yield\n'
        'await_ = g\n'
        'match p:\n  case {"a": 1, **r} | C(x, y=2) | [1, *_] if q: del s[1:2:3]\n'
        'try: pass\nexcept E as e: raise F from e\nelse: f"{x!r:>{w}}"\nfinally: nonlocal_ = lambda *a: {**b, c: d}\n'
        'x: int = [i for i in j if k]; a = b = (yield_ := 3); assert x, "m"; import m as n; from o import p as q\n'
    )
    tree = ast.parse(text)
    expected = [node for node in ast.walk(tree) if not isinstance(node, PASSED_OVER)]
    assert {id(node) for node in nodes_in_order([tree])} == {id(node) for node in expected}


def test_an_interpreter_that_confuses_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, fails = ast.parse, iter([True, True, False])

    def confused(text: str) -> ast.Module:
        if next(fails):
            # what Python 3.11 says now and then where another thread builds a tree, too
            raise SystemError('AST constructor recursion depth mismatch (before=48, after=122)')
        return parse(text)

    monkeypatch.setattr(ast, 'parse', confused)
    assert ast.dump(parse_tree('x = 1')) == ast.dump(parse('x = 1'))
