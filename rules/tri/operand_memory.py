# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Loads, stores and atomics whose arguments have types or shapes that Triton does not take."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types, types
from flakelint.kernel.exact import bases, is_address
from flakelint.kernel.exact_calls import leaf, resolved, target
from flakelint.kernel.exact_types import ANY, FLOATS, INT, INTEGERS, NONE, POINTER, Kind
from flakelint.kernel.graph import each_value, reachable
from flakelint.kernel.launches import TENSOR
from flakelint.kernel.no_pointers import is_no_pointer
from flakelint.rules.tri.operand_shapes import clash, spelled
from flakelint.source.expressions import argument, written

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.frames import Access
    from flakelint.kernel.graph import Shape, Value
    from flakelint.kernel.model import Model

_SHORT = frozenset({'int1', 'int8', 'uint8', 'int16', 'uint16'})
_HALF = frozenset({'fp16', 'bf16'})
_KINDS = ('load', 'store', 'atomic')
_READING = ('atomic_load', 'atomic_poll')
_TORCH = {'bool': 'int1', 'half': 'fp16', 'float16': 'fp16', 'bfloat16': 'bf16'}


def access(found: 'Access', model: 'Model', exact: 'Exact') -> str:
    """What is wrong with an access."""
    if found.kind not in _KINDS:
        return ''
    address = exact.of(found.address)
    if address.dtype in INTEGERS or address.dtype in FLOATS:
        text = f'`{written(found.node)}` is given {exact_types.described(address)} for a pointer'
        return f'{text}: Triton refuses it ("Unsupported ptr type"); add the offsets to the pointer'
    if is_no_pointer(found.address) and not _has_pointer(found, exact):
        text = f'the address of `{written(found.node)}` is {_origin(found)}, and no pointer: Triton refuses it'
        is_swapped = found.stored is not None and not is_no_pointer(found.stored)
        return f'{text}; the pointer comes first, then the value' if is_swapped else text
    if not is_address(found):
        return ''
    return _mask(found, exact) or _given(found, address, exact) or _compared(found, address, exact) or _element(found, model)


def _has_pointer(found: 'Access', exact: 'Exact') -> bool:
    """Whether something is made of a pointer that makes none, which is told there."""
    parts = reachable([found.address], lambda one: one.operands if one.op not in ('load', 'atomic') else ())
    return any(exact.of(part).dtype == POINTER for part in parts)


def _origin(found: 'Access') -> str:
    """What stands in the place of a pointer."""
    for value in reachable([found.address], lambda one: one.operands if one.op in ('add', 'assign', 'view') else ()):
        if value.op in ('load', 'atomic'):
            return 'what was loaded'
        if value.op == 'constant':
            return f'`{value.literal}`'
    return 'a number'


def _mask(found: 'Access', exact: 'Exact') -> str:
    if found.mask is None:
        return ''
    mask = exact.of(found.mask)
    lengths = clash(exact.of(found.address).shape, mask.shape)
    if lengths is not None:
        text = f'`{written(found.node)}` is given a mask {spelled(mask.shape)} for pointers of {lengths[0]}'
        return f'{text}: Triton refuses to broadcast {lengths[1]} to {lengths[0]}'
    if mask.dtype == NONE or mask.shape != ():
        return ''
    number = mask.literal if mask.is_constant else None
    is_number = not mask.is_constant and mask.dtype in (INTEGERS | FLOATS) - {INT, 'int1'}
    if not is_number and type(number) not in (int, float):
        return ''
    what = f'the number {number}' if number is not None else exact_types.described(mask)
    return f'the mask of `{written(found.node)}` is {what}: Triton refuses it; a mask is boolean, as comparisons make it'


