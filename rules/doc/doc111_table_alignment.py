# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.document import Document
    from flakelint.engine.findings import Finding
    from flakelint.source.markdown import Block

_PIPE = re.compile(r'(?<!\\)(?:\\\\)*\|')
_DELIMITER = re.compile(r'(?P<left>:?)-+(?P<right>:?)')
# signs that take no column of their own: they join what stands around them, or choose how it looks
_JOINERS = frozenset('\u200d\ufe0e\ufe0f')


class TableAlignment(Rule):
    """A Markdown table whose pipes do not line up.

    ## What it does
    Flags tables in Markdown files whose rows have their pipes in different columns.

    ## Why is this bad?
    Such a table can be read as a page only: in an editor, a terminal or a change the columns run into each other.

    ## Example
    ```markdown
    | operator | forward |
    |---|---|
    | gla | 1.8 ms |
    | gated delta rule | 2.4 ms |
    ```

    ## Use instead
    ```markdown
    | operator         | forward |
    |------------------|---------|
    | gla              | 1.8 ms  |
    | gated delta rule | 2.4 ms  |
    ```

    ## Fix safety
    Safe: the fix changes the white space around the cells and the number of dashes of the row below the head; the table is rendered as before.

    ## Known limits
    Tables in lists and quotations are left alone, and so are tables of which some rows begin or end with a pipe and others do not, or of which a row has more cells than the head. Signs of Chinese, Japanese and Korean, and emoji, count as two columns, as terminals show them.
    """

    code = 'DOC111'
    name = 'table-alignment'
    severity = 'warning'
    fix = 'safe'

    def check_markdown(self, document: 'Document') -> 'Iterator[Finding]':
        """Flag the tables whose pipes do not line up."""
        for block in document.tables:
            lines = [document.lines.line(number) for number in range(block.first, block.last + 1)]
            if any('\t' in line for line in lines) or len({tuple(_pipes(line)) for line in lines}) > 1:
                wanted = _aligned(lines)
                if wanted is not None and wanted != lines:
                    yield self._misaligned(block, lines, wanted)

    def _misaligned(self, block: 'Block', lines: list[str], wanted: list[str]) -> 'Finding':
        numbered = enumerate(zip(lines, wanted, strict=True), block.first)
        edits = [Edit(_line(number, old), new) for number, (old, new) in numbered if old != new]
        message = 'the pipes of this table do not line up: pad its cells'
        return self.finding(_line(block.first, lines[0]), message, safe('Line up the pipes', *edits))


def _line(number: int, text: str) -> Range:
    return Range(Position(number, 1), Position(number, len(text) + 1))


def _pipes(line: str) -> list[int]:
    """The columns of the pipes, as a terminal shows them."""
    return [_width(line[:match.end() - 1]) for match in _PIPE.finditer(line.rstrip())]


def _width(text: str) -> int:
    shown = (char for char in text if not unicodedata.combining(char) and char not in _JOINERS)
    return sum(2 if unicodedata.east_asian_width(char) in 'WF' else 1 for char in shown)


def _aligned(lines: list[str]) -> list[str] | None:
    """The lines of a table with its pipes in line; `None` where its rows are not alike."""
    rows = [_cells(line.strip()) for line in lines]
    starts, ends = {line.strip().startswith('|') for line in lines}, {_ends(line.strip()) for line in lines}
    # of a row that is longer than the head the rest is not shown, and nobody knows what was meant
    if len(starts) > 1 or len(ends) > 1 or any(len(row) > len(rows[0]) for row in rows):
        return None
    widths = [max(_needs(cell) for cell in column) for column in zip_longest(*rows, fillvalue='')]
    indent = lines[0][:len(lines[0]) - len(lines[0].lstrip())]
    first, last = '|' if starts == {True} else '', '|' if ends == {True} else ''
    # the row of dashes keeps its manner: `|---|` or `| --- |`
    margin = ' ' if ' ' in lines[1].strip() else ''
    found = []
    for number, row in enumerate(rows):
        # without a pipe in front no space belongs there either
        leads = [margin if number == 1 else ' '] * len(widths)
        leads[0] = leads[0] if first else ''
        sizes = [width - (not first and not at) for at, width in enumerate(widths)]
        parts = zip(row, sizes, leads, rows[1], strict=False)
        cells = [_dashes(*part[:3], margin) if number == 1 else _padded(*part) for part in parts]
        found.append(f'{indent}{first}{"|".join(cells)}{last}'.rstrip())
    return found


def _ends(line: str) -> bool:
    matches = list(_PIPE.finditer(line))
    return bool(matches) and matches[-1].end() == len(line)


def _cells(line: str) -> list[str]:
    cuts = [match.end() for match in _PIPE.finditer(line)]
    parts = [line[start:end - 1] for start, end in zip([0, *cuts], [*cuts, len(line) + 1], strict=True)]
    if line.startswith('|'):
        parts = parts[1:]
    if cuts and cuts[-1] == len(line):
        parts = parts[:-1]
    return [part.strip() for part in parts]


def _needs(cell: str) -> int:
    """How many columns a cell takes at least, with a space on either side."""
    return 5 if _DELIMITER.fullmatch(cell) else _width(cell) + 2


def _padded(cell: str, width: int, lead: str, delimiter: str) -> str:
    gap = width - _width(cell) - len(lead)
    # one space stays between a cell and the pipe behind it
    before = 0 if not lead or not delimiter.endswith(':') else (gap - 1) // 2 if delimiter.startswith(':') else gap - 1
    return f'{lead}{" " * before}{cell}{" " * (gap - before)}'


def _dashes(cell: str, width: int, lead: str, trail: str) -> str:
    match = _DELIMITER.fullmatch(cell)
    left, right = (match['left'], match['right']) if match else ('', '')
    dashes = '-' * (width - len(left) - len(right) - len(lead) - len(trail))
    return f'{lead}{left}{dashes}{right}{trail}'
