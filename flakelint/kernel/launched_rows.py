# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether launches show that there is a row for each token of a batch: the leading dimensions of a tensor are taken together."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.kernel.launches import EITHER, NUMBER, SIZE

if TYPE_CHECKING:
    from flakelint.kernel.launches import Launch, Passed

_ROUNDED = frozenset({'cdiv', 'min', 'max', 'next_power_of_2', EITHER})


def are_flattened(launches: 'Sequence[Launch]', axis: int | None, names: frozenset[str]) -> bool:
    """Whether some launch shows that rows are those of all leading dimensions of a tensor.

    Args:
        launches (Sequence[Launch]):
            The launches of a kernel.
        axis (int | None):
            The axis of the grid along which there are programs for the rows, if there is one.
        names (frozenset[str]):
            The parameters that say how many rows there are.
    """
    return any(_is_flattened(passed) for launch in launches for passed in _numbers(launch, axis, names))


def are_combined(launches: 'Sequence[Launch]', axis: int | None) -> bool:
    """Whether a launch has a program for each combination of two numbers along an axis of its grid, such as sequences and heads."""
    return any(passed.head == '*' for launch in launches for passed in _numbers(launch, axis, frozenset()))


def _numbers(launch: 'Launch', axis: int | None, names: frozenset[str]) -> 'Iterator[Passed]':
    if axis is not None and launch.grid is not None and axis < len(launch.grid):
        yield launch.grid[axis]
    yield from (passed for name, passed in launch.parameters.items() if name in names)


def _is_flattened(passed: 'Passed') -> bool:
    if passed.kind == SIZE:
        # a size of -1 is whatever is left
        return any(_is_rest(one) or _is_flattened(one) for one in passed.operands)
    if passed.head in _ROUNDED:
        return any(map(_is_flattened, passed.operands))
    if passed.head == '//':
        whole = passed.operands[0]
        return whole.head in ('numel', 'prod') or _is_flattened(whole)
    if passed.head == '*':
        # tiles of rows times tiles of columns
        return any(map(_is_flattened, passed.operands))
    return passed.head == 'prod'


def _is_rest(passed: 'Passed') -> bool:
    return (passed.kind == NUMBER and passed.value == -1) or passed.text == '-1'
