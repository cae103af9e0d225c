# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Findings that a repository has decided to live with for now.

A finding is known again by its file, its code and the text of its lines, not by their numbers, so that edits elsewhere in the file do not bring it back.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable

from flakelint.engine.config import SettingsError
from flakelint.engine.findings import Finding
from flakelint.source.text import LineTable

_VERSION = 1
_Entry = tuple[str, str, str]


class Baseline:
    """Known findings, and how often each may appear.

    Args:
        counts (Counter):
            The number of findings for each path from the root, code and fingerprint.
    """

    def __init__(self, counts: 'Counter[_Entry]') -> None:
        self.counts = counts

    @classmethod
    def read(cls, path: str) -> 'Baseline':
        """Read a baseline file.

        Raises:
            SettingsError: it cannot be read, or is no baseline.
        """
        shown = os.path.relpath(path)
        try:
            with open(path, encoding='utf-8') as file:
                content = json.load(file)
            if content['version'] != _VERSION:
                raise SettingsError(f'{shown}: baseline version {content["version"]} is not the known {_VERSION}')
            entries = content['findings']
            return cls(Counter({(item['path'], item['code'], item['fingerprint']): item['count'] for item in entries}))
        except OSError as error:
            raise SettingsError(f'{shown}: {error.strerror}') from None
        except (ValueError, KeyError, TypeError):
            raise SettingsError(f'{shown}: not a baseline file') from None

    def write(self, path: str) -> None:
        """Write the baseline file, sorted, in one step."""
        keys = ('path', 'code', 'fingerprint')
        entries = [{**dict(zip(keys, entry, strict=True)), 'count': count} for entry, count in sorted(self.counts.items())]
        temporary = f'{path}.{os.getpid()}.tmp'
        with open(temporary, 'w', encoding='utf-8') as file:
            json.dump({'version': _VERSION, 'findings': entries}, file, indent=2)
            file.write('\n')
        os.replace(temporary, path)

    @classmethod
    def of(cls, findings: Iterable[Finding], identify: Callable[[Finding], _Entry]) -> 'Baseline':
        """The baseline that holds back just these findings."""
        return cls(Counter(identify(finding) for finding in findings))

    def keep(self, other: 'Baseline', replaced: Callable[[str, str], bool]) -> None:
        """Take over what another baseline says of files and rules that this one did not look at.

        Args:
            other (Baseline):
                The other baseline.
            replaced (Callable[[str, str], bool]):
                Whether this one has looked at a path with the rule of a code.
        """
        self.counts.update({entry: count for entry, count in other.counts.items() if not replaced(entry[0], entry[1])})

    def subtract(
        self, findings: Iterable[Finding], identify: Callable[[Finding], _Entry], checked: set[str],
    ) -> tuple[list[Finding], int, int]:
        """Take away the known findings.

        Args:
            findings (Iterable[Finding]):
                What was found.
            identify (Callable[[Finding], _Entry]):
                The path from the root, the code and the fingerprint of a finding.
            checked (set[str]):
                The paths of the files that were checked.

        Returns:
            tuple[list[Finding], int, int]:
                The new findings, the number of known ones, and the number of entries of checked files that no longer appear.
        """
        left = self.counts.copy()
        fresh = []
        for finding in findings:
            entry = identify(finding)
            if left[entry] > 0:
                left[entry] -= 1
            else:
                fresh.append(finding)
        known = sum(self.counts.values()) - sum(left.values())
        return fresh, known, sum(count for entry, count in left.items() if entry[0] in checked)


def fingerprint(finding: Finding, lines: LineTable) -> str:
    """What a finding is known by beside its file and code: the text of its lines, indentation aside."""
    last = max(finding.range.start.line, finding.range.end.line - (finding.range.end.column == 1))
    text = '\n'.join(lines.line(number).strip() for number in range(finding.range.start.line, last + 1))
    return hashlib.blake2b(text.encode(errors='surrogateescape'), digest_size=8).hexdigest()
