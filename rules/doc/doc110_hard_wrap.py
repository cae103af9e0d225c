# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.rules.doc.comment_runs import runs
from flakelint.rules.doc.paragraphs import of_comments, of_docstring
from flakelint.rules.doc.prose import Line, begins_block, wraps
from flakelint.source.docstrings import documented
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.document import Document
    from flakelint.engine.findings import Finding
    from flakelint.source.markdown import Block


@dataclass(frozen=True)
class Options:
    """When a line counts as wrapped.

    Args:
        shortest (int):
            The column up to which a line is too short to have been wrapped.
    """

    shortest: int = 50


class HardWrap(Rule):
    """Prose that is wrapped at a column.

    ## What it does
    Flags paragraphs of Markdown files, docstrings and comments that are broken into lines in the middle of a sentence. A paragraph is one line, or breaks only behind `.`, `,`, `;`, `:`, `!`, `?` or a dash.

    ## Why is this bad?
    A change of one word wraps all lines behind it again: the change shows as many lines as the paragraph has, and whoever reviews it looks for the word. Editors wrap long lines on the screen, each at the width that its reader likes.

    ## Example
    ```python
    def gate(x):
        '''Apply the gate.

        The gate is computed in float32, since the logarithm of a number near to
        one loses most of its digits in bfloat16.
        '''
        return x.float().sigmoid().log()
    ```

    ## Use instead
    ```python
    def gate(x):
        '''Apply the gate.

        The gate is computed in float32, since the logarithm of a number near to one loses most of its digits in bfloat16.
        '''
        return x.float().sigmoid().log()
    ```

    ## Fix safety
    Safe: a line break and the white space around it, in comments the `#` behind it too, become one space. No word changes, and a Markdown file is rendered as before.

    ## Known limits
    Left alone are lists, quotations, tables, code, doctests, formulas, headings, front matter, HTML, link texts, labels such as `Note:`, text in Chinese, Japanese and Korean, comments with a copyright line, and lines that end before column 50.

    ## Options
    - `shortest`: the column up to which a line is too short to have been wrapped. Default: `50`.
    """

    code = 'DOC110'
    name = 'hard-wrap'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag wrapped docstrings and comments."""
        for docstring in documented(file):
            yield from self._in_paragraphs(of_docstring(docstring))
        for run in runs(file.comments) if '#' in file.text else ():
            if len(run) > 1:
                yield from self._in_paragraphs(of_comments(run))

    def check_markdown(self, document: 'Document') -> 'Iterator[Finding]':
        """Flag wrapped paragraphs."""
        for block in document.paragraphs:
            if block.last > block.first:
                yield from self._in_paragraphs([_markdown_lines(block, document)])

    def _in_paragraphs(self, paragraphs: 'Sequence[Sequence[Line]]') -> 'Iterator[Finding]':
        for lines in paragraphs:
            found = list(wraps(lines, self.options.shortest))
            if not found:
                continue
            edits = [Edit(Range(_end(lines[at]), Position(lines[at + 1].line, lines[at + 1].column)), ' ') for at in found]
            first = lines[found[0]]
            place = Range(Position(first.line, first.column), _end(first))
            message = (
                f'this paragraph is wrapped at column {_end(first).column - 1}, in the middle of a sentence: '
                'write it on one line, or break it behind punctuation'
            )
            yield self.finding(place, message, safe('Join the lines', *edits))


def _end(line: Line) -> Position:
    return Position(line.line, line.column + len(line.text))


def _markdown_lines(block: 'Block', document: 'Document') -> list[Line]:
    """The lines of a paragraph; none where it is more than prose."""
    found = []
    for number in range(block.first, block.last + 1):
        text = document.lines.line(number)
        words = text.strip()
        # two spaces, or a backslash, ask for a line break
        if begins_block(words) or text.endswith(('  ', '\\')) or '<' in text:
            return []
        found.append(Line(words, number, len(text) - len(text.lstrip()) + 1))
    return found
