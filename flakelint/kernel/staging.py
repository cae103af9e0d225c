# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a value is known when a kernel is compiled, or only at run time."""

from flakelint.kernel import types
from flakelint.kernel.constants import COMPILE_TIME, TRUTHS
from flakelint.kernel.graph import Cases, Value, cases_of, reachable

# what only the run time gives
_SOURCES = frozenset({
    'arange', 'atomic', 'cast', 'counter', 'dot', 'fill', 'join', 'load', 'num_programs', 'program_id', 'reduce', 'swizzle',
    'umulhi',
})
# what is of the run time where an operand is
_COMPUTED = frozenset({
    'add', 'sub', 'mul', 'floordiv', 'mod', 'div', 'shl', 'shr', 'and', 'or', 'xor', 'min', 'max', 'cdiv', 'neg', 'invert',
    'phi', 'view', 'trans', 'where', *TRUTHS - {'is', 'is not', 'in', 'not in'},
})


def is_run_time(value: Value | Cases, trusts: bool, takes_number: bool = False) -> bool:
    """Whether a value is certainly known only at run time, in each of its cases.

    Args:
        value (Value | Cases):
            The value.
        trusts (bool):
            Whether the parameters are arguments of a launch; those of a helper may be constants.
        takes_number (bool, Optional):
            Whether it can be nothing but a number, so that no constant is `None`. Default: `False`.
    """
    return all(source(case, trusts, takes_number) is not None for _, case in cases_of(value))


def source(value: Value, trusts: bool, takes_number: bool = False) -> Value | None:
    """What makes a value one of the run time, if that is certain."""
    if value.type in COMPILE_TIME or value.type in (types.UNKNOWN, types.TUPLE):
        return None
    found = [one for one in reachable([value], _parts) if _is_source(one, trusts, takes_number or one is not value)]
    # what is nearest explains best
    return found[0] if found else None


def _parts(value: Value) -> tuple[Value | Cases, ...]:
    if value.type in COMPILE_TIME or value.op not in _COMPUTED:
        return value.operands if value.op == 'assign' and value.type not in COMPILE_TIME else ()
    return value.operands


def _is_source(value: Value, trusts: bool, takes_number: bool) -> bool:
    if value.type in COMPILE_TIME or value.type == types.UNKNOWN:
        return False
    if value.op in _SOURCES:
        return True
    if value.op == 'parameter':
        return trusts and takes_number
    if value.op == 'call':
        return value.type != types.CONST and (value.type == types.FLOAT or types.is_integer(value.type))
    return value.op == 'assign' and _loses_constant(value, takes_number)


def _loses_constant(value: Value, takes_number: bool) -> bool:
    """Whether a constant was given to a plain name, which makes it a value of the run time."""
    held = [case for _, case in cases_of(value.operands[0])]
    if not held or any(case.type != types.CONST for case in held):
        return False
    return takes_number or all(type(case.literal) in (bool, int, float) for case in held)
