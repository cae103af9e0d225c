# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the calls of a kernel are given, as they are written."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel.graph import Cases, Shape, Value
from flakelint.project.imports import dotted, last_name
from flakelint.source.expressions import argument

if TYPE_CHECKING:
    from flakelint.kernel.frames import Frame


_MODULES = ('triton.language.', 'triton.language.math.', 'triton.language.core.', 'triton.language.standard.')


def leaf(node: ast.AST | None) -> str:
    """The name of the function or method that a call calls, without what stands before it."""
    return last_name(node.func) if isinstance(node, ast.Call) else ''


def operand(value: Value, position: int, name: str) -> 'Value | Cases | None':
    """What a call was given for a parameter; the operands of its value are its arguments in order."""
    node = value.node
    if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
        return None
    names = [one.arg for one in node.keywords]
    if None in names:
        return None
    at = len(node.args) + names.index(name) if name in names else position if position < len(node.args) else None
    return value.operands[at] if at is not None and at < len(value.operands) else None


def is_triton(value: Value) -> bool:
    """Whether a call is one of Triton's own functions or of a method of a value."""
    if not isinstance(value.node, ast.Call) or value.frame is None:
        return False
    full = resolved(value.node.func, value.frame)
    return full.removesuffix(leaf(value.node)) in _MODULES or (not full and isinstance(value.node.func, ast.Attribute))


def given_shape(value: Value) -> Shape:
    """The shape that a call such as `tl.reshape` is given, where it is written out."""
    node = value.node
    is_method = value.frame is None or not resolved(node.func, value.frame).startswith('triton.')
    given = node.args[0 if is_method else 1:]
    keyword = argument(node, 'shape')
    is_one = len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List)
    if keyword is not None:
        given = keyword.elts if isinstance(keyword, ast.Tuple | ast.List) else []
    elif is_one:
        given = given[0].elts
    elif any(isinstance(one, ast.Tuple | ast.List) for one in given):
        return None
    is_known = given and not any(isinstance(one, ast.Starred) for one in given) and value.shape is not None
    return value.shape if is_known and len(given) == len(value.shape) else None


def target(value: Value) -> ast.expr | None:
    """The type to which a call casts: `x.to(t)`, `tl.cast(x, t)`, `t(x)`."""
    node = value.node
    if not isinstance(node, ast.Call) or value.frame is None:
        return None
    is_function = resolved(node.func, value.frame).startswith('triton.')
    if is_function and leaf(node) != 'cast':
        return node.func
    return argument(node, 'dtype', 1 if is_function else 0)


def resolved(node: ast.expr | None, frame: 'Frame | None') -> str:
    """The full name of what stands outside of a function."""
    spelled = dotted(node) if node is not None and frame is not None else None
    if spelled is None or spelled.partition('.')[0] in frame.env:
        return ''
    return frame.kernel.bindings.resolve(spelled)


def axis_of(value: Value) -> ast.expr | None:
    """The expression of the axis of a call; the block is an argument too, but for a method."""
    is_function = resolved(value.node.func, value.frame).startswith('triton.')
    return argument(value.node, 'axis', 1 if is_function else 0)
