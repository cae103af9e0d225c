# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The configurations that hold for open files, each with its rules and its repository."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.engine.cache import Cache, cache_folder, open_cache
from flakelint.engine.config import SETTINGS_FILES, Config, SettingsError, candidates, load
from flakelint.engine.registry import Registry, check_option_tables, collect
from flakelint.engine.runner import Job, read
from flakelint.lsp.editor_settings import EditorSettings
from flakelint.project.contents import Content, content_of

if TYPE_CHECKING:
    from flakelint.engine.checker import Checker
    from flakelint.kernel.repository import Repository

_QUOTED = re.compile(r'`([^`]+)`')


class Project:
    """A folder with the configuration that holds in it.

    Args:
        config (Config):
            The configuration.
        editor (EditorSettings):
            What the editor sets.

    Raises:
        SettingsError: a rule is unknown or cannot be imported, or its options are wrong.
    """

    def __init__(self, config: Config, editor: EditorSettings) -> None:
        self.config = config
        self.editor = editor
        self.registry: Registry = collect(config)
        check_option_tables(self.registry, config)
        self.codes = tuple(self.registry.selected(config.layers))
        # what a check in the folder learned is read; a folder that nobody checks gets no cache
        is_checked = os.path.isdir(cache_folder(config, None))
        store = Store(open_cache(config, self.registry, self.codes, None) if is_checked else None)
        self._seen: dict[str, tuple[tuple[int, int], Content]] = {}
        self._job = Job(config, self.registry, self.codes, workers=1, store=store)

    @cached_property
    def checker(self) -> 'Checker':
        """The rules, with what they know of other files."""
        return self._job.checker(repository=self._repository)

    def _repository(self) -> 'Repository':
        contents = self._job.contents(known=_Unchanged(self.config.root, self._seen))
        return self._job.repository(contents=contents)

    def forget_files(self) -> None:
        """Look at the files on the disk again, since some of them changed."""
        self.__dict__.pop('checker', None)

    def name(self, path: str) -> str:
        """A file's path from the root, with forward slashes."""
        return self._job.name(path)

    def excludes(self, path: str) -> bool:
        """Whether the settings exclude a file."""
        return self._job.excluded.covers(path)


class _Unchanged(Mapping[str, Content]):
    """What is known of files that did not change since they were read, by their path from the root."""

    def __init__(self, root: str, seen: dict[str, tuple[tuple[int, int], Content]]) -> None:
        self._root = root
        self._seen = seen

    def __getitem__(self, path: str) -> Content:
        full = os.path.join(self._root, path)
        try:
            status = os.stat(full)
            stamp = (status.st_mtime_ns, status.st_size)
            if path not in self._seen or self._seen[path][0] != stamp:
                self._seen[path] = stamp, content_of(read(full))
        except OSError:
            raise KeyError(path) from None
        return self._seen[path][1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._seen)

    def __len__(self) -> int:
        return len(self._seen)


class Store:
    """Summaries of files, kept in memory as well as on the disk.

    Args:
        cache (Cache | None):
            The cache on the disk, if there is one.
    """

    def __init__(self, cache: Cache | None) -> None:
        self._cache = cache
        self._known: dict[str, tuple[str, str]] = {}

    def read_summaries(self, hashes: Iterable[str]) -> dict[str, tuple[str, str]]:
        """The summaries that are known, by the hash of the file's content."""
        wanted = set(hashes)
        missing = wanted - self._known.keys()
        if self._cache is not None and missing:
            self._known.update(self._cache.read_summaries(missing))
        self._known = {key: value for key, value in self._known.items() if key in wanted}
        return dict(self._known)

    def write_summaries(self, summaries: Mapping[str, tuple[str, str]]) -> None:
        """Keep summaries, by the hash of the file's content."""
        self._known.update(summaries)
        if self._cache is not None:
            self._cache.write_summaries(summaries)


# the settings files and rules that there are, with the time of their last change and their size
_Stamps = tuple[tuple[str, int, int], ...]


def _stamps(folder: str, editor: EditorSettings, project: Project | None) -> _Stamps:
    """The files that say which rules there are in a folder, as they are now."""
    paths = [editor.configuration] if editor.configuration else list(candidates(folder))
    for rules in project.config.settings.rule_paths if project is not None else ():
        root = os.path.join(project.config.root, rules)
        paths.extend(os.path.join(root, name) for name in (sorted(os.listdir(root)) if os.path.isdir(root) else ()))
    found = []
    for path in paths:
        with suppress(OSError):
            status = os.stat(path)
            found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)


class Projects:
    """The projects of all open files.

    Args:
        complain (Callable[[str], object]):
            Told what is wrong with a configuration, once.
    """

    def __init__(self, complain: Callable[[str], object]) -> None:
        self._complain = complain
        self._told: set[str] = set()
        self._by_folder: dict[tuple[str, str], tuple[_Stamps, Project | None]] = {}
        self._by_root: dict[tuple[str, str | None, str], Project] = {}

    def find(self, folder: str, editor: EditorSettings) -> Project | None:
        """The project in whose configuration a folder is; None where that is wrong."""
        key = (folder, repr(editor))
        stamps, project = self._by_folder.get(key, (None, None))
        # an editor may watch no files, so that what changed is seen here
        if stamps != _stamps(folder, editor, project):
            self._by_root = {root: one for root, one in self._by_root.items() if one is not project}
            project = self._load(folder, editor)
            self._by_folder[key] = _stamps(folder, editor, project), project
        return project

    def reload(self) -> None:
        """Read all settings files again when they are next asked for."""
        self._by_folder.clear()
        self._by_root.clear()
        self._told.clear()

    def forget_files(self) -> None:
        """Look at the files on the disk again."""
        for project in self._by_root.values():
            project.forget_files()

    def _load(self, folder: str, editor: EditorSettings) -> Project | None:
        try:
            config = load(folder, editor.configuration or None, editor.overrides)
            key = (config.root, config.file, repr(editor))
            if key not in self._by_root:
                self._by_root[key] = Project(config, editor)
            return self._by_root[key]
        except SettingsError as error:
            self._say(with_line(str(error), folder, editor.configuration))
            return None

    def _say(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._complain(text)


def with_line(message: str, folder: str, file: str = '') -> str:
    """What is wrong with a settings file, with its path and the line that it is about, where these can be told.

    Args:
        message (str):
            The message of a `SettingsError`, which begins with the file as seen from the working folder.
        folder (str):
            The folder for which settings were looked for.
        file (str, Optional):
            The settings file that was asked for. Default: none.
    """
    shown, _, rest = message.partition(':')
    path = os.path.abspath(file or shown)
    if not os.path.isfile(path) or os.path.basename(path) not in (*SETTINGS_FILES, os.path.basename(file or shown)):
        return message
    try:
        with open(path, encoding='utf-8', errors='replace') as opened:
            lines = opened.read().split('\n')
    except OSError:
        return message
    found = re.search(r'at line (\d+)', rest)
    number = int(found[1]) if found else _line_of(_QUOTED.findall(rest), lines)
    return f'{path}:{number}:{rest}' if number else f'{path}:{rest}'


def _line_of(words: list[str], lines: list[str]) -> int | None:
    """The line in which a key or value stands of which a message speaks."""
    for word in words:
        last = word.rpartition('.')[2].strip('"')
        pattern = re.compile(rf'(?<![\w-]){re.escape(last)}(?![\w-])')
        for number, line in enumerate(lines, 1):
            if pattern.search(line.partition('#')[0]):
                return number
    return None
