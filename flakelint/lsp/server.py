# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The server: what it keeps of the documents of a client, and when they are checked."""

import asyncio
import gc
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from flakelint import __version__
from flakelint.engine.incremental import StaleError
from flakelint.lsp.diagnostics import diagnostics
from flakelint.lsp.documents import PYTHON, Document, path_of
from flakelint.lsp.editor_settings import SECTION, EditorSettings, read
from flakelint.lsp.notebooks import Notebook
from flakelint.lsp.protocol import Protocol, modified
from flakelint.lsp.session import Checked, Session
from flakelint.lsp.views import View

_T = TypeVar('_T')
_CELLS = types.NotebookDocumentFilterWithCells(cells=[types.NotebookCellLanguage(PYTHON)])
# parsing is recursive, and threads get small stacks on some systems
_STACK = 64 << 20
# how long to wait for further files to change, in seconds
_SETTLE = 0.3
# after how many seconds without a question, or how many questions, old objects are collected; a change leaves as many as some questions
_REST = 1
_MANY = 80
_OF_CHANGE = 3
# among the timers of documents, that of the files on the disk, and that of collecting
_FILES, _IDLE = '', ' '
# those of young objects are rarer than by default, since trees of a whole file are made at once; those of old ones take as long as an edit
_THRESHOLDS = (50_000, 20, 1_000_000)

logger = logging.getLogger(__name__)


