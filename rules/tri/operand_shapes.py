# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Operations on blocks whose shapes Triton does not take."""

import ast
from math import prod
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types
from flakelint.kernel.exact_calls import axis_of, given_shape, leaf, operand, resolved
from flakelint.kernel.exact_types import FLOATS, INT, INTEGERS, Kind
from flakelint.kernel.sizes import MAX_BLOCK
from flakelint.source.expressions import argument, whole_number, written

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.graph import Shape, Value

# the least inner length of a product on NVIDIA GPUs, by the bits of an element
_LEAST = {8: 32, 16: 16, 32: 8, 64: 4}
_NOT_FOR_DOT = INTEGERS - {INT, 'int8', 'uint8'}


def clash(left: 'Shape', right: 'Shape') -> tuple[str, str] | None:
    """Two lengths of one dimension that are certainly different, and neither of which is 1: numbers, or multiples of one name."""
    for one, other in zip((left or ())[::-1], (right or ())[::-1], strict=False):
        if one != other and '1' not in (one, other):
            (first, name), (second, same) = _multiple(one), _multiple(other)
            if first != second and name == same:
                return one, other
    return None


def _multiple(length: str) -> tuple[int, str]:
    """A length as a number times a name; of a number the name is empty, and of anything else the number is 1."""
    if length.isdigit():
        return int(length), ''
    first, _, second = length.partition('*')
    number, name = (first, second) if first.isdigit() else (second, first)
    return (int(number), name) if number.isdigit() and name.isidentifier() else (1, length)


def spelled(shape: 'Shape') -> str:
    """A shape as it is written."""
    return f'`[{", ".join(shape or ())}]`'


