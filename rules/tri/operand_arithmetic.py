# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Operations whose operands have types that Triton does not take together."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types
from flakelint.kernel.exact_types import FLOAT, FLOATS, INT, INTEGERS, NONE, POINTER, Kind
from flakelint.kernel.graph import each_value
from flakelint.kernel.staging import is_run_time
from flakelint.source.expressions import argument, written

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.graph import Value

_SYMBOLS = {
    'add': '+', 'sub': '-', 'mul': '*', 'div': '/', 'floordiv': '//', 'mod': '%', 'and': '&', 'or': '|', 'xor': '^',
    'shl': '<<', 'shr': '>>', 'eq': '==', 'ne': '!=', 'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>=', 'min': 'minimum',
    'max': 'maximum', 'cdiv': 'cdiv', 'where': 'where',
}
COMPARED = frozenset({'eq', 'ne', 'lt', 'le', 'gt', 'ge'})
OPERATIONS = frozenset(_SYMBOLS)
_INTEGER_ONLY = frozenset({'and', 'or', 'xor', 'shl', 'shr', 'floordiv', 'cdiv'})
_SIGNS_MATTER = frozenset({'cdiv', 'div', 'mod', 'floordiv'})
_INSTEAD = 'multiply, or take `tl.exp2(n * tl.log2(x))` or `libdevice.pow`'


