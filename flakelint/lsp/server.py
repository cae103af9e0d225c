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
from flakelint.lsp import client
from flakelint.lsp.diagnostics import diagnostics
from flakelint.lsp.documents import PYTHON, Document, Snapshot, path_of
from flakelint.lsp.notebooks import Notebook
from flakelint.lsp.projects import SETTINGS_FILES
from flakelint.lsp.protocol import Protocol, overtaken
from flakelint.lsp.session import Checked, Session
from flakelint.lsp.views import View

_T = TypeVar('_T')
_CELLS = types.NotebookDocumentFilterWithCells(cells=[types.NotebookCellLanguage(PYTHON)])
# parsing is recursive, and threads get small stacks on some systems
_STACK = 64 << 20
# how long to wait for further files to change, in seconds
_SETTLE = 0.3

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
        notebook = self.notebooks.get(self._cells.get(uri, ''))
        if notebook is not None:
            return notebook.views.get(uri)
        document = self.documents.get(uri)
        return None if document is None else View(uri, document.snapshot)

    async def work(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Do something in the thread that works things out, after what was asked before."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    async def ask(self, uri: str, answer: Callable[[Checked, View], _T]) -> _T | None:
        """What is answered about a document, once it is checked as it is now; None where it is not open."""
        view = self.view(uri)
        return None if view is None else await self.work(lambda: answer(self.session.check(view.whole), view))

    async def checked(self, uri: str) -> tuple[Checked, View] | None:
        """What is found in a document as it is now; None where it is not open.

        Raises:
            JsonRpcException: it was changed in the meantime, `ServerCancelled`.
        """
        view = self.view(uri)
        if view is None:
            return None
        try:
            return await self.work(self.session.check, view.whole, self._is_stale(uri, view.whole)), view
        except StaleError:
            raise overtaken() from None

    def changed(self, uri: str, delay: float) -> None:
        """Have a document checked after some seconds, if nothing more happens to it; only where the client does not ask by itself."""
        if uri in self._timers:
            self._timers.pop(uri).cancel()
        if not self.pulls:
            loop = asyncio.get_running_loop()
            self._timers[uri] = loop.call_later(delay, self.spawn, self._publish, uri)

    def closed(self, uri: str, shown: list[str]) -> None:
        """Forget a document, and take back what was found in it."""
        if uri in self._timers:
            self._timers.pop(uri).cancel()
        self._worker.submit(self.session.close, uri)
        for one in shown:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(one, []))

    def files_changed(self, paths: list[str]) -> None:
        """Look at files of the disk again, once they are left alone."""
        is_settings = any(path.endswith(SETTINGS_FILES) for path in paths)
        forget = self.session.reload if is_settings else self.session.forget_files
        self._later('reload' if is_settings else 'files', self._refresh, forget)

    def take_settings(self, values: Any) -> None:
        """Take over settings that the client sends."""
        self.session.client = self._read(values)

    def settings_changed(self, is_start: bool = False) -> None:
        """Read the settings of the client, and check everything anew; at the start only if they differ from what it said before."""
        self.spawn(self._configure, is_start)

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
        self.session.client = self._read(params.initialization_options)

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
        notebook = self.notebooks.get(uri)
        source = notebook or self.documents.get(uri)
        if source is None:
            return
        snapshot = source.snapshot
        try:
            checked = await self.work(self.session.check, snapshot, self._is_stale(uri, snapshot))
        except StaleError:
            return
        views = list(notebook.views.values()) if notebook is not None else [View(uri, snapshot)]
        if source.snapshot.version == snapshot.version and (uri in self.documents or uri in self.notebooks):
            version = snapshot.version if notebook is None else None
            for view in views:
                found = diagnostics(checked, view)
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(view.uri, found, version))

    def _is_stale(self, uri: str, snapshot: Snapshot) -> Callable[[], bool]:
        def is_stale() -> bool:
            view = self.view(uri)
            source = self.notebooks.get(uri)
            now = view.whole if view is not None else source.snapshot if source is not None else None
            return now is None or now.version != snapshot.version

        return is_stale

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

    async def _configure(self, is_start: bool) -> None:
        before = (self.session.client, dict(self.session.folders))
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            folders = list(self.session.folders)
            items = [types.ConfigurationItem(section=client.SECTION)]
            items.extend(types.ConfigurationItem(from_fs_path(folder), client.SECTION) for folder in folders)
            values = await self.workspace_configuration_async(types.ConfigurationParams(items))
            if values and values[0] is not None:
                self.session.client = self._read(values[0])
            for folder, value in zip(folders, values[1:], strict=False):
                self.session.folders[folder] = None if value is None else self._read(value)
        if not is_start or before != (self.session.client, self.session.folders):
            await self._refresh(self.session.reload)

    def _read(self, values: Any) -> client.ClientSettings:
        settings, problems = client.read(values)
        for problem in problems:
            # an editor sends the same for everything and for each folder
            if problem not in self._told:
                self._told.add(problem)
                self.complain(problem)
        return settings

    def _later(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        if key in self._timers:
            self._timers.pop(key).cancel()
        self._timers[key] = asyncio.get_running_loop().call_later(_SETTLE, self.spawn, function, *arguments)

    async def _guarded(self, function: Callable[..., Any], *arguments: Any) -> None:
        try:
            await function(*arguments)
        except Exception as error:
            logger.exception('%s failed', function.__name__)
            self.complain(f'internal error, please report it: {type(error).__name__}: {error}')


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
    if log_level == 'warning':
        # it warns of what is common, such as the cancelling of a request that was answered already
        logging.getLogger('pygls').setLevel(logging.ERROR)
    server = Server()
    register(server)
    # what was imported stays, and need not be looked through at each collection
    gc.freeze()
    if address is None:
        server.start_io()
    else:
        server.start_tcp(*address)
