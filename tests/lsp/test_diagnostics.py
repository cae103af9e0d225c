# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What an editor is told of a file, sent or asked for."""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.lsp.conftest import KERNELS, stretch
from tests.tools import BLOCK_POINTER, write

pytestmark = pytest.mark.asyncio

CAST = KERNELS.replace('i_n = tl.program_id(0)', 'i_n = tl.program_id(0).to(tl.int64)', 1)


async def test_what_is_found_is_told_with_its_reasons(pulling: LanguageClient) -> None:
    editor = pulling.editor
    report = await editor.pull(editor.open('a.py', KERNELS))
    (found,) = report.items
    assert (found.code, found.source, found.severity) == ('TRI101', 'flakelint', types.DiagnosticSeverity.Error)
    assert found.range == stretch(6, 10, 6, 26)
    assert '`i_n * N` is computed in int32' in found.message
    assert found.code_description.href.endswith('/TRI101.md')
    assert [one.location.range.start.line for one in found.related_information] == [8, 9]


async def test_tags(pulling: LanguageClient) -> None:
    editor = pulling.editor
    report = await editor.pull(editor.open('a.py', f'{BLOCK_POINTER}\n\nX = 1  # flakelint: ignore[TRI101]\n'))
    assert {one.code: one.tags for one in report.items} == {
        'TRI201': (types.DiagnosticTag.Deprecated,), 'ENG004': (types.DiagnosticTag.Unnecessary,),
    }


async def test_severities_of_the_settings_file(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', '[severity]\nTRI101 = "info"\n')
    report = await editor.pull(editor.open('a.py', KERNELS))
    assert [one.severity for one in report.items] == [types.DiagnosticSeverity.Information]


async def test_what_did_not_change_is_not_told_again(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    first = await editor.pull(uri)
    again = await editor.pull(uri, first.result_id)
    assert (again.kind, again.result_id) == ('unchanged', first.result_id)
    editor.change(uri, 2, ((17, 0, 17, 0), '\n'))
    assert (await editor.pull(uri, first.result_id)).kind == 'unchanged'
    editor.change(uri, 3, CAST)
    report = await editor.pull(uri, first.result_id)
    assert (report.kind, list(report.items)) == ('full', [])


async def test_sent_on_open_and_change_and_taken_back_on_close(pushing: LanguageClient) -> None:
    editor = pushing.editor
    uri = editor.open('a.py', KERNELS)
    assert [one.code for one in await editor.pushed(uri)] == ['TRI101']
    editor.change(uri, 2, CAST)
    assert await editor.pushed(uri) == []
    editor.change(uri, 3, KERNELS)
    assert [one.code for one in await editor.pushed(uri)] == ['TRI101']
    editor.close(uri)
    assert await editor.pushed(uri) == []


async def test_a_flood_of_changes_is_answered_once(pushing: LanguageClient) -> None:
    editor = pushing.editor
    uri = editor.open('a.py', KERNELS)
    await editor.pushed(uri)
    for number in range(200):
        editor.change(uri, number + 2, ((6, 4, 6, 4), 'x'))
        await asyncio.sleep(0.004)
    await editor.pushed(uri)
    await asyncio.sleep(0.5)
    assert [one.version for one in editor.told] == [1, 201]


async def test_questions_that_a_change_overtakes_end(pulling: LanguageClient) -> None:
    editor = pulling.editor
    many = KERNELS + ''.join(KERNELS.partition('@')[2].replace('_kernel', f'_{number}_kernel') for number in range(30))
    uri = editor.open('a.py', many)
    questions = []
    for number in range(30):
        editor.change(uri, number + 2, many.replace('D=64', f'D={number + 1}'))
        questions.append(asyncio.ensure_future(editor.pull(uri)))
        await asyncio.sleep(0.01)
    answers = await asyncio.gather(*questions, return_exceptions=True)
    assert 'TRI101' in [one.code for one in answers[-1].items]
    overtaken = [one for one in answers if isinstance(one, JsonRpcException)]
    assert all(one.code == -32802 and one.data == {'retriggerRequest': True} for one in overtaken)
    assert overtaken


async def test_other_questions_that_a_change_overtakes_end(pulling: LanguageClient) -> None:
    editor = pulling.editor
    many = KERNELS + ''.join(KERNELS.partition('@')[2].replace('_kernel', f'_{number}_kernel') for number in range(30))
    uri = editor.open('a.py', many)
    questions = []
    for number in range(20):
        editor.change(uri, number + 2, many.replace('D=64', f'D={number + 1}'))
        questions.append(asyncio.ensure_future(editor.hover(uri, 8, 30)))
        await asyncio.sleep(0.01)
    answers = await asyncio.gather(*questions, return_exceptions=True)
    assert 'int32' in answers[-1]
    overtaken = [one for one in answers if not isinstance(one, str)]
    assert overtaken and all(one.code == -32801 for one in overtaken)


async def test_what_moved_in_the_units_of_the_client_is_told_again(pulling: LanguageClient) -> None:
    editor = pulling.editor
    text = KERNELS.replace('i_n = tl.program_id(0)', 's = "é"; i_n = tl.program_id(0)', 1)
    uri = editor.open('a.py', text)
    first = await editor.pull(uri)
    editor.change(uri, 2, text.replace('é', '\U0001f600'))
    assert (await editor.pull(uri, first.result_id)).kind == 'full'


async def test_a_file_that_is_opened_again(pushing: LanguageClient) -> None:
    editor = pushing.editor
    many = KERNELS + ''.join(KERNELS.partition('@')[2].replace('_kernel', f'_{number}_kernel') for number in range(30))
    uri = editor.open('a.py', many)
    editor.close(uri)
    editor.open('a.py', 'x = 1\n')
    await asyncio.sleep(2)
    assert all(not one.diagnostics for one in editor.told)


async def test_a_statement_that_is_nested_deeply(pulling: LanguageClient) -> None:
    editor = pulling.editor
    text = KERNELS.replace('D: tl.constexpr', f'D: tl.constexpr = {"-" * 900}1', 1)
    uri = editor.open('a.py', text)
    before = await editor.codes(uri)
    editor.change(uri, 2, text.replace('b_x)', 'b_x + 1)'))
    assert await editor.codes(uri) == before


async def test_while_a_function_does_not_parse_the_others_keep_what_was_found(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    assert await editor.codes(uri) == ['TRI101']
    editor.change(uri, 2, ((16, 0, 16, 0), '    x = (\n'))
    assert await editor.codes(uri) == ['TRI101', 'ENG001']
    editor.change(uri, 3, ((5, 0, 5, 0), '\n\n'))
    report = await editor.pull(uri)
    assert (report.items[0].code, report.items[0].range.start.line) == ('TRI101', 8)


async def test_markdown(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', 'preset = "fla"\n')
    uri = editor.open('a.md', '| a | b |\n|-|-|\n| long cell | c |\n', language='markdown')
    assert await editor.codes(uri) == ['DOC111']


async def test_other_languages_and_excluded_files_are_left_alone(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', 'extend-exclude = ["old/"]\n')
    assert await editor.codes(editor.open('a.txt', KERNELS, language='plaintext')) == []
    assert await editor.codes(editor.open('old/a.py', KERNELS)) == []
    assert await editor.codes(editor.open('new/a.py', KERNELS)) == ['TRI101']


async def test_a_file_that_was_never_saved(pulling: LanguageClient) -> None:
    uri = 'untitled:Untitled-1'
    item = types.TextDocumentItem(uri, 'python', 1, KERNELS)
    pulling.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await pulling.editor.codes(uri) == ['TRI101']
