# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a finding is known by from run to run, though lines are added above it or its message is reworded."""

import hashlib
from collections import Counter

from flakelint.engine.baseline import fingerprint
from flakelint.engine.findings import Finding
from flakelint.report.frames import last_line
from flakelint.report.model import Report, slashed


def fingerprints(report: Report) -> list[str]:
    """A fingerprint for each finding of a report, in order, of which no two are the same."""
    seen: Counter[tuple[str, str, str]] = Counter()
    marks = _Marks(report)
    result = []
    for finding in report.findings:
        key = (slashed(finding.path), finding.code, marks.of(finding))
        parts = [*key, str(seen[key])]
        seen[key] += 1
        result.append(hashlib.blake2b('\0'.join(parts).encode(errors='surrogatepass'), digest_size=16).hexdigest())
    return result


class _Marks:
    """The text of the lines of findings, hashed once for all that stand on the same lines."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._path = ''
        self._known: dict[tuple[int, int], str] = {}

    def of(self, finding: Finding) -> str:
        if finding.path != self._path:
            self._path = finding.path
            self._known = {}
        key = (finding.range.start.line, last_line(finding.range))
        if key not in self._known:
            lines = self._report.lines(finding.path)
            self._known[key] = '' if lines is None else fingerprint(finding, lines)
        return self._known[key]
