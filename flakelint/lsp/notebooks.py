# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Notebooks: their code cells are checked as one text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lsprotocol import types

from flakelint.lsp.documents import PYTHON, Document, Snapshot
from flakelint.lsp.views import View
from flakelint.source.file import SourceFile
from flakelint.source.text import from_text

# what IPython alone understands: magics, commands of the shell, help, and what is assigned from them
_MAGIC = re.compile(
    r'(?P<indent>[ \t]*)(?:[%!].*|\?{1,2}[\w.*%]+|[\w.*%]+[ \t]*\?{1,2}[ \t]*|(?P<names>[\w., \t]+)=[ \t]*(?:!|%[a-zA-Z]).*)',
)
_CELL_MAGIC = re.compile(r'\s*%%(?!(?:time|timeit|capture)\b)')


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

    def __post_init__(self) -> None:
        self._join()

    def open(self, items: list[types.TextDocumentItem]) -> None:
        """Take over the texts of cells."""
        for item in items:
            snapshot = Snapshot(item.uri, item.version, item.text, self.encoding, item.language_id)
            self.documents[item.uri] = Document(snapshot)
        self._join()

    def change(self, version: int, change: types.NotebookDocumentChangeEvent) -> None:
        """Apply what was changed."""
        self.version = version
        cells = change.cells
        if cells is not None and cells.structure is not None:
            splice = cells.structure.array
            self.cells[splice.start:splice.start + splice.delete_count] = splice.cells or []
            for closed in cells.structure.did_close or ():
                self.documents.pop(closed.uri, None)
            self.open(list(cells.structure.did_open or ()))
        kinds = {one.document: one for one in (cells.data if cells is not None else None) or ()}
        self.cells = [kinds.get(one.document, one) for one in self.cells]
        for one in (cells.text_content if cells is not None else None) or ():
            if one.document.uri in self.documents:
                self.documents[one.document.uri].change(one.document.version, one.changes)
        self._join()

    def _join(self) -> None:
        """Work out the text that its code cells make, and where in it they are."""
        texts: list[str] = []
        self.views: dict[str, View] = {}
        places: list[tuple[str, int, int]] = []
        first = 0
        for cell in self.cells:
            document = self.documents.get(cell.document)
            if document is None or cell.kind != types.NotebookCellKind.Code or document.snapshot.language != PYTHON:
                continue
            text = f'{_as_python(document.snapshot.text)}\n'
            places.append((cell.document, first, text.count('\n')))
            texts.append(text)
            first += text.count('\n')
        self.snapshot = Snapshot(self.uri, self.version, ''.join(texts), self.encoding)
        self.views = {uri: View(uri, self.snapshot, start, count) for uri, start, count in places}


def _as_python(text: str) -> str:
    """The text of a cell, with as many lines, without what is no Python; without a line break at its end."""
    lines = text.replace('\r\n', '\n').replace('\r', '\n').split('\n')
    if _CELL_MAGIC.match(text):
        return '\n' * (len(lines) - 1)
    joined = '\n'.join(lines)
    is_python = SourceFile('', from_text(joined)).problem is None
    return joined if is_python else '\n'.join(_without_magics(lines))


def _without_magics(lines: list[str]) -> Iterator[str]:
    goes_on = False
    for line in lines:
        magic = _MAGIC.fullmatch(line)
        if goes_on or magic is None:
            yield '' if goes_on else line
            goes_on = goes_on and line.endswith('\\')
            continue
        goes_on = line.endswith('\\')
        if magic['names'] is not None:
            yield f'{magic["indent"]}{magic["names"].strip()} = ...'
        else:
            yield f'{magic["indent"]}pass' if magic['indent'] else ''
