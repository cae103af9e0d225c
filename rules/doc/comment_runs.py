# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Comments that stand together."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.source.comments import Comment

_SUPPRESSION = re.compile(r'#\s*flakelint:')


def is_suppression(text: str) -> bool:
    """Whether a comment asks for silence, and says nothing else."""
    return _SUPPRESSION.match(text) is not None


def runs(comments: 'Iterable[Comment]') -> 'list[list[Comment]]':
    """Comments that follow each other in one column, as lists; a comment behind code begins a list.

    A suppression comment is no part of what is said around it, and left out.
    """
    found: list[list[Comment]] = []
    for comment in comments:
        if is_suppression(comment.text):
            continue
        last = found[-1][-1] if found else None
        if last is not None and comment.own_line and (comment.line, comment.column) == (last.line + 1, last.column):
            found[-1].append(comment)
        else:
            found.append([comment])
    return found
