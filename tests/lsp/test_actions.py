# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What an editor offers to do about what is found."""

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.conftest import KERNELS, edited, edits_of, stretch

pytestmark = pytest.mark.asyncio

FIXED = KERNELS.replace('i_n = tl.program_id(0)', 'i_n = tl.program_id(0).to(tl.int64)', 1)
PLACE = stretch(6, 12, 6, 12)


async def test_offers_come_without_their_edits(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    offered = await editor.actions(uri, PLACE)
    assert [one.title for one in offered] == [
        'Cast i_n to 64 bits (TRI101)', 'Suppress TRI101 here', 'Suppress TRI101 in the file',
        'Fix all that flakelint can fix safely',
    ]
    assert all(one.edit is None for one in offered)
    assert offered[0].is_preferred and offered[0].diagnostics[0].code == 'TRI101'
    assert await editor.applied(uri, KERNELS, offered[0]) == FIXED
    assert await editor.actions(uri, stretch(0, 0, 0, 3)) == []


@pytest.mark.parametrize('number', [1, 2])
async def test_suppressing(pulling: LanguageClient, number: int) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    offered = await editor.actions(uri, PLACE)
    text = await editor.applied(uri, KERNELS, offered[number])
    assert f'# flakelint: {"ignore" if number == 1 else "file-ignore"}[TRI101]' in text
    editor.change(uri, 2, text)
    assert await editor.codes(uri) == []


async def test_suppressing_below_a_header_and_beside_other_codes(pulling: LanguageClient) -> None:
    editor = pulling.editor
    text = f'# Copyright\n# All rights.\n\n{KERNELS}'
    uri = editor.open('a.py', text)
    offered = await editor.actions(uri, stretch(9, 12, 9, 12))
    text = await editor.applied(uri, text, offered[2])
    assert text.startswith('# Copyright\n# All rights.\n\n# flakelint: file-ignore[TRI101]\n')
    other = KERNELS.replace('import triton\n', '# flakelint: file-ignore[TRI201] old\nimport triton\n', 1)
    uri = editor.open('b.py', other)
    offered = await editor.actions(uri, stretch(7, 12, 7, 12))
    assert '# flakelint: file-ignore[TRI201, TRI101] old\n' in await editor.applied(uri, other, offered[2])


@pytest.mark.parametrize('only', ['source.fixAll.flakelint', 'source.fixAll', 'source'])
async def test_fix_all(pulling: LanguageClient, only: str) -> None:
    editor = pulling.editor
    both = KERNELS + KERNELS[KERNELS.index('def scale_bwd('):].replace('scale_bwd', 'shift_bwd')
    uri = editor.open('a.py', both)
    (action,) = await editor.actions(uri, stretch(0, 0, 0, 0), only)
    assert action.kind == 'source.fixAll.flakelint'
    text = await editor.applied(uri, both, action)
    assert text == both.replace('tl.program_id(0)', 'tl.program_id(0).to(tl.int64)')
    editor.change(uri, 2, text)
    assert await editor.actions(uri, stretch(0, 0, 0, 0), only) == []


async def test_fix_all_of_a_rule(pulling: LanguageClient) -> None:
    editor = pulling.editor
    both = KERNELS + KERNELS[KERNELS.index('def scale_bwd('):].replace('scale_bwd', 'shift_bwd')
    uri = editor.open('a.py', both)
    offered = {one.title: one for one in await editor.actions(uri, PLACE)}
    text = await editor.applied(uri, both, offered['Fix all TRI101 of the file'])
    assert text == both.replace('tl.program_id(0)', 'tl.program_id(0).to(tl.int64)')


async def test_other_kinds_are_not_offered(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    assert await editor.actions(uri, PLACE, 'refactor') == []
    assert all(one.kind == 'quickfix' for one in await editor.actions(uri, PLACE, 'quickfix'))


async def test_an_offer_that_the_text_overtook_has_no_edit(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    offered = await editor.actions(uri, PLACE)
    editor.change(uri, 2, FIXED)
    assert (await pulling.code_action_resolve_async(offered[0])).edit is None


async def test_editors_that_resolve_nothing_get_the_edits_at_once(start) -> None:
    editor = await start(types.ClientCapabilities())
    uri = editor.open('a.py', KERNELS)
    offered = await editor.actions(uri, PLACE)
    assert edited(KERNELS, edits_of(offered[0].edit, uri)) == FIXED


async def test_line_breaks_of_the_file_are_kept(pulling: LanguageClient) -> None:
    editor = pulling.editor
    text = KERNELS.replace('\n', '\r\n')
    uri = editor.open('a.py', text)
    offered = await editor.actions(uri, PLACE)
    assert len(offered) == 4
    for action in offered:
        changed = await editor.applied(uri, text, action)
        assert '\n' not in changed.replace('\r\n', '') and changed != text


@pytest.mark.parametrize('head', ['# -*- coding: latin-1 -*-\n# é ü\n', '\ufeff# é\n', '# \U0001f600\n'])
@pytest.mark.parametrize('encoding', ['utf-8', 'utf-16', 'utf-32'])
async def test_fixes_leave_other_characters_alone(start, head: str, encoding: str) -> None:
    editor = await start(types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=[encoding])))
    text = f'{head}{KERNELS}'
    uri = editor.open('a.py', text)
    line = head.count('\n') + 6
    offered = await editor.actions(uri, stretch(line, 12, line, 12))
    assert len(offered) == 4
    for action in (offered[0], offered[3]):
        assert edited(text, edits_of(action.edit, uri)) == f'{head}{FIXED}'


async def test_what_is_no_offer_of_ours_is_given_back(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    for data in (None, 7, {'uri': uri}, {'uri': uri, 'do': 'nonsense', 'finding': []}):
        assert (await pulling.code_action_resolve_async(types.CodeAction('x', data=data))).edit is None
