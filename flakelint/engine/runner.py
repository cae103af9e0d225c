# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Check many files: from the cache where they are known, else in this process or in several."""

import gc
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from flakelint.engine import diagnostics
from flakelint.engine.cache import Cache, Known
from flakelint.engine.config import Config
from flakelint.engine.findings import Finding
from flakelint.engine.registry import Registry, instantiate
from flakelint.engine.versions import overlap
from flakelint.project.contents import Content, Contents, content_hash, content_of
from flakelint.project.discovery import discover
from flakelint.project.ignore import Patterns
from flakelint.source.markdown import is_markdown

if TYPE_CHECKING:
    from flakelint.engine.checker import Checker
    from flakelint.kernel.repository import Repository

# below this many files, starting processes costs more than they save
_WORTH_PROCESSES = 16
_CHUNKS_A_WORKER = 8
# how many files are checked between two collections of garbage
_COLLECT_EVERY = 16

_T = TypeVar('_T')

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Job:
    """What a run is asked to do.

    Args:
        config (Config):
            The configuration.
        registry (Registry):
            The rules that exist.
        codes (tuple[str, ...]):
            The rules that are enabled.
        workers (int):
            How many processes may check files.
        exclude (tuple[str, ...], Optional):
            Patterns that leave out files, besides those of the settings. Default: none.
        store (Cache | None, Optional):
            Where summaries of files are kept from run to run. Default: `None`.
        everything (tuple[str, ...] | None, Optional):
            All Python files below the root, where they were found already. Default: `None`.
    """

    config: Config
    registry: Registry
    codes: tuple[str, ...]
    workers: int
    exclude: tuple[str, ...] = ()
    store: Cache | None = None
    everything: tuple[str, ...] | None = None

    def checker(self, files: Sequence[str] = (), repository: 'Callable[[], Repository] | None' = None) -> 'Checker':
        """A checker with the rules of the job.

        Args:
            files (Sequence[str], Optional):
                The files that it will check, which belong to the repository in any case. Default: none.
            repository (Callable[[], Repository] | None, Optional):
                Gives the repository, instead of `repository` of the job. Default: `None`.

        Raises:
            SettingsError: a rule cannot be imported, or its options are wrong.
        """
        from flakelint.engine.checker import Checker

        rules = instantiate([self.registry.rules[code] for code in self.codes], self.config)
        rules = [rule for rule in rules if overlap(rule.triton, self.config.settings.target_triton)]
        make = repository or partial(self.repository, files)
        severities = self.registry.severities(self.config.settings.severity)
        return Checker(rules, self.registry.rules, self.config.settings, self._ignored, make, severities)

    def repository(self, files: Sequence[str] = (), contents: Contents | None = None) -> 'Repository':
        """The repository in which files stand.

        Args:
            files (Sequence[str], Optional):
                The files. Default: none.
            contents (Contents | None, Optional):
                What `contents` gave for them, if it was asked. Default: `None`.
        """
        from flakelint.engine.context import decorator_names
        from flakelint.kernel.repository import Repository

        contents = contents or self.contents(files)
        return Repository(contents.root, (), decorator_names(self.config.settings), self.store, contents)

    def contents(self, files: Sequence[str] = (), known: Mapping[str, Content] | None = None) -> Contents:
        """All Python files below the root, if that is the top of a project, and some files in any case.

        Args:
            files (Sequence[str], Optional):
                The files. Default: none.
            known (Mapping[str, Content], Optional):
                What is known of files that were read, by their path from the root. Default: nothing.
        """
        found: Sequence[str] = ()
        if self.everything is not None:
            found = self.everything
        elif self._is_project:
            found = discover([self.config.root], self.excluded, self.config.settings.respect_gitignore).files
        return Contents(self.config.root, [path for path in (*found, *files) if not is_markdown(path)], known)

    @cached_property
    def excluded(self) -> Patterns:
        """The files that are left out."""
        settings = self.config.settings
        return Patterns(self.config.root, (*settings.exclude, *settings.extend_exclude, *self.exclude))

    @property
    def _is_project(self) -> bool:
        """Whether the root is the top of a project, and not just a folder in which a file stands."""
        return self.config.file is not None or os.path.exists(os.path.join(self.config.root, '.git'))

    def name(self, path: str) -> str:
        """A file's path from the root, with forward slashes."""
        return os.path.relpath(path, self.config.root).replace(os.sep, '/')

    @cached_property
    def _ignores(self) -> list[tuple[Patterns, set[str]]]:
        found = []
        for pattern, selectors in self.config.settings.per_file_ignores.items():
            codes = {code for selector in selectors for code in self.registry.matching(selector, 'per-file-ignores')}
            found.append((Patterns(self.config.root, (pattern,)), codes))
        return found

    def _ignored(self, name: str) -> set[str]:
        path = os.path.join(self.config.root, name)
        return {code for patterns, codes in self._ignores if patterns.covers(path) for code in codes}