def broadcast(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the shapes of the operands of an operation."""
    parts = [*value.operands, *([value.detail] if value.op == 'where' else [])]
    found = [exact.of(one).shape for one in parts]
    for position, shape in enumerate(found):
        for other in found[:position]:
            lengths = clash(other, shape)
            if lengths is not None:
                text = f'`{written(value.node)}` takes blocks of the shapes {spelled(other)} and {spelled(shape)}'
                return f'{text}: Triton refuses to broadcast {lengths[0]} and {lengths[1]}'
    whole = exact_types.broadcast_all(found)
    if whole and all(one.isdigit() for one in whole) and prod(map(int, whole)) > MAX_BLOCK and whole not in found:
        text = f'`{written(value.node)}` makes a block of {prod(map(int, whole)):,} elements'
        return f'{text}: Triton makes none of more than 2**20; loop over smaller ones'
    return ''


def view(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with a call that gives a block another shape."""
    node = value.node
    if not isinstance(node, ast.Call) or value.frame is None:
        return ''
    name, shape = leaf(node), runtime(exact.of(value.operands[0])).shape
    if shape is None:
        return ''
    if name in ('reshape', 'view'):
        return _reshaped(value, shape)
    if name == 'broadcast_to':
        return _broadcast_to(value, shape)
    if name == 'expand_dims':
        axis = whole_number(axis_of(value))
        if axis is not None and not -len(shape) - 1 <= axis <= len(shape):
            return f'`{written(node)}` puts a dimension at {axis} into a block of {len(shape)}: Triton refuses it'
    return ''


def _reshaped(value: 'Value', shape: 'Shape') -> str:
    new = given_shape(value)
    if not new or not all(one.isdigit() for one in (*shape, *new)):
        return ''
    before, after = prod(map(int, shape)), prod(map(int, new))
    text = f'`{written(value.node)}` makes {after} elements of the {before} in {spelled(shape)}'
    return f'{text}: Triton refuses to change their number' if before != after else ''


def _broadcast_to(value: 'Value', shape: 'Shape') -> str:
    new = given_shape(value)
    if not shape or not new:
        return ''
    if len(shape) != len(new):
        text = f'`{written(value.node)}` broadcasts {block(shape)} to {len(new)}'
        return f'{text}: Triton refuses another number of dimensions; add one with `[:, None]` or `[None, :]`'
    for one, other in zip(shape, new, strict=True):
        if one != other and one.isdigit() and other.isdigit() and one != '1':
            return f'`{written(value.node)}` broadcasts {one} elements to {other}: Triton refuses it; only 1 can be broadcast'
    return ''


def dot(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the operands of `tl.dot`."""
    if not isinstance(value.node, ast.Call) or leaf(value.node) != 'dot':
        return ''
    parts = [operand(value, 0, 'input'), operand(value, 1, 'other')]
    if None in parts:
        return ''
    number = next((kind.literal for kind in map(exact.of, parts) if _is_literal(kind)), None)
    if number is not None:
        return f'`{written(value.node)}` multiplies by {number}: Triton refuses it; both are blocks, `*` takes numbers'
    left, right = (runtime(exact.of(one)) for one in parts)
    problem = _dot_shapes(left.shape, right.shape) or _dot_types(left, right) or _dot_depth(left, right)
    return f'`{written(value.node)}` {problem}' if problem else _accumulator(value, left, right, exact)


def _is_literal(kind: Kind) -> bool:
    return kind.is_constant and type(kind.literal) in (int, float)


def runtime(kind: Kind) -> Kind:
    """A kind, if it is one of the run time; what looks like a constant may be a name that is not known."""
    return Kind() if kind.is_constant else kind


def _dot_shapes(left: 'Shape', right: 'Shape') -> str:
    for shape in (left, right):
        if shape is not None and len(shape) < 2:
            return f'multiplies {block(shape)}: Triton refuses it; both blocks have two dimensions at least'
    if left is None or right is None:
        return ''
    if len(left) != len(right):
        return f'multiplies blocks of {len(left)} and {len(right)} dimensions: Triton refuses it'
    if left[-1] != right[-2] and left[-1].isdigit() and right[-2].isdigit():
        text = f'multiplies {spelled(left)} and {spelled(right)}, whose inner lengths are {left[-1]} and {right[-2]}'
        return f'{text}: Triton refuses it; transpose one with `tl.trans`, or mend the shapes'
    return ''


def _dot_types(left: Kind, right: Kind) -> str:
    for one in (left.dtype, right.dtype):
        if one in _NOT_FOR_DOT:
            return f'multiplies {one}: Triton refuses it; of integers it takes int8 only'
    names = left.dtype, right.dtype
    is_small = all(name.startswith('fp8') for name in names)
    is_known = all(exact_types.bits(name) for name in names)
    if not is_known or is_small or left.dtype == right.dtype:
        return ''
    return f'multiplies {left.dtype} and {right.dtype}: Triton refuses two types; cast one of them'


def _dot_depth(left: Kind, right: Kind) -> str:
    lengths = {shape[at] for shape, at in ((left.shape, -1), (right.shape, -2)) if shape and shape[at].isdigit()}
    least = _LEAST.get(exact_types.bits(left.dtype) or exact_types.bits(right.dtype))
    if len(lengths) != 1 or least is None or int(*lengths) >= least:
        return ''
    name = left.dtype or right.dtype
    return f'has an inner length of {lengths.pop()}: for {name} Triton wants {least} at least on NVIDIA GPUs, and refuses it'


def _accumulator(value: 'Value', left: Kind, right: Kind, exact: 'Exact') -> str:
    out = argument(value.node, 'out_dtype', 6)
    asked = exact_types.of_name(resolved(out, value.frame)) if out is not None else ''
    text = f'`{written(value.node)}`'
    if asked in INTEGERS and left.dtype in FLOATS:
        return f'{text} asks for a sum of floats in {asked}: Triton refuses it; take float32, and cast the result'
    if asked == 'bf16' and not {left.dtype, right.dtype} & INTEGERS:
        return f'{text} asks for a sum in bf16: Triton refuses it; take float32, and cast the result'
    given = operand(value, 2, 'acc')
    acc = exact.of(given)
    if _is_literal(acc):
        return f'{text} adds to {acc.literal}: Triton refuses it; the accumulator is a block, as `tl.zeros` makes it'
    if given is None or acc.is_constant:
        return ''
    if acc.shape is not None and len(acc.shape) < 2:
        return f'{text} adds to {block(acc.shape)}: Triton refuses it; the accumulator has the shape of the product'
    if acc.shape and left.shape and right.shape and len(acc.shape) == len(left.shape) == len(right.shape):
        product = (*left.shape[:-1], right.shape[-1])
        if exact_types.is_other_shape(acc.shape, product):
            return f'{text} adds a product of the shape {spelled(product)} to {spelled(acc.shape)}: Triton refuses it'
    if asked in FLOATS and exact_types.is_clash(acc.dtype, asked):
        return f'{text} asks for a sum in {asked}, and adds to {acc.dtype}: Triton refuses it; make both the same'
    return ''


def block(shape: 'Shape') -> str:
    """A block of so many dimensions, in words."""
    if not shape:
        return 'a scalar'
    return f'a block of {len(shape)} dimension{"s" if len(shape) > 1 else ""}'
