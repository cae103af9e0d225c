# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What each release of Triton offers to kernels; `scripts/build_triton_api.py` writes the table from the wheels."""

import ast
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

LANGUAGE = 'triton.language'
TENSOR = 'triton.language.tensor'

FUNCTION = 'function'
CLASS = 'class'
VALUE = 'value'
MODULE = 'module'

Version = tuple[int, ...]


class Entry(NamedTuple):
    """What a name is in some releases.

    Args:
        since (Version):
            The first of them.
        until (Version):
            The first release after them; empty where there is none yet.
        kind (str):
            `function`, `class`, `module`, or `value` for anything else.
        parameters (ast.arguments | None, Optional):
            The parameters of a function or a class that an author passes, if they are known. Default: `None`.
        raises (str, Optional):
            What it raises whenever it is called. Default: nothing.
        deprecated (str, Optional):
            What it warns of whenever it is called. Default: nothing.
    """

    since: Version
    until: Version
    kind: str
    parameters: ast.arguments | None = None
    raises: str = ''
    deprecated: str = ''

    def holds_in(self, version: Version) -> bool:
        """Whether it is so in a release."""
        return self.since <= version and (not self.until or version < self.until)


class Api:
    """The names that kernels may use of Triton, release by release.

    Args:
        table (dict):
            The content of the data file.
    """

    def __init__(self, table: dict) -> None:
        self.versions: tuple[Version, ...] = tuple(map(numbers, table['versions']))
        self._modules: dict[str, dict[str, list[list]]] = table['modules']
        self._entries: dict[tuple[str, str], tuple[Entry, ...]] = {}

    def knows(self, module: str) -> bool:
        """Whether all public names of a module are in the table."""
        return module in self._modules

    def names(self, module: str) -> Sequence[str]:
        """The names that a module has, or had, in any release."""
        return tuple(self._modules.get(module, ()))

    def entries(self, module: str, name: str) -> tuple[Entry, ...]:
        """What a name of a module is in the releases that have it, from the oldest."""
        key = (module, name)
        if key not in self._entries:
            self._entries[key] = tuple(self._find(module, name))
        return self._entries[key]

    def entry(self, module: str, name: str, version: Version) -> Entry | None:
        """What a name of a module is in one release, or None."""
        return next((one for one in self.entries(module, name) if one.holds_in(version)), None)

    def _find(self, module: str, name: str) -> Iterator[Entry]:
        for since, until, text, *notes in self._modules.get(module, {}).get(name, ()):
            first, last = numbers(since), numbers(until)
            if text.startswith('='):
                yield from self._through(text[1:], first, last)
            else:
                kind, _, parameters = text.partition('(')
                arguments = ast.parse(f'lambda {parameters[:-1]}: 0', mode='eval').body.args if parameters else None
                yield Entry(first, last, kind or FUNCTION, arguments, **(notes[0] if notes else {}))

    def _through(self, target: str, since: Version, until: Version) -> Iterator[Entry]:
        """What another module calls so, in some releases."""
        module, _, name = target.rpartition('.')
        found = self.entries(module, name)
        if not found:
            yield Entry(since, until, VALUE)
        for one in found:
            first = max(one.since, since)
            last = min(filter(None, (one.until, until)), default=())
            if not last or first < last:
                yield one._replace(since=first, until=last)


@lru_cache(maxsize=1)
def load() -> Api:
    """The table, read when it is first asked for."""
    return Api(json.loads(files(__name__).joinpath('triton.json').read_text(encoding='utf-8')))


def numbers(version: str) -> Version:
    """The numbers of a version; none for the empty text."""
    return tuple(map(int, version.split('.'))) if version else ()