def run(files: Sequence[str], job: Job, cache: Cache | None, progress: Progress | None = None) -> dict[str, list[Finding]]:
    """The findings of each file, by its path as given.

    Args:
        files (Sequence[str]):
            Absolute paths.
        job (Job):
            What to do.
        cache (Cache | None):
            Where findings of earlier runs are, or None to check everything.
        progress (Progress, Optional):
            Told how many files are done, and of how many. Default: `None`.

    Raises:
        SettingsError: a rule cannot be imported, or its options are wrong.
    """
    results: dict[str, list[Finding]] = {}
    if job.store is None:
        job = replace(job, store=cache)
    earlier = _Earlier(job, cache, files)
    missing = earlier.take(results)
    if not missing:
        return results
    checker = job.checker(repository=earlier.repository)
    fresh: dict[str, Known] = {}
    workers = min(job.workers, max(1, len(missing) // (_WORTH_PROCESSES // 2)))
    gc.disable()
    try:
        if checker.looks_at_kernels and len(missing) >= _COLLECT_EVERY:
            prepare(checker.repository, workers)
            # what all checks ask of is not looked through at each collection
            gc.freeze()
        for outcome in _check_all(missing, checker, job, cache, workers):
            results[outcome.path] = outcome.findings
            if outcome.key is not None:
                state = checker.repository.index.files.state if outcome.consulted else ''
                fresh[outcome.key] = Known(outcome.findings, outcome.consulted, state)
            if progress is not None:
                progress(len(results), len(files))
    finally:
        gc.unfreeze()
        gc.enable()
        if cache is not None:
            cache.write(fresh)
            checker.keep()
    return results


class Outcome(NamedTuple):
    """What checking a file gave.

    Args:
        path (str):
            The file.
        key (str | None):
            Its key in the cache, where the findings may be remembered.
        findings (list[Finding]):
            The findings.
        consulted (str):
            The hash of what other files said that they may depend on.
    """

    path: str
    key: str | None
    findings: list[Finding]
    consulted: str


def check_one(path: str, checker: 'Checker', job: Job, cache: Cache | None) -> Outcome:
    """Read and check a file."""
    name = job.name(path)
    try:
        data = read(path)
    except OSError as error:
        reason = f'cannot be read: {error.strerror or error}'
        return Outcome(path, None, [diagnostics.problem(diagnostics.UNREADABLE_FILE, reason)._replace(path=name)], '')
    findings, consulted = checker.examine(name, data)
    remember = cache is not None and all(finding.code != diagnostics.INTERNAL_ERROR[0] for finding in findings)
    return Outcome(path, cache.key(name, content_hash(data)) if remember else None, findings, consulted)


def collecting(paths: Iterable[str], work: Callable[[str], _T]) -> Iterator[_T]:
    """What some work gives for each of some files, while the garbage collector is off: what is made for a file refers to itself."""
    for number, path in enumerate(paths, 1):
        yield work(path)
        if not number % _COLLECT_EVERY:
            gc.collect()
            # what is left is kept for the files to come, and need not be looked through again
            gc.freeze()


def read(path: str) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: it is not there, not a regular file, or not readable.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError('not a regular file')
    with open(path, 'rb') as file:
        return file.read()


def prepare(repository: 'Repository', workers: int) -> None:
    """Make what all checks ask of a repository, before several processes check files."""
    index = repository.index
    missing = index.missing()
    if workers > 1 and len(missing) >= _WORTH_PROCESSES:
        from flakelint.engine.workers import summarise_in_processes

        by_size = _chunks([os.path.join(index.files.root, path) for path in missing], workers)
        chunks = [[os.path.relpath(path, index.files.root).replace(os.sep, '/') for path in chunk] for chunk in by_size]
        for path, dumped in summarise_in_processes(chunks, index, workers):
            index.add(path, dumped)
    _ = index.launches, index.called, index.applied


class _Earlier:
    """What earlier runs found in files."""

    def __init__(self, job: Job, cache: Cache | None, files: Sequence[str]) -> None:
        self._job = job
        self._cache = cache
        self._files = files
        self._known: dict[str, Content] = {}
        self._repository: Repository | None = None
        self._contents: Contents | None = None

    def repository(self) -> 'Repository':
        """The repository in which the files stand, made once."""
        if self._repository is None:
            self._repository = self._job.repository(contents=self.contents)
        return self._repository

    @property
    def contents(self) -> Contents:
        """The files of the repository, found once."""
        if self._contents is None:
            self._contents = self._job.contents(self._files, self._known)
        return self._contents

    def take(self, results: dict[str, list[Finding]]) -> list[str]:
        """Put what is known, and still so, into the results, and give back the files of which it is not."""
        if self._cache is None:
            return list(self._files)
        keys: dict[str, tuple[str, str]] = {}
        missing = []
        for path in self._files:
            name = self._job.name(path)
            try:
                self._known[name] = content_of(read(path))
            except OSError:
                missing.append(path)
                continue
            keys[self._cache.key(name, self._known[name].hash)] = (path, name)
        known = self._cache.read({key: name for key, (_, name) in keys.items()})
        known = {key: found for key, found in known.items() if not found.consulted} | self._confirmed(
            {key: found for key, found in known.items() if found.consulted}, keys,
        )
        for key, (path, _) in keys.items():
            if key in known:
                results[path] = known[key].findings
            else:
                missing.append(path)
        return missing

    def _confirmed(self, known: dict[str, Known], keys: dict[str, tuple[str, str]]) -> dict[str, Known]:
        """What depends on other files that say what they said."""
        if not known:
            return {}
        state = self.contents.state
        known = {key: found for key, found in known.items() if self._answers_hold(found, state)}
        changed = {key: found for key, found in known.items() if found.state != state}
        if changed:
            consulted = {key: self._consulted(keys[key][1]) for key in changed}
            same = {key for key, found in changed.items() if found.consulted.partition('\n')[0] == consulted[key]}
            self._cache.confirm(same, state)
            self.repository().index.save()
            known = {key: found for key, found in known.items() if key not in changed or key in same}
        return known

    def _consulted(self, name: str) -> str:
        # Markdown asks questions only, and means no names
        return '' if is_markdown(name) else self.repository().consulted_by(name)

    def _answers_hold(self, found: Known, state: str) -> bool:
        _, *notes = found.consulted.split('\n')
        return self.contents.answers.still_hold(notes, texts_only=found.state == state)


def _check_all(files: list[str], checker: 'Checker', job: Job, cache: Cache | None, workers: int) -> Iterable[Outcome]:
    if workers < 2:
        yield from collecting(files, lambda path: check_one(path, checker, job, cache))
        return
    from flakelint.engine.workers import check_in_processes

    yield from check_in_processes(_chunks(files, workers), checker, job, cache, workers)


def _chunks(files: list[str], workers: int) -> list[list[str]]:
    """The files in chunks of about the same size in bytes, the largest files first."""
    ordered = sorted(files, key=_size, reverse=True)
    count = min(len(ordered), workers * _CHUNKS_A_WORKER)
    return [ordered[start::count] for start in range(count)]


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