class Server(LanguageServer):
    """A server for one client."""

    def __init__(self) -> None:
        notebooks = types.NotebookDocumentSyncOptions([_CELLS])
        super().__init__('flakelint', __version__, notebook_document_sync=notebooks, protocol_cls=Protocol)
        self.session = Session(self.complain)
        self.documents: dict[str, Document] = {}
        self.notebooks: dict[str, Notebook] = {}
        self._cells: dict[str, str] = {}
        self._told: set[str] = set()
        self._works = 0
        # what the client sent unasked, and how often it was asked
        self._initial = EditorSettings()
        self._asked = 0
        self._in_force: tuple[EditorSettings, dict[str, EditorSettings | None]] | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        threading.stack_size(_STACK)
        self._worker = ThreadPoolExecutor(1, 'flakelint')

    @property
    def encoding(self) -> str:
        """The encoding in whose units the client counts columns."""
        found = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return getattr(found, 'value', found)

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics, so that none are sent unasked."""
        document = self.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    def complain(self, text: str) -> None:
        """Tell the person at the editor what is wrong, from whatever thread."""
        logger.warning('%s', text)
        self._loop.call_soon_threadsafe(
            self.window_show_message, types.ShowMessageParams(types.MessageType.Error, f'flakelint: {text}'),
        )

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Say what went wrong outside the answer to a request: to the client what it sent wrong, to the person what the server did wrong."""
        if source is JsonRpcException:
            logger.warning('%s', error)
            if not isinstance(error, JsonRpcException):
                self.protocol.refuse(error)
        elif source is not FeatureRequestError:
            logger.error('%s', error)
            self.complain(f'internal error, please report it: {error}')

    def view(self, uri: str) -> View | None:
        """A document as it is now; None for one that is not open."""
        source = self._source(uri)
        if isinstance(source, Notebook):
            return source.views.get(uri)
        return None if source is None else View(uri, source.snapshot)

    def views(self, view: View) -> list[View]:
        """All documents that share the text of one."""
        notebook = self.notebooks.get(view.whole.uri)
        return [view] if notebook is None else list(notebook.views.values())

    async def work(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Do something in the thread that works things out, after what was asked before."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)
        finally:
            self._tidy_later()

    async def ask(
        self, uri: str, answer: Callable[[Checked, View], _T], outdated: Callable[[], Exception] = modified,
    ) -> _T | None:
        """What is answered about a document, worked out from what it is now; None where it is not open.

        Args:
            uri (str):
                What the client calls it.
            answer (Callable[[Checked, View], _T]):
                Gives the answer, in the other thread.
            outdated (Callable[[], Exception], Optional):
                Makes what is raised where the document is changed before it is looked at. Default: `ContentModified`.
        """
        view = self.view(uri)
        if view is None:
            return None
        is_stale = self._is_stale(uri)
        try:
            return await self.work(lambda: answer(self.session.check(view.whole, is_stale), view))
        except StaleError:
            raise outdated() from None

    def changed(self, uri: str, delay: float) -> None:
        """Have a document checked after some seconds, if nothing more happens to it; only where the client does not ask by itself."""
        self._works += _OF_CHANGE
        if not self.pulls:
            self._later(uri, delay, self.spawn, self._publish, uri)

    def closed(self, uri: str, shown: list[str]) -> None:
        """Forget a document, and take back what was found in it."""
        self._not_later(uri)
        self._worker.submit(self.session.close, uri)
        for one in shown:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(one, []))

    def files_changed(self) -> None:
        """Look at files of the disk again, once they are left alone."""
        self._later(_FILES, _SETTLE, self.spawn, self._refresh, self.session.forget_files)

    def settings_sent(self, values: Any) -> None:
        """Take over settings that the client sends, and ask it for those that it does not send."""
        if values and not self._answers_for_settings:
            self._initial = self._read(values)
        self.settings_changed()

    def settings_changed(self) -> None:
        """Ask the client for its settings, and check everything anew if they are others than before."""
        self.spawn(self._configure)

    def folders_changed(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Take over which folders the workspace has."""
        for one in event.removed:
            self.session.folders.pop(path_of(one.uri) or one.uri, None)
        for one in event.added:
            self.session.folders.setdefault(path_of(one.uri) or one.uri, None)
        self.settings_changed()

    def spawn(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Have something done in the background; what goes wrong there is told, and survived."""
        task = asyncio.get_running_loop().create_task(self._guarded(function, *arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def start(self, params: types.InitializeParams) -> None:
        """Take over what the client says of itself."""
        self._loop = asyncio.get_running_loop()
        for folder in params.workspace_folders or ():
            self.session.folders[path_of(folder.uri) or folder.uri] = None
        if not params.workspace_folders:
            root = path_of(params.root_uri) if params.root_uri else params.root_path
            self.session.folders.update({root: None} if root else {})
        self._initial = self._read(params.initialization_options)
        self.session.editor = self._initial

    def open_notebook(self, notebook: Notebook) -> None:
        """Take over a notebook, or the cells that it has now."""
        self.notebooks[notebook.uri] = notebook
        self._cells = {cell: uri for cell, uri in self._cells.items() if uri != notebook.uri}
        self._cells.update(dict.fromkeys(notebook.documents, notebook.uri))

    def close_notebook(self, uri: str) -> list[str]:
        """Forget a notebook; gives its cells."""
        self.notebooks.pop(uri, None)
        cells = [cell for cell, owner in self._cells.items() if owner == uri]
        for cell in cells:
            del self._cells[cell]
        return cells

    async def _publish(self, uri: str) -> None:
        source = self._source(uri)
        if source is None:
            return
        snapshot = source.snapshot
        is_stale = self._is_stale(uri)
        views = list(source.views.values()) if isinstance(source, Notebook) else [View(uri, snapshot)]

        def found() -> list[list[types.Diagnostic]]:
            checked = self.session.check(snapshot, is_stale)
            return [diagnostics(checked, view) for view in views]

        try:
            parts = await self.work(found)
        except StaleError:
            return
        if not is_stale():
            version = None if isinstance(source, Notebook) else snapshot.version
            for view, part in zip(views, parts, strict=True):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(view.uri, part, version))

    def _tidy_later(self) -> None:
        """Have old objects collected once nothing is asked any more, or much was."""
        self._works += 1
        self._later(_IDLE, 0 if self._works >= _MANY else _REST, self._collect)

    def _collect(self) -> None:
        self._works = 0
        self._worker.submit(gc.collect)

    def _later(self, key: str, delay: float, function: Callable[..., Any], *arguments: Any) -> None:
        """Have something done after some seconds, instead of what was to be done under the same key."""
        self._not_later(key)
        self._timers[key] = asyncio.get_running_loop().call_later(delay, function, *arguments)

    def _not_later(self, key: str) -> None:
        if key in self._timers:
            self._timers.pop(key).cancel()

    def _source(self, uri: str) -> Document | Notebook | None:
        """The document, or the notebook, that a URI means, or to which the cell belongs that it means."""
        return self.documents.get(uri) or self.notebooks.get(self._cells.get(uri, uri))

    def _is_stale(self, uri: str) -> Callable[[], bool]:
        """Tells, from any thread, whether a document was changed or closed since."""
        source = self._source(uri)
        version = source.version if source is not None else None
        return lambda: source is None or self._source(uri) is not source or source.version != version

    async def _refresh(self, forget: Callable[[], None]) -> None:
        await self.work(forget)
        for uri in (*self.documents, *self.notebooks):
            self.changed(uri, 0)
        workspace = self.client_capabilities.workspace
        if self.pulls and workspace is not None and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)
        if workspace is not None and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if workspace is not None and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    @property
    def _answers_for_settings(self) -> bool:
        workspace = self.client_capabilities.workspace
        return bool(workspace is not None and workspace.configuration)

    async def _configure(self) -> None:
        self._asked += 1
        asked = self._asked
        folders = list(self.session.folders)
        values: list[Any] = []
        if self._answers_for_settings:
            items = [types.ConfigurationItem(section=SECTION)]
            items.extend(types.ConfigurationItem(from_fs_path(folder), SECTION) for folder in folders)
            values = list(await self.workspace_configuration_async(types.ConfigurationParams(items)))
        if asked != self._asked:
            # a later question is on its way
            return
        self.session.editor = self._read(values[0]) if values and values[0] is not None else self._initial
        for folder, value in zip(folders, values[1:], strict=False):
            if folder in self.session.folders:
                self.session.folders[folder] = None if value is None else self._read(value)
        before, self._in_force = self._in_force, (self.session.editor, dict(self.session.folders))
        if before != self._in_force and (before is not None or self.session.editor != self._initial):
            await self._refresh(self.session.reload)

    def _read(self, values: Any) -> EditorSettings:
        settings, problems = read(values)
        for problem in problems:
            # an editor sends the same for everything and for each folder
            if problem not in self._told:
                self._told.add(problem)
                self.complain(problem)
        if not problems:
            self._told.clear()
        return settings

    async def _guarded(self, function: Callable[..., Any], *arguments: Any) -> None:
        try:
            await function(*arguments)
        except Exception as error:
            logger.exception('%s failed', function.__name__)
            self.complain(f'internal error, please report it: {type(error).__name__}: {error}')


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is no mere refusal of a request, which the client was told of."""
    return record.exc_info is None or not isinstance(record.exc_info[1], JsonRpcException)


def run(address: tuple[str, int] | None, log_file: str | None, log_level: str) -> None:
    """Serve a client until it has enough.

    Args:
        address (tuple[str, int] | None):
            The host and the port on which to wait for it; None for standard input and output.
        log_file (str | None):
            Where to write what happens; None for standard error.
        log_level (str):
            How much: `error`, `warning`, `info` or `debug`.
    """
    from flakelint.lsp.features import register

    form = '%(asctime)s %(levelname)s %(name)s: %(message)s'
    logging.basicConfig(filename=log_file, level=log_level.upper(), format=form)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_news)
    if log_level == 'warning':
        # it warns of what is common, such as the cancelling of a request that was answered already
        logging.getLogger('pygls').setLevel(logging.ERROR)
    server = Server()
    register(server)
    # what was imported stays, and need not be looked through at each collection
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    if address is None:
        server.start_io()
    else:
        server.start_tcp(*address)
