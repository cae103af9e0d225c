# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check -`: check what an editor or a pipe hands over."""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flakelint.cli.common import fail, note, wants_colour
from flakelint.cli.outcome import exit_code
from flakelint.engine.baseline import Baseline, fingerprint
from flakelint.engine.repair import difference, mend
from flakelint.engine.runner import Job
from flakelint.project.discovery import discover
from flakelint.report import render
from flakelint.report.model import Report
from flakelint.source.text import DecodeError, LineTable, decode

if TYPE_CHECKING:
    from flakelint.engine.checker import Checker
    from flakelint.engine.findings import Finding

_NAMELESS = '-'
_FOR_FILES = ('add_ignore', 'update_baseline', 'statistics')


def check_stdin(job: Job, options: Mapping[str, Any]) -> int:
    """Check standard input as the file that `--stdin-filename` names, and say how to leave.

    With `--fix` the mended text goes to standard output and what is left to standard error, with `--diff` the difference goes to standard output.

    Args:
        job (Job):
            What the run was asked to do.
        options (Mapping[str, Any]):
            The options of the command line.

    Raises:
        SettingsError: a rule cannot be imported, its options are wrong, or there is no such baseline.
    """
    for name in _FOR_FILES:
        if options[name]:
            fail(f'`--{name.replace("_", "-")}` needs files, not standard input')
    return _Stdin(job, options, sys.stdin.buffer.read()).run()


class _Stdin:
    def __init__(self, job: Job, options: Mapping[str, Any], data: bytes) -> None:
        self._job = job
        self._options = options
        self._data = data
        baseline = job.config.settings.baseline
        self._baseline = Baseline.read(os.path.join(job.config.root, baseline)) if baseline else None
        self._shown = options['stdin_filename'] or _NAMELESS
        self._name = job.name(os.path.abspath(options['stdin_filename'])) if options['stdin_filename'] else _NAMELESS

    def run(self) -> int:
        if self._is_excluded():
            if self._options['fix']:
                _write(self._data)
            return 0
        checker = self._job.checker()
        try:
            return self._check(checker)
        finally:
            checker.keep()

    def _check(self, checker: 'Checker') -> int:
        if not (self._options['fix'] or self._options['show_diff']):
            return self._show(checker.check(self._name, self._data), self._data, {})
        fixed = mend(self._data, self._name, checker, self._options['unsafe_fixes'], self._baseline)
        if fixed.refused:
            note(f'warning: {self._shown}: {fixed.refused}; please report this')
        if self._options['show_diff']:
            if fixed.applied:
                difference(self._data, fixed.data, self._shown, sys.stdout.write)
            return 1 if fixed.applied and not self._options['exit_zero'] else 0
        _write(fixed.data)
        return self._show(fixed.findings, fixed.data, fixed.applied)

    def _is_excluded(self) -> bool:
        settings = self._job.config.settings
        if not (self._options['stdin_filename'] and settings.force_exclude):
            return False
        name = self._options['stdin_filename']
        return not discover([name], self._job.excluded, settings.respect_gitignore, True).files

    def _show(self, findings: 'list[Finding]', data: bytes, applied: dict[str, int]) -> int:
        fresh, known = self._hold_back(findings, data)
        report = Report([finding._replace(path=self._shown) for finding in fresh], 1, self._job.registry.rules)
        report.fixed, report.known = applied, known
        report.unsafe_fixes, report.quiet = self._options['unsafe_fixes'], self._options['quiet']
        report.contents = {self._shown: data}
        output_format = self._job.config.settings.output_format
        if path := self._options['output_file']:
            try:
                with open(path, 'w', encoding='utf-8') as out:
                    render(output_format, report, out)
            except OSError as error:
                fail(f'{path}: {error.strerror}')
        else:
            out = sys.stderr if self._options['fix'] else sys.stdout
            report.colour = wants_colour(self._options['color'], out)
            render(output_format, report, out)
        return exit_code(report.findings, self._options['exit_zero'])

    def _hold_back(self, findings: 'list[Finding]', data: bytes) -> 'tuple[list[Finding], int]':
        if self._baseline is None:
            return findings, 0
        try:
            lines = LineTable(decode(data).text)
        except DecodeError:
            return findings, 0

        def identify(finding: 'Finding') -> tuple[str, str, str]:
            return self._name, finding.code, fingerprint(finding, lines)

        fresh, count, _ = self._baseline.subtract(findings, identify, set())
        return fresh, count


def _write(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
