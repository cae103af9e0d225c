# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Check many files: from the cache where they are known, else in this process or in several."""

import gc
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.engine import diagnostics
from flakelint.engine.cache import Cache
from flakelint.engine.config import Config
from flakelint.engine.findings import Finding
from flakelint.engine.registry import Registry, instantiate
from flakelint.engine.versions import overlap
from flakelint.project.ignore import Patterns

if TYPE_CHECKING:
    from flakelint.engine.checker import Checker

# below this many files, starting processes costs more than they save
_WORTH_PROCESSES = 16
_CHUNKS_A_WORKER = 8

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
    """

    config: Config
    registry: Registry
    codes: tuple[str, ...]
    workers: int

    def checker(self) -> 'Checker':
        """A checker with the rules of the job.

        Raises:
            SettingsError: a rule cannot be imported, or its options are wrong.
        """
        from flakelint.engine.checker import Checker

        rules = instantiate([self.registry.rules[code] for code in self.codes], self.config)
        rules = [rule for rule in rules if overlap(rule.triton, self.config.settings.target_triton)]
        return Checker(rules, self.registry.rules, self.config.settings, self._ignored)

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
    missing = _from_cache(files, job, cache, results)
    if not missing:
        return results
    checker = job.checker()
    fresh: dict[str, list[Finding]] = {}
    workers = min(job.workers, max(1, len(missing) // (_WORTH_PROCESSES // 2)))
    gc.disable()
    try:
        for path, key, findings in _check_all(missing, checker, job, cache, workers):
            results[path] = findings
            if key is not None:
                fresh[key] = findings
            if progress is not None:
                progress(len(results), len(files))
    finally:
        gc.enable()
        if cache is not None:
            cache.write(fresh)
    return results


def check_one(path: str, checker: 'Checker', job: Job, cache: Cache | None) -> tuple[str, str | None, list[Finding]]:
    """Read and check a file; gives back its path, its key in the cache where it may be remembered, and its findings."""
    name = job.name(path)
    try:
        data = read(path)
    except OSError as error:
        reason = f'cannot be read: {error.strerror or error}'
        return path, None, [diagnostics.problem(diagnostics.UNREADABLE_FILE, reason)._replace(path=name)]
    findings = checker.check(name, data)
    remember = cache is not None and all(finding.code != diagnostics.INTERNAL_ERROR[0] for finding in findings)
    return path, cache.key(name, data) if remember else None, findings


def read(path: str) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: it is not there, not a regular file, or not readable.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError('not a regular file')
    with open(path, 'rb') as file:
        return file.read()


def _from_cache(files: Sequence[str], job: Job, cache: Cache | None, results: dict[str, list[Finding]]) -> list[str]:
    if cache is None:
        return list(files)
    keys: dict[str, tuple[str, str]] = {}
    missing = []
    for path in files:
        try:
            name = job.name(path)
            keys[cache.key(name, read(path))] = (path, name)
        except OSError:
            missing.append(path)
    known = cache.read({key: name for key, (_, name) in keys.items()})
    for key, (path, _) in keys.items():
        if key in known:
            results[path] = known[key]
        else:
            missing.append(path)
    return missing


def _check_all(
    files: list[str], checker: 'Checker', job: Job, cache: Cache | None, workers: int,
) -> Iterable[tuple[str, str | None, list[Finding]]]:
    if workers < 2:
        for path in files:
            yield check_one(path, checker, job, cache)
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
