# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Mend files on disk, or show what mending them would do."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flakelint.engine.baseline import Baseline, fingerprint
from flakelint.engine.cache import Cache, Known
from flakelint.engine.checker import Checker
from flakelint.engine.findings import Finding
from flakelint.engine.fixes import Fixed, decoded_lines, fix, write
from flakelint.engine.runner import Job, read
from flakelint.project.contents import content_hash
from flakelint.source.file import SourceFile
from flakelint.source.markdown import is_markdown
from flakelint.source.text import DecodeError, LineTable, decode


@dataclass
class Repairs:
    """What mending did, or would do.

    Args:
        applied (dict[str, int]):
            The number of fixes, by code.
        findings (dict[str, list[Finding]]):
            What is left in each file that was mended.
        changes (dict[str, tuple[bytes, bytes]]):
            The content of each changed file, before and after.
        notes (list[str]):
            What a person should hear.
    """

    applied: dict[str, int] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    changes: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def repair(
    found: Mapping[str, list[Finding]],
    job: Job,
    cache: Cache | None,
    allow_unsafe: bool,
    dry: bool,
    baseline: Baseline | None = None,
) -> Repairs:
    """Apply the fixes of findings, file by file.

    Args:
        found (Mapping[str, list[Finding]]):
            The findings of each file, by absolute path.
        job (Job):
            What the run was asked to do.
        cache (Cache | None):
            Where to remember the findings of the mended contents.
        allow_unsafe (bool):
            Whether unsafe fixes are applied too.
        dry (bool):
            Whether the files are left alone.
        baseline (Baseline, Optional):
            Known findings, which are not mended. Default: `None`.
    """
    repairs = Repairs()
    fixable = [path for path, findings in found.items() if any(finding.fix for finding in findings)]
    if not fixable:
        return repairs
    checker = job.checker(list(found))
    fresh = {}
    for path in fixable:
        name = job.name(path)
        try:
            before = read(path)
            fixed = mend(before, name, checker, allow_unsafe, baseline)
            if fixed.applied and not dry:
                write(path, before, fixed.data)
        except OSError as error:
            repairs.notes.append(f'{name}: not fixed: {error.strerror or error}')
            continue
        _take(repairs, path, name, before, fixed)
        if cache is not None and baseline is None and not dry and fixed.applied:
            fresh[cache.key(name, content_hash(fixed.data))] = Known(*checker.examine(name, fixed.data))
    if cache is not None:
        cache.write(fresh)
    return repairs


def mend(data: bytes, name: str, checker: Checker, allow_unsafe: bool, baseline: Baseline | None = None) -> Fixed:
    """Apply the fixes for a content, until none is left but those of known findings."""

    def check(content: bytes) -> list[Finding]:
        findings = checker.check(name, content)
        return findings if baseline is None else _without_known_fixes(findings, name, content, baseline)

    return fix(data, check, allow_unsafe, _is_text if is_markdown(name) else _is_sound)


def difference(before: bytes, after: bytes, name: str, write_line: Callable[[str], object]) -> None:
    """Write what changed between two contents as a unified difference."""
    _, old = decoded_lines(before)
    _, new = decoded_lines(after)
    for line in difflib.unified_diff(old, new, f'a/{name}', f'b/{name}'):
        write_line(line if line.endswith('\n') else f'{line}\n\\ No newline at end of file\n')


def _without_known_fixes(findings: list[Finding], name: str, content: bytes, baseline: Baseline) -> list[Finding]:
    if not any(finding.fix for finding in findings):
        return findings
    lines = LineTable(decode(content).text)
    fresh, _, _ = baseline.subtract(findings, lambda finding: (name, finding.code, fingerprint(finding, lines)), set())
    mendable = {id(finding) for finding in fresh}
    return [finding if id(finding) in mendable else finding._replace(fix=None) for finding in findings]


def _take(repairs: Repairs, path: str, name: str, before: bytes, fixed: Fixed) -> None:
    repairs.findings[path] = fixed.findings
    if fixed.refused:
        repairs.notes.append(f'{name}: {fixed.refused}; please report this')
    if fixed.applied:
        repairs.changes[path] = (before, fixed.data)
    for code, count in fixed.applied.items():
        repairs.applied[code] = repairs.applied.get(code, 0) + count


def _is_text(data: bytes) -> bool:
    try:
        decode(data)
        return True
    except DecodeError:
        return False


def _is_sound(data: bytes) -> bool:
    try:
        return SourceFile('', data).problem is None
    except DecodeError:
        return False
