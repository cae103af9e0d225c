# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Find a repository's copyright block at the top of a Python file."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.engine.settings import HeaderSettings
    from flakelint.source.text import LineTable

_YEARS = re.compile(r'(?P<start>\d{4})(?:-(?P<end>\d{4}))?')
_YEAR = re.compile(r'\b(?:19|20)\d\d\b')
_PLACEHOLDER = re.compile(r'(\{(?:years|owner|license)\})')
_COPYRIGHT = re.compile(r'\bcopyright\s*(?:\(c\)|©|by\b|:|\d{4})|©|\(c\)\s*\d{4}|SPDX-FileCopyrightText', re.IGNORECASE)
_LEGAL = re.compile(
    r'licen[sc]e|all rights reserved|contributors|warrant|applicable law|permission|redistribut|liab', re.IGNORECASE,
)
_COOKIE = re.compile(r'[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+')
_OWN_PRAGMA = re.compile(r'#\s*flakelint:')
# how alike two lines are, from 0 to 1, before one counts as another wording of the other
_ALIKE = 0.75
# words of a copyright line that name nobody
_NO_HOLDERS = frozenset({
    'all', 'by', 'c', 'copyright', 'copyrights', 'filecopyrighttext', 'present', 'reserved', 'rights', 'spdx',
    'spdxfilecopyrighttext',
})


class Template:
    """The block that the settings ask for.

    Args:
        settings (HeaderSettings):
            Owner, years, licence and the lines of the block.
    """

    def __init__(self, settings: 'HeaderSettings') -> None:
        self._settings = settings
        self._owner = _words(settings.owner)
        self._patterns = [self._pattern(line.rstrip()) for line in settings.template]

    def __len__(self) -> int:
        return len(self._patterns)

    @property
    def has_years(self) -> bool:
        """Whether the block names years at all."""
        return any('{years}' in line for line in self._settings.template)

    def render(self, years: str) -> list[str]:
        """The lines of the block with these years."""
        values = {'{years}': years, '{owner}': self._settings.owner, '{license}': self._settings.license}
        return [_PLACEHOLDER.sub(lambda match: values[match[0]], line.rstrip()) for line in self._settings.template]

    def fits(self, index: int, line: str) -> bool:
        """Whether a line of a file is a line of the block, with years that make sense."""
        match = self._patterns[index].fullmatch(line.rstrip())
        if match is None:
            return False
        years = match.groupdict().get('years')
        return years is None or self._is_range(years)

    def years_in(self, index: int, line: str) -> tuple[int, int] | None:
        """The columns, from 0, between which a line of the block names the years."""
        match = self._patterns[index].fullmatch(line.rstrip())
        return match.span('years') if match and 'years' in match.groupdict() else None

    def years_of(self, line: str, this_year: int) -> str:
        """The years for a block in the place of one that names some, or none."""
        start = self._settings.start_year or this_year
        named = [int(year) for year in _YEAR.findall(line)]
        first = max(named[0], start) if named else start
        last = max(named[-1] if named else this_year, first)
        return str(first) if first == last else f'{first}-{last}'

    def is_ours(self, line: str) -> bool:
        """Whether a line is a copyright line of the owner, however it is worded."""
        # whoever stands beside the owner holds rights too
        holders = [word for word in re.findall(r'\w+', line.lower()) if not word.isdigit() and word not in _NO_HOLDERS]
        return is_copyright(line) and _words(' '.join(holders)) == self._owner

    def is_part(self, line: str) -> bool:
        """Whether a line looks like part of an older wording of the block."""
        if line.strip() == '#' or self.is_ours(line) or _LEGAL.search(line):
            return True
        if is_copyright(line):
            return False
        matchers = (SequenceMatcher(None, line, own) for own in self.render('2000'))
        return any(matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE for matcher in matchers)

    def _pattern(self, line: str) -> re.Pattern:
        return re.compile(''.join(map(self._part, _PLACEHOLDER.split(line))))

    def _part(self, part: str) -> str:
        if part == '{years}':
            return r'(?P<years>\d{4}(?:-\d{4})?)'
        return re.escape({'{owner}': self._settings.owner, '{license}': self._settings.license}.get(part, part))

    def _is_range(self, years: str) -> bool:
        match = _YEARS.fullmatch(years)
        start = int(match['start'])
        return self._settings.start_year <= start and (match['end'] is None or start < int(match['end']))


@lru_cache
def template_of(settings: 'HeaderSettings') -> Template:
    """The block that the settings ask for, made once."""
    return Template(settings)


@dataclass(frozen=True)
class Top:
    """What stands at the top of a file.

    Args:
        begin (int):
            The line on which the block should begin: the first that is neither blank, nor for the operating system, nor for Python, nor ours.
        matching (int):
            How many lines from there on are the first lines of the block.
        own (tuple[int, int] | None):
            The first and last line of a block of the owner that is out of place or worded otherwise.
        run_end (int):
            The last line of the comments that go on from `begin` without a gap.
    """

    begin: int
    matching: int
    own: tuple[int, int] | None
    run_end: int


def read_top(lines: 'LineTable', template: Template) -> Top:
    """Look at the top of a file."""
    begin = _after_prologue(lines)
    matching = 0
    while matching < len(template) and template.fits(matching, lines.line(begin + matching)):
        matching += 1
    own = _own_block(lines, begin, template) if matching < len(template) else None
    if own is None and 0 < matching < len(template):
        own = (begin, _block_end(lines, begin, template))
    return Top(begin, matching, own, _run_end(lines, max(begin, begin + matching - 1)))


def is_copyright(line: str) -> bool:
    """Whether a line claims a copyright, whoever's."""
    return line.startswith('#') and _COPYRIGHT.search(line) is not None


def is_blank(lines: 'LineTable', number: int) -> bool:
    """Whether a line is blank or past the end of the file."""
    return not lines.line(number).strip()


def is_comment(lines: 'LineTable', number: int) -> bool:
    """Whether a line at the top of a file is a comment."""
    return lines.line(number).startswith('#')


def _after_prologue(lines: 'LineTable') -> int:
    number = 1
    if lines.line(1).startswith('#!'):
        number = 2
    # a cookie on the second line counts where the first is a comment or blank
    for place in (number, 2):
        if number <= place <= 2 and _COOKIE.match(lines.line(place)) and (is_blank(lines, 1) or is_comment(lines, 1)):
            number = place + 1
    while number <= len(lines) and (is_blank(lines, number) or _OWN_PRAGMA.match(lines.line(number))):
        number += 1
    return number


def _own_block(lines: 'LineTable', begin: int, template: Template) -> tuple[int, int] | None:
    number = begin
    while number <= len(lines) and (is_comment(lines, number) or is_blank(lines, number)):
        if template.is_ours(lines.line(number)):
            return number, _block_end(lines, number, template)
        number += 1
    return None


def _block_end(lines: 'LineTable', first: int, template: Template) -> int:
    last = first
    while is_comment(lines, last + 1) and template.is_part(lines.line(last + 1)):
        last += 1
    # what follows without a gap is kept apart by the empty comment line before it
    while last > first and is_comment(lines, last + 1) and lines.line(last).strip() == '#':
        last -= 1
    return last


def _run_end(lines: 'LineTable', number: int) -> int:
    while is_comment(lines, number + 1):
        number += 1
    return number


def _words(text: str) -> str:
    words = re.findall(r'\w+', text.lower())
    return ' '.join(words[1:] if words[:1] == ['the'] else words)
