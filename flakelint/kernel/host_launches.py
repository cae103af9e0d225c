# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Launches in host code, while it is not yet known what all their values are."""

import ast
from dataclasses import dataclass

from flakelint.kernel.host_bindings import items_of
from flakelint.kernel.host_conditions import Condition, limits, whole
from flakelint.kernel.host_values import AXES, TUPLE, Value, freeze
from flakelint.kernel.launches import EITHER, EXPRESSION, NUMBER, RUN_METHODS, SIZE, Site

# what makes a number of whatever it is applied to, and what makes one of numbers
_MAKES_NUMBERS = frozenset({'cdiv', 'len', 'next_power_of_2', 'prod', '-', '//', '%'})
_KEEPS_NUMBERS = frozenset({'*', 'min', 'max', EITHER})


@dataclass(frozen=True)
class Found:
    """A launch whose values may still turn out to be tensors, further down in the function."""

    node: ast.Call
    target: str
    unwrapped: int
    positional: tuple[Value, ...]
    is_open: bool
    keywords: dict[str, Value]
    spreads: bool
    grid: tuple[Value, ...] | None
    has_number: bool
    conditions: tuple[Condition, ...]

    def site(self) -> Site:
        grid = None if self.grid is None else tuple(map(freeze, self.grid))
        keywords = {name: freeze(value) for name, value in self.keywords.items()}
        positional = tuple(map(freeze, self.positional))
        limited = tuple((freeze(value), most) for value, most in limits(self.conditions))
        multiples = tuple(map(freeze, whole(self.conditions)))
        place = (self.node.col_offset, self.unwrapped, self.has_number)
        return Site(
            self.node.lineno, self.target, positional, self.is_open, keywords, self.spreads, grid, limited, multiples, *place,
        )


def axes_of(grid: Value) -> tuple[Value, ...] | None:
    """The axes of a grid, or None where they are not seen."""
    if grid.kind in (TUPLE, AXES):
        return items_of(grid)
    return (grid,) if grid.kind in (NUMBER, EXPRESSION) and grid.tensor is None else None


def is_launch(node: ast.AST) -> bool:
    """Whether a call launches something, by its form."""
    if type(node) is not ast.Call:
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in RUN_METHODS and any(one.arg == 'grid' for one in node.keywords)
    return isinstance(node.func, ast.Subscript)


def is_number(grid: Value) -> bool:
    """Whether a value is a number for certain, and no tuple."""
    if grid.kind in (NUMBER, SIZE):
        return True
    if grid.kind != EXPRESSION or grid.tensor is not None:
        return False
    numbers = [is_number(one) for one in grid.operands]
    if grid.head == '+':
        return any(numbers)
    return grid.head in _MAKES_NUMBERS or (grid.head in _KEEPS_NUMBERS and bool(numbers) and all(numbers))
