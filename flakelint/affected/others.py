# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the files of a repository that are no Python code have to do with its tests."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from flakelint.project.ignore import Where

if TYPE_CHECKING:
    from flakelint.engine.settings import AffectedSettings


class Others(NamedTuple):
    """What changes of other files than Python code mean.

    Args:
        causes (tuple[str, ...]):
            The files for which all tests are needed.
        mentioned (frozenset[str]):
            The Python files that name one of them.
        tests (frozenset[str]):
            The patterns of the tests that the settings give for them.
    """

    causes: tuple[str, ...]
    mentioned: frozenset[str]
    tests: frozenset[str]


def judge(paths: Iterable[str], settings: 'AffectedSettings', naming: Callable[[str], Iterable[str]]) -> Others:
    """What changed files mean that are no Python code.

    Args:
        paths (Iterable[str]):
            The files.
        settings (AffectedSettings):
            What the settings say of such files.
        naming (Callable[[str], Iterable[str]]):
            Gives the Python files that name a file.
    """
    everything, nothing = Where(settings.everything), Where(settings.nothing)
    data = [(Where([pattern]), tests) for pattern, tests in settings.data.items()]
    causes, mentioned, tests = [], set(), set()
    for path in paths:
        reading = [one for where, ones in data if where.covers(path) for one in ones]
        tests.update(reading)
        if reading:
            continue
        if everything.covers(path):
            causes.append(path)
            continue
        found = list(naming(path.rpartition('/')[2]))
        mentioned.update(found)
        if not found and not nothing.covers(path) and settings.unknown == 'everything':
            causes.append(path)
    return Others(tuple(causes), frozenset(mentioned), frozenset(tests))
