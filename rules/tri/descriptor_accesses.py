# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What `load` and `store` of a tensor descriptor are given, and what Triton refuses of it."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types, types
from flakelint.kernel.exact_types import ANY, FLOATS, INTEGERS
from flakelint.kernel.graph import Cases, Value
from flakelint.rules.tri.operand_shapes import spelled
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.frames import Access

_ARGUMENTS = {'load': ('offsets',), 'store': ('offsets', 'value')}
_WIDE = frozenset({'int64', 'uint64'})


def problems(descriptor: Value, call: ast.Call, access: 'Access | None', exact: 'Exact') -> Iterator[str]:
    """What is wrong with an access to a descriptor.

    Args:
        descriptor (Value):
            What makes the descriptor.
        call (ast.Call):
            The call of its method.
        access (Access | None):
            The access that this is, if it is known.
        exact (Exact):
            What the values of the kernel certainly are.
    """
    if _is_closed(call):
        wrong = next(_arguments(call), '')
        if wrong:
            yield wrong
            return
    block = items(descriptor.operands[3])
    if access is None:
        return
    offsets = items(access.address)
    if offsets is None:
        given = exact.of(access.address)
        if given.dtype in INTEGERS | FLOATS or (given.is_constant and type(given.literal) in (int, float)):
            yield f'`{written(call)}` is given a number for its offsets: Triton takes a list, with one for each dimension'
        return
    if block is not None and len(offsets) != len(block):
        yield f'{len(offsets)} offsets for a descriptor whose block has {len(block)} dimensions'
        return
    yield from filter(None, (_offset(one, call, exact) for one in offsets))
    if access.stored is not None and block is not None:
        yield from _stored(access.stored, call, block, exact)


def _is_closed(call: ast.Call) -> bool:
    return not any(isinstance(one, ast.Starred) for one in call.args) and all(one.arg for one in call.keywords)


def _arguments(call: ast.Call) -> Iterator[str]:
    names = _ARGUMENTS[call.func.attr]
    text = f'`{written(call)}`'
    if len(call.args) > len(names):
        what = ' and '.join(('one list of offsets', 'the value')[:len(names)])
        yield f'{text} is given {len(call.args)} arguments, and takes {what}: Triton raises TypeError'
    given = {*names[:len(call.args)], *(one.arg for one in call.keywords)}
    unknown = next((one for one in sorted(given) if one not in names and not one.startswith('_')), None)
    if unknown is not None:
        hint = '; a descriptor is bounded by its shape' if unknown in ('mask', 'other', 'boundary_check') else ''
        yield f'{text} is given `{unknown}`, which a descriptor does not take: Triton raises TypeError{hint}'
    missing = next((one for one in names if one not in given), None)
    if missing is not None:
        yield f'{text} lacks the {missing}: Triton raises TypeError'


def _offset(value: Value | Cases, call: ast.Call, exact: 'Exact') -> str:
    found = exact.of(value)
    text = f'an offset of `{written(call)}` is'
    if found.is_constant:
        number = found.literal
        if type(number) is float:
            return f'{text} the float {number}: Triton takes integers only'
        is_wide = type(number) is int and not -2**31 <= number < 2**31
        return f'{text} {number}, which 32 bits do not hold: Triton refuses it' if is_wide else ''
    if found.shape:
        return f'{text} a block {spelled(found.shape)}: Triton takes scalars, and reads a whole block from there'
    if found.dtype in _WIDE:
        return f'{text} {found.dtype}: Triton takes 32 bits only; add `.to(tl.int32)`'
    return f'{text} {exact_types.described(found)}: Triton takes integers only' if found.dtype in FLOATS else ''


def _stored(value: Value | Cases, call: ast.Call, block: tuple[Value | Cases, ...], exact: 'Exact') -> Iterator[str]:
    found = exact.of(value)
    if found.is_constant and type(found.literal) in (int, float):
        yield f'`{written(call)}` stores the number {found.literal}: Triton takes a block of the shape of the descriptor'
        return
    wanted = tuple(_length(one) for one in block)
    if not found.is_constant and exact_types.is_other_shape(found.shape, wanted):
        what = f'a block {spelled(found.shape)}' if found.shape else 'a scalar'
        yield f'`{written(call)}` stores {what} where the block of the descriptor is {spelled(wanted)}: Triton refuses it'


def _length(value: Value | Cases) -> str:
    if type(value) is not Value:
        return ANY
    return str(value.literal) if type(value.literal) is int else value.name or ANY


def items(value: Value | Cases) -> tuple[Value | Cases, ...] | None:
    """The parts of a tuple, if a value is one for certain."""
    return value.operands if type(value) is Value and value.type == types.TUPLE else None
