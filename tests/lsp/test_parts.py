# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The parts of the server that need no client."""

import pytest
from lsprotocol import types

from flakelint.lsp import editor_settings
from flakelint.lsp.cursor import call_before, code_before, is_code, key_before, member_before
from flakelint.lsp.documents import Document, Snapshot
from flakelint.lsp.editor_settings import EditorSettings
from flakelint.lsp.notebooks import Notebook
from flakelint.lsp.positions import Places
from flakelint.source.text import LineTable, Position

ASTRAL = 'a = "\U0001f600é"; b\n'


@pytest.mark.parametrize(('encoding', 'units'), [('utf-8', 13), ('utf-16', 10), ('utf-32', 9)])
def test_columns_in_the_units_of_the_client(encoding: str, units: int) -> None:
    places = Places(LineTable(ASTRAL), encoding)
    assert places.position(Position(1, 10)) == types.Position(0, units)
    assert places.place(types.Position(0, units)) == Position(1, 10)


@pytest.mark.parametrize(('line', 'character', 'expected'), [
    (0, 99, Position(1, 12)), (9, 0, Position(2, 1)), (1, 5, Position(2, 1)),
])
def test_places_outside_the_text_are_the_nearest_in_it(line: int, character: int, expected: Position) -> None:
    assert Places(LineTable(ASTRAL), 'utf-16').place(types.Position(line, character)) == expected


def _changed(text: str, *changes: tuple[tuple[int, int, int, int], str]) -> str:
    document = Document(Snapshot('file:///a.py', 1, text, 'utf-16'))
    document.change(2, [
        types.TextDocumentContentChangePartial(types.Range(types.Position(*place[:2]), types.Position(*place[2:])), new)
        for place, new in changes
    ])
    assert document.snapshot.version == 2
    return document.snapshot.text


@pytest.mark.parametrize(('before', 'place', 'new', 'after'), [
    ('a\nb\n', (0, 1, 0, 1), 'x', 'ax\nb\n'),
    ('a\r\nb\r\n', (0, 0, 1, 0), '', 'b\r\n'),
    ('a\x0cb\nc\n', (1, 0, 1, 1), 'd', 'a\x0cb\nd\n'),
    ('a\u2028b\nc\n', (1, 0, 1, 1), 'd', 'a\u2028b\nd\n'),
    (ASTRAL, (0, 7, 0, 8), 'e', 'a = "\U0001f600e"; b\n'),
    ('a\n', (7, 3, 9, 9), 'b\n', 'a\nb\n'),
    ('a\n', (0, 1, 0, 0), 'b', 'b\n'),
    ('a\rb', (0, 1, 1, 0), '\r\n', 'a\r\nb'),
    ('a\rb\n', (1, 0, 1, 0), '\n', 'a\r\nb\n'),
    ('a\r\nb\n', (0, 1, 0, 1), 'c\r', 'ac\r\r\nb\n'),
    ('a\nb', (1, 1, 1, 1), '\n', 'a\nb\n'),
    ('', (0, 0, 0, 0), 'a', 'a'),
])
def test_edits(before: str, place: tuple[int, int, int, int], new: str, after: str) -> None:
    assert _changed(before, (place, new)) == after


def test_edits_follow_each_other() -> None:
    assert _changed('', ((0, 0, 0, 0), 'ab\n'), ((0, 1, 0, 1), 'x'), ((1, 0, 1, 0), 'c')) == 'axb\nc'


@pytest.mark.parametrize(('text', 'name', 'is_launch', 'keywords', 'positional', 'keyword'), [
    ('tl.load(', 'tl.load', False, [], 0, None),
    ('x = tl.load(p + tl.arange(0, 4), ', 'tl.load', False, [], 1, None),
    ('kernel[(cdiv(T, 4), 2)](x, y=f(1, 2), z=', 'kernel', True, ['y'], 1, 'z'),
    ('kernel[lambda meta: (meta["B"],)](\n    x,  # see (\n    ")(", ', 'kernel', True, [], 2, None),
    ('f(a == b, ', 'f', False, [], 1, None),
])
def test_the_call_that_is_written(text, name, is_launch, keywords, positional, keyword) -> None:
    call = call_before(text)
    assert (call.name, call.is_launch, call.keywords, call.positional, call.keyword) == (
        name, is_launch, keywords, positional, keyword,
    )


