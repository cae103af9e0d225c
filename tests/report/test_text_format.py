# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What people read: frames, marks, notes and the summary."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.engine.findings import Finding, Related
from flakelint.report.characters import lay_out, one_line
from flakelint.report.frames import WINDOW, frame
from flakelint.report.model import Report
from flakelint.source.text import LineTable
from tests.report.samples import finding, fix, place, shown

SOURCE = """\
import triton


@triton.jit
def scale_kernel(x, n):
    a = load(x)

    return a * n


"""


def _text(source: str, *findings: Finding, **values: object) -> str:
    return shown('text', Report(list(findings), 1, {}, contents={'a.py': source.encode()}, **values))


def test_a_finding_with_a_fix_and_a_related_place() -> None:
    item = finding(
        place(6, 9, 6, 13),
        message='`load` is bare',
        fix=fix('unsafe', 'Write `tl.load`'),
        related=(Related(place(1, 8, 1, 14), 'imported here'),),
    )
    assert _text(SOURCE, item) == """\
a.py:6:9: TRI201 `load` is bare
  |
4 | @triton.jit
5 | def scale_kernel(x, n):
6 |     a = load(x)
  |         ^^^^
7 |
8 |     return a * n
  |
  = note: a.py:1:8: imported here
  |
1 | import triton
  |        ------
  |
  = help: Write `tl.load` (unsafe fix)

Found 1 finding (1 fixable with --fix --unsafe-fixes).
"""


def test_context_stops_at_the_edges_and_at_blank_lines() -> None:
    assert _text(SOURCE, finding(place(4, 1, 4, 12)), quiet=True) == """\
a.py:4:1: TRI201 a message
  |
4 | @triton.jit
  | ^^^^^^^^^^^
5 | def scale_kernel(x, n):
6 |     a = load(x)
  |

"""
    assert '10 |' not in _text(SOURCE, finding(place(8, 5, 8, 11)))


def test_line_numbers_are_aligned() -> None:
    source = ''.join(f'line{number}\n' for number in range(1, 12))
    assert _text(source, finding(place(9, 1, 9, 5)), quiet=True) == """\
a.py:9:1: TRI201 a message
   |
 7 | line7
 8 | line8
 9 | line9
   | ^^^^
10 | line10
11 | line11
   |

"""


def test_a_range_of_several_lines() -> None:
    source = 'call(\n    first,\n\n    second,\n)\nrest\n'
    assert _text(source, finding(place(1, 5, 5, 2)), quiet=True) == """\
a.py:1:5: TRI201 a message
  |
1 | call(
  |     ^
2 |     first,
  |     ^^^^^^
3 |
4 |     second,
  |     ^^^^^^^
5 | )
  | ^
6 | rest
  |

"""


def test_a_range_that_ends_at_the_beginning_of_a_line_does_not_mark_that_line() -> None:
    assert _text('one\ntwo\n', finding(place(1, 1, 2, 1)), quiet=True) == """\
a.py:1:1: TRI201 a message
  |
1 | one
  | ^^^
2 | two
  |

"""
    assert [row.number for row in frame(LineTable('one\ntwo\n'), place(1, 1, 2, 1), 0, '^')] == [1]


def test_the_middle_of_a_long_range_is_left_out() -> None:
    source = ''.join(f'line{number}\n' for number in range(1, 31))
    rows = frame(LineTable(source), place(3, 1, 28, 7), 2, '^')
    assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6, None, 27, 28, 29, 30]


@pytest.mark.parametrize(('line', 'start', 'end', 'row', 'marks'), [
    ('\tx = y', 6, 7, '    x = y', '        ^'),
    ('ab\tx', 4, 5, 'ab  x', '    ^'),
    ('"日本" + x', 8, 9, '"日本" + x', '         ^'),
    ('"日本" + x', 2, 4, '"日本" + x', ' ^^^^'),
    ('"e\u0301" + x', 8, 9, '"e\u0301" + x', '      ^'),
    ('a\x0cb\x1b[0m', 3, 4, 'a␌b␛[0m', '  ^'),
    ('a\u202eb', 3, 4, 'a\ufffdb', '  ^'),
    ('abc', 4, 5, 'abc', '   ^'),
    ('abc', 2, 2, 'abc', ' ^'),
    ('', 1, 2, '', '^'),
])
def test_marks_stand_under_what_they_mark(line: str, start: int, end: int, row: str, marks: str) -> None:
    result, = frame(LineTable(line), place(1, start, 1, end), 0, '^')
    assert (result.text, result.marks) == (row, marks)


