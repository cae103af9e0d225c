# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What there is to show at the end of a run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from flakelint.engine.findings import Finding
from flakelint.engine.registry import RuleReference
from flakelint.source.text import DecodeError, LineTable, decode

HOME_URL = 'https://github.com/flakelint/flakelint'
DOCS_URL = f'{HOME_URL}/blob/main/docs/rules/'
BUILT_IN = 'built in'


@dataclass
class Report:
    """The outcome of a run.

    Args:
        findings (list[Finding]):
            What was found and not mended, in order; paths are from the working folder.
        files (int):
            How many files were checked.
        rules (Mapping[str, RuleReference]):
            The rules that exist, by code.
        fixed (dict[str, int]):
            How many fixes were applied, by code.
        known (int):
            How many findings the baseline holds back.
        colour (bool):
            Whether to colour output for people.
        unsafe_fixes (bool):
            Whether unsafe fixes are asked for, which changes what is called fixable.
        quiet (bool):
            Whether people want the findings only, without a summary.
        contents (Mapping[str, bytes]):
            Contents that are not on the disk, such as standard input, by path.
    """

    findings: list[Finding]
    files: int
    rules: Mapping[str, RuleReference]
    fixed: dict[str, int] = field(default_factory=dict)
    known: int = 0
    colour: bool = False
    unsafe_fixes: bool = False
    quiet: bool = False
    contents: Mapping[str, bytes] = field(default_factory=dict)
    _latest: tuple[str, LineTable | None] | None = field(default=None, init=False, repr=False, compare=False)

    def lines(self, path: str) -> LineTable | None:
        """The lines of a file that has findings, or None where they cannot be read now.

        The latest file is remembered, because findings come file by file.
        """
        if self._latest is None or self._latest[0] != path:
            self._latest = (path, self._load(path))
        return self._latest[1]

    def fixable(self, finding: Finding) -> bool:
        """Whether `--fix` would mend a finding, together with `--unsafe-fixes` where that is asked for."""
        return finding.fix is not None and (self.unsafe_fixes or finding.fix.applicability == 'safe')

    def url(self, code: str) -> str | None:
        """Where the documentation of a rule is, or None for a rule that comes from elsewhere."""
        reference = self.rules.get(code)
        return url(code) if reference is None or reference.origin == BUILT_IN else None

    def _load(self, path: str) -> LineTable | None:
        try:
            data = self.contents[path] if path in self.contents else _read(path)
            return LineTable(decode(data).text)
        except (OSError, ValueError, DecodeError):
            return None


def url(code: str) -> str:
    """Where the documentation of a rule that comes with flakelint is."""
    return f'{DOCS_URL}{code}.md'


def slashed(path: str) -> str:
    """A path as all formats show it: with forward slashes."""
    return path.replace(os.sep, '/')


def _read(path: str) -> bytes:
    with open(path, 'rb') as file:
        return file.read()
