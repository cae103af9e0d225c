# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a comment is, if not an explanation."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.source.comments import Comment

_PRAGMA = re.compile(
    r'#\s*(?:noqa\b|nosec\b|nopycln\b|NOLINT|pragma\b|pyright:|pylint:|flake8:|pyre-|pytype:|mypy:|ruff:|type:|fmt:'
    r'|yapf:|isort:|black:|autopep8:|flakelint:|cython:|codespell:|cspell:|bandit:|semgrep:|sourcery |coverage:|distutils:'
    r'|doctest:|-\*-|vim?:|(?:end)?region\b|@param\b|@title\b|language=|lint-|usort:|ufmt:)',
    re.IGNORECASE,
)
_CODING = re.compile(r'#.*?coding[:=][ \t]*[-\w.]+')
_LEGAL = re.compile(
    r'copyright|SPDX-|\(c\) \d{4}|licen[sc]ed? (?:under|to|file|agreement)|the (?:\w+[ -]){1,3}licen[sc]e|all rights reserved'
    r'|permission is hereby|redistributions? (?:and|of|in)|without warrant|applicable law|root directory of this source tree',
    re.IGNORECASE,
)
# an address, a path, or a name says whose code it was
_ATTRIBUTION = re.compile(
    r'#+\s*(?:[\w ]{1,30} )?(?:(?i:adapted|modified|copied|ported|borrowed|derived|taken|inspired|forked) (?i:from|by)\b'
    r'(?=.*(?:https?://|\w/\w|\.py\b|[A-Z][A-Za-z]|[a-z][A-Z]))|(?i:based on|from|credits?|see also)\b.{0,60}https?://)',
)
_CELL = re.compile(r'#\s?%%|#\s*In\[[ \d]*\]|#\s*(?:<codecell>|<markdowncell>|COMMAND -{5,}|MAGIC\b|DBTITLE\b)|#{20,}\s*$')
_WIDE = re.compile(
    r'[\u0370-\u04ff\u0590-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]',
)


def words_of(comment: 'Comment') -> str:
    """The text of a comment without its signs."""
    return comment.text.lstrip('#').strip()


def is_pragma(text: str) -> bool:
    """Whether a comment, from its `#` on, speaks to a tool."""
    return _PRAGMA.match(text) is not None or text.startswith('#!') or _CODING.match(text) is not None


def is_legal(run: 'Iterable[Comment]') -> bool:
    """Whether comments are a copyright or licence notice."""
    return any(_LEGAL.search(comment.text) for comment in run)


def is_attribution(text: str) -> bool:
    """Whether a comment says where code was taken from."""
    return _ATTRIBUTION.match(text) is not None


def is_cell(text: str) -> bool:
    """Whether a comment marks a cell of a notebook."""
    return _CELL.match(text) is not None


def is_foreign(text: str) -> bool:
    """Whether a text has words of a script other than the Latin."""
    return _WIDE.search(text) is not None
