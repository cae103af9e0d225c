# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Files are split into top-level statements, healthy and broken ones."""

import ast

import pytest

from flakelint.source.file import SourceFile
from flakelint.source.unit import TooDeepError


def units(text: str) -> list[str]:
    return [unit.text for unit in SourceFile('a.py', text.encode()).units]


def test_units_are_the_lines_of_statements() -> None:
    function = '@d\n# why\n@e(\n  1)\ndef f():\n  return """\nx"""\n'
    text = f'# c\nimport a; import b\n\n{function}# after\nx = (1 +\n 2); y = 3\nz = 4'
    assert units(text) == ['import a; import b\n', function, 'x = (1 +\n 2); y = 3\n', 'z = 4']


@pytest.mark.parametrize('newline', ['\n', '\r\n', '\r'])
def test_positions_in_units_are_positions_in_the_file(newline: str) -> None:
    file = SourceFile('a.py', newline.join(['x = 1', '', "y = 'é', foo(1)", '']).encode())
    unit = file.units[1]
    call = unit.buckets['Call'][0]
    assert unit.source(call) == 'foo(1)'
    assert unit.range(call) == ((3, 10), (3, 16))
    assert file.range(unit.nodes[0].value.elts[1]) == ((3, 10), (3, 16))
    start, end = unit.span(call)
    assert file.text[start:end] == 'foo(1)'


def test_a_broken_statement_leaves_the_others() -> None:
    text = 'import a\n\ndef f():\n    return (1\n\n@d\n@e\ndef g():\n    pass\nelse_ = 1\nif x:\n  y\nelse:\n  z\n'
    file = SourceFile('a.py', text.encode())
    assert file.problem is not None
    assert [type(unit.nodes[0]).__name__ for unit in file.units] == ['Import', 'FunctionDef', 'Assign', 'If']
    assert file.units[1].text.startswith('@d\n@e\ndef g')
    assert [unit.first_line for unit in file.units] == [1, 6, 10, 11]


@pytest.mark.parametrize(('text', 'line', 'column'), [
    ('x = (\n', 1, 5), ('def f(:\n  pass\n', 1, 7), ('x = 1\n  y = 2\n', 2, 3), ('a\0b', 1, 2), ('x = "é" +\n', 1, 10),
])
def test_problems_have_a_place(text: str, line: int, column: int) -> None:
    problem = SourceFile('a.py', text.encode()).problem
    assert problem is not None
    assert problem.position.line == line
    assert abs(problem.position.column - column) <= 1


@pytest.mark.parametrize('text', [
    'x = ' + ' + '.join(['a'] * 5000),
    'x = ' + '-' * 5000 + 'a',
    'x = a' + '.b' * 5000,
    'if a: pass\n' + 'elif a: pass\n' * 5000,
    'x = ' + 'not ' * 5000 + 'a',
    'x = ' + '(' * 5000 + ')' * 5000,
])
def test_deep_nesting_is_refused_not_fatal(text: str) -> None:
    file = SourceFile('a.py', f'import os\n{text}\ny = 1\n'.encode())
    for unit in file.units:
        try:
            assert unit.tree is not None
        except TooDeepError:
            assert isinstance(unit.nodes[0], ast.stmt)
    assert any(unit.text == 'y = 1\n' for unit in file.units)


def test_thousands_of_joined_strings_do_not_kill_the_process() -> None:
    file = SourceFile('a.py', ('x = (' + '"a" ' * 20_000 + ')\n').encode())
    with pytest.raises(TooDeepError):
        _ = file.units[0].tree


def test_docstrings() -> None:
    text = b'"""m"""\nclass A:\n  """c"""\n  def f(self):\n    """f"""\n    "no"\nif x:\n  def g():\n    """g"""\n'
    file = SourceFile('a.py', text)
    assert [node.value for node in file.docstrings] == ['m', 'c', 'f', 'g']
