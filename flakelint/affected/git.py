# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What git says of a working tree against an earlier state."""

import os
import subprocess
from collections.abc import Iterable
from typing import NamedTuple


class GitError(Exception):
    """Git cannot tell, for the reason that is the message."""


class Difference(NamedTuple):
    """How a working tree differs from an earlier state, by paths from a folder.

    Args:
        before (dict[str, bytes]):
            The earlier contents of the files that changed or are gone.
        after (frozenset[str]):
            The files that changed or are new, untracked ones that are not ignored included.
    """

    before: dict[str, bytes]
    after: frozenset[str]


def difference(root: str, reference: str) -> Difference:
    """How the files below a folder differ from where the current branch left another one.

    Args:
        root (str):
            The folder.
        reference (str):
            The other branch, or any name of a commit.

    Raises:
        GitError: git is not there, the folder is in no repository, or the commit is not known.
    """
    if reference.startswith('-'):
        raise GitError(f'`{reference}` is no name of a commit')
    base = _git(root, 'merge-base', '--', reference, 'HEAD').decode().strip()
    options = ('--name-status', '--no-renames', '--ignore-submodules', '--relative', '-z')
    listed = _git(root, 'diff', *options, base).decode(errors='surrogateescape')
    fields = listed.split('\0')[:-1]
    states = dict(zip(fields[1::2], fields[::2], strict=True))
    others = _git(root, 'ls-files', '--others', '--exclude-standard', '-z').decode(errors='surrogateescape')
    old = [path for path, state in states.items() if state != 'A']
    new = [path for path, state in states.items() if state != 'D']
    return Difference(_contents(root, base, old), frozenset([*new, *others.split('\0')[:-1]]))


def was_there(root: str, path: str) -> bool:
    """Whether a commit had a file or a folder that is not there any more."""
    try:
        return bool(_git(root, 'log', '-1', '--format=%h', '--', f'./{path}'))
    except GitError:
        return False


def _contents(root: str, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
    return {path: _git(root, 'show', f'{commit}:./{path}') for path in paths}


def _git(root: str, *arguments: str) -> bytes:
    command = ['git', '-C', root, *arguments]
    # a hook of git names the repository that it runs for, which need not be where the folder is
    environment = {key: value for key, value in os.environ.items() if not key.startswith('GIT_')} | {'LC_ALL': 'C'}
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=environment)
    except FileNotFoundError:
        raise GitError('git is not installed') from None
    if done.returncode:
        raise GitError(_reason(done.stderr, arguments))
    return done.stdout


def _reason(said: bytes, arguments: tuple[str, ...]) -> str:
    lines = said.decode(errors='replace').strip().splitlines()
    return lines[0] if lines else f'`git {arguments[0]}` found no common commit'
