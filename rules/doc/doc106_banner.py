# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.rules.doc.comment_kinds import is_pragma
from flakelint.rules.doc.comment_runs import runs
from flakelint.rules.rep.copyright_block import is_copyright
from flakelint.source.text import Position, Range, shortened

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.source.comments import Comment

_SIGNS = '-=*~_─━═'
_CANDIDATE = re.compile(rf'[{_SIGNS}#]{{3}}')
# nothing but a rule: `#####`, `# -----`, `#=====#`
_RULE = re.compile(rf'#{{4,}}|#+ ?[{_SIGNS}]{{4,}} ?#*')
_RULED = (
    # words between two rules, in front of one, behind one
    re.compile(rf'#+\s*(?P<rule>[{_SIGNS}])(?P=rule){{2,}}\s+(?P<words>[\w\[(`].*?)\s+(?P=rule){{3,}}\s*#*'),
    re.compile(r'#{3,}\s+(?P<words>[\w\[(`].*?)\s+#{3,}'),
    re.compile(r'#{4,}\s+(?P<words>[\w\[(`].*?)'),
    re.compile(rf'#+ ?(?P<rule>[{_SIGNS}])(?P=rule){{3,}} *(?P<words>\w.*?) *(?P=rule){{4,}}\s*#*'),
    re.compile(rf'#+ ?(?P<rule>[{_SIGNS}])(?P=rule){{3,}} +(?P<words>[\w\[(`].*?)'),
    re.compile(rf'#+ (?P<words>\w(?:[^#]*[\w.)\]])?) +(?P<rule>[{_SIGNS}])(?P=rule){{3,}}'),
)
_PEM = re.compile(r'-----(?:BEGIN|END) [A-Z ]+-----')
_DRAWN = re.compile(r'[|│┌└├┼]|\+-|--?>|<--?|\^\^|/\\|\\/')
_COLUMNS = re.compile(r'#\s*\S.* {2,}\S')
_INDENTED = re.compile(r'#\s{2,}\S')
_END_OF_FRAME = '#* '
_FRAMED = re.compile(r'#+\s*(?:\*\s+(?=.*\*$))?(?P<words>.*?)\s*[#*]*')
_LONGEST_BOX = 3
# a line longer than this is data, not a banner
_LONGEST = 1000


class Banner(Rule):
    """A comment that draws a line across the page.

    ## What it does
    Flags comments that are a rule, such as `# --------` or `########`, and those whose words are decorated with one, such as `# ---- helpers ----` or `#### helpers`. A box of a rule, some words and a rule is one finding.

    ## Why is this bad?
    A rule says nothing. It marks sections that functions, classes and modules mark better, pushes code apart, and grows with each change of the line between.

    ## Example
    ```python
    import torch

    # ---------------------------------------------------------------------------
    # gates
    # ---------------------------------------------------------------------------


    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x)  # ==== log space ====
    ```

    ## Use instead
    ```python
    import torch

    # gates


    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x)  # log space
    ```

    ## Fix safety
    Safe: only comments change. A rule is deleted with its line, and words lose their decoration. Of the blank lines around a deleted line the larger gap stays.

    ## Known limits
    Left alone are tables, fractions and diagrams, the marks of notebook cells (`# %%`), rules of three signs, such as those around front matter, and comments with a copyright line or of the repository's own header. Docstrings are not looked at.
    """

    code = 'DOC106'
    name = 'banner'
    severity = 'warning'
    fix = 'safe'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the banners among the comments of a file."""
        if not any(_CANDIDATE.search(comment.text) for comment in file.comments):
            return
        for run in runs(file.comments):
            if any(_CANDIDATE.search(comment.text) for comment in run) and not _is_left_alone(run):
                yield from self._in_run(run, file)

    def _in_run(self, run: 'list[Comment]', file: 'File') -> 'Iterator[Finding]':
        index = 0
        while index < len(run):
            size = _box(run, index)
            if size:
                yield self._boxed(run[index:index + size], file)
            elif _is_rule(run, index):
                yield self._rule(run[index], file)
            elif words := _words(run[index]):
                message = f'`{shortened(run[index].text, 30)}` is a banner: write `# {words}`'
                yield self.finding(run[index].range(), message, safe('Keep the words', Edit(run[index].range(), f'# {words}')))
            index += size or 1

    def _boxed(self, box: 'list[Comment]', file: 'File') -> 'Finding':
        edits = [_removal(box[0], file, alone=False), _removal(box[-1], file, alone=False)]
        for comment in box[1:-1]:
            words = _FRAMED.fullmatch(comment.text)['words']
            if f'# {words}' != comment.text:
                edits.append(Edit(comment.range(), f'# {words}'))
        place = Range(box[0].range().start, box[-1].range().end)
        return self.finding(place, 'a banner of rules and words: keep the words', safe('Keep the words', *edits))

    def _rule(self, comment: 'Comment', file: 'File') -> 'Finding':
        edit = _removal(comment, file, alone=True)
        message = f'`{shortened(comment.text, 30)}` is a banner rule: delete it'
        return self.finding(comment.range(), message, safe('Delete the rule', edit))


def _is_left_alone(run: 'list[Comment]') -> bool:
    if any(len(comment.text) > _LONGEST for comment in run):
        return True
    if any(is_copyright(comment.text) or _PEM.search(comment.text) for comment in run):
        return True
    return len(run) > 1 and any(_DRAWN.search(comment.text) for comment in run)


def _is_rule(run: 'list[Comment]', index: int) -> bool:
    if not _RULE.fullmatch(run[index].text.rstrip()):
        return False
    above = run[index - 1].text.rstrip(_END_OF_FRAME) if index else ''
    below = run[index + 1].text if index + 1 < len(run) else ''
    # a line under columns heads a table, a line over something indented divides a fraction
    return not _COLUMNS.match(above) and not (above and _INDENTED.match(below))


def _box(run: 'list[Comment]', index: int) -> int:
    """How many comments a box has that begins here: a rule, some words, a rule; 0 where none does."""
    if not _is_rule(run, index):
        return 0
    for size in range(3, _LONGEST_BOX + 3):
        inner = run[index + 1:index + size - 1]
        if index + size > len(run) or any(_is_empty(comment) or _is_rule([comment], 0) for comment in inner):
            return 0
        if _is_rule(run, index + size - 1):
            return size
    return 0


def _is_empty(comment: 'Comment') -> bool:
    return not comment.text.strip(_END_OF_FRAME)


def _words(comment: 'Comment') -> str | None:
    text = comment.text.rstrip()
    if comment.text.startswith(('#%%', '# %%', '#!')) or not _CANDIDATE.search(text):
        return None
    for pattern in _RULED:
        if match := pattern.fullmatch(text):
            words = match['words'].rstrip('#').rstrip()
            # a tool would read what is left
            return None if is_pragma(f'# {words}') else words
    return None


def _removal(comment: 'Comment', file: 'File', alone: bool) -> Edit:
    if not comment.own_line:
        code = file.lines.line(comment.line)[:comment.column - 1].rstrip()
        return Edit(Range(Position(comment.line, len(code) + 1), comment.range().end), '')
    last = comment.line
    if alone:
        last += min(_blank_lines(file, comment.line, -1), _blank_lines(file, comment.line, 1))
    return Edit(Range(Position(comment.line, 1), Position(last + 1, 1)), '')


def _blank_lines(file: 'File', line: int, step: int) -> int:
    count = 0
    while 1 <= line + step * (count + 1) <= len(file.lines) and not file.lines.line(line + step * (count + 1)).strip():
        count += 1
    return count
