# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which multiplications lead to rows that are counted among the elements of a flat packed tensor: all of them are as many as its elements."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.kernel.strides import stripped

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

_SUMS = frozenset({'add', 'sub', 'mul', 'floordiv', 'mod', 'view', 'assign', 'cast'})


def within_flat(model: 'Model') -> set[int]:
    """The multiplications of rows that are quotients of what is an offset itself, by a part of a width, by their identity.

    Args:
        model (Model):
            The kernel.
    """
    offsets = set(_offsets(model))
    if not offsets:
        return set()
    return {id(one) for one in model.products if any(_is_row(operand, offsets) for operand in each_value(one.operands))}


def _offsets(model: 'Model') -> Iterator[int]:
    """What is added to the beginning of a tensor as a whole, a tile of its elements, by its identity."""
    for address in each_value(access.address for access in model.accesses):
        if address.op == 'add':
            sides = [stripped(one) for one in each_value(address.operands)]
            if any(one.op == 'parameter' and one.type == types.POINTER for one in sides):
                yield from (id(one) for one in sides if one.op == 'add' and _is_tile(one))


def _is_tile(offset: Value) -> bool:
    parts = sorted(stripped(one).op for one in each_value(offset.operands))
    return parts == ['arange', 'mul']


def _is_row(index: Value, offsets: set[int]) -> bool:
    for part in reachable([index], lambda one: one.operands if one.op in _SUMS else ()):
        if part.op == 'floordiv':
            # where several elements are packed into one, a row has fewer than it is wide
            is_packed = any(one.op == 'floordiv' for one in map(stripped, each_value(part.operands[1:])))
            if is_packed and any(id(one) in offsets for one in map(stripped, each_value(part.operands[:1]))):
                return True
    return False
