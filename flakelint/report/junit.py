# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A JUnit report: a suite for each file, with a failed test for each finding.

Everything outside ASCII is escaped, so that the document is the same whatever the encoding of standard output.
"""

import re
from itertools import groupby
from typing import TextIO

from flakelint.engine.findings import Finding
from flakelint.report.model import Report, slashed

# XML 1.0 has no way to write these, not even as a reference
_FORBIDDEN = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]')
_SPECIAL = re.compile('[&<>"\'\t\n\r]|[^\x00-\x7e]')


def render(report: Report, out: TextIO) -> None:
    """Write the report; a run without findings is one test that passes."""
    count = len(report.findings)
    total = f'tests="{max(count, 1)}" failures="{count}" errors="0"'
    out.write(f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="flakelint" {total}>\n')
    for path, findings in groupby(report.findings, key=lambda finding: slashed(finding.path)):
        _suite(path, list(findings), out)
    if not count:
        out.write(f'  <testsuite name="flakelint" {total}>\n')
        out.write('    <testcase classname="flakelint" name="no findings"/>\n  </testsuite>\n')
    out.write('</testsuites>\n')


def escape(text: str) -> str:
    """Text as it stands in an attribute or an element; characters that XML forbids are written out, as `\\x00`."""
    text = _FORBIDDEN.sub(lambda match: match[0].encode('unicode_escape').decode(), text)
    return _SPECIAL.sub(lambda match: f'&#{ord(match[0])};', text)


def _suite(path: str, findings: list[Finding], out: TextIO) -> None:
    shown = escape(path)
    count = len(findings)
    out.write(f'  <testsuite name="{shown}" tests="{count}" failures="{count}" errors="0">\n')
    for finding in findings:
        line, column = finding.range.start
        name = escape(f'{finding.code} {finding.name} at {line}:{column}')
        out.write(f'    <testcase classname="{shown}" name="{name}" file="{shown}" line="{line}" column="{column}">\n')
        message = escape(finding.message)
        body = escape(f'{path}:{line}:{column}: {finding.code} {finding.message}')
        out.write(f'      <failure type="{escape(finding.code)}" message="{message}">{body}</failure>\n    </testcase>\n')
    out.write('  </testsuite>\n')
