# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large names of a kernel are at most, as its assertions and assumptions say."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.project.imports import last_name
from flakelint.source.expressions import whole_number

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_SAYS = frozenset({'assume', 'device_assert', 'static_assert'})
# how far the number is above what the name may be
_ABOVE = {ast.Eq: 0, ast.LtE: 0, ast.Lt: 1}
_BELOW = {ast.Eq: 0, ast.GtE: 0, ast.Gt: 1}


def stated_limits(kernel: 'Kernel') -> dict[str, int]:
    """The largest value of each name of which `tl.assume`, `tl.static_assert` or `tl.device_assert` tells one in any case."""
    found: dict[str, int] = {}
    for call in kernel.calls:
        if last_name(call.func) in _SAYS and call.args and id(call) not in kernel.branched:
            for name, most in _limits(call.args[0]):
                found[name] = min(most, found.get(name, most))
    return {name: most for name, most in found.items() if name not in kernel.assigned}


def _limits(test: ast.expr) -> Iterator[tuple[str, int]]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from _limits(part)
    if not isinstance(test, ast.Compare):
        return
    sides = [test.left, *test.comparators]
    for left, operator, right in zip(sides, test.ops, sides[1:], strict=False):
        for name, number, gaps in ((left, right, _ABOVE), (right, left, _BELOW)):
            most, gap = whole_number(number), gaps.get(type(operator))
            if isinstance(name, ast.Name) and most is not None and gap is not None:
                yield name.id, most - gap
