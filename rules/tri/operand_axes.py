# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Axes that a block does not have, and blocks that are not split, turned or joined."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types
from flakelint.kernel.exact_calls import is_triton, leaf, resolved
from flakelint.kernel.exact_types import Kind
from flakelint.rules.tri.operand_shapes import block, clash, runtime, spelled
from flakelint.source.expressions import argument, whole_number, written

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.graph import Value

# the name of the axis, and where it stands behind the block
_AXES = {
    'flip': ('dim', 1), 'gather': ('axis', 2), 'softmax': ('dim', 1),
    **dict.fromkeys((
        'argmax', 'argmin', 'associative_scan', 'cumprod', 'cumsum', 'max', 'min', 'reduce', 'sum', 'xor_sum',
    ), ('axis', 1)),
}
_SORTED = {'sort': ('dim', 1), 'topk': ('dim', 2)}


def along(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the axis of a reduction, a scan and the like, or with what is reduced."""
    node = value.node
    if not is_triton(value) or not value.operands:
        return ''
    given = exact.of(value.operands[0])
    if value.op == 'reduce' and given.is_constant and type(given.literal) in (int, float):
        return f'`{written(node)}` reduces {given.literal}, which is no block: Triton refuses it; the block comes first'
    name, shape = leaf(node), given.shape
    if not shape:
        return ''
    if name in _SORTED and resolved(node.func, value.frame).startswith('triton.'):
        axis = _axis(value, *_SORTED[name])
        if axis is not None and axis != len(shape) - 1:
            return f'`{written(node)}` sorts along axis {axis}: Triton takes the last one only, here {len(shape) - 1}'
    axis = _axis(value, *_AXES[name]) if name in _AXES else None
    if axis is None or -len(shape) <= axis < len(shape):
        return ''
    return f'`{written(node)}` goes along axis {axis} of {block(shape)}: Triton refuses it'


def _axis(value: 'Value', name: str, position: int) -> int | None:
    is_function = resolved(value.node.func, value.frame).startswith('triton.')
    return whole_number(argument(value.node, name, position if is_function else position - 1))


def turned(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with `.T`."""
    shape = runtime(exact.of(value.operands[0])).shape
    if shape is None or len(shape) > 1:
        return ''
    return f'`{written(value.node)}` transposes {block(shape)}: Triton refuses it; it takes two dimensions'


def ordered(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with what `tl.trans` or `tl.permute` is given."""
    node, shape = value.node, runtime(exact.of(value.operands[0])).shape
    if leaf(node) not in ('ravel', 'trans', 'permute') or not is_triton(value) or shape is None:
        return ''
    if leaf(node) == 'ravel' and not shape:
        return f'`{written(node)}` flattens a scalar: Triton refuses it'
    if leaf(node) == 'trans' and len(shape) < 2:
        return f'`{written(node)}` transposes {block(shape)}: Triton refuses it; it takes two dimensions at least'
    if leaf(node) == 'ravel':
        return ''
    given = node.args[1 if resolved(node.func, value.frame).startswith('triton.') else 0:]
    if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
        given = given[0].elts
    order = [whole_number(one) for one in given]
    if not given or node.keywords or None in order or sorted(order) == list(range(len(shape))):
        return ''
    text = f'`{written(node)}` orders the dimensions {order} of {block(shape)}'
    return f'{text}: Triton refuses it; name each of them once, from 0'


def split(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with a block that is split in two."""
    node = value.node
    if leaf(node) != 'split' or not is_triton(value) or not value.operands:
        return ''
    half = value.operands[0]
    shape = runtime(exact.of(half.operands[0])).shape if getattr(half, 'operands', ()) else None
    if shape is None or (shape and (not shape[-1].isdigit() or shape[-1] == '2')):
        return ''
    what = f'the last dimension of {spelled(shape)} is {shape[-1]}' if shape else 'a scalar has no dimension'
    return f'`{written(node)}` takes a block whose last dimension is 2, and {what}: Triton refuses it'


def joined(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with two blocks that become one."""
    found = [exact.of(one) for one in value.operands[:2]]
    if len(found) < 2:
        return ''
    text = f'`{written(value.node)}`'
    number = next((one.literal for one in found if one.is_constant and type(one.literal) in (int, float)), None)
    if number is not None:
        return f'{text} joins a block and {number}: Triton refuses it; both are blocks, as `tl.full` makes them'
    left, right = (runtime(one) for one in found)
    lengths = clash(left.shape, right.shape)
    if lengths is not None:
        return f'{text} joins {spelled(left.shape)} and {spelled(right.shape)}: Triton refuses {lengths[0]} and {lengths[1]}'
    if exact_types.is_clash(left.dtype, right.dtype):
        return f'{text} joins {left.dtype} and {right.dtype}: Triton refuses two types; cast one of them'
    return ''


def picked(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with `.item()`."""
    shape = runtime(exact.of(value.operands[0]) if value.operands else Kind()).shape
    if value.detail != 'item' or not shape or not any(one.isdigit() and one != '1' for one in shape):
        return ''
    return f'`{written(value.node)}` takes the one element of a block {spelled(shape)}: Triton refuses it; reduce the block'
