# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which values are certainly tensors, whatever the arguments of a kernel are."""

import ast
from collections.abc import Iterable

from flakelint.kernel import types
from flakelint.kernel.constants import COMPILE_TIME
from flakelint.kernel.graph import Cases, Value, each_value, reachable
from flakelint.project.imports import dotted

_MADE = frozenset({
    'arange', 'atomic', 'cast', 'counter', 'dot', 'fill', 'join', 'num_programs', 'program_id', 'reduce', 'swizzle', 'umulhi',
})
_KEPT = frozenset({'assign', 'invert', 'neg', 'not', 'phi', 'trans', 'view'})
_COMPUTED = frozenset({
    'add', 'all', 'and', 'any', 'cdiv', 'div', 'eq', 'floordiv', 'ge', 'gt', 'le', 'lt', 'max', 'min', 'mod', 'mul', 'ne',
    'or', 'shl', 'shr', 'sub', 'where', 'xor',
})
_ORDERS = frozenset({'eq', 'ge', 'gt', 'le', 'lt', 'ne'})
# of compile-time constants these give tuples as well as numbers
_JOIN = frozenset({'add', 'mul'})
_JOINED = _JOIN | {'assign', 'phi', 'view'}


def are_tensors(values: Iterable[Value | Cases]) -> bool:
    """Whether there are values, and each case of each of them is certainly a tensor."""
    found = list(each_value(values))
    return bool(found) and all(map(is_tensor, found))


def is_tensor(value: Value, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value is certainly a tensor: a block, a scalar of the run time, or a pointer."""
    if value.type != types.FLOAT and value.type != types.POINTER and not types.is_integer(value.type):
        return False
    if value.op in _MADE or value.op == 'call':
        return True
    if value.op == 'parameter':
        # what is not seen to be a tensor may be a tuple
        return value.type in (types.POINTER, types.FLOAT)
    if value.op == 'load':
        return _is_load(value)
    if id(value) in seen:
        # a loop adds nothing to what it starts with
        return True
    seen |= {id(value)}
    parts = [list(each_value([operand])) for operand in value.operands]
    if value.op == 'assign':
        return all(_becomes_tensor(one) or is_tensor(one, seen) for part in parts for one in part)
    if value.op in _KEPT:
        return all(is_tensor(one, seen) for part in parts for one in part)
    return value.op in _COMPUTED and any(all(is_tensor(one, seen) for one in part) for part in parts)


def may_be_tuple(values: Iterable[Value | Cases]) -> bool:
    """Whether values that look like pointers may be tuples of them: arguments, and what is joined or cut of arguments."""
    parts = reachable(values, lambda one: one.operands if one.op in _JOINED else ())
    known = [one for one in parts if one.op not in _JOINED and one.type not in COMPILE_TIME and one.type != types.TUPLE]
    return bool(known) and all(one.op == 'parameter' for one in known)


def is_decided_late(value: Value) -> bool:
    """Whether a condition of a kernel that is launched is one of the run time, but for integer arguments that are 1."""
    if is_tensor(value):
        return True
    parts = [one for operand in value.operands for one in each_value([operand])]
    if value.op in ('all', 'any', 'not'):
        return any(map(is_decided_late, parts))
    return value.op in _ORDERS and value.type == types.BOOL and all(map(_is_number, parts))


def _is_number(value: Value) -> bool:
    if value.type == types.CONST:
        return value.literal is None or isinstance(value.literal, int | float)
    if value.op in _COMPUTED and types.is_integer(value.type):
        return all(map(_is_number, each_value(value.operands)))
    return is_tensor(value) or (value.op == 'parameter' and types.is_integer(value.type))


def _becomes_tensor(constant: Value) -> bool:
    """Whether a compile-time constant is a number, of which a plain name makes a tensor."""
    if constant.type != types.CONST:
        return False
    if constant.literal is not None:
        return isinstance(constant.literal, bool | int | float)
    return constant.op in _COMPUTED - _JOIN


def _is_load(value: Value) -> bool:
    if any(one.type == types.POINTER for one in each_value(value.operands)):
        return True
    name = dotted(value.node.func) if isinstance(value.node, ast.Call) else None
    return value.frame.kernel.bindings.resolve(name or '').startswith('triton.language.')
