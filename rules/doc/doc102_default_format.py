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
from flakelint.rules.doc.argument_sections import has_items, place_in, sections_of
from flakelint.rules.doc.stated_defaults import VALUE, in_type, statements
from flakelint.source.text import shortened

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.rules.doc.argument_sections import Entry, Section
    from flakelint.rules.doc.stated_defaults import Statement
    from flakelint.source.docstrings import DocLine

_TICKED = re.compile(r'``?[^`]+``?')
_BARE = re.compile(r'(?:True|False|None)(?=[.,;:)]|\s*$|\s(?!of\b|at\b|is\b))')
_OTHER_SUBJECT = re.compile(r'(?:`[^`]*`|\b\w+[_.]\w+)\s+$')
_UNFINISHED = re.compile(r'[\w`"\')\]}%]$')
_ADVICE = 'end the description with ``Default: `value`.``'


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        sections (tuple[str, ...]):
            The headings of the sections that list arguments.
    """

    sections: tuple[str, ...] = ('Args', 'Arguments', 'Parameters')


class DefaultFormat(Rule):
    """A default that is not stated as `Default: value.` at the end of the description.

    ## What it does
    Looks at the entries of arguments in docstrings. Flags `Defaults to X`, `(default: X)`, `Default is X`, `Default X` and `default=X`, also among the types of an entry; `True`, `False` and `None` without backticks behind `Default:`; and a `Default: X.` without its full stop, or with more sentences behind it.

    ## Why is this bad?
    The default is what a reader looks for most. Where it always has the same form and the same place, it can be found without reading the description, by people and by tools.

    ## Example
    ```python
    import torch


    def decay(x: torch.Tensor, scale: float | None = None, reverse: bool = False) -> torch.Tensor:
        \"""Let a sequence decay.

        Args:
            x (torch.Tensor):
                The sequence.
            scale (float, Optional):
                What to multiply it with. Defaults to None.
            reverse (bool, Optional):
                Whether to begin at its end (default: False).
        \"""
        return x
    ```

    ## Use instead
    ```python
    import torch


    def decay(x: torch.Tensor, scale: float | None = None, reverse: bool = False) -> torch.Tensor:
        \"""Let a sequence decay.

        Args:
            x (torch.Tensor):
                The sequence.
            scale (float, Optional):
                What to multiply it with. Default: `None`.
            reverse (bool, Optional):
                Whether to begin at its end. Default: `False`.
        \"""
        return x
    ```

    ## Fix safety
    Safe: only docstrings change, and what is said of the default stays. A sentence or a parenthesis at the end of the description is rewritten, and a default among the types is moved there.

    ## Known limits
    A default inside a sentence, or with more sentences behind it, has no fix. `by default`, `will default to` and `the default stream` state no default of the argument, and code blocks are left alone. A sentence such as `The default is to do nothing.` is not told from prose. Docstrings in the styles of NumPy and reST follow another convention, and are left alone.

    ## Options
    - `sections`: the headings of the sections that list arguments. Default: `['Args', 'Arguments', 'Parameters']`.
    """

    code = 'DOC102'
    name = 'default-format'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at the defaults that docstrings state."""
        if 'efault' not in file.text:
            return
        for section in sections_of(file, self.options.sections):
            for entry in section.entries:
                yield from self._in_entry(entry, section)

    def _in_entry(self, entry: 'Entry', section: 'Section') -> 'Iterator[Finding]':
        lines = entry.description()
        found = statements(lines)
        yield from self._in_type(entry, lines, found, section)
        proper = [one for one in found if one.kind == 'proper']
        for one in found:
            if one.kind == 'proper':
                yield from self._proper(one, lines, section, alone=len(found) == 1)
            elif not _is_explained(one, lines, entry, bool(proper)):
                yield self._improper(one, lines, section, alone=len(found) == 1)

    def _in_type(
        self, entry: 'Entry', lines: 'list[DocLine]', found: 'list[Statement]', section: 'Section',
    ) -> 'Iterator[Finding]':
        stated = in_type(entry.type_text)
        if stated is None:
            return
        start, value = stated
        begin, end = entry.type[0] + start, entry.type[1]
        text = entry.head.text
        message = f'`{text[begin:end].strip(",; ")}` stands among the types: {_ADVICE}'
        fix = None
        is_value = re.fullmatch(VALUE, value.strip()) is not None and not found and not _has_code(lines)
        if section.docstring.is_plain and is_value and lines and not lines[-1].is_code and not has_items(lines):
            last = lines[-1].text.rstrip()
            stop = _stop(last)
            if stop is not None:
                removal = Edit(place_in(entry.head, begin, end), '')
                addition = Edit(place_in(lines[-1], len(last), len(last)), f'{stop} Default: {_written(value)}.')
                fix = safe('Move the default to the end', removal, addition)
        shown = begin + len(text[begin:end]) - len(text[begin:end].lstrip(',; '))
        yield self.finding(place_in(entry.head, shown, end), message, fix)

    def _proper(self, one: 'Statement', lines: 'list[DocLine]', section: 'Section', alone: bool) -> 'Iterator[Finding]':
        line = lines[one.index]
        bare = _BARE.match(one.value)
        start = len(line.text) - len(line.text[one.end:].lstrip())
        end = start + len(bare.group()) if bare else start
        edits = [Edit(place_in(line, start, end), f'`{bare.group()}`')] if bare else []
        faults = [f'`{bare.group()}` stands without backticks'] if bare else []
        if one.is_last and not has_items(lines) and not lines[-1].is_code and one.value:
            last = lines[-1].text.rstrip()
            if _UNFINISHED.search(last):
                faults.append('the full stop is missing')
                if bare and len(lines) - 1 == one.index and len(last) == end:
                    edits = [Edit(edits[0].range, f'{edits[0].text}.')]
                else:
                    edits.append(Edit(place_in(lines[-1], len(last), len(last)), '.'))
        place = place_in(line, one.start, len(line.text.rstrip()))
        if faults:
            message = f'{" and ".join(faults)} at `{shortened(line.text[one.start:].strip(), 40)}`'
            message = f'{message}: write {_form(one.value)}' if one.is_last else f'{message}: add them'
            is_sure = section.docstring.is_plain and not _has_code(lines)
            fix = safe('Write the default in its form', *edits) if is_sure else None
            yield self.finding(place, message, fix)
        if not one.is_last and alone and not has_items(lines):
            shown = shortened(line.text[one.start:].strip(), 40)
            message = f'`{shown}` stands before the end of the description: put the default last'
            yield self.finding(place, message)

    def _improper(self, one: 'Statement', lines: 'list[DocLine]', section: 'Section', alone: bool) -> 'Finding':
        line = lines[one.index]
        end = one.end if one.kind == 'parenthesis' else len(line.text.rstrip())
        message = f'`{shortened(line.text[one.start:end].strip(), 40)}` states the default in another form: {_ADVICE}'
        start = one.start + len(line.text[one.start:end]) - len(line.text[one.start:end].lstrip())
        is_sure = alone and one.is_last and section.docstring.is_plain and not _has_code(lines)
        fix = _rewritten(one, lines) if is_sure else None
        return self.finding(place_in(line, start, end), message, fix)


