# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large what a kernel unrolls can be: a loop that the compiler writes out, or one that its author did, has few rounds."""

import ast
from typing import TYPE_CHECKING

from flakelint.project.imports import last_name
from flakelint.source.expressions import whole_number

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

# rounds that are common, and rounds over tiles, of which each has much in it
ROUNDS, TILES = 16, 8
# a constant that is compared with so many numbers in a row counts what is written out for each of them
_IN_A_ROW = 4


def unrolled(kernel: 'Kernel') -> dict[str, str]:
    """The parameters to which loops count that are unrolled, with those by which they step; empty where they step by one.

    Args:
        kernel (Kernel):
            The kernel.
    """
    found = dict.fromkeys(_by_hand(kernel), '')
    for call in kernel.calls:
        if last_name(call.func) != 'static_range':
            continue
        end, step = call.args[min(1, len(call.args) - 1):2], call.args[2:3]
        if len(end) == 1 and isinstance(end[0], ast.Name) and all(isinstance(one, ast.Name) for one in step):
            found[end[0].id] = step[0].id if step else ''
    return found


def _by_hand(kernel: 'Kernel') -> list[str]:
    """The parameters that are compared with several numbers in a row."""
    numbers: dict[str, set[int]] = {}
    for node in kernel.body:
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and len(node.comparators) == 1:
            number = whole_number(node.comparators[0])
            if number is not None and 0 <= number <= ROUNDS:
                numbers.setdefault(node.left.id, set()).add(number)
    constants = {one.name for one in kernel.parameters if one.is_constexpr}
    return [
        name for name, found in numbers.items()
        if name in constants and any(found >= set(range(one, one + _IN_A_ROW)) for one in found)
    ]
