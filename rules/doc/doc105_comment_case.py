# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.rules.doc.comment_kinds import is_attribution, is_cell, is_legal, is_pragma
from flakelint.rules.doc.comment_runs import runs
from flakelint.rules.doc.comment_words import may_be_sentence, wrong_capital

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.source.comments import Comment

_CANDIDATE = re.compile(r'^[ \t]*#+[ \t]*[A-Z][a-z]', re.MULTILINE)
_LETTER = re.compile(r'[^\W\d_]')


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        names (tuple[str, ...]):
            Proper names that keep their capital letter.
    """

    names: tuple[str, ...] = ()


class CommentCase(Rule):
    """A comment that starts with a capital letter.

    ## What it does
    Flags a comment on a line of its own whose first word is an ordinary word with a capital first letter. Of comments that follow each other the first is looked at, and each after an empty one.

    ## Why is this bad?
    A comment is a note beside code, not a text: where some begin like a sentence and some do not, a reader looks for a difference that is not there. A capital letter is left for names, and then says that a word is one.

    ## Example
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        # Sum in single precision
        return torch.nn.functional.logsigmoid(x.float()).sum()
    ```

    ## Use instead
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        # sum in single precision
        return torch.nn.functional.logsigmoid(x.float()).sum()
    ```

    ## Fix safety
    Safe: one letter of a comment changes.

    ## Known limits
    Acronyms and what else is not a plain word keep their case, and so do words that the file uses as an identifier, words before another one with a capital letter (`Flash Attention`), before a number (`Figure 2`) or before a colon (`Example:`), words that the file writes with a capital letter within a sentence, and well-known names such as Triton or Householder. Licences, attributions, pragmas, notebook cells, single letters that are no article, items of lists and comments in other scripts than the Latin are left alone.

    ## Options
    - `names`: proper names that keep their capital letter, beside the well-known. Default: `[]`.
    """

    code = 'DOC105'
    name = 'comment-case'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the comments that start like a sentence."""
        if not _CANDIDATE.search(file.text):
            return
        names = frozenset(self.options.names)
        for run in runs(file.comments):
            starts = [comment for comment in _starts(run) if may_be_sentence(comment.text)]
            if not starts or is_legal(run):
                continue
            for comment in starts:
                place = None if is_attribution(comment.text) else wrong_capital(comment.text, file, names)
                if place is not None:
                    yield self._found(comment, *place)

    def _found(self, comment: 'Comment', start: int, end: int) -> 'Finding':
        word = comment.text[start:end]
        small = word[0].lower() + word[1:]
        where = comment.range(start, end)
        fix = safe(f'Write `{small}`', Edit(comment.range(start, start + 1), small[0]))
        return self.finding(where, f'the comment starts with a capital letter: write `{small}`', fix)


def _starts(run: 'list[Comment]') -> 'Iterator[Comment]':
    """The comments of a run with which a paragraph begins."""
    if not run[0].own_line or any(is_cell(comment.text) for comment in run):
        return
    begins = True
    for comment in run:
        if is_pragma(comment.text) or not _LETTER.search(comment.text):
            begins = True
            continue
        if begins:
            yield comment
        begins = False
