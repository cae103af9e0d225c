# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the server answers to, method by method."""

import hashlib
import platform
import sys
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from flakelint import __version__
from flakelint.engine.config import SETTINGS_FILES
from flakelint.lsp import actions, completion, hover, inlays, navigation
from flakelint.lsp.diagnostics import diagnostics
from flakelint.lsp.documents import Document, Snapshot, path_of
from flakelint.lsp.notebooks import Notebook
from flakelint.lsp.protocol import overtaken
from flakelint.lsp.server import Server
from flakelint.lsp.session import Checked
from flakelint.lsp.views import View

DEBUG_INFORMATION = 'flakelint.debugInformation'
_WATCHED = [*(f'**/{name}' for name in SETTINGS_FILES), '**/*.py']


def register(server: Server) -> None:
    """Let a server answer."""
    for feature in (_lifecycle, _documents, _notebooks, _diagnostics, _actions, _reading):
        feature(server)


def _lifecycle(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        ls.start(params)

    @server.feature(types.INITIALIZED)
    def initialized(ls: Server, params: types.InitializedParams) -> None:
        workspace = ls.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration('flakelint-files', method, options)
            ls.client_register_capability(types.RegistrationParams([registration]))
        ls.settings_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
        ls.settings_sent(params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        ls.files_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.folders_changed(params.event)

    @server.command(DEBUG_INFORMATION)
    async def debug_information(ls: Server, uri: str = '') -> str:
        found = await ls.ask(uri, lambda checked, view: _described(checked)) if uri else None
        version = f'flakelint {__version__}, Python {platform.python_version()} at {sys.executable}'
        return f'{version}, columns in {ls.encoding}{f", {found}" if found else ""}'


def _described(checked: Checked) -> str:
    project = checked.project
    if project is None:
        return 'this document is not checked'
    file = project.config.file or 'none'
    return f'root {project.config.root}, settings file {file}, {len(project.codes)} rules, {len(checked.findings)} findings'


def _documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        snapshot = Snapshot(item.uri, item.version, item.text, ls.encoding, item.language_id)
        ls.documents[item.uri] = Document(snapshot)
        ls.changed(item.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        document = ls.documents.get(uri)
        if document is not None:
            document.change(params.text_document.version, params.content_changes)
            ls.changed(uri, ls.session.settings_of(document.snapshot.path).debounce / 1000)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        ls.files_changed()
        ls.changed(params.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if ls.documents.pop(uri, None) is not None:
            ls.closed(uri, [uri])


def _notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
        item = params.notebook_document
        notebook = Notebook(item.uri, item.version, ls.encoding, list(item.cells))
        notebook.open(list(params.cell_text_documents))
        ls.open_notebook(notebook)
        ls.changed(item.uri, 0)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
        notebook = ls.notebooks.get(params.notebook_document.uri)
        if notebook is None:
            return
        before = set(notebook.views)
        notebook.change(params.notebook_document.version, params.change)
        ls.open_notebook(notebook)
        for cell in before - set(notebook.views):
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell, []))
        ls.changed(notebook.uri, ls.session.settings_of(path_of(notebook.uri)).debounce / 1000)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        ls.closed(uri, ls.close_notebook(uri))


def _diagnostics(server: Server) -> None:
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier='flakelint')

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pulled(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        items = await ls.ask(params.text_document.uri, diagnostics, overtaken) or []
        result_id = hashlib.blake2b(repr(items).encode(errors='surrogatepass'), digest_size=12).hexdigest()
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)


def _actions(server: Server) -> None:
    options = types.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def offered(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
        lazily = _resolves_edits(ls)

        def answer(checked: Checked, view: View) -> list[types.CodeAction]:
            found = actions.actions(checked, view, params.range, params.context)
            return found if lazily else [_resolved(ls, one, checked, view) for one in found]

        return await ls.ask(params.text_document.uri, answer) or []

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(ls: Server, action: types.CodeAction) -> types.CodeAction:
        uri = action.data.get('uri') if isinstance(action.data, dict) else None
        found = await ls.ask(str(uri), lambda checked, view: _resolved(ls, action, checked, view))
        return found or action


def _resolves_edits(ls: Server) -> bool:
    document = ls.client_capabilities.text_document
    offered = document.code_action if document is not None else None
    support = offered.resolve_support if offered is not None else None
    return support is not None and 'edit' in support.properties


def _resolved(ls: Server, action: types.CodeAction, checked: Checked, view: View) -> types.CodeAction:
    """An action with an edit that the client understands."""
    actions.resolve(action, checked, ls.views(view))
    workspace = ls.client_capabilities.workspace
    edits = workspace.workspace_edit if workspace is not None else None
    if action.edit is not None and not (edits is not None and edits.document_changes):
        action.edit = actions.plain(action.edit)
    return action


def _reading(server: Server) -> None:
    complete = types.CompletionOptions(trigger_characters=completion.TRIGGERS)
    sign = types.SignatureHelpOptions(trigger_characters=completion.SIGNATURE_TRIGGERS)
    _answer(server, types.TEXT_DOCUMENT_HOVER, hover.hover)
    _answer(server, types.TEXT_DOCUMENT_COMPLETION, completion.completions, complete)
    _answer(server, types.TEXT_DOCUMENT_SIGNATURE_HELP, completion.signatures, sign)
    _answer(server, types.TEXT_DOCUMENT_DEFINITION, navigation.definition)
    _answer(server, types.TEXT_DOCUMENT_REFERENCES, navigation.launched)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hinted(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: inlays.inlays(checked, view, params.range)) or []

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    async def lenses(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
        return await ls.ask(params.text_document.uri, navigation.lenses) or []

    @server.feature(types.CODE_LENS_RESOLVE)
    async def lens_resolved(ls: Server, lens: types.CodeLens) -> types.CodeLens:
        uri = lens.data.get('uri') if isinstance(lens.data, dict) else None
        return await ls.ask(str(uri), lambda checked, view: navigation.lens_resolved(lens, checked, view)) or lens


def _answer(
    server: Server, method: str, answer: Callable[[Checked, View, types.Position], Any], options: Any = None,
) -> None:
    """Let a server answer to what is asked of a place."""

    @server.feature(method, options)
    async def answered(ls: Server, params: types.TextDocumentPositionParams) -> Any:
        return await ls.ask(params.text_document.uri, lambda checked, view: answer(checked, view, params.position))
