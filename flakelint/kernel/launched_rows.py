# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What launches show of the rows of a kernel."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.kernel.launches import Launch


def are_combined(launches: 'Sequence[Launch]', axis: int | None) -> bool:
    """Whether a launch has a program for each combination of two numbers along an axis of its grid, such as sequences and heads."""
    grids = [launch.grid for launch in launches if launch.grid is not None]
    return axis is not None and any(grid[axis].head == '*' for grid in grids if axis < len(grid))
