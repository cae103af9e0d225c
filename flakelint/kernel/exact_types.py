# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Types and shapes that are certain, and what Triton makes of them where they meet.

A type is spelled as Triton spells it: `int1` to `int64`, `uint8` to `uint64`, `fp16`, `bf16`, `fp32`, `fp64`, `fp8e5` and the like. `int` and `float` are some integer and some float, `pointer` is a pointer to anything, and the empty string is what is not known.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.conditions import UNIQUE
from flakelint.kernel.graph import SCALAR, Shape

UNKNOWN = ''
INT = 'int'
FLOAT = 'float'
POINTER = 'pointer'
NONE = 'none'

# a dimension that is not known
ANY = '?'

# no integer type holds as much
TOO_LARGE = 1 << 64

INTEGERS = frozenset({INT, 'int1', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'})
_WIDE = ('fp64', 'fp32', 'fp16', 'bf16')
_LONG = {'float16': 'fp16', 'bfloat16': 'bf16', 'float32': 'fp32', 'float64': 'fp64'}
_EIGHT = frozenset(name.replace('float', 'fp') for name in types.LANGUAGE_TYPES if name.startswith('float8'))
FLOATS = frozenset({FLOAT, *_WIDE, *_EIGHT})
HALF = frozenset({'fp16', 'bf16'})
# a product of blocks of these is summed in single precision unless something else is asked for
TO_SINGLE = frozenset({'fp16', 'bf16', 'fp32', *_EIGHT})
_INTEGER_ONLY = frozenset({'and', 'or', 'xor', 'shl', 'shr', 'floordiv', 'cdiv'})


class Kind(NamedTuple):
    """What a value certainly is.

    Args:
        dtype (str, Optional):
            Its type, or that of its elements. Default: not known.
        shape (Shape, Optional):
            Its shape; empty for a scalar. Default: not known.
        is_constant (bool, Optional):
            Whether it is a compile-time constant. Default: `False`.
        literal (Any, Optional):
            The value of a constant, if it is known. Default: `None`.
    """

    dtype: str = UNKNOWN
    shape: Shape = None
    is_constant: bool = False
    literal: Any = None


def of_name(name: str) -> str:
    """The type that a full name such as `triton.language.float16` means."""
    head, _, leaf = name.rpartition('.')
    if head not in ('triton.language', 'triton.language.core') or leaf not in types.LANGUAGE_TYPES:
        return UNKNOWN
    return _LONG.get(leaf, leaf.replace('float', 'fp'))


def of_model(name: str) -> str:
    """The type that one of the model is, where it is no guess."""
    if types.is_integer(name) and '?' not in name:
        return types.spelled(name)
    return FLOAT if name == types.FLOAT else UNKNOWN


def of_literal(value: object) -> str:
    """The type that a literal takes."""
    if isinstance(value, float):
        size = abs(value)
        is_single = not size or size != size or size == float('inf') or 2**-126 <= size <= (2 - 2**-23) * 2**127
        return 'fp32' if is_single else 'fp64'
    return of_model(types.of_literal(value))


def at_run_time(kind: Kind) -> Kind:
    """What a plain name holds that a value is assigned to."""
    if not kind.is_constant or kind.dtype == NONE:
        return kind
    return Kind(kind.dtype if kind.literal is None else of_literal(kind.literal), kind.shape)


def agreed(found: Iterable[Kind]) -> Kind:
    """What all of some kinds are."""
    kinds = set(found)
    if len(kinds) == 1:
        return kinds.pop()
    dtypes, shapes = {one.dtype for one in kinds}, {one.shape for one in kinds}
    dtype = dtypes.pop() if len(dtypes) == 1 else INT if dtypes <= INTEGERS else FLOAT if dtypes <= FLOATS else UNKNOWN
    return Kind(dtype, shapes.pop() if len(shapes) == 1 else None, all(one.is_constant for one in kinds))


def completed(found: Iterable[Kind]) -> Kind:
    """What each of some kinds is that Triton demands to be the same."""
    kinds = [one for one in found if not one.is_constant]
    dtypes = {one.dtype for one in kinds} - {UNKNOWN}
    known = {one.shape for one in kinds} - {None}
    return Kind(dtypes.pop() if len(dtypes) == 1 else UNKNOWN, known.pop() if len(known) == 1 else None)


def computed(op: str, left: Kind, right: Kind) -> str:
    """The type of an operation on two values of which one is there at run time."""
    if POINTER in (left.dtype, right.dtype):
        return POINTER if op in ('add', 'sub') else UNKNOWN
    if op in _INTEGER_ONLY:
        # what is no integer is refused
        joined = _joined(left, right)
        return joined if joined in INTEGERS else INT
    joined = _joined(left, right)
    if op == 'div':
        return 'fp32' if joined in INTEGERS or joined in HALF or joined in _EIGHT else joined or FLOAT
    return 'fp32' if op == 'mod' and joined in HALF else joined


def _joined(left: Kind, right: Kind) -> str:
    if left.is_constant != right.is_constant:
        constant, runtime = (left, right) if left.is_constant else (right, left)
        return _with_constant(runtime.dtype, constant)
    one, other = at_run_time(left).dtype, at_run_time(right).dtype
    both = {one, other}
    if 'fp64' in both:
        return 'fp64'
    if UNKNOWN in both:
        return FLOAT if both & FLOATS else UNKNOWN
    if both <= INTEGERS:
        return promoted(one, other)
    if len(both) == 1:
        return one
    if FLOAT in both or both & _EIGHT or ('bf16' in both and both & INTEGERS):
        return FLOAT
    return next(name for name in _WIDE if name in both)


def _with_constant(runtime: str, constant: Kind) -> str:
    """The type of an operation on a value and a constant, which only takes part where it is of a higher kind."""
    if runtime in FLOATS:
        return runtime
    given = at_run_time(constant).dtype
    if given in FLOATS:
        return given if runtime in INTEGERS else FLOAT
    if given not in INTEGERS or runtime not in INTEGERS:
        return UNKNOWN
    return given if runtime == 'int1' else runtime


def promoted(one: str, other: str) -> str:
    """The type of an operation on two integers: the wider one, and of equally wide ones the unsigned."""
    if one == other:
        return one
    if INT in (one, other):
        return INT
    return max((one, other), key=lambda name: (bits(name), name.startswith('u')))


def reduced(op: str, dtype: str) -> str:
    """The type of a sum, a maximum or a scan; small ones are widened, in one release this way and in the next that way."""
    if dtype in ('fp32', 'fp64', 'int32', 'int64', 'uint32', 'uint64', POINTER):
        return dtype
    if dtype == 'fp16' and op in ('sum', 'cumsum'):
        return dtype
    return FLOAT if dtype in FLOATS else INT if dtype in INTEGERS else UNKNOWN


def bits(dtype: str) -> int:
    """How wide a type is; 0 where that is not known."""
    if dtype in _EIGHT:
        return 8
    digits = dtype.lstrip('abcdefghijklmnopqrstuvwxyz')
    return int(digits) if digits.isdigit() else 0


def broadcast(left: Shape, right: Shape) -> Shape:
    """The shape of an operation on two blocks, as far as it is certain."""
    if left is None or right is None:
        return None
    if SCALAR in (left, right):
        return left or right
    length = max(len(left), len(right))
    pairs = zip(('1',) * (length - len(left)) + left, ('1',) * (length - len(right)) + right, strict=True)
    return tuple(_dimension(one, other) for one, other in pairs)


def _dimension(one: str, other: str) -> str:
    if '1' in (one, other):
        return other if one == '1' else one
    if one == other:
        return one
    numbers = [name for name in (one, other) if name.isdigit()]
    return numbers[0] if len(numbers) == 1 else ANY


def broadcast_all(found: Iterable[Shape]) -> Shape:
    """The shape of an operation on several blocks."""
    result: Shape = SCALAR
    for shape in found:
        result = broadcast(result, shape)
    return result


def cleaned(shape: Shape) -> Shape:
    """A shape without what nobody would recognise in it."""
    return None if shape is None else tuple(ANY if UNIQUE in one else one for one in shape)


def is_clash(one: str, other: str) -> bool:
    """Whether two types are certainly not the same."""
    if UNKNOWN in (one, other) or one == other:
        return False
    if INT in (one, other):
        return not {one, other} <= INTEGERS
    return not (FLOAT in (one, other) and {one, other} <= FLOATS)


def is_other_shape(one: Shape, other: Shape) -> bool:
    """Whether two shapes are certainly not the same: another rank, or another number."""
    if one is None or other is None:
        return False
    return len(one) != len(other) or any(a != b and a.isdigit() and b.isdigit() for a, b in zip(one, other, strict=True))


def differ(one: Kind, other: Kind) -> bool:
    """Whether two values that are there at run time certainly have two types."""
    return is_clash(one.dtype, other.dtype) or is_other_shape(one.shape, other.shape)


def described(kind: Kind, names_type: bool = True) -> str:
    """A kind in words."""
    if kind.dtype == NONE:
        return 'None'
    if kind.is_constant:
        return 'a compile-time constant' if kind.literal is None else f'the compile-time constant {kind.literal!r}'
    words = {UNKNOWN: '', INT: 'integer', FLOAT: 'float'}.get(kind.dtype, kind.dtype) if names_type else ''
    if kind.shape is None:
        return _with_article(words) if words else 'another type'
    if not kind.shape:
        return _with_article(f'{words} scalar'.strip() if words != POINTER else words)
    return _with_article(f'{words} block'.strip()) + f' `[{", ".join(kind.shape)}]`'


def _with_article(words: str) -> str:
    return f'an {words}' if words.startswith(('i', 'fp')) else f'a {words}'
