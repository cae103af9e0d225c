# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a subscript or an attribute asks of a tensor that a tensor does not have."""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

# what torch and NumPy have and no version of Triton, with what takes its place
ATTRIBUTES = {
    'any': '`tl.max` of the truth values as integers',
    'all': '`tl.min` of the truth values as integers',
    'astype': '`.to(...)`',
    'bfloat16': '`.to(tl.bfloat16)`',
    'bool': '`.to(tl.int1)`',
    'byte': '`.to(tl.uint8)`',
    'clamp': '`tl.clamp`',
    'clip': '`tl.clamp`',
    'clone': 'a second name, since tensors never change',
    'contiguous': 'nothing, since blocks have no strides',
    'copy': 'a second name, since tensors never change',
    'cpu': 'nothing, since kernels run where they are launched',
    'cuda': 'nothing, since kernels run where they are launched',
    'data_ptr': 'the argument itself, which is the pointer',
    'detach': 'nothing, since kernels record no gradients',
    'device': 'an argument',
    'dim': '`len(x.shape)`',
    'double': '`.to(tl.float64)`',
    'expand': '`.broadcast_to(...)`',
    'fill_': '`tl.full`',
    'flatten': '`.reshape(...)`',
    'float': '`.to(tl.float32)`',
    'half': '`.to(tl.float16)`',
    'int': '`.to(tl.int32)`',
    'is_contiguous': 'an argument',
    'long': '`.to(tl.int64)`',
    'masked_fill': '`tl.where`',
    'masked_fill_': '`tl.where`',
    'matmul': '`tl.dot`',
    'mean': '`tl.sum` and a division',
    'mm': '`tl.dot`',
    'ndim': '`len(x.shape)`',
    'nelement': '`.numel`',
    'pow': '`libdevice.pow`',
    'prod': '`tl.reduce` with a function that multiplies',
    'relu': '`tl.maximum(x, 0)`',
    'repeat': '`.broadcast_to(...)`',
    'round': '`libdevice.rint`',
    'short': '`.to(tl.int16)`',
    'size': '`.shape`',
    'square': '`x * x`',
    'squeeze': '`.reshape(...)`',
    'std': '`tl.sum` and `tl.sqrt`',
    'stride': 'an argument for each stride',
    'strides': 'an argument for each stride',
    't': '`.T`',
    'tanh': '`libdevice.tanh`',
    'transpose': '`tl.trans`',
    'type_as': '`.to(...)`',
    'unsqueeze': '`x[:, None]` or `.expand_dims(...)`',
    'var': '`tl.sum`',
    'zero_': '`tl.zeros`',
}
# these hold a value, and are not called
VALUES = frozenset({'dtype', 'numel', 'shape', 'type'})
_ADDRESSES = frozenset({'atomic_add', 'atomic_cas', 'atomic_max', 'atomic_min', 'atomic_xchg', 'load', 'store'})


def elements(node: ast.Subscript) -> list[ast.expr]:
    """What stands in the brackets of a subscript."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def is_whole(element: ast.expr) -> bool:
    """Whether it takes a dimension as it is: `:`."""
    return isinstance(element, ast.Slice) and not any(map(_is_given, (element.lower, element.upper, element.step)))


def is_new(element: ast.expr) -> bool:
    """Whether it makes a dimension: `None`."""
    return isinstance(element, ast.Constant) and element.value is None


def is_refused(element: ast.expr) -> bool:
    """Whether no tensor takes it, as its text shows: a number, a slice with bounds, or `...`."""
    if isinstance(element, ast.UnaryOp):
        element = element.operand
    if isinstance(element, ast.Slice):
        return not is_whole(element)
    return isinstance(element, ast.Constant) and not is_new(element)


def plain_pointers(kernel: 'Kernel') -> set[str]:
    """The names to which a kernel adds something, or which it loads from as they are; a tuple of pointers is not used so."""
    found: set[str] = set()
    for node in kernel.body:
        sides: Iterable[ast.expr] = ()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
        elif isinstance(node, ast.Call) and (dotted(node.func) or '').rpartition('.')[2] in _ADDRESSES:
            sides = node.args[:1]
        found.update(side.id for side in sides if isinstance(side, ast.Name))
    return found


def stored_elements(kernel: 'Kernel') -> Iterator[tuple[ast.Subscript | ast.Attribute, ast.stmt]]:
    """The elements and attributes that the statements of a kernel assign to, each with the statement."""
    for node in kernel.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, _BINDS_ONE) else []
        stack = list(targets)[::-1]
        while stack:
            target = stack.pop()
            if isinstance(target, ast.Tuple | ast.List):
                stack.extend(target.elts[::-1])
            elif isinstance(target, ast.Starred):
                stack.append(target.value)
            elif isinstance(target, ast.Subscript | ast.Attribute):
                yield target, node


_BINDS_ONE = (ast.AugAssign, ast.AnnAssign)


def _is_given(bound: ast.expr | None) -> bool:
    return bound is not None and not is_new(bound)
