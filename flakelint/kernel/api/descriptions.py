# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What to show of a name of Triton's: what it is for, how it is called, and which releases have it."""

import ast
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import groupby

from flakelint.kernel.api import LANGUAGE, MODULE, Entry, Version, load

_MATH = f'{LANGUAGE}.math'
# the modules whose functions the language has under the same names
_PARTS = frozenset({_MATH, *(f'{LANGUAGE}.{name}' for name in ('core', 'random', 'standard'))})


def describe(module: str, name: str) -> str:
    """What a name of a module is for, and what authors get wrong with it; nothing where that is not known.

    The language and the modules that it takes its functions from share their texts.

    Args:
        module (str):
            The module, such as `triton.language`, or `triton.language.tensor` for methods.
        name (str):
            Its name there.
    """
    texts = _texts()
    own = texts.get(module, {}).get(name, '')
    if own or (module != LANGUAGE and module not in _PARTS):
        return own
    # `math` in one of them is the module of Python
    if all(entry.kind == MODULE for entry in load().entries(module, name)):
        return ''
    return texts[LANGUAGE].get(name) or texts[_MATH].get(name, '')


def signature(entry: Entry, name: str) -> str:
    """A name with the parameters that authors pass, or alone where it has none that are known.

    Args:
        entry (Entry):
            What the name is.
        name (str):
            The name.
    """
    return name if entry.parameters is None else f'{name}({ast.unparse(entry.parameters)})'


def versions(entries: Sequence[Entry], known: Sequence[Version]) -> str:
    """In which releases a name exists, in words: `in all releases from 3.3`, `since 3.5`, `until 3.4`, `3.4 to 3.6`.

    Both ends are releases that have the name. Where none has it there are no words.

    Args:
        entries (Sequence[Entry]):
            What the name is.
        known (Sequence[Version]):
            All releases that are known of, from the oldest.
    """
    runs = groupby(known, lambda version: any(entry.holds_in(version) for entry in entries))
    return ', '.join(_run(list(run), known) for is_there, run in runs if is_there)


def _run(run: Sequence[Version], known: Sequence[Version]) -> str:
    """Some releases in a row, in words."""
    first, last = run[0], run[-1]
    # a release without a patch number stands for all of its patches
    start = _spelled(first, next(version for version in known if version[:2] == first[:2]))
    end = _spelled(last, next(version for version in reversed(known) if version[:2] == last[:2]))
    if len(run) == len(known):
        return f'in all releases from {start}'
    if last == known[-1]:
        return f'since {start}'
    if first == known[0]:
        return f'until {end}'
    if start == end:
        return f'only {start}'
    return f'{start} to {end}' if first != last else f'only {_spelled(first)}'


def _spelled(version: Version, short: Version = ()) -> str:
    """A version as text, without its patch number where it is the one to be shortened."""
    return '.'.join(map(str, version[:2] if version == short else version))


@lru_cache(maxsize=1)
def _texts() -> dict[str, dict[str, str]]:
    """The texts of each module, read when one is first asked for."""
    return json.loads(files(__package__).joinpath('descriptions.json').read_text(encoding='utf-8'))