def binary(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the types of the two operands of an operation."""
    if any(case.op == 'descriptor' for case in each_value(value.operands)):
        return f'`{written(value.node)}` computes with a tensor descriptor, or compares it: Triton refuses it; load from it'
    left, right = (exact.of(one) for one in value.operands)
    if (left.is_constant and right.is_constant) or NONE in (left.dtype, right.dtype):
        return ''
    if POINTER in (left.dtype, right.dtype):
        return _with_pointer(value, left, right, exact) if value.op != 'where' else ''
    return _with_float(value, left, right) or _signs(value, left, right) or _literal(value, left, right)


def power(value: 'Value', exact: 'Exact') -> str:
    """Whether `**` is given anything but constants."""
    if all(exact.of(one).is_constant for one in value.operands):
        return ''
    if not any(is_run_time(one, exact.is_launched, takes_number=True) for one in value.operands):
        return ''
    return f'`{written(value.node)}` raises to a power at run time, and blocks and scalars of Triton have no `**`: {_INSTEAD}'


def _with_pointer(value: 'Value', left: Kind, right: Kind, exact: 'Exact') -> str:
    both = left.dtype == right.dtype == POINTER
    other = right if left.dtype == POINTER else left
    if not both and (value.op == 'add' or (value.op == 'sub' and left.dtype == POINTER)):
        return _with_float_offset(value, other, exact)
    text = f'`{written(value.node)}`'
    if value.op == 'add':
        return f'{text} adds two pointers: Triton refuses it; add an offset of integers'
    if value.op == 'sub':
        if both:
            return f'{text} subtracts two pointers: Triton refuses it; subtract the offsets instead'
        return f'{text} subtracts a pointer from a number: Triton refuses it; only a pointer minus an offset is allowed'
    if value.op in COMPARED:
        # a constant may be None
        is_known = both or _is_number(other)
        return f'{text} compares a pointer: Triton refuses it; ask `is not None`, or compare offsets' if is_known else ''
    name = _SYMBOLS[value.op]
    return f'{text} takes a pointer into `{name}`: Triton refuses all but pointer + offset and pointer - offset'


def _with_float_offset(value: 'Value', offset: Kind, exact: 'Exact') -> str:
    is_constant = offset.is_constant and (isinstance(offset.literal, float) or _is_quotient(value, exact))
    if not is_float(offset) and not is_constant:
        return ''
    return f'`{written(value.node)}` adds a float to a pointer: Triton refuses it; offsets are integers, as `//` makes them'


def _is_quotient(value: 'Value', exact: 'Exact') -> bool:
    """Whether what is added is one constant divided by another one."""
    added = [one for operand in value.operands if exact.of(operand).is_constant for one in each_value([operand])]
    return bool(added) and all(one.op == 'div' for one in added)


def _is_number(kind: Kind) -> bool:
    return kind.dtype in INTEGERS | FLOATS or isinstance(kind.literal, int | float)


def is_float(kind: Kind) -> bool:
    """Whether a value is certainly a float of the run time; what has no shape may still be a constant."""
    return kind.dtype in FLOATS and not kind.is_constant and (kind.dtype != FLOAT or kind.shape is not None)


def _with_float(value: 'Value', left: Kind, right: Kind) -> str:
    if value.op not in _INTEGER_ONLY:
        return ''
    is_literal = any(one.is_constant and isinstance(one.literal, float) for one in (left, right))
    is_known = is_literal and left.shape is not None and right.shape is not None
    if not is_float(left) and not is_float(right) and not is_known:
        return ''
    name = _SYMBOLS[value.op]
    text = f'`{written(value.node)}` takes a float into `{name}`, which is for integers only: Triton refuses it'
    advice = 'divide with `/` and round with `tl.floor`' if value.op == 'floordiv' else 'cast it with `.to(tl.int32)`'
    return f'{text}; {advice}'


def _signs(value: 'Value', left: Kind, right: Kind) -> str:
    names = {left.dtype, right.dtype}
    if value.op not in _SIGNS_MATTER or left.is_constant or right.is_constant or not names <= INTEGERS - {INT, 'int1'}:
        return ''
    if len({name.startswith('u') for name in names}) == 1:
        return ''
    symbol = _SYMBOLS[value.op]
    text = f'`{written(value.node)}` takes {left.dtype} and {right.dtype} into `{symbol}`, one with a sign and one without'
    return f'{text}: Triton refuses it; cast one of them'


def _literal(value: 'Value', left: Kind, right: Kind) -> str:
    """What is wrong with a literal that meets a value of a certain type."""
    if left.is_constant == right.is_constant:
        return ''
    constant, other = (left, right) if left.is_constant else (right, left)
    number = constant.literal
    if type(number) is not int:
        return ''
    text = f'`{written(value.node)}`'
    if abs(number) >= exact_types.TOO_LARGE:
        return f'{text} holds the number {number}, which no integer type has: Triton refuses it'
    width = exact_types.bits(other.dtype)
    if other.dtype not in INTEGERS or width < 8:
        return ''
    is_unsigned = other.dtype.startswith('u')
    if is_unsigned and number < 0:
        return f'{text} takes {other.dtype} and the negative number {number}: Triton refuses it; cast to a signed type first'
    low, high = (0, 2**width - 1) if is_unsigned else (-2**(width - 1), 2**(width - 1) - 1)
    if low <= number <= high:
        return ''
    since = 'Triton 3.9' if value.op in COMPARED or value.op == 'where' else 'Triton'
    return f'{text} takes {other.dtype}, and {number} is out of its range: {since} refuses it; cast to a wider type first'


def unary(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the operand of a sign or of `~`."""
    found = exact.of(value.operands[0])
    text = f'`{written(value.node)}`'
    if found.dtype == POINTER:
        return f'{text} takes a pointer: Triton refuses it'
    if value.op == 'invert' and is_float(found):
        return f'{text} inverts the bits of a float: Triton refuses it; cast it to an integer first'
    return ''


def cast(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with a cast."""
    node = value.node
    if not isinstance(node, ast.Call) or not node.keywords:
        return ''
    before, after = exact.of(value.operands[0]).dtype, exact.of(value).dtype
    old, new = exact_types.bits(before), exact_types.bits(after)
    if not old or not new:
        return ''
    bitcast, rounding = argument(node, 'bitcast'), argument(node, 'fp_downcast_rounding')
    if isinstance(bitcast, ast.Constant) and bitcast.value is True and old != new:
        text = f'`{written(node)}` takes the bits of {before} for {after}, which is {"wider" if new > old else "narrower"}'
        return f'{text}: Triton refuses a bitcast between widths; cast to {old} bits, or leave `bitcast=` out'
    is_rounded = isinstance(rounding, ast.Constant) and rounding.value is not None
    if is_rounded and rounding.value not in ('rtne', 'rtz'):
        return f'`{written(node)}` rounds by `{rounding.value}`: Triton refuses it; it takes `rtne` and `rtz`'
    if is_rounded and (not {before, after} <= FLOATS or new >= old):
        text = f'`{written(node)}` rounds, but {after} is not narrower than {before}'
        return f'{text}: Triton refuses `fp_downcast_rounding` there; leave it out'
    return ''


def assigned(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with a literal that a name is given."""
    found = exact.of(value.operands[0])
    if found.is_constant and type(found.literal) is int and not -2**63 <= found.literal < exact_types.TOO_LARGE:
        return f'{found.literal} is more than 64 bits hold: Triton refuses it'
    return ''
