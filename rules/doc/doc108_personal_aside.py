# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.rules.doc.asides import INITIALS, MAY_BE, asides, is_somebody
from flakelint.rules.doc.comment_kinds import is_attribution, is_legal, is_pragma
from flakelint.rules.doc.comment_runs import runs
from flakelint.rules.doc.comment_words import identifiers
from flakelint.source.docstrings import documented
from flakelint.source.text import Position, Range, shortened

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.source.comments import Comment

_URL = re.compile(r'https?://')
_BULLET = re.compile(r'#+\s*[-*]\s')
_LONGEST = 1000
_LONGEST_SHOWN = 40


class PersonalAside(Rule):
    """A word from one person to another in a comment.

    ## What it does
    Flags comments and docstrings in which somebody speaks of himself (`I think`, `my guess`), voices a doubt (`not sure why`), swears or excuses himself, turns to a person by name or login (`ask Bob why`, `@alex please check`), or signs (`- JD`, `by Zhang Wei 2023-01-01`, `Author: Zhang Wei`).

    ## Why is this bad?
    A reader years later knows neither of the two, and cannot ask. What is certain can be stated, what is open belongs into an issue, and who wrote a line is known to the repository.

    ## Example
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        # not sure why this must be in single precision, ask Bob
        return torch.nn.functional.logsigmoid(x.float())
    ```

    ## Use instead
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        # half precision loses the small values
        return torch.nn.functional.logsigmoid(x.float())
    ```

    ## Known limits
    Only what is surely personal is found: names are known from a list of common ones, and a login from the words around it. `we` is fine. Left alone are licences, attributions of adapted code, what stands between quotation marks, code blocks, and an `Author:` with an address of the source. Names behind `TODO` are DOC109's matter.
    """

    code = 'DOC108'
    name = 'personal-aside'
    severity = 'warning'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the asides in a file."""
        for run in runs(file.comments):
            if not is_legal(run):
                yield from self._in_run(run, file)
        for docstring in documented(file):
            lines = [line for line in docstring.lines if not line.is_code]
            has_source = any(_URL.search(line.text) for line in lines)
            for line in lines:
                yield from self._in_line(line.text, line.line, line.column, has_source, True, file)

    def _in_run(self, run: 'list[Comment]', file: 'File') -> 'Iterator[Finding]':
        has_source = any(_URL.search(comment.text) or is_attribution(comment.text) for comment in run)
        for index, comment in enumerate(run):
            if is_pragma(comment.text):
                continue
            yield from self._in_line(comment.text, comment.line, comment.column, has_source, False, file)
            is_last = comment.own_line and index == len(run) - 1
            if is_last and INITIALS.fullmatch(comment.text) and not any(_BULLET.match(one.text) for one in run[:-1]):
                yield self._found(comment.text.strip('# '), 'is signed', comment.line, comment.column, len(comment.text))

    def _in_line(
        self, text: str, line: int, column: int, has_source: bool, in_docstring: bool, file: 'File',
    ) -> 'Iterator[Finding]':
        if len(text) > _LONGEST or not MAY_BE.search(text):
            return
        for match, what in asides(text, in_docstring):
            login = match.groupdict().get('login')
            is_nobody = login is not None and (not is_somebody(login) or login in identifiers(file))
            if is_nobody or (what == 'is signed' and has_source):
                continue
            shown = match[0].strip('#,.;:( ')
            start = text.index(shown, match.start())
            yield self._found(shown, what, line, column + start, len(shown))
            # one is enough to look at a line
            return

    def _found(self, shown: str, what: str, line: int, column: int, length: int) -> 'Finding':
        place = Range(Position(line, column), Position(line, column + length))
        shown = shortened(shown, _LONGEST_SHOWN)
        return self.finding(place, f'`{shown}` {what}: say what holds for every reader, or leave it out')
