# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.project.ignore import Patterns
from flakelint.rules.rep.copyright_block import Top, is_blank, is_comment, read_top, template_of
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.engine.settings import HeaderSettings
    from flakelint.rules.rep.copyright_block import Template
    from flakelint.source.text import LineTable


class Header(Rule):
    """A file that does not start with the repository's copyright block.

    ## What it does
    Compares the top of each file with the block that the settings describe, line by line. A shebang, a coding cookie, blank lines and `# flakelint:` comments may stand above it, and a blank line follows before the code. `{years}` in the template stands for one year or a range of two, the first of which is not before `start-year`. The block is described by the section `header` of the settings: `owner`, `start-year`, `license`, `template` and `exempt`; without an `owner` the rule is silent.

    ## Why is this bad?
    A file is read apart from its repository, in a search result or a copy, and there the block is all that says who owns it and on which terms it may be used.

    ## Example
    ```toml
    [header]
    owner = "The Example Authors"
    start-year = 2024
    ```

    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x)
    ```

    ## Use instead
    ```toml
    [header]
    owner = "The Example Authors"
    start-year = 2024
    ```

    ```python
    # Copyright (c) 2024-2026, The Example Authors
    #
    # This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
    # For a list of all contributors, see the git history of this repository.

    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x)
    ```

    ## Fix safety
    Safe: only comments change. An older block of the same owner is replaced, whatever licence it names, and keeps its years from `start-year` on, and what is missing is added with the range from `start-year` to this year. Copyright lines of others are never touched: ours is put above them.

    ## Known limits
    A file that is empty, or holds white space only, needs no block. A copyright notice in a docstring is not recognised as a block. `flakelint header --year` moves the closing year.
    """

    code = 'REP101'
    name = 'header'
    severity = 'warning'
    fix = 'safe'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag a file whose block is missing, out of place, worded otherwise, or not followed by a blank line."""
        settings = file.settings.header
        if not applies(settings, file.path) or not file.text.strip():
            return
        template = template_of(settings)
        top = read_top(file.lines, template)
        if top.matching == len(template):
            yield from self._blank_line(file.lines, top, len(template))
        elif top.own is None:
            yield self._missing(file.lines, top, template)
        else:
            yield self._wrong(file.lines, top, template, top.own)

    def _blank_line(self, lines: 'LineTable', top: Top, length: int) -> 'Iterator[Finding]':
        if is_blank(lines, top.run_end + 1):
            return
        place = Position(top.run_end + 1, 1)
        fix = safe('Add a blank line below the header', Edit(Range(place, place), '\n'))
        yield self.finding(_whole(lines, top.begin + length - 1), 'a blank line must follow the copyright header', fix)

    def _missing(self, lines: 'LineTable', top: Top, template: 'Template') -> 'Finding':
        block = template.render(template.years_of('', date.today().year))
        shown = min(top.begin, len(lines))
        place = _whole(lines, shown if lines.line(shown) else 1)
        message = f'the copyright header is missing: expected `{block[0]}`'
        return self.finding(place, message, safe('Add the header', _insert(lines, top, block)))

    def _wrong(self, lines: 'LineTable', top: Top, template: 'Template', own: tuple[int, int]) -> 'Finding':
        first, last = own
        block = template.render(template.years_of(lines.line(first), date.today().year))
        differing = next((index for index in range(len(block)) if not template.fits(index, lines.line(first + index))), None)
        if differing is None:
            place = _whole(lines, first)
            message = f'the copyright header must stand at the top, on line {top.begin}'
        elif is_comment(lines, first + differing):
            place = _whole(lines, first + differing)
            message = f'line {differing + 1} of the copyright header differs: expected `{block[differing]}`'
        else:
            place = _whole(lines, first + max(differing - 1, 0))
            message = f'the copyright header ends too soon: expected `{block[differing]}` next'
        return self.finding(place, message, safe('Replace the header', *_replace(lines, top, (first, last), block)))


def applies(settings: 'HeaderSettings', path: str) -> bool:
    """Whether the settings ask for a block in a file, named from the root."""
    return bool(settings.owner and settings.template) and not _exempt(settings.exempt).covers(path)


@lru_cache
def _exempt(patterns: tuple[str, ...]) -> Patterns:
    return Patterns('.', patterns)


def closing_year(lines: 'LineTable', settings: 'HeaderSettings', year: int) -> Edit | None:
    """The edit that moves the closing year of a block up to `year`; None where there is no block, or nothing to move."""
    template = template_of(settings)
    top = read_top(lines, template)
    if top.matching < len(template):
        return None
    for index in range(len(template)):
        number = top.begin + index
        span = template.years_in(index, lines.line(number))
        if span is None:
            continue
        first, _, last = lines.line(number)[slice(*span)].partition('-')
        if int(last or first) < year:
            return Edit(Range(Position(number, span[0] + 1), Position(number, span[1] + 1)), f'{first}-{year}')
    return None


def _insert(lines: 'LineTable', top: Top, block: list[str]) -> Edit:
    text = '\n'.join(block) + '\n'
    # a file that is all shebang may end without a line break
    if top.begin > len(lines):
        return Edit(Range(Position(top.begin, 1), Position(top.begin, 1)), text if not lines.line(len(lines)) else f'\n{text}')
    return Edit(Range(Position(top.begin, 1), Position(top.begin, 1)), f'{text}\n')


def _replace(lines: 'LineTable', top: Top, old: tuple[int, int], block: list[str]) -> list[Edit]:
    first, last = old
    if first == top.begin:
        gap = '' if is_blank(lines, last + 1) or is_comment(lines, last + 1) else '\n'
        return [Edit(Range(Position(first, 1), Position(last + 1, 1)), '\n'.join(block) + f'\n{gap}')]
    # two gaps that meet where the old block stood become one
    if is_blank(lines, first - 1) and is_blank(lines, last + 1):
        last += 1
    return [_insert(lines, top, block), Edit(Range(Position(first, 1), Position(last + 1, 1)), '')]


def _whole(lines: 'LineTable', number: int) -> Range:
    return Range(Position(number, 1), Position(number, len(lines.line(number)) + 1))
