# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Notebooks: their code cells are checked as one text."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from lsprotocol import types

from flakelint.lsp.documents import PYTHON, Document, Snapshot
from flakelint.lsp.views import View

# what IPython alone understands: magics, commands of the shell, and help
_MAGIC = re.compile(r'^(?P<indent>[ \t]*)(?:[%!].*|.*\?{1,2}[ \t]*$)')
_CELL_MAGIC = re.compile(r'\s*%%(?!time\b|timeit\b|capture\b)')


@dataclass
class Notebook:
    """An open notebook.

    Args:
        uri (str):
            What the client calls it.
        version (int):
            The version that the client gave it.
        encoding (str):
            The encoding in whose units the client counts columns.
        cells (list[types.NotebookCell]):
            Its cells, in order.
        documents (dict[str, Document], Optional):
            The texts of its cells, by what the client calls them. Default: none.
    """

    uri: str
    version: int
    encoding: str
    cells: list[types.NotebookCell]
    documents: dict[str, Document] = field(default_factory=dict)

    def open(self, items: list[types.TextDocumentItem]) -> None:
        """Take over the texts of cells."""
        for item in items:
            snapshot = Snapshot(item.uri, item.version, item.text, self.encoding, item.language_id)
            self.documents[item.uri] = Document(snapshot)
        self._forget()

    def change(self, version: int, change: types.NotebookDocumentChangeEvent) -> None:
        """Apply what was changed."""
        self.version = version
        cells = change.cells
        if cells is None:
            return
        if cells.structure is not None:
            splice = cells.structure.array
            self.cells[splice.start:splice.start + splice.delete_count] = splice.cells or []
            for closed in cells.structure.did_close or ():
                self.documents.pop(closed.uri, None)
            self.open(cells.structure.did_open or [])
        for one in cells.text_content or ():
            if one.document.uri in self.documents:
                self.documents[one.document.uri].change(one.document.version, one.changes)
        self._forget()

    @property
    def is_open(self) -> bool:
        """Whether it is open, as a document is."""
        return True

    @property
    def snapshot(self) -> Snapshot:
        """The text that its code cells make."""
        return self._joined[0]

    @property
    def views(self) -> dict[str, View]:
        """Its code cells within that text, by what the client calls them."""
        return self._joined[1]

    @cached_property
    def _joined(self) -> tuple[Snapshot, dict[str, View]]:
        texts: list[str] = []
        places: list[tuple[str, int, int]] = []
        first = 0
        for cell in self.cells:
            document = self.documents.get(cell.document)
            if document is None or cell.kind != types.NotebookCellKind.Code or document.snapshot.language != PYTHON:
                continue
            text = _as_python(document.snapshot.text)
            text = text if text.endswith('\n') else f'{text}\n'
            places.append((cell.document, first, text.count('\n')))
            texts.append(text)
            first += text.count('\n')
        whole = Snapshot(self.uri, self.version, ''.join(texts), self.encoding)
        return whole, {uri: View(uri, whole, start, count) for uri, start, count in places}

    def _forget(self) -> None:
        self.__dict__.pop('_joined', None)


def _as_python(text: str) -> str:
    """The text of a cell, with as many lines, without what is no Python."""
    lines = text.replace('\r\n', '\n').replace('\r', '\n').split('\n')
    if _CELL_MAGIC.match(text):
        return '\n' * (len(lines) - 1)
    return '\n'.join(map(_line, lines))


def _line(line: str) -> str:
    magic = _MAGIC.match(line)
    if magic is None or '#' in line.split('?')[0]:
        return line
    return f'{magic["indent"]}pass' if magic['indent'] else ''
