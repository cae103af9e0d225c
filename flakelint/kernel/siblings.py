# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which multiplications stay small since the same index leads to a far larger tensor: before they wrap, that one fits no device."""

from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import sizes
from flakelint.kernel.graph import Value, each_value
from flakelint.kernel.origins import multiplications
from flakelint.kernel.strides import stripped
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.kernel.bounds import Bounds

# a tensor of so many times 2**31 elements is larger than the memory of any device
_TIMES = 1 << 5
_DIMENSIONS = frozenset({
    sizes.BATCH, sizes.BLOCK, sizes.CHOICES, sizes.EXPERTS, sizes.HEADS, sizes.HEAD_WIDTH, sizes.HIDDEN, sizes.LENGTH,
    sizes.WIDTH,
})


class _Row(NamedTuple):
    """A multiplication of one index.

    Args:
        product (Value):
            The multiplication.
        index (tuple):
            What tells its index from others.
        width (int):
            What the index is multiplied with, under the tight sizes.
        is_told (bool):
            Whether it is made of dimensions, and not of strides, which may be those of anything.
    """

    product: Value
    index: tuple
    width: int
    is_told: bool


def within_siblings(bounds: 'Bounds', roots: list[Value]) -> set[int]:
    """The multiplications, by their identity, beside which the same index is multiplied with far more.

    Args:
        bounds (Bounds):
            The sizes of the kernel's values.
        roots (list[Value]):
            Its addresses, and the limits of its masks.
    """
    rows = [row for product in multiplications(roots) if (row := _row(product, bounds)) is not None]
    widest: dict[tuple, int] = {}
    for row in (one for one in rows if one.is_told):
        widest[row.index] = max(row.width, widest.get(row.index, 0))
    return {id(row.product) for row in rows if widest.get(row.index, 0) > _TIMES * row.width}


def _row(product: Value, bounds: 'Bounds') -> _Row | None:
    indices, width, is_told = [], 1, True
    stack = [product]
    while stack:
        one = stripped(stack.pop())
        if one.op == 'mul':
            stack.extend(each_value(one.operands))
        elif (size := bounds.of(one)).index:
            indices.append(one)
        else:
            width *= max(1, size.tight)
            is_told = is_told and (size.exact or size.role in _DIMENSIONS)
    if len(indices) != 1:
        return None
    return _Row(product, (id(indices[0].frame), written(indices[0].node)), width, is_told)
