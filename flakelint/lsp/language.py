# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What there is to say of Triton's own names, for the releases that a project targets."""

from typing import NamedTuple

from flakelint.engine.versions import Bounds, parse
from flakelint.kernel.api import LANGUAGE, TENSOR, Entry, load
from flakelint.kernel.api.descriptions import describe, signature, versions


class Known(NamedTuple):
    """A name of Triton.

    Args:
        module (str):
            Its module.
        name (str):
            Its name there.
        entries (tuple[Entry, ...]):
            What it is in the releases that have it.
        text (str):
            What it is for.
    """

    module: str
    name: str
    entries: tuple[Entry, ...]
    text: str


def find(full: str) -> Known | None:
    """The name that a full name means, such as `triton.language.load`; None where nothing is known of it."""
    module, _, name = full.rpartition('.')
    return _known(module, name)


def method(name: str) -> Known | None:
    """A method or attribute of blocks and scalars."""
    return _known(TENSOR, name)


def members(module: str, target: str) -> list[Known]:
    """The public names of a module that some release of a range has."""
    found = [_known(module, name) for name in load().names(module) if not name.startswith('_')]
    return [one for one in found if one is not None and entry_for(one, target) is not None]


def entry_for(known: Known, target: str) -> Entry | None:
    """What a name is in the newest release of a range that has it."""
    wanted = parse(target)
    held = [version for version in load().versions if _within(version, wanted)]
    for version in reversed(held):
        for entry in known.entries:
            if entry.holds_in(version):
                return entry
    return None


def page(known: Known, target: str) -> str:
    """What there is to say of a name, as Markdown."""
    parts = []
    entry = entry_for(known, target) or (known.entries[-1] if known.entries else None)
    if entry is not None:
        prefix = 'tensor.' if known.module == TENSOR else 'tl.' if known.module == LANGUAGE else f'{known.module}.'
        parts.append(f'```python\n{prefix}{signature(entry, known.name)}\n```')
    if known.text:
        parts.append(known.text)
    if entry is not None and entry.deprecated:
        parts.append(f'Deprecated: {entry.deprecated}')
    if entry is not None and entry.raises:
        parts.append(f'Raises: {entry.raises}')
    if known.entries:
        missing = entry_for(known, target) is None
        words = versions(known.entries, load().versions)
        parts.append(f'Triton: {words}{f", but not in `{target}`, which is targeted" if missing else ""}')
    return '\n\n'.join(parts)


def _known(module: str, name: str) -> Known | None:
    entries, text = load().entries(module, name), describe(module, name)
    return Known(module, name, entries, text) if entries or text else None


def _within(version: tuple[int, ...], wanted: Bounds) -> bool:
    return wanted.low <= version < wanted.high
