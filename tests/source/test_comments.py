# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The fast scan finds the comments that the tokenizer finds."""

import io
import sys
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.source.comments import scan
from flakelint.source.text import LineTable
from tests.tools import REPOSITORY

FILES = sorted(path for folder in ('flakelint', 'rules', 'fla', 'tests') for path in (REPOSITORY / folder).rglob('*.py'))

PIECES = st.sampled_from([
    'x = 1', '# note', '  # note  ', '"a # b"', "'#'", '"""#\n# """', "'''\n#'''", 'r"\\"', "f'{x}#'", 'f"{x!r:#>4}"',
    '\\\n', '\n', '\n',
    '(', ')', ' + ', "'\\''", '"\\\\"', 'b"#"', '"a" "#b"', 'é', 'if x:\n    pass', '\t',
])


def exact(text: str) -> list[tuple[int, int, str]] | None:
    try:
        compile(text, 'text', 'exec', dont_inherit=True)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return None
    return [(*token.start, token.string) for token in tokens if token.type == tokenize.COMMENT]


def fast(text: str) -> list[tuple[int, int, str]]:
    return [(comment.line, comment.column - 1, comment.text) for comment in scan(text, LineTable(text))]


@pytest.mark.parametrize('path', FILES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_comments_of_this_repository(path: Path) -> None:
    text = path.read_text(encoding='utf-8')
    expected = exact(text)
    if expected is not None:
        assert fast(text) == expected


@given(st.lists(PIECES, max_size=12).map(''.join))
@pytest.mark.filterwarnings('ignore')
def test_comments_of_random_text(text: str) -> None:
    expected = exact(text)
    if expected is not None:
        assert fast(text) == expected


@pytest.mark.skipif(sys.version_info < (3, 12), reason='an f-string can hold its own quote since Python 3.12')
def test_comment_characters_in_nested_f_strings() -> None:
    text = 'x = f"{", ".join(f"#{i}" for i in y)}"  # note\n'
    assert fast(text) == exact(text) == [(1, text.index('# note'), '# note')]


def test_own_line_and_trailing() -> None:
    found = scan('# a\nx = 1  # b\n    # c\n', LineTable('# a\nx = 1  # b\n    # c\n'))
    places = [(comment.own_line, comment.line, comment.column) for comment in found]
    assert places == [(True, 1, 1), (False, 2, 8), (True, 3, 5)]
