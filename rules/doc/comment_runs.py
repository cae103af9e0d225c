# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Comments that stand together."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.source.comments import Comment


def runs(comments: 'Iterable[Comment]') -> 'list[list[Comment]]':
    """Comments on lines of their own that follow each other in one column, as lists; a comment behind code is a list of its own."""
    found: list[list[Comment]] = []
    for comment in comments:
        last = found[-1][-1] if found else None
        goes_on = last is not None and last.own_line and comment.own_line
        if goes_on and (comment.line, comment.column) == (last.line + 1, last.column):
            found[-1].append(comment)
        else:
            found.append([comment])
    return found


def body(comment: 'Comment') -> str:
    """What a comment says: its text without the signs that make it one."""
    return comment.text.lstrip('#').strip()
