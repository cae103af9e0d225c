# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The smallest round sizes at which a multiplication wraps."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import sizes
from flakelint.kernel.graph import Value, each_value
from flakelint.kernel.origins import limit
from flakelint.kernel.sizes import Size

if TYPE_CHECKING:
    from flakelint.kernel.addresses import Product
    from flakelint.kernel.bounds import Bounds

# an index that shows how the sizes beside it wrap
_FEW = 8
_THROUGH = frozenset({'view', 'assign', 'cast'})


class Witness:
    """Sizes at which a product wraps.

    Args:
        product (Product):
            The product.
        bounds (Bounds):
            The sizes that were assumed.
    """

    def __init__(self, product: 'Product', bounds: 'Bounds') -> None:
        self._bounds = bounds
        self._most = limit(product.value)
        self._tight = product.tight
        self._factors = self._flatten(product.value)

    def text(self) -> str:
        """The sizes in words, such as `i_t` = 524,288, `H` = 32 (heads) and `K` = 128 (head-width)."""
        chosen = self._chosen()
        parts = []
        for (label, size), number in chosen:
            is_assumed = number >= (size.tight if self._tight else size.possible) or size.index
            role = f' ({size.role})' if size.role in sizes.DEFAULTS and not size.exact and is_assumed else ''
            parts.append(f'`{label}` = {number:,}{role}')
        if len(parts) < 2:
            return ''.join(parts)
        return f'{", ".join(parts[:-1])} and {parts[-1]}'

    def _chosen(self) -> list[tuple[tuple[str, Size], int]]:
        """A size for each factor: what it is assumed to be, and for the index the smallest round number that wraps."""
        numbers = [max(1, size.tight if self._tight else size.possible) for _, size in self._factors]
        free = max(range(len(numbers)), key=lambda at: (self._factors[at][1].index, numbers[at]))
        others = 1
        for at, number in enumerate(numbers):
            others *= number if at != free else 1
        if others * 2 <= self._most:
            numbers[free] = _round(-(-self._most // others))
        else:
            # what stands beside the index is so large that it would have wrapped before: a smaller one does as well
            numbers[free] = min(numbers[free], _FEW)
            self._lower(numbers, free)
        pairs = zip(self._factors, numbers, strict=True)
        return [(factor, number) for factor, number in pairs if not factor[0].isdigit()]

    def _lower(self, numbers: list[int], free: int) -> None:
        open_ = [at for at, (_, size) in enumerate(self._factors) if at != free and not size.exact]
        if not open_:
            return
        largest = max(open_, key=lambda at: numbers[at])
        rest = 1
        for at, number in enumerate(numbers):
            rest *= number if at != largest else 1
        numbers[largest] = min(numbers[largest], _round(-(-self._most // rest)))

    def _flatten(self, value: Value) -> list[tuple[str, Size]]:
        found: list[tuple[str, Size]] = []
        stack = [value]
        while stack:
            one = stack.pop()
            while one.op in _THROUGH and type(one.operands[0]) is Value and not one.name:
                one = one.operands[0]
            if one.op in ('mul', 'shl') and (one is value or not self._is_capped(one)):
                stack.extend(reversed(list(each_value(one.operands))))
            else:
                found.append((_label(one), self._bounds.of(one)))
        return found

    def _is_capped(self, value: Value) -> bool:
        """Whether a product is less than its factors make it, since they depend on each other."""
        left, right = (self._bounds.of(operand) for operand in value.operands)
        return self._bounds.of(value).tight < left.tight * right.tight


def _round(number: int) -> int:
    return 1 << max(0, (number - 1).bit_length())


def _label(value: Value) -> str:
    if value.name or not isinstance(value.node, ast.expr):
        return value.name or 'the index'
    return ast.unparse(value.node)
