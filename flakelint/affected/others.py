# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the files of a repository that are no Python code have to do with its tests."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

EVERYTHING, NOTHING = 'everything', 'nothing'


class Others(NamedTuple):
    """What changes of other files than Python code mean.

    Args:
        everything (bool):
            Whether all tests are needed.
        causes (tuple[str, ...]):
            The files for which they are.
        mentioned (frozenset[str]):
            The Python files that name one of them.
        tests (frozenset[str]):
            The tests that the settings give for them.
    """

    everything: bool
    causes: tuple[str, ...]
    mentioned: frozenset[str]
    tests: frozenset[str]


def judge(
    paths: Iterable[str],
    everything: Iterable[str],
    nothing: Iterable[str],
    data: Mapping[str, Iterable[str]],
    unknown: str,
    mentions: Callable[[str], Iterable[str]],
) -> Others:
    """What changed files mean that are no Python code.

    Args:
        paths (Iterable[str]):
            The files.
        everything (Iterable[str]):
            Patterns of those that every test depends on.
        nothing (Iterable[str]):
            Patterns of those that no test depends on.
        data (Mapping[str, Iterable[str]]):
            Patterns of data, with those of the tests that read it.
        unknown (str):
            What is done about the rest, if no Python file names it: `everything` or `nothing`.
        mentions (Callable[[str], Iterable[str]]):
            Gives the Python files that name a file.
    """
    causes, mentioned, tests = [], set(), set()
    for path in paths:
        patterns = [one for pattern, ones in data.items() if matches(path, pattern) for one in ones]
        tests.update(patterns)
        if patterns:
            continue
        if any(matches(path, pattern) for pattern in everything):
            causes.append(path)
            continue
        found = list(mentions(path.rpartition('/')[2]))
        mentioned.update(found)
        is_known = bool(found) or any(matches(path, pattern) for pattern in nothing)
        if not is_known and unknown == EVERYTHING:
            causes.append(path)
    return Others(bool(causes), tuple(causes), frozenset(mentioned), frozenset(tests))


def matches(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern; one without a slash is that of a name in any folder."""
    if '/' not in pattern:
        return fnmatchcase(path.rpartition('/')[2], pattern)
    return fnmatchcase(path, pattern) or path.startswith(pattern.rstrip('*').rstrip('/') + '/')
