# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Program ids that reach an address through 32-bit multiplications, whatever the sizes: the stricter policy."""

import ast
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.conditions import spell
from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.origins import accessed, products
from flakelint.kernel.relations import upper_limits

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

# a factor below this that is written as a number is the row of a table, and no size
SMALL = 16

_UNTILED = frozenset({'floordiv', 'mod', 'shr', 'and', 'cdiv', 'div'})
_FIXED = frozenset({'arange', 'constant', 'global', 'static counter', 'fill'})


class Id(NamedTuple):
    """A program id in a value, with the tile that it was made into.

    Args:
        origin (Value):
            The program id.
        tile (str):
            The text of the first product with a size, such as `i_v*BV`; empty before there is one.
    """

    origin: Value
    tile: str


class UncastProduct(NamedTuple):
    """A 32-bit multiplication of a program id, or of what derives from it.

    Args:
        value (Value):
            The multiplication.
        limits (frozenset[str]):
            The compile-time constants below which the index is kept, if the other factor is a compile-time constant too.
    """

    value: Value
    limits: frozenset[str]


Ids = dict[Id, None]


class UncastIds:
    """The program ids of a kernel that are not cast before they are multiplied.

    Args:
        model (Model):
            The kernel.
    """

    def __init__(self, model: 'Model') -> None:
        self._known: dict[int, Ids] = {}
        self._fixed: dict[int, bool] = {}
        self._limits: dict[str, set[str]] = {}
        for small, large in upper_limits(model.comparisons):
            self._bound(small, large)
        self.found: dict[Value, dict[Value, UncastProduct]] = {}
        # offsets of descriptors and block pointers are 32-bit by contract
        reached = products(accessed(access for access in model.accesses if access.kind != 'offset'))
        values = [product for product in reached if product.op != 'cast' and not product.guard & model.declined]
        for value in model.remainders:
            self._bound(*value.operands)
            if value.op == 'min':
                self._bound(*reversed(value.operands))
        for product in values:
            for index in self._indices(product):
                limits = self._limits_of(product, index)
                self.found.setdefault(index.origin, {})[product] = UncastProduct(product, limits)

    def of(self, value: Value | Cases) -> Ids:
        """The program ids that are in a value and not cast."""
        if type(value) is Cases:
            return {index: None for _, case in value.cases for index in self.of(case)}
        known = self._known.get(id(value))
        if known is None:
            self._known[id(value)] = {}
            known = self._known[id(value)] = self._find(value)
        return known

    def _find(self, value: Value) -> Ids:
        if value.op == 'program_id':
            return {Id(value, ''): None}
        if (value.type not in types.NARROW and value.type != types.UNKNOWN) or value.op in ('load', 'call'):
            return {}
        operands = value.operands[:2] if value.op == 'counter' else value.operands
        found = {index: None for operand in operands for index in self.of(operand)}
        if value.op in _UNTILED:
            return _untiled(found)
        if value.op == 'sub':
            # what is taken away from something is not bounded by what bounds the difference
            return self.of(value.operands[0]) | _untiled(self.of(value.operands[1]))
        if value.op in ('mul', 'shl') and found and self._is_sized(value):
            return {Id(index.origin, index.tile or text(value)): None for index in found}
        return found

    def _indices(self, product: Value) -> Ids:
        return self._find(product) if self._is_sized(product) else {}

    def _is_sized(self, product: Value) -> bool:
        """Whether a multiplication of an index is one with a size."""
        left, right = product.operands
        index, factor = (left, right) if self.of(left) else (right, left)
        if not self.of(index):
            return False
        literal = factor.literal if type(factor) is Value else None
        if product.op == 'shl' and isinstance(literal, int):
            literal = 1 << min(literal, 32)
        if not self.of(factor) and isinstance(literal, int) and abs(literal) < SMALL:
            return False
        # a quotient times a factor of its divisor is no larger than what was divided
        return not any(self._divides(case, factor) for case in each_value([index]))

    def _divides(self, index: Value, factor: Value | Cases) -> bool:
        while index.op in ('view', 'assign') and type(index.operands[0]) is Value:
            index = index.operands[0]
        if index.op != 'floordiv':
            return False
        divisor = next(each_value(index.operands[1:]))
        texts = {text(divisor), divisor.name} | {text(part) for part in _factors(divisor)}
        return any(text(case) in texts or (case.name and case.name in texts) for case in each_value([factor]))

    def _limits_of(self, product: Value, index: Id) -> frozenset[str]:
        left, right = product.operands
        factor = right if self.of(left) else left
        if self.of(factor) or not all(map(self.is_fixed, each_value([factor]))):
            return frozenset()
        return frozenset(self._limits.get(index.tile, ()))

    def _bound(self, value: Value | Cases, limit: Value | Cases) -> None:
        """Note that a value is kept below a limit."""
        if not all(map(self.is_fixed, each_value([limit]))):
            return
        for index in self.of(value):
            if index.tile:
                self._limits.setdefault(index.tile, set()).update(map(text, each_value([limit])))

    def is_fixed(self, value: Value) -> bool:
        """Whether the compiler knows the size of a value: constants, what is made of them, `tl.arange`."""
        if value.type == types.CONST or value.op in _FIXED:
            return True
        known = self._fixed.get(id(value))
        if known is None:
            self._fixed[id(value)] = False
            known = bool(value.operands) and value.op != 'load' and all(map(self.is_fixed, each_value(value.operands)))
            self._fixed[id(value)] = known
        return known


def text(value: Value) -> str:
    """How the source spells a value, in the names of the kernel."""
    if value.op == 'parameter' or value.node is None or value.frame is None:
        return value.name
    if isinstance(value.node, ast.AugAssign):
        return f'{ast.unparse(value.node.target)}*{ast.unparse(value.node.value)}'
    return spell(value.node, value.frame.spelled) if isinstance(value.node, ast.expr) else value.name


def _factors(value: Value) -> list[Value]:
    if value.op != 'mul':
        return [value]
    return [part for operand in each_value(value.operands) for part in _factors(operand)]


def _untiled(found: Ids) -> Ids:
    return {Id(index.origin, ''): None for index in found}
