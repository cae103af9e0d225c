# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a value is certainly no pointer, whatever its type: what is loaded, multiplied, compared or written out is none."""

import ast

from flakelint.kernel import types
from flakelint.kernel.exact_calls import resolved, target
from flakelint.kernel.exact_types import UNKNOWN, of_name
from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.tensors import may_be_tuple

# what makes no pointer
_NUMBERS = frozenset({
    'and', 'arange', 'atomic', 'cdiv', 'constant', 'counter', 'div', 'dot', 'eq', 'fill', 'floordiv', 'ge', 'gt',
    'invert', 'le', 'load', 'lt', 'max', 'min', 'mod', 'mul', 'ne', 'neg', 'num_programs', 'or', 'program_id',
    'reduce', 'shl', 'shr', 'umulhi', 'xor',
})
# what is none where all that it is made of is
_SUMS = frozenset({'add', 'assign', 'phi', 'sub', 'trans', 'view', 'where'})


def is_no_pointer(value: Value | Cases) -> bool:
    """Whether a value is no pointer, and no block of them, in all of its cases."""
    return _are_none(value, {})


def _are_none(value: Value | Cases, known: dict[int, bool]) -> bool:
    cases = list(each_value([value]))
    for case in cases:
        if id(case) not in known:
            # what a loop carries is what it starts with, and what is made of that
            known[id(case)] = True
            known[id(case)] = _is_none(case, known)
    return bool(cases) and all(known[id(case)] for case in cases)


def _is_none(value: Value, known: dict[int, bool]) -> bool:
    if value.type == types.POINTER:
        return False
    if value.op in _NUMBERS:
        return True
    if value.op == 'view' and isinstance(value.node, ast.Subscript):
        # it may be one of a tuple
        return not may_be_tuple([value]) and all(_are_none(one, known) for one in value.operands)
    if value.op == 'cast':
        # `x.dtype` may be that of a pointer, whatever the model takes `x` for
        given = target(value)
        return getattr(given, 'attr', '') == 'element_ty' or of_name(resolved(given, value.frame)) != UNKNOWN
    if value.op == 'call':
        return value.type == types.FLOAT
    return value.op in _SUMS and bool(value.operands) and all(_are_none(one, known) for one in value.operands)
