# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The shapes of blocks: spelled dimensions, empty for a scalar, `None` where they are not known."""

import ast
from collections.abc import Iterable

from flakelint.kernel.graph import SCALAR, Cases, Shape, Value, each_value
from flakelint.source.expressions import whole_number


def broadcast(left: Shape, right: Shape) -> Shape:
    """The shape of an operation on two blocks."""
    if left == right or right == SCALAR:
        return left
    if left == SCALAR:
        return right
    if left is None or right is None:
        return None
    if len(left) != len(right):
        length = max(len(left), len(right))
        left = ('1',) * (length - len(left)) + left
        right = ('1',) * (length - len(right)) + right
    return tuple(other if one == '1' else one for one, other in zip(left, right, strict=True))


def common(values: Iterable[Value | Cases]) -> Shape:
    """The one shape that values have, whatever their variant."""
    found = {value.shape for value in each_value(values)}
    return found.pop() if len(found) == 1 else None


def joined(values: Iterable[Value | Cases]) -> Shape:
    """The shape of an operation on several values, whatever their variants."""
    shape: Shape = SCALAR
    for value in values:
        shape = broadcast(shape, common([value]))
    return shape


def either(left: Shape, right: Shape) -> Shape:
    """The shape of what is one of two blocks."""
    return left if left == right else None


def indexed(shape: Shape, index: ast.expr) -> Shape:
    """The shape behind `[:, None]` and the like."""
    items = index.elts if type(index) is ast.Tuple else [index]
    if shape is None:
        return None
    left = list(shape)
    found = []
    for item in items:
        if type(item) is ast.Constant and item.value is None:
            found.append('1')
        elif type(item) is ast.Slice and left:
            found.append(left.pop(0))
        else:
            return None
    return (*found, *left)


def _axis(node: ast.Call) -> ast.expr | None:
    """The axis of a reduction, be it `tl.sum(block, 0)` or `block.sum(0)`."""
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    # the block is the first argument, but for a method
    position = 0 if node.args and whole_number(node.args[0]) is not None else 1
    return keywords.get('axis', node.args[position] if len(node.args) > position else None)


def reduced_axes(shape: Shape, node: ast.AST | None) -> tuple[int, ...]:
    """The axes that a reduction takes in; none where they are not known."""
    if shape is None or not isinstance(node, ast.Call):
        return ()
    axis_node = _axis(node)
    if axis_node is None or (isinstance(axis_node, ast.Constant) and axis_node.value is None):
        return tuple(range(len(shape)))
    axis = whole_number(axis_node)
    return () if axis is None or not -len(shape) <= axis < len(shape) else (axis % len(shape),)


def reduced(shape: Shape, node: ast.Call) -> Shape:
    """The shape behind a reduction, of which the axis stands in the call."""
    axis_node = _axis(node)
    keep = next((keyword.value for keyword in node.keywords if keyword.arg == 'keep_dims'), None)
    if shape is None or not (keep is None or isinstance(keep, ast.Constant)):
        return None
    one = ('1',) if keep is not None and keep.value else ()
    if axis_node is None or (isinstance(axis_node, ast.Constant) and axis_node.value is None):
        return one * len(shape)
    axis = whole_number(axis_node)
    if axis is None or not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    return shape[:axis] + one + shape[axis + 1:]
