# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A server in a process of its own, and a client that talks to it as an editor does."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.tools import write

# in seconds, for machines that are busy with other things
PATIENCE = 60
SERVER = [sys.executable, '-m', 'flakelint', 'server']

KERNELS = '''import triton
import triton.language as tl


@triton.jit
def scale_bwd_kernel(x, y, N, D: tl.constexpr):
    i_n = tl.program_id(0)
    o_d = tl.arange(0, D)
    b_x = tl.load(x + i_n * N + o_d)
    tl.store(y + i_n * N + o_d, b_x)


@triton.jit
def shift_bwd_kernel(x, y, N, D: tl.constexpr):
    i_n = tl.program_id(0)
    o_d = tl.arange(0, D)
    tl.store(y + i_n * N + o_d, tl.load(x + i_n * N + o_d))


def scale_bwd(x, y):
    scale_bwd_kernel[(x.shape[0],)](x, y, x.shape[1], D=64)
'''


class Editor:
    """A client with one folder.

    Args:
        client (LanguageClient):
            The client.
        folder (Path):
            The folder.
    """

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        # all that the server sent about files, in order, and how much of it was asked for
        self.told: list[types.PublishDiagnosticsParams] = []
        self._read = 0
        features = client.protocol.fm.features
        kept = features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

        def listen(params: types.PublishDiagnosticsParams) -> None:
            self.told.append(params)
            kept(params)

        features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = listen

    def open(self, name: str, text: str, on_disk: bool = False, language: str = 'python') -> str:
        """Open a file with a text; gives its URI."""
        if on_disk:
            write(self.folder / name, text)
        uri = (self.folder / name).as_uri()
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, version: int, *changes: Any) -> None:
        """Change a file: a whole text, or pairs of a range of four numbers and a text."""
        events = [
            types.TextDocumentContentChangeWholeDocument(one) if isinstance(one, str)
            else types.TextDocumentContentChangePartial(stretch(*one[0]), one[1]) for one in changes
        ]
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, events))

    def close(self, uri: str) -> None:
        """Close a file."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    async def pushed(self, uri: str) -> list[types.Diagnostic]:
        """What the server sends next about a file."""
        for _ in range(PATIENCE * 50):
            while self._read < len(self.told):
                self._read += 1
                if self.told[self._read - 1].uri == uri:
                    return list(self.told[self._read - 1].diagnostics)
            await asyncio.sleep(0.02)
        raise TimeoutError(f'nothing was sent about {uri}')

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        """What the server answers about a file."""
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await self.client.text_document_diagnostic_async(params)

    async def codes(self, uri: str) -> list[str]:
        """The codes of what is found in a file."""
        return [one.code for one in (await self.pull(uri)).items]

    async def hover(self, uri: str, line: int, character: int) -> str:
        """What is said of a place, which counts from 0."""
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        found = await self.client.text_document_hover_async(params)
        return '' if found is None else found.contents.value

    async def actions(self, uri: str, place: types.Range, *only: str) -> list[types.CodeAction]:
        """What can be done in a stretch of a file."""
        context = types.CodeActionContext([], list(only) or None)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
        return list(await self.client.text_document_code_action_async(params) or ())

    async def applied(self, uri: str, text: str, action: types.CodeAction) -> str:
        """A text after an action."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None, action.title
        return edited(text, edits_of(action.edit, uri))


def stretch(line: int, character: int, end_line: int, end_character: int) -> types.Range:
    """A stretch of text, counting from 0."""
    return types.Range(types.Position(line, character), types.Position(end_line, end_character))


def edits_of(edit: types.WorkspaceEdit, uri: str) -> list[types.TextEdit]:
    """The edits of a file, which must be all that there are."""
    changes = dict(edit.changes or {})
    changes.update((one.text_document.uri, one.edits) for one in edit.document_changes or ())
    assert list(changes) == [uri]
    return list(changes[uri])


def edited(text: str, edits: list[types.TextEdit]) -> str:
    """An ASCII text after edits."""
    lines = text.splitlines(True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        start, end = (starts[place.line] + place.character for place in (edit.range.start, edit.range.end))
        text = f'{text[:start]}{edit.new_text}{text[end:]}'
    return text


async def started(client: LanguageClient, folder: Path, editor: str | types.ClientCapabilities, **options: Any) -> Editor:
    """A client that said what it can do, and which folder it has open."""
    capabilities = client_capabilities(editor) if isinstance(editor, str) else editor
    for method in (types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH, types.CLIENT_REGISTER_CAPABILITY):
        client.feature(method)(lambda params: None)
    folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    params = types.InitializeParams(capabilities, workspace_folders=folders, **options)
    await client.initialize_session(params)
    return Editor(client, folder)


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER), scope='function')
async def pulling(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[Any]:
    """An editor that asks for diagnostics, and knows most of the protocol."""
    lsp_client.editor = await started(lsp_client, tmp_path, 'neovim@0.10')
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER), scope='function')
async def pushing(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[Any]:
    """An editor to which diagnostics are sent."""
    lsp_client.editor = await started(lsp_client, tmp_path, 'emacs')
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER), scope='function')
async def uninitialized(lsp_client: LanguageClient) -> AsyncIterator[Any]:
    """A client that has said nothing yet."""
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def start(uninitialized: LanguageClient, tmp_path: Path) -> Callable[..., Any]:
    """Starts an editor with options of its own."""

    async def begin(editor: str | types.ClientCapabilities = 'neovim@0.10', **options: Any) -> Editor:
        return await started(uninitialized, options.pop('folder', tmp_path), editor, **options)

    return begin
