# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One line for each finding, for people and for editors that read compiler output."""

from typing import TextIO

from flakelint.report.characters import one_line
from flakelint.report.model import Report, slashed


def render(report: Report, out: TextIO) -> None:
    """Write `path:line:column: CODE [*] message` for each finding, and nothing where there is none."""
    for finding in report.findings:
        line, column = finding.range.start
        marker = ' [*]' if report.fixable(finding) else ''
        out.write(f'{one_line(slashed(finding.path))}:{line}:{column}: {finding.code}{marker} {one_line(finding.message)}\n')
