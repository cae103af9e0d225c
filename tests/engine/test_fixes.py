# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Edits are applied as they say, and files are replaced whole."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.engine.findings import Edit, Finding, Fix
from flakelint.engine.fixes import apply, fix, select, write
from flakelint.source.text import LineTable, Position, Range


def finding(*edits: Edit, safe: bool = True) -> Finding:
    place = Range(Position(1, 1), Position(1, 2))
    mend = Fix('safe' if safe else 'unsafe', 'title', edits)
    return Finding('ABC101', 'name', 'warning', 'message', 'a.py', place, (), mend)


def edit(start: int, end: int, text: str) -> Edit:
    return Edit(Range(Position(1, start + 1), Position(1, end + 1)), text)


def test_overlapping_fixes_wait() -> None:
    first, second, third = finding(edit(0, 3, 'a')), finding(edit(2, 4, 'b')), finding(edit(3, 5, 'c'))
    assert select([second, third, first], allow_unsafe=False) == [first, third]


def test_two_insertions_at_one_place_wait() -> None:
    first, second = finding(edit(2, 2, 'a')), finding(edit(2, 2, 'b'))
    assert select([first, second], allow_unsafe=False) == [first]


def test_unsafe_fixes_need_to_be_asked_for() -> None:
    assert select([finding(edit(0, 1, 'a'), safe=False)], allow_unsafe=False) == []
    assert len(select([finding(edit(0, 1, 'a'), safe=False)], allow_unsafe=True)) == 1


@given(
    st.text('ab\né', max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.text('xy\n', max_size=3)), max_size=5),
)
def test_edits_touch_only_what_they_say(text: str, wanted: list[tuple[int, int, str]]) -> None:
    lines = LineTable(text)
    edits, expected, last = [], [], 0
    for start, length, new in sorted(wanted):
        end = min(start + length, len(text))
        if start < last or start > len(text) or (edits and edits[-1].range.start == lines.position(start)):
            continue
        edits.append(Edit(lines.range(start, end), new))
        expected.append(text[last:start] + new)
        last = end
    assert apply(edits, text) == ''.join(expected) + text[last:]


def test_new_lines_become_those_of_the_file() -> None:
    assert apply([Edit(Range(Position(1, 1), Position(1, 1)), 'x\ny\n')], 'a\r\nb\r\n') == 'x\r\ny\r\na\r\nb\r\n'


def test_fixes_that_undo_each_other_end() -> None:
    def check(data: bytes) -> list[Finding]:
        return [finding(edit(0, 1, 'b' if data == b'a' else 'a'))]

    fixed = fix(b'a', check, allow_unsafe=False, is_sound=lambda data: True)
    assert fixed.refused == 'fixes of ABC101 undo each other'
    assert fixed.data == b'b'


def test_a_fix_that_breaks_the_syntax_is_taken_back() -> None:
    fixed = fix(b'x', lambda data: [finding(edit(0, 1, '('))], allow_unsafe=False, is_sound=lambda data: data != b'(')
    assert fixed.data == b'x'
    assert fixed.applied == {}
    assert 'would break the syntax' in fixed.refused


def test_encoding_and_mark_are_kept() -> None:
    cases = [
        (b'\xef\xbb\xbfxx = "\xc3\xa9"', b'\xef\xbb\xbfxy = "\xc3\xa9"'),
        (b'#  coding: latin-1\n# \xe9', b'#y coding: latin-1\n# \xe9'),
    ]
    for data, expected in cases:
        remaining = [[finding(edit(1, 2, 'y'))], []]
        fixed = fix(data, lambda _, remaining=remaining: remaining.pop(0), allow_unsafe=False, is_sound=lambda data: True)
        assert fixed.data == expected


def test_a_character_the_encoding_lacks_is_refused() -> None:
    def check(data: bytes) -> list[Finding]:
        return [finding(edit(0, 0, '\u20ac'))]

    fixed = fix(b'#coding: latin-1\n', check, allow_unsafe=False, is_sound=lambda data: True)
    assert fixed.data == b'#coding: latin-1\n'
    assert 'latin-1' in fixed.refused or 'iso-8859-1' in fixed.refused


@pytest.mark.parametrize(
    ('data', 'change'),
    [
        # the second line becomes the place of a cookie
        ('# x\n# y\n# coding: latin-1\nz = "é"\n'.encode(), Edit(Range(Position(1, 1), Position(2, 1)), '')),
        # an encoding in which the same text has several spellings
        (b'# coding: utf-7\nx = "+AGE-"\n', Edit(Range(Position(2, 1), Position(2, 2)), 'y')),
    ],
    ids=['cookie', 'spelling'],
)
def test_a_fix_that_changes_the_encoding_of_the_rest_is_refused(data: bytes, change: Edit) -> None:
    fixed = fix(data, lambda _: [finding(change)], allow_unsafe=False, is_sound=lambda data: True)
    assert fixed.data == data
    assert fixed.applied == {}
    assert 'decoded' in fixed.refused


def test_writing_keeps_mode_and_link(tmp_path: Path) -> None:
    real, link = tmp_path / 'real.py', tmp_path / 'link.py'
    real.write_bytes(b'a')
    real.chmod(0o751)
    link.symlink_to(real)
    write(str(link), b'a', b'b')
    assert link.is_symlink()
    assert real.read_bytes() == b'b'
    assert stat.S_IMODE(real.stat().st_mode) == 0o751
    assert sorted(os.listdir(tmp_path)) == ['link.py', 'real.py']


def test_writing_where_files_have_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as on Windows
    monkeypatch.delattr(os, 'chown', raising=False)
    path = tmp_path / 'a.py'
    path.write_bytes(b'x = 1\n')
    write(str(path), b'x = 1\n', b'x = 2\n')
    assert path.read_bytes() == b'x = 2\n'
    assert [one.name for one in tmp_path.iterdir()] == ['a.py']


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    path = tmp_path / 'a.py'
    path.write_bytes(b'new')
    with pytest.raises(OSError, match='changed'):
        write(str(path), b'old', b'fixed')
    assert path.read_bytes() == b'new'


def test_a_refused_rule_does_not_stop_the_others() -> None:
    def check(data: bytes) -> list[Finding]:
        place = data.index(b'z') if b'z' in data else None
        innocent = [] if place is None else [finding(edit(place, place + 1, 'a'))._replace(code='ABC102')]
        return [finding(edit(0, 1, '(')), *innocent]

    fixed = fix(b'x = z + z', check, allow_unsafe=False, is_sound=lambda data: b'(' not in data)
    assert fixed.data == b'x = a + a'
    assert fixed.applied == {'ABC102': 2}
    assert fixed.refused == 'fixes of ABC101 would break the syntax'
