# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The last words of a run, for people."""

from flakelint.report.model import Report


def summary(report: Report) -> list[str]:
    """What was found, what was mended, and what the baseline holds back, a line each."""
    count = len(report.findings)
    lines = []
    if fixed := sum(report.fixed.values()):
        lines.append(f'Fixed {counted(fixed, "finding")}.')
    if report.known:
        lines.append(f'The baseline holds back {counted(report.known, "known finding")}.')
    if count:
        lines.append(f'Found {counted(count, "finding")}{_fixable(report)}.')
    else:
        lines.append(f'All clear: {counted(report.files, "file")} checked.')
    return lines


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f'{number} {noun}{"s" * (number != 1)}'


def _fixable(report: Report) -> str:
    applicabilities = [finding.fix.applicability for finding in report.findings if finding.fix]
    safe = applicabilities.count('safe')
    unsafe = len(applicabilities) - safe
    if safe and unsafe and not report.unsafe_fixes:
        return f' ({safe} fixable with --fix, {unsafe} more with --unsafe-fixes)'
    if unsafe:
        return f' ({safe + unsafe} fixable with --fix --unsafe-fixes)'
    return f' ({safe} fixable with --fix)' if safe else ''
