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

DOCS_URL = 'https://github.com/flakelint/flakelint/blob/main/docs/rules/'


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
    contents: Mapping[str, bytes] = field(default_factory=dict)

    def lines(self, path: str) -> LineTable | None:
        """The lines of a file that has findings, or None where they cannot be read now."""
        try:
            data = self.contents[path] if path in self.contents else _read(path)
            return LineTable(decode(data).text)
        except (OSError, DecodeError):
            return None


def url(code: str) -> str:
    """Where the documentation of a rule is."""
    return f'{DOCS_URL}{code}.md'


def slashed(path: str) -> str:
    """A path as all formats show it: with forward slashes."""
    return path.replace(os.sep, '/')


def _read(path: str) -> bytes:
    with open(path, 'rb') as file:
        return file.read()
