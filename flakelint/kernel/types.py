# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The types of values in a kernel, and how Triton promotes them.

Integers are `i1`, `i8` to `i64` and `u8` to `u64`; any float is `fp`, a pointer `ptr`, a compile-time constant `const`.
`i32?` is a loaded value of which the source does not show the type: an integer of 32 bits if the tensor holds such, and perhaps of 64.
The empty string is what is not known.
"""

FLOAT = 'fp'
POINTER = 'ptr'
CONST = 'const'
TUPLE = 'tuple'
NONE = 'none'
DTYPE = 'dtype'
DESCRIPTOR = 'descriptor'
BLOCK_POINTER = 'block pointer'
UNKNOWN = ''
INT32 = 'i32'
INT64 = 'i64'
BOOL = 'i1'
LOADED = 'i32?'
LOADED_WIDE = 'i64?'

_BITS = {
    'i1': 1, 'i8': 8, 'i16': 16, 'i32': 32, 'i64': 64, 'u8': 8, 'u16': 16, 'u32': 32, 'u64': 64, LOADED: 32, LOADED_WIDE: 64,
}
INTEGERS = frozenset(_BITS)
NARROW = frozenset(name for name, bits in _BITS.items() if bits < 64)
UNSIGNED = frozenset(name for name in _BITS if name.startswith('u'))

# how `tl.int32` and its like spell the types above
LANGUAGE_TYPES = {
    'int1': 'i1', 'int8': 'i8', 'int16': 'i16', 'int32': 'i32', 'int64': 'i64',
    'uint8': 'u8', 'uint16': 'u16', 'uint32': 'u32', 'uint64': 'u64',
    'float16': FLOAT, 'bfloat16': FLOAT, 'float32': FLOAT, 'float64': FLOAT,
    'float8e4nv': FLOAT, 'float8e4b8': FLOAT, 'float8e4b15': FLOAT, 'float8e5': FLOAT, 'float8e5b16': FLOAT,
}


def is_integer(name: str) -> bool:
    """Whether it is an integer at run time."""
    return name in _BITS


def spelled(name: str) -> str:
    """The name that the language gives to an integer type, such as `uint8`; one that is guessed goes by its guess."""
    plain = name.rstrip('?')
    return {'i': 'int', 'u': 'uint'}[plain[0]] + plain[1:]


def bits(name: str) -> int:
    """The width of an integer in bits; 0 for all else."""
    return _BITS.get(name, 0)


def _promote(left: str, right: str) -> str:
    if left == right:
        return left
    if FLOAT in (left, right):
        return FLOAT
    if UNKNOWN in (left, right):
        return UNKNOWN
    wide, narrow = sorted((left, right), key=lambda name: (_BITS[name], name in UNSIGNED, name), reverse=True)
    guessed = LOADED in (left, right) or LOADED_WIDE in (left, right)
    if guessed:
        return LOADED_WIDE if _BITS[wide] == 64 else LOADED
    return wide


_PROMOTED = {(left, right): _promote(left, right) for left in (*_BITS, FLOAT, UNKNOWN) for right in (*_BITS, FLOAT, UNKNOWN)}


def promote(left: str, right: str) -> str:
    """The type of an operation on two values that are there at run time: the wider, and of equally wide ones the unsigned.

    Source: Triton's `computation_type_impl` in `language/semantic.py`, and what it compiles to.
    """
    return _PROMOTED.get((left, right), UNKNOWN)


def of_literal(value: object) -> str:
    """The type that a constant takes when it is assigned to a plain name."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, float):
        return FLOAT
    if not isinstance(value, int):
        return UNKNOWN
    if -2**31 <= value < 2**31:
        return INT32
    if 2**31 <= value < 2**32:
        return 'u32'
    return INT64 if -2**63 <= value < 2**63 else 'u64'


def with_constant(other: str, value: object) -> str:
    """The type of an operation on a run-time value and a constant, of which the value may be unknown (`None`)."""
    if isinstance(value, float):
        return FLOAT if other in _BITS or other == FLOAT else UNKNOWN
    if other == BOOL and not isinstance(value, bool):
        # a number of a higher kind widens a boolean, whatever its value
        return INT32 if value is None else of_literal(value)
    return other if other in _BITS or other == FLOAT else UNKNOWN


def differ(left: str, right: str) -> bool:
    """Whether two values cannot be one at run time: integers of two types."""
    return is_integer(left) and is_integer(right) and left.rstrip('?') != right.rstrip('?')
