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
from flakelint.rules.doc.argument_sections import begins_with_type, indent_of, is_type, place_in, sections_of

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.rules.doc.argument_sections import Entry, Section

_OPTIONAL = re.compile(r'(?:^|,)\s*(?P<word>\*?optional\*?)\s*(?=,|$)')
_STEP = 4


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        sections (tuple[str, ...]):
            The headings of the sections that list arguments.
        results (tuple[str, ...]):
            The headings of the sections that list results.
    """

    sections: tuple[str, ...] = ('Args', 'Arguments', 'Parameters')
    results: tuple[str, ...] = ('Returns',)


class ArgsFormat(Rule):
    """An entry under `Args:` or `Returns:` that is not written on two lines.

    ## What it does
    Asks for `name (type, Optional):` on a line of its own, and for the description below it, indented. Flags a description on the line of the name, a description that is not indented below its name, `optional` in lower case, and an entry without a type in parentheses where more than half of the others have one. An entry under `Returns:` begins with `type:` or `name (type):`; prose is left alone there.

    ## Why is this bad?
    Entries that all look the same can be read down their left edge: name and type at one glance, and the descriptions, however long, at one column.

    ## Example
    ```python
    import torch


    def decay(x: torch.Tensor, scale: float | None = None) -> torch.Tensor:
        \"""Let a sequence decay.

        Args:
            x (torch.Tensor): The sequence, of shape `[B, T, D]`.
            scale (float, optional):
                What to multiply it with. Default: `None`.

        Returns:
            torch.Tensor: The sequence, of the same shape.
        \"""
        return x if scale is None else x * scale
    ```

    ## Use instead
    ```python
    import torch


    def decay(x: torch.Tensor, scale: float | None = None) -> torch.Tensor:
        \"""Let a sequence decay.

        Args:
            x (torch.Tensor):
                The sequence, of shape `[B, T, D]`.
            scale (float, Optional):
                What to multiply it with. Default: `None`.

        Returns:
            torch.Tensor:
                The sequence, of the same shape.
        \"""
        return x if scale is None else x * scale
    ```

    ## Fix safety
    Safe: only docstrings change. The description gets lines of its own, four columns deeper than the name, and `optional` its capital letter. Types are not made up.

    ## Known limits
    Docstrings in the styles of NumPy and reST follow another convention, and are left alone, and so are the docstrings of modules, entries that are items of a list, and sections with a heading that is not listed, such as `Raises:`. No fix is offered where the description goes on at the column of the name, where the lines are indented with tabs, or where the docstring is put together from several strings.

    ## Options
    - `sections`: the headings of the sections that list arguments. Default: `['Args', 'Arguments', 'Parameters']`.
    - `results`: the headings of the sections that list results. Default: `['Returns']`.
    """

    code = 'DOC101'
    name = 'args-format'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at the entries of the sections of a file."""
        found = []
        for section in sections_of(file, self.options.sections):
            for entry in section.entries:
                if not entry.is_item:
                    found.extend(self._in_argument(entry, section))
        for section in sections_of(file, self.options.results, results=True):
            is_prose = section.strays and section.strays[0].line < section.entries[0].head.line if section.entries else True
            for entry in () if is_prose else section.entries:
                if not entry.is_item and begins_with_type(entry.type_text):
                    found.extend(self._in_entry(entry, section))
        yield from sorted(found, key=lambda finding: finding.range)

    def _in_argument(self, entry: 'Entry', section: 'Section') -> 'Iterator[Finding]':
        name = _shown(entry)
        if is_type(entry.rest) and entry.type is None:
            place = place_in(entry.head, entry.start, len(entry.head.text.rstrip()))
            written = entry.rest.replace(', optional', ', Optional')
            form = f'write `{name} ({written}):`, and the description below it, indented'
            yield self.finding(place, f'the type of `{name}` stands behind its colon: {form}')
            return
        if entry.type is None and not entry.names[0].startswith('*') and _others_have_types(entry, section):
            place = place_in(entry.head, entry.start, entry.colon)
            yield self.finding(place, f'`{name}` has no type, unlike the other entries: write `{name} (type):`')
        yield from self._in_entry(entry, section)

    def _in_entry(self, entry: 'Entry', section: 'Section') -> 'Iterator[Finding]':
        name = _shown(entry)
        if match := _OPTIONAL.search(entry.type_text) if entry.names else None:
            start = entry.type[0] + match.start('word')
            place = place_in(entry.head, start, start + len(match['word']))
            message = f'`{match["word"]}` at `{name}`: write `Optional`'
            fix = safe('Write `Optional`', Edit(place, 'Optional')) if section.docstring.is_plain else None
            yield self.finding(place, message, fix)
        goes_on = _goes_on(entry, section)
        if entry.rest:
            place = place_in(entry.head, entry.start, len(entry.head.text.rstrip()))
            message = f'the description of `{name}` stands on the line of the name: put it below, indented by {_STEP}'
            yield self.finding(place, message, None if goes_on else _moved(entry, section))
        elif goes_on and not entry.below:
            place = place_in(entry.head, entry.start, entry.colon)
            yield self.finding(place, f'the description of `{name}` is not indented below it: indent it by {_STEP}')


def _shown(entry: 'Entry') -> str:
    return ', '.join(entry.names) if entry.names else entry.type_text.strip('`')


def _others_have_types(entry: 'Entry', section: 'Section') -> bool:
    others = [one for one in section.entries if one is not entry and not one.names[0].startswith('*')]
    return bool(others) and 2 * sum(one.type is not None for one in others) > len(others)


def _goes_on(entry: 'Entry', section: 'Section') -> bool:
    """Whether a line that is no entry follows at the column of the name."""
    last = entry.below[-1] if entry.below else entry.head
    return any(line.line == last.line + 1 for line in section.strays)


def _moved(entry: 'Entry', section: 'Section') -> 'Fix | None':
    below = [line for line in entry.below if line.text.strip()]
    white = [line.text[:len(line.text) - len(line.text.lstrip())] for line in (entry.head, *below)]
    if not section.docstring.is_plain or '\t' in ''.join(white) or entry.rest.startswith(('```', '~~~')):
        return None
    # code stands where it stands
    texts = (entry.rest, *(one.text for one in below))
    if any(line.is_code for line in below) or any(text.rstrip().endswith('::') for text in texts):
        return None
    indent = indent_of(entry.head.text) + _STEP
    text = entry.head.text
    end = len(text) - len(text[entry.colon:].lstrip())
    edits = [Edit(place_in(entry.head, entry.colon, end), '\n' + ' ' * indent)]
    shift = indent - min((len(one) for one in white[1:]), default=indent)
    for line, one in zip(below, white[1:], strict=True):
        if shift:
            edits.append(Edit(place_in(line, 0, len(one)), ' ' * (len(one) + shift)))
    return safe('Put the description below', *edits)
