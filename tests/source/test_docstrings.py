# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast

import pytest

from flakelint.source.docstrings import Docstring, documented
from flakelint.source.file import SourceFile


def read(text: str) -> tuple[SourceFile, list[Docstring]]:
    file = SourceFile('a.py', text.encode())
    return file, documented(file)


def only(text: str) -> Docstring:
    return read(text)[1][0]


def code(text: str) -> list[str]:
    return [line.text.strip() for line in only(f'"""{text}"""').lines if line.is_code]


def test_owners_in_source_order():
    text = '''"""m"""
class A:
    """a"""
    def f(self):
        """f"""
        if self:
            async def g():
                """g"""
        try:
            pass
        except ValueError:
            class B:
                """b"""
def none():
    x = 1
    """no docstring"""
match 1:
    case 1:
        def h(): "h"
'''
    found = read(text)[1]
    assert [one.node.value for one in found] == ['m', 'a', 'f', 'g', 'b', 'h']
    assert [type(one.owner) for one in found] == [
        ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef,
    ]


def test_they_are_those_of_the_file():
    file, found = read('"""m"""\ndef f():\n    """f"""\n    def g(): """g"""\n')
    assert [one.node for one in found] == file.docstrings


@pytest.mark.parametrize('text', [
    '"""one"""', "'''one'''", '"one"', "'one'", 'r"""one"""', 'R"one"', 'u"""one"""', '"""two\n  lines"""', '""',
    '"""\n    two\n    """', '"""数 🙂\n数 🙂"""', r'"""\alpha \\ \""" """',
    '("""one""")', '"""two\r\nlines"""', '""" "quoted" """', '""""quoted\' """',
])
def test_lines_stand_where_they_say(text):
    file, (found,) = read(text)
    assert found.is_plain
    for line in found.lines:
        start = line.column - 1
        assert file.lines.line(line.line)[start:start + len(line.text)] == line.text
    spelled = '\n'.join(line.text for line in found.lines)
    raw = found.node.value
    assert spelled == raw or '\\' in text


def test_a_line_begins_at_its_margin():
    lines = only('def f():\n    r"""One.\n\n      two\n    """').lines
    expected = [('One.', 2, 9), ('', 3, 1), ('      two', 4, 1), ('    ', 5, 1)]
    assert [(line.text, line.line, line.column) for line in lines] == expected


@pytest.mark.parametrize('text', [
    '"one" "two"', '("""one\n"""\n"""two""")', '"""one\n""" \'two\'', '"""on\\\ne"""', '"on\\\ne"', '"""a\\\\\\\nb"""',
])
def test_what_cannot_be_edited_line_by_line(text):
    found = only(text)
    assert not found.is_plain
    assert [line.line for line in found.lines] == list(range(1, text.count('\n') + 2))


@pytest.mark.parametrize('text', ['"""\\\nOne.\n"""', 'r"""on\\\ne"""', '"""on\\\\\ne"""'])
def test_what_can(text):
    assert only(text).is_plain


def test_a_continued_opening_is_an_empty_line():
    assert [line.text for line in only('"""\\\nOne.\n"""').lines] == ['', 'One.', '']


@pytest.mark.parametrize('text', ['f"""{1}"""', 'b"""one"""', '1', 'x = """one"""', '# """one"""', '', '...'])
def test_no_docstring(text):
    assert read(text)[1] == []


def test_what_can_be_parsed_of_a_broken_file():
    assert [one.node.value for one in read('def f():\n    """f"""\n\n\ndef g(:\n    """g"""\n')[1]] == ['f']


def test_fences():
    assert code('a\n```python\nb\n\nc\n```\nd\n~~~\ne\n~~~\nf') == ['```python', 'b', '', 'c', '```', '~~~', 'e', '~~~']


def test_doctests_end_with_a_blank_line():
    assert code('a\n    >>> b\n    ... c\n    d\n\ne') == ['>>> b', '... c', 'd']


def test_literal_blocks_end_where_less_is_indented():
    assert code('a::\n\n    b\n\n      c\nd\n    e') == ['b', '', 'c']
    assert code('a\n    b::\n\n        c\n\n    d') == ['c', '']


def test_directives():
    assert code('.. code-block:: python\n    :linenos:\n\n    a\nb') == [':linenos:', '', 'a']
    assert code('.. note::\n    a\nb') == []


def test_two_colons_without_a_block():
    assert code('a::\nb\n    c') == []
