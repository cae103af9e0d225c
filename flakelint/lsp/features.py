# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the server answers to, method by method."""

import platform
import sys
from typing import Any

from lsprotocol import types

from flakelint import __version__
from flakelint.lsp import actions, completion, hover, inlays, navigation
from flakelint.lsp.diagnostics import diagnostics
from flakelint.lsp.documents import Document, Snapshot, path_of
from flakelint.lsp.notebooks import Notebook
from flakelint.lsp.projects import SETTINGS_FILES
from flakelint.lsp.server import Server
from flakelint.lsp.session import Checked

DEBUG_INFORMATION = 'flakelint.debugInformation'
_WATCHED = [*(f'**/{name}' for name in SETTINGS_FILES), '**/*.py']


def register(server: Server) -> None:
    """Let a server answer."""
    for feature in (_lifecycle, _documents, _notebooks, _diagnostics, _actions, _reading, _writing, _navigation):
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
        ls.settings_changed(is_start=True)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
        workspace = ls.client_capabilities.workspace
        if params.settings and not (workspace is not None and workspace.configuration):
            ls.take_settings(params.settings)
        ls.settings_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        ls.files_changed([path for one in params.changes if (path := path_of(one.uri))])

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
        for one in params.event.removed:
            ls.session.folders.pop(path_of(one.uri) or one.uri, None)
        for one in params.event.added:
            ls.session.folders[path_of(one.uri) or one.uri] = None
        ls.settings_changed()

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
        path = path_of(params.text_document.uri)
        if path is not None:
            ls.files_changed([path])
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
        before = set(notebook.documents)
        notebook.change(params.notebook_document.version, params.change)
        ls.open_notebook(notebook)
        for cell in before - set(notebook.documents):
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell, []))
        ls.changed(notebook.uri, ls.session.client.debounce / 1000)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        ls.closed(uri, ls.close_notebook(uri))


def _diagnostics(server: Server) -> None:
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier='flakelint')

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pulled(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        found = await ls.checked(params.text_document.uri)
        if found is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        checked, view = found
        result_id = f'{checked.result_id}{view.place_id}'
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return types.RelatedFullDocumentDiagnosticReport(items=diagnostics(checked, view), result_id=result_id)


def _actions(server: Server) -> None:
    options = types.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def offered(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
        lazily = _resolves_edits(ls)

        def answer(checked: Checked, view: Any) -> list[types.CodeAction]:
            found = actions.actions(checked, view, params.range, params.context)
            return found if lazily else [_plain(ls, actions.resolved(one, checked, view)) for one in found]

        return await ls.ask(params.text_document.uri, answer) or []

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(ls: Server, action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        found = await ls.ask(data.get('uri', ''), lambda checked, view: _plain(ls, actions.resolved(action, checked, view)))
        return found or action


def _resolves_edits(ls: Server) -> bool:
    document = ls.client_capabilities.text_document
    offered = document.code_action if document is not None else None
    support = offered.resolve_support if offered is not None else None
    return support is not None and 'edit' in support.properties


def _plain(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """An action with an edit that the client understands."""
    workspace = ls.client_capabilities.workspace
    edits = workspace.workspace_edit if workspace is not None else None
    if action.edit is not None and not (edits is not None and edits.document_changes):
        action.edit = actions.plain(action.edit)
    return action


def _reading(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(ls: Server, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: hover.hover(checked, view, params.position))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hinted(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: inlays.inlays(checked, view, params.range)) or []


def _writing(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=completion.TRIGGERS))
    async def completed(ls: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: completion.completions(checked, view, params.position)) or []

    options = types.SignatureHelpOptions(trigger_characters=completion.SIGNATURE_TRIGGERS)

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, options)
    async def helped(ls: Server, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: completion.signatures(checked, view, params.position))


def _navigation(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def defined(ls: Server, params: types.DefinitionParams) -> types.Location | None:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: navigation.definition(checked, view, params.position))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def referred(ls: Server, params: types.ReferenceParams) -> list[types.Location] | None:
        uri = params.text_document.uri
        return await ls.ask(uri, lambda checked, view: navigation.references(checked, view, params.position))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    async def lenses(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
        return await ls.ask(params.text_document.uri, navigation.lenses) or []

    @server.feature(types.CODE_LENS_RESOLVE)
    async def lens_resolved(ls: Server, lens: types.CodeLens) -> types.CodeLens:
        found = await ls.ask(lens.data['uri'], lambda checked, view: navigation.lens_resolved(lens, checked, view))
        return found or lens
