# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The code cells of a notebook, checked as one text."""

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.conftest import KERNELS, Editor, edits_of, stretch

pytestmark = pytest.mark.asyncio

HEAD, _, REST = KERNELS.partition('\n\n\n')
MAGIC = f'%matplotlib inline\n{HEAD}'
CELLS = [('markdown', '# Kernels'), ('python', MAGIC), ('python', REST), ('python', '!ls\nhelp?\nx = 1')]


def _open(editor: Editor) -> list[str]:
    uris = [f'notebook-cell:a.ipynb#{number}' for number in range(len(CELLS))]
    kinds = {'markdown': types.NotebookCellKind.Markup, 'python': types.NotebookCellKind.Code}
    cells = [types.NotebookCell(kinds[language], uri) for uri, (language, _) in zip(uris, CELLS, strict=True)]
    notebook = types.NotebookDocument((editor.folder / 'a.ipynb').as_uri(), 'jupyter-notebook', 1, cells)
    items = [types.TextDocumentItem(uri, language, 1, text) for uri, (language, text) in zip(uris, CELLS, strict=True)]
    editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
    return uris


def _change(editor: Editor, version: int, cells: types.NotebookDocumentCellChanges) -> None:
    identifier = types.VersionedNotebookDocumentIdentifier(version, (editor.folder / 'a.ipynb').as_uri())
    change = types.NotebookDocumentChangeEvent(cells=cells)
    editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(identifier, change))


async def test_findings_stand_in_their_cells(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uris = _open(editor)
    (found,) = (await editor.pull(uris[2])).items
    assert (found.code, found.range) == ('TRI101', stretch(2, 10, 2, 26))
    assert await editor.codes(uris[1]) == await editor.codes(uris[3]) == []
    assert 'int32' in await editor.hover(uris[2], 4, 24)
    offered = await editor.actions(uris[2], found.range)
    action = await pulling.code_action_resolve_async(offered[0])
    (edit,) = edits_of(action.edit, uris[2])
    assert (edit.range.start.line, edit.new_text) == (2, '.to(tl.int64)')


async def test_a_cell_that_is_split_is_told_again(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uris = _open(editor)
    first = await editor.pull(uris[2])
    cell = types.VersionedTextDocumentIdentifier(2, uris[2])
    content = types.NotebookDocumentCellContentChanges(cell, [types.TextDocumentContentChangeWholeDocument('x = 1')])
    new = types.NotebookCell(types.NotebookCellKind.Code, 'notebook-cell:a.ipynb#new')
    structure = types.NotebookDocumentCellChangeStructure(
        array=types.NotebookCellArrayChange(3, 0, [new]),
        did_open=[types.TextDocumentItem(new.document, 'python', 1, REST)],
    )
    _change(editor, 2, types.NotebookDocumentCellChanges(structure=structure, text_content=[content]))
    report = await editor.pull(uris[2], first.result_id)
    assert (report.kind, list(report.items)) == ('full', [])
    assert await editor.codes(new.document) == ['TRI101']
    assert not [one for one in editor.told if one.diagnostics], 'whoever asks is not told besides'


async def test_suppressing_in_the_file_is_an_edit_of_its_first_cell(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uris = _open(editor)
    offered = await editor.actions(uris[2], stretch(2, 10, 2, 26))
    action = await pulling.code_action_resolve_async(next(one for one in offered if one.title.endswith('in the file')))
    (edit,) = edits_of(action.edit, uris[1])
    assert edit.new_text == '# flakelint: file-ignore[TRI101]\n\n'


async def test_findings_are_sent_for_every_cell(pushing: LanguageClient) -> None:
    editor = pushing.editor
    uris = _open(editor)
    assert [one.code for one in await editor.pushed(uris[2])] == ['TRI101']
    assert await editor.pushed(uris[3]) == []


async def test_cells_change_come_and_go(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uris = _open(editor)
    assert await editor.codes(uris[2]) == ['TRI101']
    document = types.VersionedTextDocumentIdentifier(2, uris[2])
    edit = types.TextDocumentContentChangePartial(stretch(2, 26, 2, 26), '.to(tl.int64)')
    content = types.NotebookDocumentCellContentChanges(document, [edit])
    _change(editor, 2, types.NotebookDocumentCellChanges(text_content=[content]))
    assert await editor.codes(uris[2]) == []
    new = types.NotebookCell(types.NotebookCellKind.Code, 'notebook-cell:a.ipynb#new')
    structure = types.NotebookDocumentCellChangeStructure(
        array=types.NotebookCellArrayChange(1, 1, [new]),
        did_open=[types.TextDocumentItem(new.document, 'python', 1, 'x = (')],
        did_close=[types.TextDocumentIdentifier(uris[1])],
    )
    _change(editor, 3, types.NotebookDocumentCellChanges(structure=structure))
    assert await editor.codes(new.document) == ['ENG001']
    assert await editor.codes(uris[1]) == []
    notebook = types.NotebookDocumentIdentifier((editor.folder / 'a.ipynb').as_uri())
    closed = [types.TextDocumentIdentifier(uri) for uri in (uris[2], uris[3], new.document)]
    editor.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(notebook, closed))
    assert await editor.codes(new.document) == []
