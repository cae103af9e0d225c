# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What calls and attributes in a kernel give: `triton.language`, the methods of blocks, built-in functions and helpers."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.frames import Access, Call, Method
from flakelint.kernel.functions import FUNCTIONS, builtin, cdiv
from flakelint.kernel.graph import SCALAR, UNKNOWN, Cases, Value, each_value
from flakelint.kernel.operations import Arguments, cast, items, kept, needs_narrow, opaque
from flakelint.kernel.shapes import joined

if TYPE_CHECKING:
    from flakelint.kernel.evaluator import Evaluator
    from flakelint.kernel.kernels import Kernel

PREFIX = 'triton.language.'

_BUILTINS = frozenset({'abs', 'bool', 'float', 'int', 'len', 'max', 'min', 'print', 'range', 'isinstance', 'str', 'type'})
_TRITON_CONSTANTS = frozenset({'triton.next_power_of_2'})

# the result has the type of the first argument; what it does to the shape is not followed unless it is named below
_KEEP = frozenset({
    'abs', 'associative_scan', 'bitonic_merge', 'broadcast_to', 'cumprod', 'expand_dims', 'flip', 'gather', 'max_constancy',
    'max_contiguous', 'multiple_of', 'permute', 'ravel', 'reduce', 'reduce_or', 'reshape', 'sort', 'squeeze', 'topk', 'trans',
    'unsqueeze', 'view', 'xor_sum', 'zeros_like',
})
_FLOATS = frozenset({
    'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cbrt', 'ceil', 'cos', 'cosh', 'div_rn', 'div_rz',
    'erf', 'erfc', 'exp', 'exp2', 'expm1', 'fast_dividef', 'fast_exp', 'fast_expf', 'fast_logf', 'fdiv', 'fdividef',
    'floor', 'fma', 'llrint', 'log', 'log10', 'log1p', 'log2', 'nearbyint', 'pow', 'rand', 'rand4x', 'randn', 'randn4x',
    'rint', 'round', 'rsqrt', 'sigmoid', 'sin', 'sinh', 'softmax', 'sqrt', 'sqrt_rn', 'tan', 'tanh', 'trunc',
    'uint_to_uniform_float',
})
_FLOAT_FAMILIES = ('triton.language.math.', 'triton.language.extra.')
_UNSIGNED_RANDOM = frozenset({'randint', 'randint4x', 'philox', 'philox_impl'})
_FOUR = frozenset({'philox', 'philox_impl', 'rand4x', 'randint4x', 'randn4x'})
_NOTHING = frozenset({
    'assume', 'debug_barrier', 'device_assert', 'device_print', 'static_assert', 'static_print', 'inline_asm_elementwise_void',
})
# two blocks that become one
_JOINS = frozenset({'cat', 'interleave', 'join'})
_SAME_TYPES = _JOINS | {'atomic_cas'}
# these compute something else with wider integers
_WIDTH_MATTERS = frozenset({
    'inline_asm_elementwise', 'map_elementwise', 'philox', 'philox_impl', 'rand', 'rand4x', 'randint', 'randint4x', 'randn',
    'randn4x', 'umulhi',
})
# these take values that are known when the kernel is compiled
_ASK_FOR_CONSTANTS = frozenset({
    'arange', 'broadcast_to', 'full', 'make_block_ptr', 'make_tensor_descriptor', 'num_programs', 'program_id', 'reshape',
    'static_assert', 'view', 'zeros',
})
_DESCRIPTOR_METHODS = frozenset({
    'load', 'store', 'gather', 'scatter', 'atomic_add', 'atomic_max', 'atomic_min', 'atomic_and', 'atomic_or', 'atomic_xor',
})
_PLAIN_ATTRIBUTES = frozenset({'shape', 'type', 'value', 'numel', 'block_shape', 'strides', 'block_type', 'dtype', 'T'})


def call(walk: 'Evaluator', node: ast.Call) -> Value | Cases:
    """The value of a call."""
    function = node.func
    if type(function) is ast.Attribute and not walk.is_global(function):
        return _method(walk, node, function)
    name = walk.resolve(function)
    if not name and type(function) is ast.Name:
        name = _passed_function(walk, function)
    arguments = Arguments(node, walk)
    if name.startswith(PREFIX):
        return _language(walk, node, name, arguments)
    if name == 'triton.cdiv':
        return cdiv(walk, node, arguments)
    if name in _BUILTINS:
        return builtin(walk, node, name, arguments)
    if arguments.complete and name:
        helper = _helper(walk, function, name)
        if helper is not None:
            result = walk.inline(helper, arguments, node)
            if result is not None:
                return result
    if name in _TRITON_CONSTANTS or (arguments.all() and name.startswith('triton.') and _all_constant(arguments)):
        return walk.make('call', tuple(arguments.all()), types.CONST, SCALAR, node, detail=name)
    return opaque(walk, node, name, arguments)