def test_a_long_line_is_shown_around_the_place() -> None:
    source = f'short\n{"x" * 100_000}BAD{"y" * 100_000}\n'
    rows = frame(LineTable(source), place(2, 100_001, 2, 100_004), 2, '^')
    assert [len(row.text) <= WINDOW + 2 for row in rows] == [True, True]
    text, marks = rows[1].text, rows[1].marks
    assert text[0] == text[-1] == '…'
    assert ''.join(character for character, mark in zip(text, marks, strict=False) if mark == '^') == 'BAD'


def test_without_the_file_there_is_no_frame(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown('text', Report([finding(path='gone.py', fix=fix())], 1, {})) == (
        'gone.py:1:1: TRI201 [*] a message\n = help: Mend it\n\nFound 1 finding (1 fixable with --fix).\n'
    )


def test_a_place_past_the_end_has_no_frame() -> None:
    assert _text('x\n', finding(place(9, 1, 9, 2)), quiet=True) == 'a.py:9:1: TRI201 a message\n\n'


def test_messages_cannot_steer_the_terminal() -> None:
    assert _text('x\n', finding(message='a\x1b[31m\nb')).startswith('a.py:1:1: TRI201 a\\x1b[31m\\nb\n')


@pytest.mark.parametrize(('applicabilities', 'unsafe_fixes', 'expected'), [
    ([None], False, 'Found 1 finding.'),
    (['safe', None], False, 'Found 2 findings (1 fixable with --fix).'),
    (['safe', 'safe', 'unsafe', None], False, 'Found 4 findings (2 fixable with --fix, 1 more with --unsafe-fixes).'),
    (['safe', 'unsafe'], True, 'Found 2 findings (2 fixable with --fix --unsafe-fixes).'),
    (['unsafe'], False, 'Found 1 finding (1 fixable with --fix --unsafe-fixes).'),
])
def test_summary_counts_what_can_be_mended(applicabilities: list, unsafe_fixes: bool, expected: str) -> None:
    findings = [finding(fix=applicability and fix(applicability)) for applicability in applicabilities]
    text = _text('x\n', *findings, unsafe_fixes=unsafe_fixes)
    assert text.splitlines()[-1] == expected
    mendable = ('safe', 'unsafe') if unsafe_fixes else ('safe',)
    assert text.count('[*]') == sum(applicability in mendable for applicability in applicabilities)


@pytest.mark.parametrize(('values', 'expected'), [
    ({'files': 12}, 'All clear: 12 files checked.\n'),
    ({'files': 1}, 'All clear: 1 file checked.\n'),
    ({'files': 2, 'fixed': {'TRI201': 2, 'DOC106': 1}}, 'Fixed 3 findings.\nAll clear: 2 files checked.\n'),
    ({'files': 2, 'known': 1}, 'The baseline holds back 1 known finding.\nAll clear: 2 files checked.\n'),
    ({'files': 2, 'quiet': True}, ''),
])
def test_summary_of_a_clean_run(values: dict, expected: str) -> None:
    assert shown('text', Report([], rules={}, **values)) == expected


def test_colour_changes_nothing_but_colour() -> None:
    items = [
        finding(place(6, 9, 8, 13), severity=severity, fix=fix(), related=(Related(place(1, 8, 1, 14), 'here'),))
        for severity in ('error', 'warning', 'info')
    ]
    plain, coloured = _text(SOURCE, *items), _text(SOURCE, *items, colour=True)
    assert '\x1b' not in plain
    assert coloured.count('\x1b[') > 20
    assert re.sub(r'\x1b\[[0-9;]*m', '', coloured) == plain


def test_concise() -> None:
    findings = [finding(place(3, 2, 3, 5), fix=fix()), finding(place(4, 1, 4, 2), path='b c.py', fix=fix('unsafe'))]
    assert shown('concise', Report(findings, 2, {})) == 'a.py:3:2: TRI201 [*] a message\nb c.py:4:1: TRI201 a message\n'
    assert shown('concise', Report([], 2, {})) == ''


@given(st.text(max_size=60))
def test_a_laid_out_line_is_as_wide_as_its_columns_say(line: str) -> None:
    shown_line, columns = lay_out(line)
    assert len(columns) == len(line) + 1
    assert columns[-1] == sum(map(_width, shown_line))
    assert all(unicodedata.category(character) not in ('Cc', 'Cs', 'Zl', 'Zp') for character in shown_line)


def _width(character: str) -> int:
    if unicodedata.category(character) in ('Mn', 'Me', 'Cf'):
        return 0
    return 2 if unicodedata.east_asian_width(character) in 'WF' else 1


@given(st.text(max_size=60))
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) == (1 if text else 0)
    assert one_line(one_line(text)) == one_line(text)
