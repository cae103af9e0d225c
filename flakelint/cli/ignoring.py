# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check --add-ignore`: a suppression comment wherever something is found."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from flakelint.engine.fixes import write
from flakelint.engine.ignoring import ignored
from flakelint.engine.runner import read
from flakelint.report.model import slashed
from flakelint.source.markdown import is_markdown

if TYPE_CHECKING:
    from flakelint.engine.findings import Finding


def add_ignores(results: 'Mapping[str, list[Finding]]', reason: str, note: Callable[[str], object]) -> int:
    """Add suppression comments for findings, and say of which files some are left.

    Args:
        results (Mapping[str, list[Finding]]):
            The findings of each file, by absolute path.
        reason (str):
            Why they are suppressed.
        note (Callable[[str], object]):
            Told what could not be done.

    Returns:
        int:
            How many comments were added or extended.
    """
    reason = ' '.join(reason.split())
    added = 0
    for path, findings in sorted(results.items()):
        if not findings:
            continue
        shown = slashed(os.path.relpath(path))
        try:
            before = read(path)
            after, count, left = (before, 0, findings) if is_markdown(path) else ignored(before, findings, reason)
            if count:
                write(path, before, after)
        except OSError as error:
            note(f'warning: {shown}: nothing ignored: {error.strerror or error}')
            continue
        added += count
        if left:
            places = ', '.join(f'{finding.code} on line {finding.range.start.line}' for finding in left)
            note(f'warning: {shown}: no comment can ignore {places}')
    return added
