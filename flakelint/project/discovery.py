# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""From the paths on a command line to the files to check."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from flakelint.project.ignore import NEVER_ENTERED, Patterns, ignore_files_above, is_ignored, read_ignore_files

SUFFIXES = ('.py', '.pyi')


@dataclass
class Found:
    """The files to check, as absolute paths in order and each once, and what a person should hear about the search."""

    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def discover(
    paths: Iterable[str],
    exclude: Patterns,
    respect_gitignore: bool = True,
    force_exclude: bool = False,
    suffixes: tuple[str, ...] = SUFFIXES,
) -> Found:
    """Find the Python files that the given paths mean.

    A folder stands for the files below it that have one of the suffixes and are neither excluded nor ignored by git. A file that is named is taken as it is, unless `force_exclude` asks for the exclusions to hold for it too. A path that does not exist is kept: that it cannot be read is for the checker to say.

    Args:
        paths (Iterable[str]):
            Files and folders.
        exclude (Patterns):
            What the settings leave out.
        respect_gitignore (bool, Optional):
            Whether `.gitignore` files count. Default: `True`.
        force_exclude (bool, Optional):
            Whether exclusions hold for named files too. Default: `False`.
        suffixes (tuple[str, ...], Optional):
            How the names of the files end that folders stand for. Default: as those of Python files do.
    """
    found = Found()
    seen: set[str] = set()
    walk = _Walk(exclude, respect_gitignore, found.notes, suffixes)
    for path in paths:
        path = os.path.abspath(path)
        if os.path.isdir(path):
            files: Iterable[str] = walk.below(path) if not (force_exclude and walk.leaves_out(path)) else ()
        else:
            files = () if force_exclude and walk.leaves_out(path) else (path,)
        for file in files:
            if file not in seen:
                seen.add(file)
                found.files.append(file)
    return found


class _Walk:
    def __init__(self, exclude: Patterns, respect_gitignore: bool, notes: list[str], suffixes: tuple[str, ...]) -> None:
        self._exclude = exclude
        self._respect_gitignore = respect_gitignore
        self._notes = notes
        self._suffixes = suffixes
        self._entered: set[tuple[int, int]] = set()

    def leaves_out(self, path: str) -> bool:
        inside = os.path.relpath(path, self._exclude.base).split(os.sep)
        if self._exclude.covers(path) or any(part in NEVER_ENTERED for part in inside):
            return True
        folder = os.path.dirname(path)
        patterns = [*ignore_files_above(folder), *read_ignore_files(folder)] if self._respect_gitignore else []
        return is_ignored(path, os.path.isdir(path), patterns)

    def below(self, folder: str) -> Iterator[str]:
        above = ignore_files_above(folder) if self._respect_gitignore else []
        yield from self._folder(folder, above, ())

    def _folder(self, folder: str, above: list[Patterns], ancestors: tuple[tuple[int, int], ...]) -> Iterator[str]:
        try:
            status = os.stat(folder)
            with os.scandir(folder) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._notes.append(f'{_shown(folder)}: not searched: {error.strerror}')
            return
        identity = (status.st_dev, status.st_ino)
        if identity in self._entered:
            if identity in ancestors:
                self._notes.append(f'{_shown(folder)}: not followed: a symbolic link to a folder above it')
            return
        self._entered.add(identity)
        patterns = [*above, *read_ignore_files(folder)] if self._respect_gitignore else above
        yield from self._entries(listing, patterns, (*ancestors, identity))

    def _entries(self, listing: Sequence[os.DirEntry], patterns: list[Patterns], ancestors: tuple) -> Iterator[str]:
        for entry in listing:
            try:
                is_folder = entry.is_dir()
            except OSError:
                is_folder = False
            if is_folder:
                if entry.name not in NEVER_ENTERED and not self._is_out(entry.path, True, patterns):
                    yield from self._folder(entry.path, patterns, ancestors)
            elif entry.name.endswith(self._suffixes) and not self._is_out(entry.path, False, patterns):
                yield entry.path

    def _is_out(self, path: str, folder: bool, patterns: list[Patterns]) -> bool:
        return self._exclude.says(path, folder) is True or is_ignored(path, folder, patterns)


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith('..') else relative
