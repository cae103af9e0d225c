# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The shapes of blocks: spelled dimensions, empty for a scalar, `None` where they are not known."""

import ast

from flakelint.kernel.graph import SCALAR, Shape


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


def reduced(shape: Shape, node: ast.Call) -> Shape:
    """The shape behind a reduction, of which the axis stands in the call."""
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    method = type(node.func) is ast.Attribute and type(node.func.value) is not ast.Name
    position = 0 if method else 1
    axis_node = keywords.get('axis', node.args[position] if len(node.args) > position else None)
    if shape is None or 'keep_dims' in keywords:
        return None
    if axis_node is None:
        return SCALAR
    axis = axis_node.value if type(axis_node) is ast.Constant else None
    if not isinstance(axis, int) or not 0 <= axis < len(shape):
        return None
    return shape[:axis] + shape[axis + 1:]