def attribute(walk: 'Evaluator', node: ast.Attribute, value: Value) -> Value:
    """The value of an attribute of a value."""
    name = node.attr
    if name == 'T':
        shape = tuple(reversed(value.shape)) if value.shape is not None else None
        return walk.make('trans', (value,), value.type, shape, node, detail=value.detail)
    walk.methods.append(Method(node, None, value, walk.frame, walk.guard))
    if name == 'shape' and value.shape is not None:
        return walk.make('tuple', tuple(_dimension(walk, node, one) for one in value.shape), types.TUPLE, SCALAR, node)
    if name in ('dtype', 'type'):
        literal = types.POINTER if value.type == types.POINTER else value.type
        return Value('dtype', (value,), types.DTYPE, SCALAR, node, walk.frame, literal, detail=value.detail)
    if name == 'element_ty':
        return Value('dtype', (value,), types.DTYPE, SCALAR, node, walk.frame, value.detail)
    if name in ('primitive_bitwidth', 'itemsize') and value.type == types.DTYPE and walk.given.types:
        width = types.bits(value.literal) if isinstance(value.literal, str) and '?' not in value.literal else 0
        literal = (width if name == 'primitive_bitwidth' else width // 8) or None
        return walk.make('attribute', (value,), types.CONST, SCALAR, node, literal=literal)
    if name in _PLAIN_ATTRIBUTES or value.type in (types.CONST, types.DTYPE):
        return walk.make('attribute', (value,), types.CONST, SCALAR, node, detail=name)
    return UNKNOWN


def _dimension(walk: 'Evaluator', node: ast.Attribute, text: str) -> Value:
    return walk.make('constant', (), types.CONST, SCALAR, node, literal=int(text) if text.isdigit() else None)


def _passed_function(walk: 'Evaluator', function: ast.Name) -> str:
    """The full name of a function that was handed over as an argument."""
    value = walk.frame.env.get(function.id)
    if type(value) is not Value or value.op != 'global':
        return ''
    return value.frame.kernel.bindings.resolve(value.name)


def _helper(walk: 'Evaluator', function: ast.expr, name: str) -> 'Kernel | None':
    value = walk.frame.env.get(function.id) if type(function) is ast.Name else None
    if type(value) is Value and value.op == 'global':
        return walk.facts.helper(value.frame.kernel, value.node, name)
    return walk.facts.helper(walk.frame.kernel, function, name)


def _method(walk: 'Evaluator', node: ast.Call, function: ast.Attribute) -> Value | Cases:
    name = function.attr
    owner = walk.evaluate(function.value)
    for value in each_value([owner]):
        walk.methods.append(Method(function, node, value, walk.frame, walk.guard))
    if any(value.type == types.DESCRIPTOR for value in each_value([owner])) and name in _DESCRIPTOR_METHODS:
        return _descriptor_access(walk, node, name, owner, Arguments(node, walk))
    arguments = Arguments(node, walk, owner, function.value)
    if name in _DESCRIPTOR_METHODS and all(value.type == types.UNKNOWN for value in each_value([owner])):
        # it may be a descriptor, which takes 32-bit offsets only
        _needs_narrow_items(walk, node, arguments)
    if name in ('to', 'cast'):
        if 'bitcast' in arguments.values:
            needs_narrow(walk, node, 'bitcast', arguments)
        return cast(walk, node, owner, arguments.get(1, 'dtype'))
    if name.startswith('is_') and all(value.type == types.DTYPE for value in each_value([owner])):
        return walk.map(lambda value: _kind(walk, node, name, value), owner)
    if name == 'item':
        return opaque(walk, node, name, arguments)
    return _language(walk, node, PREFIX + name, arguments)


def _language(walk: 'Evaluator', node: ast.Call, full: str, arguments: Arguments) -> Value | Cases:
    name = full.rpartition('.')[2]
    if full.startswith(_FLOAT_FAMILIES) and name not in ('abs', 'umulhi', 'cdiv', 'max', 'min', 'mul24'):
        return walk.make('call', tuple(arguments.all()), types.FLOAT, joined(arguments.all()), node, detail=name)
    if name in types.LANGUAGE_TYPES:
        target = Value('dtype', (), types.DTYPE, SCALAR, literal=types.LANGUAGE_TYPES[name])
        return cast(walk, node, arguments.get(0) or UNKNOWN, target)
    if name == 'load' or name == 'store' or name.startswith('atomic_'):
        return _access(walk, node, name, arguments)
    if name in _ASK_FOR_CONSTANTS:
        walk.constant_calls.append(Call(node, name, arguments.nodes, arguments.values, walk.frame, walk.guard))
    if name in _WIDTH_MATTERS or name in _SAME_TYPES:
        needs_narrow(walk, node, name, arguments)
    handler = FUNCTIONS.get(name)
    if handler is not None:
        return handler(walk, node, arguments)
    first = arguments.get(0, 'input', 'x', 'tensor', 'a')
    if name in _KEEP and first is not None:
        return walk.map(lambda value: kept(walk, node, name, value, arguments), first)
    if name in _JOINS and first is not None:
        return walk.map(lambda value: walk.make('join', tuple(arguments.all()), value.type, None, node), first)
    if name in _FLOATS or name in _UNSIGNED_RANDOM:
        kind = 'u32' if name in _UNSIGNED_RANDOM else types.FLOAT
        one = walk.make('call', tuple(arguments.all()), kind, joined(arguments.all()), node, detail=name)
        return walk.make('tuple', (one,) * 4, types.TUPLE, SCALAR, node) if name in _FOUR else one
    if name in _NOTHING:
        return walk.make('none', (), types.NONE, SCALAR, node)
    return opaque(walk, node, name, arguments)


def _access(walk: 'Evaluator', node: ast.Call, name: str, arguments: Arguments) -> Value | Cases:
    kind = 'atomic' if name.startswith('atomic_') else name
    address = arguments.get(0, 'pointer') or UNKNOWN
    mask = None if name == 'atomic_cas' else arguments.get(1 if kind == 'load' else 2, 'mask')
    other = arguments.get(2, 'other') if kind == 'load' else None
    stored = arguments.get(1, 'value', 'val') if kind != 'load' else None
    walk.accesses.append(Access(kind, address, mask, other, node, walk.frame, walk.guard, walk.path, stored))
    if name == 'atomic_cas':
        needs_narrow(walk, node, name, arguments)
    if kind == 'store':
        return walk.make('none', (), types.NONE, SCALAR, node)
    return walk.map(lambda pointer: _loaded(walk, node, pointer), address)


def _loaded(walk: 'Evaluator', node: ast.Call, pointer: Value) -> Value:
    element = pointer.detail if isinstance(pointer.detail, str) else ''
    shape = pointer.shape if pointer.type != types.BLOCK_POINTER else None
    return walk.make('load', (pointer,), element or types.LOADED, shape, node)


def _kind(walk: 'Evaluator', node: ast.Call, name: str, dtype: Value) -> Value:
    """What a question to a dtype gives, such as `is_int`; a constant in any case."""
    held = dtype.literal if isinstance(dtype.literal, str) and walk.given.types and '?' not in dtype.literal else ''
    known = {
        'is_int': types.is_integer(held), 'is_floating': held == types.FLOAT, 'is_ptr': held == types.POINTER,
        **{f'is_int{bits}': held == f'i{bits}' for bits in (1, 8, 16, 32, 64)},
    }
    return walk.make('attribute', (dtype,), types.CONST, SCALAR, node, literal=known.get(name) if held else None, detail=name)


def _needs_narrow_items(walk: 'Evaluator', node: ast.Call, arguments: Arguments) -> None:
    for argument in arguments.all()[1:]:
        for value in items(argument):
            if types.bits(value.type) == 64:
                walk.conflict('descriptor offset', node, value.type)


def _descriptor_access(walk: 'Evaluator', node: ast.Call, name: str, owner: Value | Cases, arguments: Arguments) -> Value:
    offsets = arguments.get(0, 'offsets', 'x_offsets') if name != 'scatter' else arguments.get(1, 'x_offsets')
    offsets = offsets or UNKNOWN
    stored = arguments.get(1, 'value') if name == 'store' else None
    walk.accesses.append(Access('offset', offsets, None, None, node, walk.frame, walk.guard, stored=stored))
    for value in items(offsets):
        if types.bits(value.type) == 64:
            walk.conflict('descriptor offset', node, value.type)
    if name in ('load', 'gather'):
        element = next((value.detail for value in each_value([owner]) if isinstance(value.detail, str)), '')
        return walk.make('load', (owner,), element or types.LOADED, None, node)
    return walk.make('none', (), types.NONE, SCALAR, node)


def _all_constant(arguments: Arguments) -> bool:
    return all(value.type in (types.CONST, types.NONE, types.DTYPE) for value in each_value(arguments.all()))
