# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.rules.doc.argument_sections import place_in, sections_of
from flakelint.rules.doc.documented_values import MISSING, same, value_in_signature, value_stated
from flakelint.rules.doc.parameters import classes_of_methods, initialiser, is_overload, taken_by

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.rules.doc.argument_sections import Entry, Section
    from flakelint.rules.doc.parameters import Parameter, Taken

_CLOSE = 0.7
_SHOWN = 3
_DECORATED = ('fn', 'func', 'function', 'f', 'method')
# what says that not everything is listed
_PARTIAL = re.compile(
    r'\b(?:others?|remaining|rest|same|additional|further|see|similar|inherit\w*|identical|refer|cf|etc)\b|\.\.\.|…',
    re.IGNORECASE,
)
_LISTED = re.compile(
    r'\s*(?:[-*+•]\s+|\d+[.)]\s+)?(?::param\s+(?:\w+\s+)?|@param\s+)?'
    r'(?P<names>[`*\\]*\w+[`*]*(?:\s*[,/]\s*[`*\\]*\w+[`*]*)*)\s*(?:[:(=\[\u2013\u2014]|-\s)',
)
_WORD = re.compile(r'[^\W\d]\w*')


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        sections (tuple[str, ...]):
            The headings of the sections that list arguments.
        implicit (tuple[str, ...]):
            Parameters that nobody passes, and that need no entry.
    """

    sections: tuple[str, ...] = ('Args', 'Arguments', 'Parameters')
    implicit: tuple[str, ...] = ('self', 'cls', 'mcs', 'ctx')


class StaleArgument(Rule):
    """A docstring that disagrees with the signature about the arguments.

    ## What it does
    Where a docstring has an `Args:` section, compares it with the signature. Flags names that are no parameters, parameters that are not listed, and defaults that are not those of the signature. The docstring of a class is compared with its `__init__` or `__new__`, or with its fields if it is a data class, a named tuple or a model.

    ## Why is this bad?
    It is what is left over where a parameter was renamed, added or removed, or its default changed, and the docstring was not. Whoever trusts the docstring passes what nothing takes, or relies on a value that is no longer the default.

    ## Example
    ```python
    import torch


    def chunk_scan(x: torch.Tensor, chunk_size: int = 32, reverse: bool = False) -> torch.Tensor:
        \"""Sum within chunks.

        Args:
            x (torch.Tensor):
                The sequence.
            chunk (int, Optional):
                The length of a chunk. Default: 64.
        \"""
        return x.view(-1, chunk_size).cumsum(-1)
    ```

    ## Use instead
    ```python
    import torch


    def chunk_scan(x: torch.Tensor, chunk_size: int = 32, reverse: bool = False) -> torch.Tensor:
        \"""Sum within chunks.

        Args:
            x (torch.Tensor):
                The sequence.
            chunk_size (int, Optional):
                The length of a chunk. Default: 32.
            reverse (bool, Optional):
                Whether to begin at the end. Default: `False`.
        \"""
        return x.view(-1, chunk_size).cumsum(-1)
    ```

    ## Known limits
    A name that is no parameter is left alone where there is `*args` or `**kwargs`, which may stand for it, and in the docstring of a class where it is an attribute, a parameter of `forward`, or may come from a base class. Properties, and functions whose decorators seem to change the signature or the docstring, are left alone. Parameters that begin with an underscore need no entry, nor does any parameter where the docstring says that it does not list them all. Only defaults that are written out are compared; `None` in the signature may stand for a value that the body puts in its place. Docstrings in the styles of NumPy and reST are left alone.

    ## Options
    - `sections`: the headings of the sections that list arguments. Default: `['Args', 'Arguments', 'Parameters']`.
    - `implicit`: parameters that nobody passes, and that need no entry. Default: `['self', 'cls', 'mcs', 'ctx']`.
    """

    code = 'DOC103'
    name = 'stale-argument'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Compare the docstrings of a file with what is documented."""
        sections: dict[ast.AST, list[Section]] = {}
        for section in sections_of(file, self.options.sections):
            sections.setdefault(section.docstring.owner, []).append(section)
        classes = classes_of_methods(file) if sections else {}
        found = []
        for owner, own in sections.items():
            taken = taken_by(owner, file, classes)
            if taken is not None and (taken.parameters or not isinstance(owner, ast.ClassDef)):
                found.extend(self._unknown(own, taken))
                found.extend(self._wrong_defaults(own, taken))
                # what a class takes may be listed at its method, and what an overload takes at the function
                told_there = initialiser(owner) in sections if isinstance(owner, ast.ClassDef) else is_overload(owner)
                parent = classes.get(owner)
                above = sections.get(parent, []) if parent is not None and initialiser(parent) is owner else []
                if not told_there:
                    found.extend(self._missing([*own, *above], taken, file))
        yield from sorted(found, key=lambda finding: finding.range)

    def _unknown(self, sections: 'list[Section]', taken: 'Taken') -> 'Iterator[Finding]':
        known = {one.name for one in taken.parameters}
        starred = {one.lstrip('*') for one in taken.stars}
        listed = {_bare(name) for section in sections for entry in section.entries for name in entry.names}
        for entry in (entry for section in sections for entry in section.entries):
            for name in entry.names:
                bare = _bare(name)
                if bare in taken.others or bare in self.options.implicit or name in taken.stars:
                    continue
                if name != bare and bare in known:
                    message = f'`{name}` is documented with stars, but is a plain parameter: write `{bare}`'
                elif name != bare and bare in starred:
                    message = f'`{name}` is documented with other stars than the signature has'
                elif {bare, _abbreviated(entry, bare)} & (known | starred) or (taken.is_open and name == bare):
                    continue
                else:
                    close = _close(bare, [one for one in known if one not in listed])
                    hint = f'; did you mean `{close}`?' if close else ': delete its entry, or rename it'
                    message = f'`{name}` is documented, but is no parameter{hint}'
                start = re.compile(rf'(?<!\w){bare}(?!\w)').search(entry.head.text, entry.start).start()
                yield self.finding(place_in(entry.head, start, start + len(bare)), message)

    def _missing(self, sections: 'list[Section]', taken: 'Taken', file: 'File') -> 'Iterator[Finding]':
        told = _told(sections)
        if told is None:
            return
        missing = [one for one in taken.parameters if self._needs_entry(one) and one.name not in told]
        if not missing:
            return
        names = ', '.join(f'`{one.name}`' for one in missing[:_SHOWN])
        more = f' and {len(missing) - _SHOWN} more' if len(missing) > _SHOWN else ''
        verb = 'is' if len(missing) == 1 else 'are'
        heading = sections[0].heading.text.strip()
        yield self.finding(file.range(missing[0].node), f'{names}{more} {verb} not documented under `{heading}`: add an entry')

    def _needs_entry(self, parameter: 'Parameter') -> bool:
        if parameter.is_told or parameter.name.startswith('_') or parameter.name in self.options.implicit:
            return False
        # a decorator that may be written with or without brackets is passed its function by nobody
        is_none = isinstance(parameter.default, ast.Constant) and parameter.default.value is None
        return not (is_none and parameter.name in _DECORATED)

    def _wrong_defaults(self, sections: 'list[Section]', taken: 'Taken') -> 'Iterator[Finding]':
        parameters = {one.name: one for one in taken.parameters}
        for entry in (entry for section in sections for entry in section.entries):
            stated = value_stated(entry)
            if stated is None:
                continue
            value, line, start, end = stated
            for name in entry.names:
                default = parameters[name].default if name in parameters else None
                actual = value_in_signature(default)
                if actual is not MISSING and actual is not None and not same(value, actual):
                    what = f'the default of `{name}` is documented as `{line.text[start:end].strip("`")}`'
                    yield self.finding(place_in(line, start, end), f'{what}, but is `{ast.unparse(default)}`')
                    break


def _close(name: str, known: list[str]) -> str | None:
    """The name that may be meant."""
    lower = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), lower, 1, _CLOSE)
    return lower[found[0]] if found else None


def _bare(name: str) -> str:
    return name.lstrip('*')


def _abbreviated(entry: 'Entry', name: str) -> str:
    """What is meant by a name that is cut short behind another one, as `col` in `stride_row/col`."""
    if '/' not in entry.head.text[:entry.colon]:
        return name
    head, line, _ = entry.names[0].rpartition('_')
    return f'{head}{line}{name}'


def _told(sections: 'list[Section]') -> set[str] | None:
    """The names of which a docstring speaks where it lists something; None where it says that it does not list all."""
    told: set[str] = set()
    for section in sections:
        told.update(_bare(name) for entry in section.entries for name in entry.names)
        for line in section.strays:
            if _PARTIAL.search(line.text):
                return None
            told.update(_WORD.findall(line.text))
    for line in sections[0].docstring.lines:
        # other sections list arguments too, under headings of their own
        if match := _LISTED.match(line.text):
            told.update(_WORD.findall(match['names']))
    told.update(_abbreviated(entry, name) for section in sections for entry in section.entries for name in entry.names)
    return told