def _has_code(lines: 'list[DocLine]') -> bool:
    """Whether a description holds more than prose."""
    return any(line.is_code or line.text.rstrip().endswith('::') or line.text.lstrip().startswith('.. ') for line in lines)


def _is_explained(one: 'Statement', lines: 'list[DocLine]', entry: 'Entry', has_proper: bool) -> bool:
    """Whether a statement is not about the default of the argument, or explains one that has its form."""
    before, text = lines[one.index].text[:one.start], lines[one.index].text[one.start:]
    subject = _OTHER_SUBJECT.search(before)
    if subject and one.kind == 'defaults to' and subject.group().strip(' `') not in entry.names:
        return True
    return has_proper and not (one.begins_sentence and text.startswith('D'))


def _rewritten(one: 'Statement', lines: 'list[DocLine]') -> 'Fix | None':
    # of prose nobody knows which part is the value
    if re.fullmatch(rf'{VALUE}\.?', one.value.strip()) is None:
        return None
    line = lines[one.index]
    end = len(line.text.rstrip())
    title = 'Write `Default:`'
    if one.kind == 'parenthesis':
        before = line.text[:one.start].rstrip()
        if before:
            stop = _stop(before)
            written = f'{stop} Default: {_written(one.value)}.'
            return None if stop is None else safe(title, Edit(place_in(line, one.start, end), written))
        edits = [Edit(place_in(line, len(line.text) - len(line.text.lstrip()), end), f'Default: {_written(one.value)}.')]
        if one.index:
            above = lines[one.index - 1].text.rstrip()
            stop = _stop(above)
            if stop is None or lines[one.index - 1].is_code:
                return None
            edits.insert(0, Edit(place_in(lines[one.index - 1], len(above), len(above)), stop))
        return safe(title, *(edit for edit in edits if edit.text))
    last = lines[-1].text.rstrip()
    if not one.begins_sentence or not one.value or lines[-1].is_code or (one.index < len(lines) - 1 and has_items(lines)):
        return None
    if one.index == len(lines) - 1:
        value = _written(one.value)
        stop = '' if value.endswith(('.', '!', '?')) else '.'
        return safe(title, Edit(place_in(line, one.start, end), f'Default: {value}{stop}'))
    edits = [Edit(place_in(line, one.start, end), f'Default: {_written(one.value)}')]
    if _UNFINISHED.search(last):
        edits.append(Edit(place_in(lines[-1], len(last), len(last)), '.'))
    return safe(title, *edits)


def _stop(text: str) -> str | None:
    """What to put behind a sentence that may lack its full stop; None where it goes on."""
    if text.endswith(('.', '!', '?', ':')):
        return ''
    return '.' if _UNFINISHED.search(text) else None


def _written(value: str) -> str:
    """A value as it is to be written, with its full stop if it is a sentence that has one."""
    core = value.strip()
    single = core[:-1] if core.endswith('.') and re.fullmatch(VALUE, core[:-1]) else core
    if re.fullmatch(VALUE, single):
        return single if _TICKED.fullmatch(single) else f'`{single}`'
    bare = _BARE.match(core)
    return f'`{bare.group()}`{core[bare.end():]}' if bare else core


def _form(value: str) -> str:
    written = _written(value)
    return f'``Default: {written if written.endswith(".") else written + "."}``'
