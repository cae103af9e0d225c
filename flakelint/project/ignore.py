# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which paths a folder's ignore files and the settings leave out."""

import os
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pathspec import GitIgnoreSpec

# folders that hold no source of the repository; names, at any depth
NEVER_ENTERED = frozenset({
    '.bzr', '.direnv', '.eggs', '.flakelint_cache', '.git', '.hg', '.ipynb_checkpoints', '.mypy_cache', '.nox',
    '.pytest_cache', '.pytype', '.ruff_cache', '.svn', '.tox', '.venv', '.vscode', '__pycache__', '__pypackages__',
    'node_modules', 'site-packages', 'venv',
})


class Patterns:
    """Patterns as in a `.gitignore` file, for paths below one folder.

    Args:
        base (str):
            The folder to which the patterns are relative.
        lines (Sequence[str]):
            The patterns.
    """

    def __init__(self, base: str, lines: 'Sequence[str]') -> None:
        self.base = base
        self.lines = lines

    @cached_property
    def _spec(self) -> 'GitIgnoreSpec':
        from pathspec import GitIgnoreSpec

        return GitIgnoreSpec.from_lines(self.lines)

    def says(self, path: str, folder: bool = False) -> bool | None:
        """True where the last pattern that fits leaves the path out, False where it takes it back in, None where none fits."""
        if not self.lines:
            return None
        relative = os.path.relpath(path, self.base).replace(os.sep, '/')
        if relative.startswith('../'):
            return None
        result = self._spec.check_file(relative + '/' if folder else relative)
        if result.include is False and result.index is not None and self._is_taken_back_above(relative, folder, result.index):
            before = [line for line in self.lines[:result.index] if not _is_of_folder_above(line, relative)]
            return Patterns(self.base, [*before, *self.lines[result.index + 1:]]).says(path, folder)
        return result.include

    def _is_taken_back_above(self, relative: str, folder: bool, index: int) -> bool:
        """Whether a pattern such as `!build/` fits a folder above a path only: it takes back that folder, not what is in it."""
        from pathspec import GitIgnoreSpec

        pattern, (parent, _, name) = self.lines[index].rstrip(), relative.rpartition('/')
        if not (pattern.startswith('!') and pattern.endswith('/') and parent):
            return False
        spec = GitIgnoreSpec.from_lines([pattern[1:]])
        is_itself = folder and '/' not in pattern[1:-1] and spec.match_file(f'{name}/')
        return not is_itself and spec.match_file(f'{parent}/')

    def covers(self, path: str) -> bool:
        """Whether the patterns leave out a file or a folder above it."""
        return self.says(path) is True


class Where:
    """Which files some patterns mean, of paths that are told from the root, as findings show them.

    Args:
        lines (Sequence[str]):
            Patterns as in a `.gitignore`.
    """

    def __init__(self, lines: 'Sequence[str]') -> None:
        self._patterns = Patterns('/', tuple(lines))

    def covers(self, path: str) -> bool:
        """Whether a path fits a pattern."""
        return self._patterns.covers(f'/{path}')


def _is_of_folder_above(line: str, relative: str) -> bool:
    """Whether a pattern leaves out the folder of a path, and not the path itself."""
    from pathspec import GitIgnoreSpec

    parent, _, name = relative.rpartition('/')
    spec = GitIgnoreSpec.from_lines([line])
    is_bare = '/' not in line.rstrip('/')
    return spec.match_file(f'{parent}/') and not (is_bare and spec.match_file(name))


def read_ignore_files(folder: str) -> list[Patterns]:
    """The patterns of a folder's `.gitignore`, and of git's own exclude file where the folder is the top of a repository."""
    found = []
    for name in ('.git/info/exclude', '.gitignore'):
        try:
            with open(os.path.join(folder, name), encoding='utf-8', errors='replace') as file:
                lines = [line for line in file.read().splitlines() if line.strip() and not line.startswith('#')]
        except OSError:
            continue
        if lines:
            found.append(Patterns(folder, lines))
    return found


def ignore_files_above(folder: str) -> list[Patterns]:
    """The patterns that hold in a folder because of the folders above it, up to the top of its git repository."""
    chain = []
    current = folder
    while not os.path.exists(os.path.join(current, '.git')):
        parent = os.path.dirname(current)
        if parent == current:
            return []
        chain.append(parent)
        current = parent
    return [patterns for parent in reversed(chain) for patterns in read_ignore_files(parent)]


def is_ignored(path: str, folder: bool, patterns: 'Sequence[Patterns]') -> bool:
    """Whether a path is left out: the innermost ignore file that has something to say decides, as in git."""
    for one in reversed(patterns):
        verdict = one.says(path, folder)
        if verdict is not None:
            return verdict
    return False