@pytest.mark.parametrize('text', ['', 'x = ', 'def f(', 'f(1)', 'x[', 'f(\nx = 1\n', '# f(', '"f("'])
def test_no_call_is_written(text: str) -> None:
    assert call_before(text) is None


def test_members_and_keys() -> None:
    assert member_before('x = tl.lo') == ('tl', 'lo')
    assert member_before('a.b.c.') == ('a.b.c', '')
    assert member_before('x = 1.') is None
    assert key_before("@triton.autotune(configs=[], key=['H', 'B") == 'B'
    assert key_before("@triton.autotune(key=['H'], configs=['") is None


@pytest.mark.parametrize(('text', 'begun'), [
    ('x = 1  # flakelint: ignore[TR', 'TR'), ('# flakelint: file-ignore[TRI101, ', ''), ('x = 1  # noqa: E501, T', 'T'),
    ('x = 1  # flakelint: ignore[TRI101] as ', None), ('x = a[T', None),
])
def test_codes_of_rules(text: str, begun: str | None) -> None:
    assert code_before(text) == begun


@pytest.mark.parametrize(('text', 'expected'), [
    ('x = tl.', True), ('x = "a" + tl.', True), ('# tl.', False), ('x = "tl.', False), ("x = 'it' # isn't tl.", False),
    ('"""\ntl.', False), ('"""a"""\ntl.', True),
])
def test_code_and_what_is_none(text: str, expected: bool) -> None:
    assert is_code(text) == expected


@pytest.mark.parametrize(('cell', 'expected'), [
    ('x = (a\n     % b)', 'x = (a\n     % b)'),
    ('def f():\n    """Why?\n    """', 'def f():\n    """Why?\n    """'),
    ('files = !ls\nfor f in files:\n    %time f()', 'files = ...\nfor f in files:\n    pass'),
    ('t = %timeit -o f()\nlen?\n?len\n!ls -l\n%cd ..', 't = ...\n\n\n\n'),
    ('x ?\nx = 1', '\nx = 1'), ('!ls \\\n  -l\nx = 1', '\n\nx = 1'),
    ('%%bash\nls\npwd', '\n\n'), ('%%time\nx = 1', '\nx = 1'),
    ('x = 1\r\ny = 2', 'x = 1\ny = 2'), ('', ''), ('x = (', 'x = ('),
])
def test_cells_as_python(cell: str, expected: str) -> None:
    cells = [types.NotebookCell(types.NotebookCellKind.Code, 'cell:1')]
    notebook = Notebook('file:///a.ipynb', 1, 'utf-16', cells)
    notebook.open([types.TextDocumentItem('cell:1', 'python', 1, cell)])
    assert notebook.snapshot.text == f'{expected}\n'


def test_a_byte_order_mark_is_a_character_to_clients() -> None:
    places = Places(LineTable('\ufeffab\nc\n'), 'utf-16')
    assert places.position(Position(1, 2)) == types.Position(0, 2)
    assert places.place(types.Position(0, 2)) == Position(1, 2)
    assert places.position(Position(2, 1)) == types.Position(1, 0)


def test_settings_of_the_editor() -> None:
    sent = {'settings': {'inlayHints': 'all', 'extend-select': ['DOC'], 'severity': {'TRI': 'info'}, 'debounce': 0}}
    expected = EditorSettings(inlay_hints='all', extend_select=('DOC',), severity={'TRI': 'info'}, debounce=0)
    assert editor_settings.read(sent) == (expected, [])
    for nothing in (None, [], {'flakelint': {}}):
        assert editor_settings.read(nothing) == (EditorSettings(), [])


@pytest.mark.parametrize(('sent', 'problem'), [
    ({'inlayHint': 'all'}, 'unknown setting `flakelint.inlayHint` of the editor; did you mean `inlayHints`?'),
    ({'inlayHints': 'some'}, 'is one of `off`, `narrow`, `all`, not `some`'),
    ({'select': 'TRI'}, 'the setting `flakelint.select` of the editor must be a list of strings'),
    ({'debounce': -1}, 'the setting `flakelint.debounce` of the editor must be from 0 to 10000'),
    ({'severity': {'TRI': 'eror'}}, 'unknown severity `eror` of `TRI` in the settings of the editor; did you mean `error`?'),
    (['TRI'], 'must be a table'),
])
def test_wrong_settings_of_the_editor(sent, problem: str) -> None:
    settings, (said,) = editor_settings.read(sent)
    assert settings == EditorSettings() and problem in said
