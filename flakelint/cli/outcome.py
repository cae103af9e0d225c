# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What `flakelint check` does with what it found."""

import os
import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from flakelint.cli.common import fail, note
from flakelint.engine import diagnostics
from flakelint.engine.baseline import Baseline, fingerprint
from flakelint.engine.runner import Job
from flakelint.report import render
from flakelint.report.model import Report, slashed
from flakelint.report.summary import counted

if TYPE_CHECKING:
    from flakelint.engine.cache import Cache
    from flakelint.engine.findings import Finding


class Outcome:
    """The findings of a run, and the ways to end it.

    Args:
        job (Job):
            What the run was asked to do.
        cache (Cache | None):
            The cache of the run.
        options (Mapping[str, Any]):
            The options of the command line.
        results (dict[str, list[Finding]]):
            The findings of each file, by absolute path.
        files (int):
            How many files were checked.
    """

    def __init__(
        self, job: Job, cache: 'Cache | None', options: Mapping[str, Any], results: 'dict[str, list[Finding]]', files: int,
    ) -> None:
        self._job = job
        self._cache = cache
        self._options = options
        self._results = results
        self._report = Report([], files, job.registry.rules, unsafe_fixes=options['unsafe_fixes'], quiet=options['quiet'])
        self._refresh()

    def fix(self, baseline: Baseline | None) -> None:
        """Mend the files, known findings aside, and keep what is left."""
        from flakelint.engine.repair import repair

        allow_unsafe = self._options['unsafe_fixes']
        repairs = repair(self._results, self._job, self._cache, allow_unsafe, dry=False, baseline=baseline)
        for text in repairs.notes:
            note(f'warning: {text}')
        self._results.update(repairs.findings)
        self._report.fixed = repairs.applied
        self._refresh()

    def show_difference(self, baseline: Baseline | None) -> int:
        """Show what mending would change; the exit code is 1 where it would change something."""
        from flakelint.engine.repair import difference, repair

        repairs = repair(self._results, self._job, None, self._options['unsafe_fixes'], dry=True, baseline=baseline)
        for text in repairs.notes:
            note(f'warning: {text}')
        for path, (before, after) in sorted(repairs.changes.items()):
            difference(before, after, slashed(os.path.relpath(path)), sys.stdout.write)
        count = sum(repairs.applied.values())
        if not self._options['quiet']:
            note(f'would fix {counted(count, "finding")} in {counted(len(repairs.changes), "file")}')
        return 1 if repairs.changes and not self._options['exit_zero'] else 0

    def add_ignores(self, reason: str) -> int:
        """Add suppression comments for what is found."""
        from flakelint.cli.ignoring import add_ignores

        found: dict[str, list[Finding]] = {}
        for finding in self._report.findings:
            found.setdefault(os.path.abspath(finding.path), []).append(finding)
        added = add_ignores(found, reason, note)
        if not self._options['quiet']:
            note(f'added {counted(added, "suppression comment")}')
        return 0

    def update_baseline(self, path: str) -> int:
        """Write what is found into the baseline file."""
        baseline = Baseline.of(self._report.findings, self._identify)
        if os.path.exists(path):
            checked = self._checked()
            baseline.keep(Baseline.read(path), lambda name, code: name in checked and code in self._job.codes)
        try:
            baseline.write(path)
        except OSError as error:
            fail(f'{os.path.relpath(path)}: {error.strerror}')
        note(f'{counted(len(self._report.findings), "finding")} written to {os.path.relpath(path)}')
        return 0

    def hold_back(self, baseline: Baseline) -> None:
        """Take the known findings out of what is shown."""
        fresh, known, gone = baseline.subtract(self._report.findings, self._identify, self._checked())
        self._report.findings = fresh
        self._report.known = known
        if gone and not self._options['quiet']:
            note(f'{gone} baseline entries are no longer found: run again with --update-baseline')

    def show(self, output_format: str, colour: bool) -> int:
        """Show the findings in a format, and say how to leave."""
        self._report.colour = colour and not self._options['output_file']
        if self._options['statistics']:
            self._statistics()
        elif self._options['output_file']:
            self._show_in_file(output_format)
        else:
            render(output_format, self._report, sys.stdout)
            if self._report.fixed and output_format != 'text' and not self._options['quiet']:
                note(f'fixed {counted(sum(self._report.fixed.values()), "finding")}')
        return exit_code(self._report.findings, self._options['exit_zero'])

    def _checked(self) -> set[str]:
        return {self._job.name(path) for path in self._results}

    def _show_in_file(self, output_format: str) -> None:
        path = self._options['output_file']
        try:
            with open(path, 'w', encoding='utf-8') as out:
                render(output_format, self._report, out)
        except OSError as error:
            fail(f'{path}: {error.strerror}')

    def _statistics(self) -> None:
        names = {finding.code: finding.name for finding in self._report.findings}
        counts = Counter(finding.code for finding in self._report.findings)
        for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            click.echo(f'{count}\t{code}\t{names[code]}')

    def _refresh(self) -> None:
        findings = [self._shown(finding, path) for path, items in self._results.items() for finding in items]
        self._report.findings = sorted(findings, key=lambda finding: finding.sort_key())

    def _shown(self, finding: 'Finding', path: str) -> 'Finding':
        """A finding with paths from the folder in which the run began."""
        root = self._job.config.root
        related = tuple(
            other._replace(path=os.path.relpath(os.path.join(root, other.path))) if other.path else other
            for other in finding.related
        )
        return finding._replace(path=os.path.relpath(path), related=related)

    def _identify(self, finding: 'Finding') -> tuple[str, str, str]:
        lines = self._report.lines(finding.path)
        mark = fingerprint(finding, lines) if lines is not None else ''
        return self._job.name(os.path.abspath(finding.path)), finding.code, mark


def exit_code(findings: 'list[Finding]', exit_zero: bool) -> int:
    """2 where a rule failed, 1 where something was found, else 0."""
    if any(finding.code == diagnostics.INTERNAL_ERROR[0] for finding in findings):
        return 2
    return 1 if findings and not exit_zero else 0
