# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Markdown files: which are looked at, and that mending them changes nothing of what a reader sees."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from flakelint.engine.repair import mend
from flakelint.engine.settings import READS_MARKDOWN
from tests.rule_harness import checker, rules
from tests.tools import flakelint

_WORDS = [
    'state', 'chunk', '`tl.load`', 'kernels', '**float32**', 'the', 'of', 'a', 'sequence,', 'offsets.', '[link](x.md)', '状态',
    'x_t', 'block:', '—', 'varlen', '&amp;', '1.', '-', '#', '$$', '\\', '<b>', '|', 'straße', '✅', 'so;', 'end!',
]
WORDS = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=40)
CELL = st.sampled_from([
    '', 'a', '`b`', '1.8 ms', 'a \\| b', '中文', '✅', '**bold**', 'a long cell of words', '[x](y)', ':-',
])


@st.composite
def paragraph(draw) -> str:
    words, width = draw(WORDS), draw(st.integers(20, 110))
    lines, line = [], ''
    for word in words:
        if line and len(line) + len(word) + 1 > width:
            lines.append(line)
            line = word
        else:
            line = f'{line} {word}'.strip()
    return '\n'.join([*lines, line])


@st.composite
def table(draw) -> str:
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(CELL, min_size=1, max_size=columns + 1), min_size=1, max_size=5))
    pads = st.sampled_from(['', ' ', '  '])
    outer = draw(st.sampled_from(['|', '']))
    dashes = st.sampled_from(['---', ':--', '-:', ':-:', '-'])

    def row(cells: list[str]) -> str:
        return outer + '|'.join(f'{draw(pads)}{cell}{draw(pads)}' for cell in cells) + outer

    return '\n'.join([row([draw(CELL) for _ in range(columns)]), row([draw(dashes) for _ in range(columns)]), *map(row, rows)])


OTHERS = st.sampled_from([
    '# heading', 'heading\n=======', '- item\n  goes on', '1. one\n2. two', '> quoted\n> text', '```\ncode | code\n```',
    '    code', '<div>\nhtml\n</div>', '---', '- | a | b |\n  |---|---|\n  | c | d |', '[label]: https://example.com',
])
DOCUMENT = st.lists(st.one_of(paragraph(), table(), OTHERS), min_size=1, max_size=8).map('\n\n'.join)


def rendered(text: str) -> str:
    """What a reader sees; white space outside of code does not count."""
    return ' '.join(MarkdownIt('commonmark').enable('table').render(text).split())


@pytest.fixture(scope='module')
def folder(tmp_path_factory) -> Path:
    """A folder of its own: settings in one that holds those of other tests would be theirs too."""
    return tmp_path_factory.mktemp('markdown')


@given(DOCUMENT, st.sampled_from(['\n', '\r\n']))
def test_a_mended_file_is_rendered_as_before(folder, document, newline):
    run = checker(folder, {}, 'DOC110', 'DOC111')
    data = document.replace('\n', newline).encode()
    fixed = mend(data, 'README.md', run, allow_unsafe=False)
    assert not fixed.refused
    assert rendered(fixed.data.decode()) == rendered(document)
    assert not any(one.fix for one in fixed.findings)
    assert mend(fixed.data, 'README.md', run, allow_unsafe=False).data == fixed.data
    assert (b'\r\n' in fixed.data) == (b'\r\n' in data)


@given(paragraph(), paragraph())
def test_a_mended_docstring_has_the_same_words(folder, first, second):
    run = checker(folder, {}, 'DOC110')
    body = f'{first}\n\n{second}'.replace('\\', '').replace('\n', '\n    ')
    text = f'def f():\n    """{body}\n    """\n'
    fixed = mend(text.encode(), 'f.py', run, allow_unsafe=False)
    assert not fixed.refused
    assert re.findall(r'\S+', fixed.data.decode()) == re.findall(r'\S+', text)


def test_the_rules_that_read_markdown_are_named():
    assert {code for code, rule in rules().items() if hasattr(rule, 'check_markdown')} == READS_MARKDOWN


WRAPPED = 'This paragraph is wrapped in the middle of a sentence, as its first line is too\nlong.\n'


@pytest.mark.parametrize(('preset', 'shown'), [('fla', 'README.md:1:1: DOC110'), ('triton', '')])
def test_a_folder_is_searched_for_markdown_where_a_rule_reads_it(tmp_path: Path, preset, shown):
    (tmp_path / 'README.md').write_text(WRAPPED)
    (tmp_path / 'a.py').write_text('A = 1\n')
    result = flakelint('check', '--isolated', '--preset', preset, '--output-format', 'concise', '.', cwd=tmp_path)
    assert (shown in result.stdout) and bool(result.returncode) == bool(shown), result.stdout + result.stderr


def test_fixing_a_named_file_joins_its_lines(tmp_path: Path):
    (tmp_path / 'NOTES.MD').write_text(WRAPPED)
    result = flakelint('check', '--isolated', '--select', 'DOC110', '--fix', 'NOTES.MD', cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / 'NOTES.MD').read_text() == WRAPPED.replace('too\nlong', 'too long')


def test_no_comment_is_added_to_a_markdown_file(tmp_path: Path):
    (tmp_path / 'README.md').write_text(WRAPPED)
    result = flakelint('check', '--isolated', '--select', 'DOC110', '--add-ignore', 'README.md', cwd=tmp_path)
    assert 'no comment can ignore DOC110 on line 1' in result.stderr
    assert (tmp_path / 'README.md').read_text() == WRAPPED
