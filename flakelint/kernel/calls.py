# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What calls in a kernel make of their arguments."""

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

import libcst as cst

from flakelint.kernel import values
from flakelint.kernel.values import (
    CONST,
    FIXED_INT,
    LOADED,
    NARROW_INT,
    UNKNOWN,
    Cases,
    Value,
    each,
)

if TYPE_CHECKING:
    from flakelint.kernel.interpreter import Interpreter

LANGUAGE = 'triton.language.'

_WIDE_TYPES = frozenset({'int64', 'uint64'})
_NARROW_TYPES = frozenset({'int1', 'int8', 'int16', 'int32', 'uint8', 'uint16', 'uint32'})
_ACCESSES = frozenset({'load', 'store'})
# the result has the type of the first argument
_SHAPES = frozenset({
    'abs', 'associative_scan', 'broadcast_to', 'cumsum', 'expand_dims', 'flip', 'max', 'max_constancy', 'max_contiguous',
    'min', 'multiple_of', 'permute', 'ravel', 'reduce', 'reshape', 'sort', 'split', 'sum', 'trans', 'view', 'zeros_like',
})
_DESCRIPTOR_METHODS = frozenset({'gather', 'load', 'scatter', 'store'})
_COMBINE = frozenset({'maximum', 'minimum'})
_FILL = frozenset({'full', 'zeros'})
_BUILTINS = frozenset({'abs', 'len', 'max', 'min', 'range'})
# a program id may be handed to these whatever its width
_INDIFFERENT = frozenset({
    'advance', 'argmax', 'argmin', 'assume', 'constexpr', 'debug_barrier', 'device_assert', 'device_print', 'dot', 'exp',
    'exp2', 'gather', 'log', 'log2', 'next_power_of_2', 'pointer_type', 'range', 'sigmoid', 'sqrt', 'static_assert',
    'static_print', 'static_range',
})
# these refuse 64-bit integers, demand that widths agree, or compute something else with them
_WIDTH_MATTERS = frozenset({
    'atomic_cas', 'cat', 'inline_asm_elementwise', 'interleave', 'join', 'map_elementwise', 'philox', 'rand', 'rand4x',
    'randint', 'randint4x', 'randn', 'randn4x', 'umulhi',
})


class Arguments:
    """The evaluated arguments of a call.

    Args:
        call (cst.Call):
            The call.
        interpreter (Interpreter):
            What evaluates them.
    """

    def __init__(self, call: cst.Call, interpreter: 'Interpreter') -> None:
        self.nodes: dict[int | str, cst.BaseExpression] = {}
        self.values: dict[int | str, Value | Cases] = {}
        self.complete = True
        for position, argument in enumerate(call.args):
            key = argument.keyword.value if argument.keyword else position
            self.complete = self.complete and not argument.star
            self.nodes[key] = argument.value
            self.values[key] = interpreter.evaluate(argument.value)

    def get(self, position: int, keyword: str) -> Value | Cases | None:
        """The value of an argument, wherever it is given."""
        return self.values.get(keyword, self.values.get(position))

    def node(self, position: int, keyword: str) -> cst.BaseExpression | None:
        """The expression of an argument, wherever it is given."""
        return self.nodes.get(keyword, self.nodes.get(position))


def call(interpreter: 'Interpreter', node: cst.Call) -> Value | Cases:
    """The value of a call."""
    function = node.func
    if type(function) is cst.Attribute and not interpreter.is_module(function.value):
        return _method(interpreter, node, function)
    arguments = Arguments(node, interpreter)
    name = interpreter.resolve(function)
    if name.startswith(LANGUAGE):
        return _language(interpreter, node, name.rpartition('.')[2], arguments)
    if name in ('triton.cdiv', 'triton.next_power_of_2'):
        return reduce(interpreter.promote, arguments.values.values(), CONST)
    if name in _BUILTINS:
        return _builtin(interpreter, name, arguments)
    helper = interpreter.helpers.get(name) if type(function) is cst.Name else None
    if helper is not None and arguments.complete:
        result = interpreter.inline(helper, arguments)
        if result is not None:
            return result
    interpreter.let_escape(arguments.values.values())
    return UNKNOWN


def cast(interpreter: 'Interpreter', value: Value | Cases, to: cst.BaseExpression | None) -> Value | Cases:
    """A value cast to the type that an expression names."""
    if type(to) is cst.Call and interpreter.resolve(to.func) in (f'{LANGUAGE}pointer_type', f'{LANGUAGE}core.pointer_type'):
        return each(lambda case: Value(products=case.products, base='*'), value)
    name = interpreter.resolve(to) if to is not None else ''
    leaf = name.rpartition('.')[2] if name.startswith(LANGUAGE) else ''
    if leaf in _WIDE_TYPES:
        return each(values.cast_wide, value)
    return each(values.cast_narrow if leaf in _NARROW_TYPES else values.cast_unknown, value)


