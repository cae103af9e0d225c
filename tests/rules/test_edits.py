# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Adding to lists and imports: what comes out parses, has one item more, and is otherwise as it was."""

import ast

from hypothesis import given
from hypothesis import strategies as st

from flakelint.engine.edits import append, quote
from flakelint.engine.fixes import apply
from flakelint.engine.imports import import_name
from flakelint.source.file import SourceFile

ITEMS = st.lists(st.sampled_from(['a', "'b'", '(c)', '[d, e]', '{1: 2}', 'f(g)', '((h))', '"""i"""', '*j']), max_size=4)
BEFORE = st.sampled_from(['', ' ', '\n', '\n    ', '  # why, (not)\n    ', '\n\n    # alone\n    '])
AFTER = st.sampled_from(['', ' ', '\n', '  # trailing ,)\n', '\n# below\n'])
NEWLINES = st.sampled_from(['\n', '\r\n'])


@st.composite
def holders(draw) -> tuple[str, str]:
    """The source of a call or a list, and the kind that it is."""
    opening, closing = draw(st.sampled_from([('f(', ')'), ('[', ']')]))
    items = draw(ITEMS)
    text = opening
    for number, item in enumerate(items):
        is_last = number == len(items) - 1
        comma = draw(st.sampled_from(['', ','])) if is_last else ','
        # a comment before a comma would swallow it
        gap = draw(st.sampled_from(['', ' ', '\n    ']))
        text += draw(BEFORE) + item + gap + comma
    return (text + draw(AFTER) + closing).replace('\n', draw(NEWLINES)), closing


@given(holders())
def test_append_adds_one_item(holder):
    text, _ = holder
    file = SourceFile('x.py', f'{text}\n'.encode())
    node = file.tree.body[0].value
    items = [*node.args, *node.keywords] if isinstance(node, ast.Call) else node.elts
    changed = apply(append(file, node, items, 'added'), file.text)
    after = ast.parse(changed).body[0].value
    items_after = [*after.args, *after.keywords] if isinstance(after, ast.Call) else after.elts
    assert [ast.dump(item) for item in items_after] == [*map(ast.dump, items), ast.dump(ast.Name('added', ast.Load()))]
    comments = [line.partition('#')[2] for line in file.text.splitlines() if '#' in line]
    assert [line.partition('#')[2] for line in changed.splitlines() if '#' in line] == comments


@given(
    st.lists(st.sampled_from(['IS_AMD', 'Backend', 'device', 'guard', 'a as b', 'z']), min_size=1, max_size=5, unique=True),
    st.sampled_from(['{}', '({})', '(\n    {},\n)', '({},)', '(\n    {}  # last\n)']),
    st.booleans(),
)
def test_import_name_extends_an_import(names, layout, one_a_line):
    joined = (',\n    ' if one_a_line and '\n' in layout else ', ').join(names)
    file = SourceFile('x.py', f'import os\nfrom fla.utils import {layout.format(joined)}\nx = 1\n'.encode())
    changed = ast.parse(apply(import_name(file, 'fla.utils', 'cache_kwargs'), file.text))
    assert len(changed.body) == 3
    imported = [ast.unparse(alias) for alias in changed.body[1].names]
    assert [name for name in imported if name != 'cache_kwargs'] == names
    assert imported.count('cache_kwargs') == 1


@given(
    st.permutations(['import torch', 'from fla.ops import a', 'from fla.zoo import b', 'import fla', 'from . import c']),
    st.integers(1, 5),
    NEWLINES,
)
def test_import_name_adds_an_import(lines, count, newline):
    lines = ['"""Doc."""', '', 'from __future__ import annotations', '', *lines[:count], '', 'x = 1', '']
    file = SourceFile('x.py', newline.join(lines).encode())
    text = apply(import_name(file, 'fla.utils', 'cache_kwargs'), file.text)
    assert 'from fla.utils import cache_kwargs' in text.split(newline)
    assert ast.get_docstring(ast.parse(text)) == 'Doc.'
    assert [line for line in text.split(newline) if line and 'cache_kwargs' not in line] == [line for line in lines if line]
    compile(text, 'x.py', 'exec')


def test_import_name_needs_an_import():
    assert import_name(SourceFile('x.py', b'x = 1\n'), 'fla.utils', 'cache_kwargs') == ()


def test_quote_follows_the_file():
    assert quote(SourceFile('x.py', b'a = "b"\nc = "d"\ne = \'f\'\n')) == '"'
    assert quote(SourceFile('x.py', b"a = 'b'\n")) == "'"