def _given(found: 'Access', address: Kind, exact: 'Exact') -> str:
    """What is wrong with the shape of what is stored, or of what masked lanes hold."""
    word, value = ('other', found.other) if found.kind == 'load' else ('value', found.stored)
    if value is None or address.shape is None:
        return ''
    shape = exact.of(value).shape
    if not shape:
        return ''
    text = f'`{written(found.node)}` is given a block {spelled(shape)} as `{word}`'
    if not address.shape:
        return f'{text} for one element, since the pointer is a scalar: Triton refuses it; add an offset such as `tl.arange`'
    pointer = address.shape
    if found.kind == 'load':
        mask = exact.of(found.mask) if found.mask is not None else Kind()
        if mask.shape is None:
            return ''
        pointer = exact_types.broadcast(pointer, mask.shape)
    lengths = clash(pointer, shape)
    if lengths is not None:
        return f'{text} and pointers {spelled(address.shape)}: Triton refuses to broadcast {lengths[1]} to {lengths[0]}'
    if _is_wider(shape, pointer):
        return f'{text}, which is wider than its pointers {spelled(address.shape)}: Triton refuses it; give both one shape'
    return ''


def _is_wider(shape: 'Shape', pointer: 'Shape') -> bool:
    """Whether a shape has a dimension that the pointers do not have."""
    if shape is None or pointer is None:
        return False
    if len(shape) > len(pointer):
        return True
    return any(one == '1' and other not in ('1', ANY) for one, other in zip(pointer[::-1], shape[::-1], strict=False))


def _compared(found: 'Access', address: Kind, exact: 'Exact') -> str:
    """What is wrong with what a block of pointers is compared with, which is not broadcast."""
    if leaf(found.node) != 'atomic_cas' or not address.shape or found.stored is None:
        return ''
    given = exact.of(found.stored)
    is_number = given.is_constant and type(given.literal) in (int, float)
    if not is_number and (given.is_constant or given.shape != ()):
        return ''
    text = f'`{written(found.node)}` compares a block {spelled(address.shape)} with one number'
    return f'{text}: Triton refuses it; give blocks, as `tl.full` makes them'


def _element(found: 'Access', model: 'Model') -> str:
    name = leaf(found.node)
    if found.kind != 'atomic' or name in _READING:
        return ''
    element = _element_type(found, model)
    if not element:
        return ''
    text = f'`{written(found.node)}` works on {element}'
    if name == 'atomic_cas':
        is_bad = exact_types.bits(element) not in (0, 16, 32, 64)
        return f'{text}: Triton refuses it; it takes 16, 32 and 64 bits only' if is_bad else ''
    if element in _SHORT:
        return f'{text}: Triton refuses it; take int32'
    if element in _HALF and name not in ('atomic_add', 'atomic_xchg'):
        return f'{text}: Triton refuses it; take float32'
    return ''


def _element_type(found: 'Access', model: 'Model') -> str:
    """The type of what a pointer points to, where the kernel casts to it or every launch shows it."""
    found_types: set[str] = set()
    for address in each_value([found.address]):
        cast = _cast_to(address)
        if cast:
            found_types.add(cast)
            continue
        names = bases(address)
        passed = [launch.parameters.get(name) for launch in model.facts.launches for name in names]
        if len(names) != 1 or not passed or any(one is None or one.kind != TENSOR for one in passed):
            return ''
        found_types.update((one.dtype or '').rpartition('.')[2] for one in passed)
    if len(found_types) != 1:
        return ''
    name = found_types.pop()
    return _TORCH.get(name, name if name in _SHORT | _HALF else '')


def _cast_to(address: 'Value') -> str:
    """The type to which the pointer in an address is cast, by `tl.pointer_type`."""
    parts = reachable([address], lambda one: one.operands if one.op in ('add', 'sub', 'view', 'assign') else ())
    casts = [one for one in parts if one.op == 'cast' and one.type == types.POINTER]
    given = target(casts[0]) if len(casts) == 1 else None
    if not isinstance(given, ast.Call) or leaf(given) != 'pointer_type':
        return ''
    return exact_types.of_name(resolved(argument(given, 'element_ty', 0), casts[0].frame))


def constant_pointer(found: 'Access', model: 'Model') -> str:
    """What is wrong with a store through a pointer that is declared constant."""
    if found.kind == 'load' or found.kind not in _KINDS or leaf(found.node) in _READING:
        return ''
    names = {name for address in each_value([found.address]) for name in bases(address)}
    constant = {one.name for one in model.kernel.parameters if one.annotation.endswith('language.const')}
    if len(names) != 1 or not names & constant:
        return ''
    text = f'`{written(found.node)}` writes to `{names.pop()}`, which is declared `tl.const`'
    return f'{text}: Triton refuses it; leave the annotation out'