def _method(interpreter: 'Interpreter', node: cst.Call, function: cst.Attribute) -> Value | Cases:
    name = function.attr.value
    owner = interpreter.evaluate(function.value)
    arguments = Arguments(node, interpreter)
    if name in ('to', 'cast'):
        return cast(interpreter, owner, arguments.node(0, 'dtype'))
    if name in _DESCRIPTOR_METHODS or name.startswith('atomic_'):
        interpreter.forbid_widening(arguments.get(0, 'offsets'))
        if name == 'gather' or name == 'scatter':
            interpreter.let_escape(arguments.values.values())
        return UNKNOWN
    if name in _SHAPES:
        return owner
    interpreter.let_escape([owner, *arguments.values.values()])
    return UNKNOWN


def _language(interpreter: 'Interpreter', node: cst.Call, name: str, arguments: Arguments) -> Value | Cases:
    if name in _ACCESSES or name.startswith('atomic_'):
        interpreter.access(arguments.get(0, 'pointer'))
        if name == 'atomic_cas':
            interpreter.forbid_widening(*(value for key, value in arguments.values.items() if key not in (0, 'pointer')))
        return LOADED
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(interpreter, node, arguments)
    if name in _SHAPES:
        return next(iter(arguments.values.values()), UNKNOWN)
    if name in _WIDTH_MATTERS:
        interpreter.forbid_widening(*arguments.values.values())
    elif name not in _INDIFFERENT:
        interpreter.let_escape(arguments.values.values())
    return UNKNOWN


def _program_id(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value:
    origin = interpreter.origin(node)
    return Value(values.NARROW, indices=frozenset({values.Index(origin, '')}), lifts=frozenset({origin}))


def _cast(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value | Cases:
    return cast(interpreter, arguments.get(0, 'input') or UNKNOWN, arguments.node(1, 'dtype'))


def _filled(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value | Cases:
    position = 1 if interpreter.resolve(node.func).endswith('zeros') else 2
    return cast(interpreter, FIXED_INT, arguments.node(position, 'dtype'))


def _combined(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value | Cases:
    operands = list(arguments.values.items())
    if len(operands) < 2:
        return UNKNOWN
    for (_, value), (other_key, other) in (operands[:2], operands[1::-1]):
        interpreter.bound(value, other, arguments.nodes[other_key])
    return interpreter.promote(operands[0][1], operands[1][1])


def _chosen(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value | Cases:
    return interpreter.promote(arguments.get(1, 'x') or UNKNOWN, arguments.get(2, 'y') or UNKNOWN)


def _quotient(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value | Cases:
    return interpreter.untiled(reduce(interpreter.promote, arguments.values.values(), CONST))


def _swizzled(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value:
    one = interpreter.untiled(reduce(interpreter.promote, arguments.values.values(), CONST))
    return Value(items=(one, one))


def _block_pointer(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value:
    interpreter.access(arguments.get(0, 'base'))
    interpreter.forbid_widening(arguments.get(3, 'offsets'))
    return Value(base='*')


def _descriptor(interpreter: 'Interpreter', node: cst.Call, arguments: Arguments) -> Value:
    interpreter.access(arguments.get(0, 'base'))
    return Value(base='*')


_HANDLERS: dict[str, Callable[['Interpreter', cst.Call, Arguments], Value | Cases]] = {
    'program_id': _program_id,
    'num_programs': lambda interpreter, node, arguments: NARROW_INT,
    'arange': lambda interpreter, node, arguments: FIXED_INT,
    'cast': _cast,
    'cdiv': _quotient,
    'where': _chosen,
    'swizzle2d': _swizzled,
    'make_block_ptr': _block_pointer,
    'make_tensor_descriptor': _descriptor,
    **dict.fromkeys(_FILL, _filled),
    **dict.fromkeys(_COMBINE, _combined),
}


def _builtin(interpreter: 'Interpreter', name: str, arguments: Arguments) -> Value | Cases:
    if name in ('max', 'min'):
        return _combined(interpreter, None, arguments) if len(arguments.values) == 2 else UNKNOWN
    if name == 'abs':
        return next(iter(arguments.values.values()), UNKNOWN)
    return CONST if name == 'len' else UNKNOWN
