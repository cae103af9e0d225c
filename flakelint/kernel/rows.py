# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How wide the rows of a tensor are, by how much of one a kernel reads or writes: a row of top-k choices has as many."""

from collections.abc import Callable

from flakelint.kernel import sizes
from flakelint.kernel.graph import Value, reachable
from flakelint.kernel.sizes import Size

# what a row may consist of as a whole, as it may of a number that is told; of a tile or of many columns it may be a part
_WHOLE = frozenset({sizes.CHOICES, sizes.EXPERTS, sizes.HEAD, sizes.HEADS, sizes.WINDOW, sizes.HEAD_WIDTH})


def row_width(terms: list[Value], limits: dict[int, list[Value]], size_of: Callable[[Value], Size]) -> int | None:
    """How much of a row is read or written; `None` where that may be a part of it.

    Args:
        terms (list[Value]):
            What is added to the beginning of a row.
        limits (dict[int, list[Value]]):
            What keeps values small, by their identity.
        size_of (Callable[[Value], Size]):
            Gives the size of a value.
    """
    widths = [_extent(term, limits, size_of) for term in {id(term): term for term in terms}.values()]
    return None if None in widths else sum(widths) or None


def _extent(term: Value, limits: dict[int, list[Value]], size_of: Callable[[Value], Size]) -> int | None:
    ends = [term]
    for part in reachable([term], lambda one: one.operands if one.op not in ('load', 'arange', 'counter') else ()):
        ends.extend(limits.get(id(part), ()))
        if part.op in ('arange', 'counter'):
            ends.append(part.operands[1])
    return min((size.tight for size in map(size_of, ends) if size.role in _WHOLE or size.limited), default=None)
