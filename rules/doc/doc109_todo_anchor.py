# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.config import SettingsError
from flakelint.engine.rule import Rule
from flakelint.rules.doc.comment_runs import runs
from flakelint.source.docstrings import documented
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_PROJECTS = r'triton|(?:py)?torch|python|cuda|rocm|numpy|scipy|transformers|libcst|gcc|llvm|ptxas|setuptools|pip'
_ANCHORS = (
    # an issue
    r'https?://\S+',
    r'(?:^|[\s(\[:,])(?:(?:[\w.-]+/)?[\w.-]+)?#\d+\b',
    r'\b(?:GH|PR|PEP|RFC)[- ]?#?\d+\b',
    # a version
    rf'\b(?:{_PROJECTS})\s*(?:[<>=~!]=?=?|-)?\s*v?\d',
    r'\b[A-Za-z][\w-]{0,40}\s*(?:[<>]=?|==|~=)\s*v?\d+\.\d+',
    r'\bv\d+(?:\.\d+)+\b',
    r'\b(?:once|when|until|after|before|since|with|from|drop|in)\s+(?:[\w-]+\s+){0,3}v?\d+\.\d+\b',
    # a day, or an event that can be looked up
    r'\b20\d\d-\d\d(?:-\d\d)?\b',
    r'\bQ[1-4]\s+20\d\d\b',
    r'\b20\d\d[- ]?Q[1-4]\b',
    r'\b(?:once|when|until|after|before|as soon as)\b.{0,200}'
    r'\b(?:releases?|released|drops|dropped|end[- ]of[- ]life|EOL|deprecate[sd]?)\b',
)
# how a line ends when its sentence goes on with a noun
_GOES_ON = re.compile(
    r'(?:,|\b(?:an?|the|every|each|any|no|of|for|with|without|and|or|nor|not|as|is|are|in|on|to|from|by|this|that|these'
    r'|those|some|one|own|such|like|than|but|if|when|where|finds?|flags?|marks?|says?|called|named|word|words))\s*$',
    re.IGNORECASE,
)
_BULLET = r'(?:[-*+•]|\d+[.)])?\s*'
_LEAD = re.compile(rf'(?:^[#\s]*{_BULLET}|[.;!?]\s+|[(\[]\s*)$')
# what follows the word where a sentence speaks about it
_PROSE = re.compile(
    r'\s*(?:[,/\'"`]|(?:and|or|is(?! this| it| there)|are|was|were|in|without|with|must|may|stands?|comments?|markers?|marks'
    r'|tags|items|lists|notes|entries|words|rules|lines|checks|anchors)\b)',
)
_ADVICE = 'name an issue (`#123` or a link), a version (`triton>=3.5`) or a date that settles it'
# a line longer than this is data, not prose
_LONGEST = 5000


