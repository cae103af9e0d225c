# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Values of `other` that a reduction takes for elements: zero in the minimum of positive numbers, minus infinity in a sum."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.kernel.polynomials import is_kept
from flakelint.kernel.shapes import reduced_axes
from flakelint.kernel.unmasked import is_whole, plain
from flakelint.source.expressions import argument

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.tiles import Tiles

_SUMS, _LARGEST, _SMALLEST = frozenset({'sum'}), frozenset({'max', 'argmax'}), frozenset({'min', 'argmin'})
_SAME = frozenset({'cast', 'assign', 'trans'})
_INFINITY = float('inf')
# where `tl.load` takes `other`, if it has no name
_PLACE = 2


class Filled(NamedTuple):
    """A load whose masked lanes hold something that a reduction does not leave out.

    Args:
        access (Access):
            The load.
        consumer (Value):
            The reduction.
    """

    access: 'Access'
    consumer: Value


def misfilled(tiles: 'Tiles') -> Iterator[Filled]:
    """The loads whose `other` is not neutral in the reduction that they go into as they are."""
    loads = {
        (id(access.node), id(access.frame)): access for access in tiles.model.accesses
        if access.kind == 'load' and access.mask is not None and access.other is not None
    }
    if not loads:
        return
    told: set[ast.Call] = set()
    for value in reachable(part for access in tiles.model.accesses for part in access.parts):
        for case in each_value(value.operands[:1]) if value.op == 'reduce' else ():
            load, is_float = _loaded(case)
            access = loads.get((id(load.node), id(load.frame)))
            if access is None or access.node in told or not _is_wrong(value.detail, access, is_float):
                continue
            axes = reduced_axes(case.shape, value.node)
            lengths = {case.shape[axis] for axis in axes} if case.shape is not None else set()
            if lengths & set(_masked_lengths(tiles, access)):
                told.add(access.node)
                yield Filled(access, value)


def _loaded(value: Value) -> tuple[Value, bool]:
    """What a value was loaded as, and whether it was cast to floating point on the way."""
    is_float = False
    while (value.op in _SAME or (value.op == 'view' and is_kept(value))) and type(value.operands[0]) is Value:
        is_float = is_float or (value.op == 'cast' and 'float' in ast.unparse(value.node))
        value = value.operands[0]
    return value, is_float


def _is_wrong(name: str, access: 'Access', is_float: bool) -> bool:
    """Whether the reduction takes in what masked lanes hold; zero is taken for the smallest of integers, which count."""
    number = _number(access)
    if number is None:
        return False
    if name in _SUMS:
        return number != 0
    if name in _LARGEST:
        return number == _INFINITY or (number == 0 and (is_float or _is_written_as_float(access)))
    return name in _SMALLEST and (number == 0 or number == -_INFINITY)


def _number(access: 'Access') -> float | None:
    """The number that `other` is, if it is written out."""
    node = _written(access)
    sign = 1
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -sign
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return sign * node.value
    if isinstance(node, ast.Call) and ast.unparse(node.func) == 'float' and len(node.args) == 1:
        text = node.args[0].value if isinstance(node.args[0], ast.Constant) else ''
        return {'inf': sign * _INFINITY, '-inf': -sign * _INFINITY}.get(text)
    return None


def _is_written_as_float(access: 'Access') -> bool:
    node = _written(access)
    return isinstance(node, ast.Constant) and type(node.value) is float


def _written(access: 'Access') -> ast.expr | None:
    return argument(access.node, 'other', _PLACE)


def _masked_lengths(tiles: 'Tiles', access: 'Access') -> Iterator[str]:
    """The spelled lengths of the dimensions that a mask bounds."""
    for bound in tiles.bounds_of(access.mask, access.guard):
        name = plain(bound.limit)
        if not (name and is_whole(tiles, bound.vector, bound.limit, name)):
            yield bound.vector.tile.key[0]
