# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Apply fixes to a text, and write the text back without ever leaving half of it."""

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from flakelint.engine.findings import Edit, Finding, Fix
from flakelint.source.text import Decoded, DecodeError, LineTable, decode, encode

MAX_ROUNDS = 100


@dataclass
class Fixed:
    """What fixing did to a file.

    Args:
        data (bytes):
            The content now.
        applied (dict[str, int]):
            How many fixes of each rule were applied.
        findings (list[Finding]):
            What is found in the new content.
        refused (str):
            Why the last fixes were not applied, or nothing.
    """

    data: bytes
    applied: dict[str, int]
    findings: list[Finding]
    refused: str = ''


def fix(data: bytes, check: Callable[[bytes], list[Finding]], allow_unsafe: bool, is_sound: Callable[[bytes], bool]) -> Fixed:
    """Apply fixes, check again, and go on until nothing is left to fix.

    Fixes that overlap wait for the next round. A file that does not parse is left alone. Where a round would leave one that does not, the rules that are to blame are left out of the rounds that follow.

    Args:
        data (bytes):
            The content of the file.
        check (Callable[[bytes], list[Finding]]):
            Finds what is wrong with a content.
        allow_unsafe (bool):
            Whether unsafe fixes are applied too.
        is_sound (Callable[[bytes], bool]):
            Whether a content parses.
    """
    state = Fixed(data, {}, check(data))
    seen = {data}
    if not is_sound(data):
        return state
    refused: dict[str, str] = {}
    for _ in range(MAX_ROUNDS):
        chosen = select((finding for finding in state.findings if finding.code not in refused), allow_unsafe)
        if not chosen:
            break
        changed, reason = _attempt(state.data, chosen, seen, is_sound)
        if reason:
            refused.update(_blame(state.data, chosen, seen, is_sound, reason))
            continue
        for finding in chosen:
            state.applied[finding.code] = state.applied.get(finding.code, 0) + 1
        seen.add(changed)
        state.data, state.findings = changed, check(changed)
    else:
        refused['all rules'] = f'did not come to an end in {MAX_ROUNDS} rounds'
    state.refused = '; '.join(f'fixes of {code} {reason}' for code, reason in sorted(refused.items()))
    return state


def _attempt(
    data: bytes, chosen: Sequence[Finding], seen: set[bytes], is_sound: Callable[[bytes], bool],
) -> tuple[bytes, str]:
    """The content with fixes applied, and why it must not be taken, or nothing."""
    decoded = decode(data)
    text = apply([edit for finding in chosen for edit in finding.fix.edits], decoded.text)
    try:
        changed = encode(text, decoded.encoding, decoded.bom)
    except UnicodeError:
        return data, f'need characters that {decoded.encoding} lacks'
    if not _reads_back(changed, text) or not _reads_back(data, decoded.text):
        return data, 'would change how the file is decoded'
    if changed in seen:
        return data, 'undo each other'
    return changed, '' if is_sound(changed) else 'would break the syntax'


def _blame(
    data: bytes, chosen: Sequence[Finding], seen: set[bytes], is_sound: Callable[[bytes], bool], reason: str,
) -> dict[str, str]:
    """The codes whose fixes cannot be taken even by themselves, each with the reason; all of them where it takes several."""
    codes = sorted({finding.code for finding in chosen})
    alone = {code: _attempt(data, [one for one in chosen if one.code == code], seen, is_sound)[1] for code in codes}
    return {code: why for code, why in alone.items() if why} or dict.fromkeys(codes, reason)


def select(findings: Iterable[Finding], allow_unsafe: bool) -> list[Finding]:
    """The findings whose fixes can be applied together, those that come first in the file first."""
    chosen: list[Finding] = []
    taken: list[Edit] = []
    candidates = [finding for finding in findings if finding.fix is not None and _allowed(finding.fix, allow_unsafe)]
    for finding in sorted(candidates, key=lambda finding: min(edit.range for edit in finding.fix.edits)):
        if not any(_conflict(edit, other) for edit in finding.fix.edits for other in taken):
            chosen.append(finding)
            taken.extend(finding.fix.edits)
    return chosen


def apply(edits: Sequence[Edit], text: str) -> str:
    """A text with edits applied that do not overlap; line breaks in them become those of the text."""
    lines = LineTable(text)
    parts = []
    done = 0
    for edit in sorted(edits):
        start, end = lines.offset(edit.range.start), lines.offset(edit.range.end)
        parts.append(text[done:start])
        parts.append(edit.text.replace('\n', lines.newline))
        done = end
    parts.append(text[done:])
    return ''.join(parts)


def write(path: str, before: bytes, after: bytes) -> None:
    """Replace the content of a file in one step, keeping its mode; a symbolic link stays one.

    Args:
        path (str):
            The file.
        before (bytes):
            What it held when it was read.
        after (bytes):
            What it shall hold.

    Raises:
        OSError: the file changed in the meantime, or cannot be written.
    """
    target = os.path.realpath(path)
    with open(target, 'rb') as file:
        if file.read() != before:
            raise OSError('it changed while it was being fixed')
    status = os.stat(target)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix='.flakelint-', suffix='.tmp')
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        # Windows has no such function; a change of owner takes set-id bits away, so it comes before the mode
        if hasattr(os, 'chown'):
            with suppress(OSError):
                os.chown(temporary, status.st_uid, status.st_gid)
        os.chmod(temporary, status.st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.remove(temporary)
        raise


def decoded_lines(data: bytes) -> tuple[Decoded, list[str]]:
    """A content as text, and its lines with their line breaks, for a difference."""
    decoded = decode(data)
    return decoded, [line for line in LineTable(decoded.text).all() if line]


def _allowed(fix: Fix, allow_unsafe: bool) -> bool:
    return fix.applicability == 'safe' or allow_unsafe


def _reads_back(data: bytes, text: str) -> bool:
    """Whether a content is just what its text is written as, and is read as that text again."""
    try:
        decoded = decode(data)
        return decoded.text == text and encode(*decoded) == data
    except (DecodeError, UnicodeError):
        return False


def _conflict(one: Edit, other: Edit) -> bool:
    if one.range.start == other.range.start:
        return True
    first, second = sorted((one, other))
    return second.range.start < first.range.end
