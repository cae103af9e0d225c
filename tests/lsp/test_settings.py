# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Settings of the editor and of the repository, and folders that come and go."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.lsp.conftest import KERNELS, PATIENCE, Editor
from tests.tools import BLOCK_POINTER, write

pytestmark = pytest.mark.asyncio


def _changed(editor: Editor, path: Path) -> None:
    """Tell the server that a file on the disk changed."""
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


async def _said(editor: Editor, count: int) -> list[str]:
    """The messages that a person sees, once there are some."""
    for _ in range(PATIENCE * 20):
        if len(editor.client.messages) >= count:
            break
        await asyncio.sleep(0.05)
    return [one.message for one in editor.client.messages]


async def _codes_become(editor: Editor, uri: str, expected: list[str]) -> None:
    for _ in range(PATIENCE * 20):
        found = await editor.codes(uri)
        if found == expected:
            return
        await asyncio.sleep(0.05)
    assert found == expected


async def test_initialization_options(start: Any) -> None:
    editor = await start(initialization_options={'settings': {'select': ['TRI201'], 'severity': {'TRI201': 'info'}}})
    report = await editor.pull(editor.open('a.py', KERNELS + BLOCK_POINTER))
    assert {(one.code, one.severity) for one in report.items} == {('TRI201', types.DiagnosticSeverity.Information)}


async def test_wrong_options_are_told_and_the_rest_counts(start: Any) -> None:
    editor = await start(initialization_options={'selekt': ['TRI201'], 'ignore': ['TRI101']})
    said = await _said(editor, 1)
    editor.client.set_configuration({'flakelint': {'selekt': ['TRI201'], 'ignore': ['TRI101']}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await asyncio.sleep(0.5)
    problem = 'flakelint: unknown setting `flakelint.selekt` of the editor; did you mean `select`?'
    assert await _said(editor, 1) == said == [problem]
    assert await editor.codes(editor.open('a.py', KERNELS)) == []


async def test_a_server_that_is_switched_off(start: Any) -> None:
    editor = await start(initialization_options={'enable': False})
    assert await editor.codes(editor.open('a.py', KERNELS)) == []


async def test_a_settings_file_of_the_editor_is_one_of_the_workspace(start: Any, tmp_path: Path) -> None:
    write(tmp_path / 'strict.toml', 'ignore = ["TRI101"]\n')
    editor = await start(initialization_options={'configuration': 'strict.toml'})
    assert await editor.codes(editor.open('a.py', KERNELS)) == []


async def test_settings_that_the_editor_is_asked_for(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    await _codes_become(editor, uri, ['TRI101'])
    pulling.set_configuration({'flakelint': {'ignore': ['TRI101']}})
    pulling.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await _codes_become(editor, uri, [])


async def test_the_settings_file_is_watched(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    await _codes_become(editor, uri, ['TRI101'])
    _changed(editor, write(editor.folder / 'pyproject.toml', '[tool.flakelint]\nignore = ["TRI101"]\n'))
    await _codes_become(editor, uri, [])


async def test_editors_that_watch_no_files(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    await _codes_become(editor, uri, ['TRI101'])
    write(editor.folder / 'flakelint.toml', 'ignore = ["TRI101"]\n')
    assert await editor.codes(uri) == []
    (editor.folder / 'flakelint.toml').unlink()
    assert await editor.codes(uri) == ['TRI101']


async def test_a_setting_that_is_taken_back(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    pulling.set_configuration({'flakelint': {'ignore': ['TRI101']}})
    pulling.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await _codes_become(editor, uri, [])
    pulling.set_configuration({})
    pulling.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await _codes_become(editor, uri, ['TRI101'])


async def test_rules_of_the_repository_are_read_again(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', 'rule-paths = ["tools"]\nselect = ["ABC"]\n')
    write(editor.folder / 'tools/abc101_crashing.py', CRASHING)
    uri = editor.open('a.py', KERNELS)
    assert await editor.codes(uri) == ['ENG005']
    write(editor.folder / 'tools/abc101_crashing.py', CRASHING.replace("raise RuntimeError('no check')", 'return ()'))
    assert await editor.codes(uri) == []


async def test_a_wrong_settings_file_is_told_once_with_its_line(pulling: LanguageClient) -> None:
    editor = pulling.editor
    file = write(editor.folder / 'pyproject.toml', '[tool.flakelint]\npreset = "triton"\nselekt = ["TRI"]\n')
    uri = editor.open('a.py', KERNELS)
    assert await editor.codes(uri) == []
    other = editor.open('sub/b.py', KERNELS)
    assert await editor.codes(other) == []
    (said,) = await _said(editor, 1)
    assert said == f'flakelint: {file}:3: unknown key `selekt`; did you mean `select`?'
    _changed(editor, write(file, '[tool.flakelint]\npreset = "triton"\n'))
    await _codes_become(editor, uri, ['TRI101'])
    _changed(editor, write(file, '[tool.flakelint]\npreset = = 1\n'))
    await _codes_become(editor, uri, [])
    assert (await _said(editor, 2))[1].startswith(f'flakelint: {file}:2: not valid TOML')


async def test_files_on_the_disk_matter_to_kernels(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', '')
    kernels, _, host = KERNELS.partition('def scale_bwd(')
    uri = editor.open('kernels.py', kernels.partition('\n\n\n@triton.jit\ndef shift')[0] + '\n', on_disk=True)
    before = await editor.codes(uri)
    launch = f'from kernels import scale_bwd_kernel\n\n\ndef scale_bwd({host.replace("x.shape[1]", "4")}'
    _changed(editor, write(editor.folder / 'host.py', launch))
    assert before == ['TRI101']
    await _codes_become(editor, uri, [])


async def test_folders_come_and_go(start: Any, tmp_path: Path) -> None:
    one, two = tmp_path / 'one', tmp_path / 'two'
    write(one / 'flakelint.toml', 'ignore = ["TRI101"]\n')
    write(two / 'flakelint.toml', '')
    editor = await start(folder=one)
    uri = editor.open('a.py', KERNELS)
    other = Editor(editor.client, two).open('a.py', KERNELS)
    assert (await editor.codes(uri), await editor.codes(other)) == ([], ['TRI101'])
    editor.client.set_configuration({'flakelint': {'enable': False}}, scope_uri=two.as_uri())
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(two.as_uri(), 'two')], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await _codes_become(editor, other, [])
    event = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(two.as_uri(), 'two')])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await _codes_become(editor, other, ['TRI101'])


CRASHING = '''from flakelint.engine.rule import Rule


class Crashing(Rule):
    """Crashes when it is to be explained."""

    code = 'ABC101'
    name = 'crashing'

    @classmethod
    def summary(cls):
        raise RuntimeError('no summary')

    def check_file(self, file):
        raise RuntimeError('no check')
'''


async def test_a_crash_is_answered_and_survived(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'tools/abc101_crashing.py', CRASHING)
    write(editor.folder / 'flakelint.toml', 'rule-paths = ["tools"]\nextend-select = ["ABC"]\n')
    uri = editor.open('a.py', f'{KERNELS}# ABC101\n')
    assert await editor.codes(uri) == ['ENG005', 'TRI101']
    with pytest.raises(JsonRpcException, match='no summary'):
        await editor.hover(uri, KERNELS.count('\n'), 4)
    assert await editor.codes(uri) == ['ENG005', 'TRI101']


async def test_debug_information(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    params = types.ExecuteCommandParams('flakelint.debugInformation', [uri])
    text = await pulling.workspace_execute_command_async(params)
    assert text.startswith('flakelint ') and f'root {editor.folder}' in text and '1 findings' in text
