# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the functions of `triton.language`, and the built-in ones, give in a kernel."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flakelint.kernel import shapes, types
from flakelint.kernel.frames import Access
from flakelint.kernel.graph import SCALAR, UNKNOWN, Cases, Value, cases_of, each_value
from flakelint.kernel.operations import Arguments, cast, items, kept, opaque, spelled_shape

if TYPE_CHECKING:
    from flakelint.kernel.evaluator import Evaluator


def _program_id(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    axis = arguments.get(0, 'axis')
    literal = axis.literal if type(axis) is Value else None
    return walk.make('program_id', (), types.INT32, SCALAR, node, detail=literal)


def _num_programs(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    axis = arguments.get(0, 'axis')
    return walk.make('num_programs', (), types.INT32, SCALAR, node, detail=axis.literal if type(axis) is Value else None)


def _arange(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    start, end = arguments.get(0, 'start'), arguments.get(1, 'end')
    end_node, start_node = arguments.node(1, 'end'), arguments.node(0, 'start')
    shape = None
    if end_node is not None and start_node is not None:
        text = walk.spell(end_node)
        shape = (text,) if type(start) is Value and start.literal == 0 else (f'{text}-{walk.spell(start_node)}',)
    value = walk.make('arange', (start or UNKNOWN, end or UNKNOWN), types.INT32, shape, node)
    walk.aranges.append(value)
    return value


def _filled(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    is_full = len(arguments.values) > 2 or 'value' in arguments.values
    content = arguments.get(1, 'value') if is_full else Value('constant', (), types.CONST, SCALAR, node, walk.frame, 0)
    dtype = arguments.get(2 if is_full else 1, 'dtype')
    shape = spelled_shape(walk, arguments.node(0, 'shape'))
    target = _type_named(dtype)
    return walk.make('fill', (content or UNKNOWN,), target, shape, node)


def _type_named(dtype: Value | Cases | None) -> str:
    if type(dtype) is Value and dtype.type == types.DTYPE and isinstance(dtype.literal, str):
        return dtype.literal
    return types.UNKNOWN


def _cast_call(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    return cast(walk, node, arguments.get(0, 'input') or UNKNOWN, arguments.get(1, 'dtype'))


def _extreme(op: str) -> Callable[['Evaluator', ast.Call, Arguments], Value | Cases]:
    def handle(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
        found = list(arguments.values.items())
        left, right = arguments.get(0, 'x'), arguments.get(1, 'y')
        if left is None or right is None or len(found) < 2:
            return opaque(walk, node, op, arguments)
        return walk.map2(lambda one, other: walk.combine(node, op, one, other), left, right)
    return handle


def _run_time_extreme(op: str) -> Callable[['Evaluator', ast.Call, Arguments], Value | Cases]:
    """`tl.maximum` and `tl.minimum`, which other than `max` and `min` make values of the run time of constants."""
    def at_run_time(walk: 'Evaluator', node: ast.Call, value: Value) -> Value:
        if value.type != types.CONST:
            return value
        return walk.make('assign', (value,), walk.at_run_time(value), SCALAR, node, literal=value.literal)

    def handle(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
        return walk.map(lambda value: at_run_time(walk, node, value), _extreme(op)(walk, node, arguments))
    return handle


def cdiv(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    left, right = arguments.get(0, 'x'), arguments.get(1, 'div', 'y')
    if left is None or right is None:
        return opaque(walk, node, 'cdiv', arguments)
    return walk.map2(lambda one, other: _cdiv_of(walk, node, one, other), left, right)


def _cdiv_of(walk: 'Evaluator', node: ast.Call, left: Value, right: Value) -> Value:
    value = walk.combine(node, 'cdiv', left, right)
    if isinstance(left.literal, int) and isinstance(right.literal, int) and right.literal > 0 and value.type == types.CONST:
        value.literal = -(-left.literal // right.literal)
    return value


def _where(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    condition, left, right = arguments.get(0, 'condition'), arguments.get(1, 'x') or UNKNOWN, arguments.get(2, 'y') or UNKNOWN
    shape = shapes.common([condition]) if condition is not None else None

    def choose(one: Value, other: Value) -> Value:
        value = walk.combine(node, 'where', one, other)
        if value.type == types.CONST:
            literals = [case.literal for case in (one, other) if case.literal is not None]
            value.type = max(map(types.of_literal, literals), key=types.bits, default=types.INT32)
        if types.POINTER in (one.type, other.type):
            value.type = types.POINTER
        value.shape = shapes.broadcast(value.shape, shape)
        value.detail = condition
        return value

    return walk.map2(choose, left, right)


def _reduction(op: str) -> Callable[['Evaluator', ast.Call, Arguments], Value | Cases]:
    def handle(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
        first = arguments.get(0, 'input')
        if first is None:
            return opaque(walk, node, op, arguments)
        dtype = _type_named(arguments.values.get('dtype'))
        indices = 'return_indices' in arguments.values
        return walk.map(lambda value: _reduced(walk, node, op, value, dtype, indices), first)
    return handle


def _reduced(walk: 'Evaluator', node: ast.Call, op: str, value: Value, dtype: str, indices: bool) -> Value:
    target = value.type
    if op.startswith('arg'):
        target = types.INT32
    elif op in ('sum', 'cumsum') and types.is_integer(target) and types.bits(target) < 32:
        # a sum of booleans is unsigned
        target = 'u32' if target in types.UNSIGNED or target == types.BOOL else types.INT32
    elif op in ('max', 'min') and types.is_integer(target) and types.bits(target) < 32:
        target = types.INT32
    shape = value.shape if op == 'cumsum' else shapes.reduced(value.shape, node)
    result = walk.make('reduce', (value,), dtype or target, shape, node, detail=op)
    if indices:
        index = walk.make('reduce', (value,), types.INT32, shape, node, detail=f'arg{op}')
        return walk.make('tuple', (result, index), types.TUPLE, SCALAR, node)
    return result


def _swizzled(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    found = [value for value in each_value(arguments.all()) if value.type != types.CONST]
    joined = found[0].type if found else types.INT32
    for value in found[1:]:
        joined = types.promote(joined, value.type)
    operands = tuple(arguments.all())
    items = tuple(walk.make('swizzle', operands, joined, SCALAR, node, detail=position) for position in (0, 1))
    return walk.make('tuple', items, types.TUPLE, SCALAR, node)


def _block_pointer(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    base = arguments.get(0, 'base') or UNKNOWN
    for position, name in ((0, 'base'), (1, 'shape'), (2, 'strides'), (3, 'offsets')):
        part = arguments.get(position, name)
        if part is not None:
            kind = 'offset' if name == 'offsets' else 'block pointer'
            walk.accesses.append(Access(kind, part, None, None, node, walk.frame, walk.guard))
        if name == 'offsets' and part is not None:
            _forbid_wide(walk, node, part)
    element = next((value.detail for value in each_value([base])), None)
    return walk.make('block pointer', tuple(arguments.all()), types.BLOCK_POINTER, None, node, detail=element)


def _advance(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    base, offsets = arguments.get(0, 'base') or UNKNOWN, arguments.get(1, 'offsets') or UNKNOWN
    _forbid_wide(walk, node, offsets)

    def moved(value: Value) -> Value:
        return walk.make('block pointer', (value, offsets), value.type, None, node, detail=value.detail)

    return walk.map(moved, base)


def _forbid_wide(walk: 'Evaluator', node: ast.Call, offsets: Value | Cases) -> None:
    for value in items(offsets):
        if types.bits(value.type) == 64:
            walk.conflict('block pointer offset', node, value.type)


# what a descriptor is made of, in order
DESCRIPTOR_PARTS = ('base', 'shape', 'strides', 'block_shape')


def _descriptor(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    base = arguments.get(0, 'base') or UNKNOWN
    for position, name in ((0, 'base'), (2, 'strides')):
        part = arguments.get(position, name)
        if part is not None:
            walk.accesses.append(Access('descriptor', part, None, None, node, walk.frame, walk.guard))
    element = next((value.detail for value in each_value([base])), None)
    parts = (arguments.get(position, name) or UNKNOWN for position, name in enumerate(DESCRIPTOR_PARTS))
    descriptor = walk.make('descriptor', tuple(parts), types.DESCRIPTOR, None, node, detail=element)
    walk.descriptors.append(descriptor)
    return descriptor


def _pointer_type(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    element = arguments.get(0, 'element_ty')
    return Value('pointer type', (), types.DTYPE, SCALAR, node, walk.frame, _type_named(element))


def _dot(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    integers = [types.is_integer(value.type) for value in each_value(arguments.all()[:2])]
    return walk.make('dot', tuple(arguments.all()), types.INT32 if integers and all(integers) else types.FLOAT, None, node)


def _histogram(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value:
    return walk.make('call', tuple(arguments.all()), types.INT32, None, node, detail='histogram')


def _umulhi(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    left, right = arguments.get(0, 'x') or UNKNOWN, arguments.get(1, 'y') or UNKNOWN
    return walk.map2(lambda one, other: walk.combine(node, 'umulhi', one, other), left, right)


def _constexpr(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    return arguments.get(0, 'value') or UNKNOWN


def _clamped(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    first = arguments.get(0, 'x') or UNKNOWN
    operands = tuple(arguments.all())
    return walk.map(lambda value: walk.make('call', operands, value.type, value.shape, node, detail='clamp'), first)


def _split(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> Value | Cases:
    first = arguments.get(0, 'a') or UNKNOWN

    def halves(value: Value) -> Value:
        half = walk.make('view', (value,), value.type, None, node)
        return walk.make('tuple', (half, half), types.TUPLE, SCALAR, node)

    return walk.map(halves, first)


FUNCTIONS: dict[str, Callable[['Evaluator', ast.Call, Arguments], Value | Cases]] = {
    'program_id': _program_id,
    'num_programs': _num_programs,
    'arange': _arange,
    'zeros': _filled,
    'full': _filled,
    'cast': _cast_call,
    'cdiv': cdiv,
    'maximum': _run_time_extreme('max'),
    'minimum': _run_time_extreme('min'),
    'where': _where,
    'sum': _reduction('sum'),
    'max': _reduction('max'),
    'min': _reduction('min'),
    'argmax': _reduction('argmax'),
    'argmin': _reduction('argmin'),
    'cumsum': _reduction('cumsum'),
    'swizzle2d': _swizzled,
    'make_block_ptr': _block_pointer,
    'advance': _advance,
    'make_tensor_descriptor': _descriptor,
    '_experimental_make_tensor_descriptor': _descriptor,
    'pointer_type': _pointer_type,
    'dot': _dot,
    'dot_scaled': _dot,
    'histogram': _histogram,
    'umulhi': _umulhi,
    'constexpr': _constexpr,
    'clamp': _clamped,
    'split': _split,
}


def builtin(walk: 'Evaluator', node: ast.Call, name: str, arguments: Arguments) -> Value | Cases:
    found = arguments.all()
    if name in ('max', 'min') and len(found) == 2:
        return _extreme(name)(walk, node, arguments)
    if name in ('max', 'min') and len(found) > 2:
        result = found[0]
        for value in found[1:]:
            result = walk.map2(lambda one, other: walk.combine(node, name, one, other), result, value)
        return result
    if name == 'abs' and found:
        return walk.map(lambda value: kept(walk, node, 'abs', value, arguments), found[0])
    if name == 'float' and found:
        literal = found[0].literal if type(found[0]) is Value else None
        return walk.make('constant', (), types.CONST, SCALAR, node, literal=_float(literal))
    if name == 'len' and len(found) == 1:
        known = {len(value.operands) if value.type == types.TUPLE else None for _, value in cases_of(found[0])}
        return walk.make('constant', (), types.CONST, SCALAR, node, literal=known.pop() if len(known) == 1 else None)
    if all(value.type in (types.CONST, types.NONE, types.DTYPE) for value in each_value(found)):
        return walk.make('call', tuple(found), types.CONST, SCALAR, node, detail=name)
    return opaque(walk, node, name, arguments)


def _float(literal: object) -> float | None:
    try:
        return float(literal)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