class _Line(NamedTuple):
    """A line of prose: its text, and where the text begins in the file."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class Options:
    """What the rule looks for.

    Args:
        words (tuple[str, ...]):
            The words that mark something to be done.
        anchors (tuple[str, ...]):
            Further regular expressions of what counts as an anchor.
    """

    words: tuple[str, ...] = ('TODO', 'FIXME', 'XXX', 'HACK')
    anchors: tuple[str, ...] = ()


class TodoAnchor(Rule):
    """A TODO that nobody can tell when to settle.

    ## What it does
    Flags the words `TODO`, `FIXME`, `XXX` and `HACK` in comments and docstrings whose paragraph names no anchor: an issue (a link, `#123`, `org/repo#123`, `GH-123`), a version (`drop once triton>=3.5`, `when Python 3.10 goes`), a date (`2027-01`), or an event that an outsider can look up (`once Hopper's allocator is released`).

    ## Why is this bad?
    A TODO without an anchor stays for ever: whoever finds it cannot tell whether it still holds, and a name or a feeling is no condition that can be checked.

    ## Example
    ```python
    import torch


    # TODO: make this faster
    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x.float())  # FIXME(alex) why float?
    ```

    ## Use instead
    ```python
    import torch


    # TODO: fuse with the norm, see #123
    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x.float())  # FIXME: drop the cast once torch>=2.9
    ```

    ## Known limits
    The word counts in upper case at the start of a comment, an item or a sentence. A sentence about the word is left alone, and so are code blocks in docstrings and strings that are no docstrings. Whether an issue is still open is not looked up.

    ## Options
    - `words`: the words that mark something to be done. Default: `['TODO', 'FIXME', 'XXX', 'HACK']`.
    - `anchors`: regular expressions of what else counts as an anchor, such as `'JIRA-[0-9]+'`. Default: `[]`.
    """

    code = 'DOC109'
    name = 'todo-anchor'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        words = '|'.join(map(re.escape, self.options.words))
        self._word = re.compile(rf'(?<![\w.\-/#])(?:{words})(?![\w/-]|\.\w)') if words else None
        self._anchors = [re.compile('|'.join(f'(?:{one})' for one in _ANCHORS), re.IGNORECASE | re.DOTALL)]
        for one in self.options.anchors:
            try:
                self._anchors.append(re.compile(one, re.IGNORECASE | re.DOTALL))
            except re.error as error:
                raise SettingsError(f'rules.DOC109: `anchors`: `{one}` is no regular expression: {error}') from None

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag what is to be done, but nobody knows when."""
        if self._word is None or not any(word in file.text for word in self.options.words):
            return
        for run in runs(file.comments):
            lines = [_Line(comment.text[1:], comment.line, comment.column + 1) for comment in run]
            yield from self._in_paragraphs(lines)
        for docstring in documented(file):
            lines = [_Line('' if line.is_code else line.text, line.line, line.column) for line in docstring.lines]
            yield from self._in_paragraphs(lines)

    def _in_paragraphs(self, lines: list[_Line]) -> 'Iterator[Finding]':
        paragraph: list[_Line] = []
        for line in [*lines, _Line('', 0, 0)]:
            if len(line.text) <= _LONGEST and line.text.strip('#! \t'):
                paragraph.append(line)
            else:
                yield from self._in_paragraph(paragraph)
                paragraph = []

    def _in_paragraph(self, lines: list[_Line]) -> 'Iterator[Finding]':
        places = [place for index in range(len(lines)) for place in self._places(lines, index)]
        for number, (index, start, end) in enumerate(places):
            # what stands before the first word belongs to it too
            first = (0, 0) if number == 0 else (index, start)
            last = places[number + 1][:2] if number + 1 < len(places) else (len(lines), 0)
            text = _between(lines, first, last)
            if not any(anchor.search(text) for anchor in self._anchors):
                word = lines[index].text[start:end]
                _, line, column = lines[index]
                place = Range(Position(line, column + start), Position(line, column + end))
                yield self.finding(place, f'`{word}` has no anchor: {_ADVICE}')

    def _places(self, lines: list[_Line], index: int) -> Iterator[tuple[int, int, int]]:
        """The words in a line that ask for something to be done: the index of the line, start and end."""
        text = lines[index].text
        for match in self._word.finditer(text):
            before, after = text[:match.start()], text[match.end():]
            goes_on = index > 0 and not before.strip() and _GOES_ON.search(lines[index - 1].text) is not None
            marked = after.startswith((':', '(')) or not after.strip()
            if _LEAD.search(before) and (marked or (not goes_on and not _PROSE.match(after))):
                yield index, match.start(), match.end()


def _between(lines: list[_Line], first: tuple[int, int], last: tuple[int, int]) -> str:
    parts = []
    for index in range(first[0], min(last[0], len(lines) - 1) + 1):
        start = first[1] if index == first[0] else 0
        end = last[1] if index == last[0] else None
        parts.append(lines[index].text[start:end])
    return ' '.join(parts)
