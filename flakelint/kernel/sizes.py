# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large the sizes in a kernel are taken to be, by the role that they play.

There are two profiles: *tight* sizes are reached by launches that are common today, *possible* ones by launches that are not absurd. The figures are settings (`[tool.flakelint.assume]`), these are their defaults.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

LENGTH = 'length'
BATCH = 'batch'
HEADS = 'heads'
HEAD_WIDTH = 'head-width'
CONSTANT = 'constant'
WIDTH = 'width'
HIDDEN = 'hidden'
STRIDE = 'stride'
OUTER_STRIDE = 'outer-stride'
INNER_STRIDE = 'inner-stride'
TABLE_STRIDE = 'table-stride'
PLANE_STRIDE = 'plane-stride'
BLOCK = 'block'
COUNT = 'count'
NUMBER = 'number'
WINDOW = 'window'
EXPERTS = 'experts'
CHOICES = 'choices'
ROUNDS = 'rounds'
FLAG = 'flag'
ELEMENTS = 'elements'
PROGRAMS = 'programs'
FLAT_ROWS = 'flat-rows'
# what indices are
PROGRAM = 'program'
SEQUENCE = 'sequence'
HEAD = 'head'
ROW = 'row'
LOADED = 'loaded'
ITERATION = 'iteration'
# the number of programs, and what is made of an index
GRID = 'grid'
OFFSET = 'offset'
# what `tl.arange` gives
LANE = 'lane'

LARGEST = 1 << 62
# a block has no more elements, and a reasonable one fewer
MAX_BLOCK, _LARGE_BLOCK = 1 << 20, 1 << 15

# role: (tight, possible)
DEFAULTS: dict[str, tuple[int, int]] = {
    # tokens, rows of a matrix
    LENGTH: (1 << 20, 1 << 22),
    # rows of all heads
    FLAT_ROWS: (1 << 26, 1 << 28),
    BATCH: (1 << 8, 1 << 12),
    HEADS: (1 << 5, 1 << 6),
    # what one head holds
    HEAD_WIDTH: (1 << 7, 1 << 8),
    # any other compile-time size
    CONSTANT: (1 << 7, 1 << 8),
    HIDDEN: (1 << 12, 1 << 13),
    # a row of which the length is known at run time only
    WIDTH: (1 << 13, 1 << 17),
    STRIDE: (1 << 13, 1 << 17),
    OUTER_STRIDE: (1 << 24, 1 << 26),
    INNER_STRIDE: (1, 1 << 17),
    # from one row of a table of indices to the next
    TABLE_STRIDE: (1 << 20, 1 << 22),
    # from one row of a square plane to the next, such as the scores of all positions with each other
    PLANE_STRIDE: (1 << 15, 1 << 17),
    BLOCK: (1 << 7, 1 << 7),
    COUNT: (1 << 12, 1 << 17),
    NUMBER: (1 << 12, 1 << 22),
    WINDOW: (1 << 3, 1 << 3),
    EXPERTS: (1 << 9, 1 << 12),
    # how many of many are chosen, such as experts for a token
    CHOICES: (1 << 5, 1 << 11),
    # how often something is refined, steps in time
    ROUNDS: (1 << 5, 1 << 10),
    FLAG: (1, 1),
    ELEMENTS: ((1 << 31) - 1, (1 << 31) - 1),
    # a grid's second and third axis
    PROGRAMS: (1 << 12, (1 << 16) - 1),
}


class Size(NamedTuple):
    """How large a value is taken to be.

    Args:
        tight (int):
            Its largest absolute value under the tight sizes.
        possible (int):
            The same under the possible ones.
        role (str):
            What it is.
        index (bool, Optional):
            Whether it tells programs, loaded indices or rounds of a loop apart. Default: `False`.
        exact (bool, Optional):
            Whether the source shows it to the number. Default: `False`.
        limited (bool, Optional):
            Whether the source shows that it is never larger. Default: `False`.
    """

    tight: int
    possible: int
    role: str
    index: bool = False
    exact: bool = False
    limited: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether no launch has a larger one."""
        return self.exact or self.limited

    def below(self, most: int | None) -> 'Size':
        """The size where the source shows a limit."""
        if most is None or self.exact:
            return self
        return self._replace(tight=min(self.tight, most), possible=min(self.possible, most), limited=True)

    def in_block(self) -> 'Size':
        """The size of what one block holds."""
        return self._replace(tight=min(self.tight, _LARGE_BLOCK), possible=min(self.possible, MAX_BLOCK))


NOTHING = Size(0, 0, '')


@dataclass(frozen=True)
class Assumed:
    """The sizes that a run assumes.

    Args:
        tight (Mapping[str, int], Optional):
            Sizes by role, in place of the defaults. Default: none.
        possible (Mapping[str, int], Optional):
            The same for the possible sizes. Default: none.
        names (Mapping[str, int | str], Optional):
            A size or a role for names that fit a pattern, as in `fnmatch`. Default: none.
    """

    tight: Mapping[str, int] = field(default_factory=dict)
    possible: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, 'int | str'] = field(default_factory=dict)

    def of_role(self, role: str) -> Size:
        """The size of something that plays a role."""
        tight, possible = DEFAULTS[role]
        tight = self.tight.get(role, tight)
        return Size(tight, max(tight, self.possible.get(role, possible)), role)

    def of_name(self, name: str) -> Size | None:
        """The size that the settings give to a name."""
        from fnmatch import fnmatchcase

        for pattern, found in self.names.items():
            if fnmatchcase(name, pattern):
                return self.of_role(found) if isinstance(found, str) else Size(found, found, NUMBER, exact=True)
        return None
