# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the model knows about a value in a kernel, and how values meet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import libcst as cst

    from flakelint.kernel.kernels import Kernel

NARROW = 'narrow'
WIDE = 'wide'
UNKNOWN_WIDTH = 'unknown'

Guard = frozenset[tuple[str, bool]]
NOTHING: frozenset = frozenset()

# a name that more flags tell apart than this is taken as one value, the narrowest of all
MAX_CASES = 8


@dataclass(frozen=True, eq=False)
class ProgramId:
    """A call of `tl.program_id`.

    Args:
        node (cst.Call):
            The call.
        kernel (Kernel):
            The function in which it stands.
    """

    node: 'cst.Call'
    kernel: 'Kernel'


class Index(NamedTuple):
    """A program id in a value, with the tile that it was made into.

    Args:
        origin (ProgramId):
            The program id.
        tile (str):
            The spelling of the first product with a size, such as `i_v * BV`; empty before there is one.
    """

    origin: ProgramId
    tile: str


class Product(NamedTuple):
    """A multiplication of a program id with a size, done in 32 bits.

    Args:
        node (cst.CSTNode):
            The operation.
        kernel (Kernel):
            The function in which it stands.
        indices (frozenset[Index]):
            The program ids in it.
        fixed (bool):
            Whether the other factor is fixed when the kernel is compiled.
        lifts (frozenset[ProgramId]):
            The program ids that would make it 64-bit if they were.
        assumed (bool):
            Whether it is 32-bit only where a loaded value is.
        guard (Guard):
            The compile-time conditions under which it is 32-bit.
    """

    node: 'cst.CSTNode'
    kernel: 'Kernel'
    indices: frozenset[Index]
    fixed: bool
    lifts: frozenset[ProgramId]
    assumed: bool
    guard: Guard


class Value(NamedTuple):
    """What is known about a value under one set of compile-time conditions.

    Args:
        width (str, Optional):
            `NARROW` for an integer of at most 32 bits, `WIDE` for one of 64, `UNKNOWN_WIDTH` for all else. Default: `UNKNOWN_WIDTH`.
        const (bool, Optional):
            Whether it is a `tl.constexpr`. Default: `False`.
        fixed (bool, Optional):
            Whether its size is known to the compiler: constants, what is made of them, `tl.arange`. Default: `False`.
        literal (int, Optional):
            Its value, where it is written as a number. Default: `None`.
        indices (frozenset[Index], Optional):
            The program ids that it is made of and that have not been cast. Default: none.
        products (frozenset[Product], Optional):
            The narrow products that it is made of. Default: none.
        lifts (frozenset[ProgramId], Optional):
            The program ids that would make it 64-bit if they were. Default: none.
        assumed (bool, Optional):
            Whether its width is that of a loaded value, taken to be 32 bits. Default: `False`.
        factors (frozenset[str], Optional):
            The spellings of what was multiplied to make it. Default: none.
        divisors (frozenset[str], Optional):
            The factors of what it was divided by. Default: none.
        base (str, Optional):
            The parameter that is its leftmost addend: its pointer, if it has one. Default: none.
        items (tuple, Optional):
            The elements of a tuple. Default: none.
    """

    width: str = UNKNOWN_WIDTH
    const: bool = False
    fixed: bool = False
    literal: int | None = None
    indices: frozenset[Index] = NOTHING
    products: frozenset[Product] = NOTHING
    lifts: frozenset[ProgramId] = NOTHING
    assumed: bool = False
    factors: frozenset[str] = NOTHING
    divisors: frozenset[str] = NOTHING
    base: str = ''
    items: 'tuple[Value | Cases, ...]' = ()


UNKNOWN = Value()
CONST = Value(NARROW, const=True, fixed=True)
NARROW_INT = Value(NARROW)
FIXED_INT = Value(NARROW, fixed=True)
WIDE_INT = Value(WIDE)
LOADED = Value(NARROW, assumed=True)


class Cases(NamedTuple):
    """A value that compile-time conditions tell apart."""

    cases: tuple[tuple[Guard, Value], ...]


def cases_of(value: Value | Cases) -> tuple[tuple[Guard, Value], ...]:
    """The values that a value may be, each with its conditions."""
    return value.cases if type(value) is Cases else ((NOTHING, value),)


def compatible(guard: Guard, other: Guard) -> bool:
    """Whether two sets of conditions can hold at once."""
    return not guard or not other or not any((atom, not truth) in other for atom, truth in guard)


def gather(cases: list[tuple[Guard, Value]]) -> Value | Cases:
    """One value of several cases; what no condition tells apart is one."""
    first = cases[0][1]
    if len(cases) == 1 or all(value == first for _, value in cases):
        return first
    if len(cases) > MAX_CASES:
        joined = first
        for _, value in cases[1:]:
            joined = join(joined, value)
        return joined
    return Cases(tuple(cases))


def pairs(left: Value | Cases, right: Value | Cases) -> Iterator[tuple[Guard, Value, Value]]:
    """The pairs of cases that can hold at once."""
    for guard, first in cases_of(left):
        for other, second in cases_of(right):
            if compatible(guard, other):
                yield guard | other, first, second


def each(function: Callable[[Value], Value], value: Value | Cases) -> Value | Cases:
    """Apply a function to every case."""
    if type(value) is Value:
        return function(value)
    return gather([(guard, function(case)) for guard, case in value.cases])


def promote(left: Value, right: Value) -> Value:
    """What comes of an operation on two values, as far as it treats both alike."""
    products = left.products | right.products if left.products or right.products else NOTHING
    base = left.base or right.base
    if left.const and right.const:
        return CONST
    if WIDE in (left.width, right.width):
        return Value(WIDE, fixed=left.fixed and right.fixed, products=products, base=base)
    width = UNKNOWN_WIDTH if UNKNOWN_WIDTH in (left.width, right.width) else NARROW
    return Value(
        width,
        fixed=left.fixed and right.fixed,
        indices=left.indices | right.indices,
        products=products,
        lifts=left.lifts | right.lifts,
        assumed=left.assumed or right.assumed,
        base=base,
    )


def join(left: Value, right: Value) -> Value:
    """What is known about a value that is either of two: the narrower width, and the program ids of both.

    Values that meet at run time have one width, so a loaded one is no wider than what it meets.
    """
    if left == right:
        return left
    if left.items and len(left.items) == len(right.items):
        return Value(items=tuple(join_all(one, other) for one, other in zip(left.items, right.items, strict=True)))
    if UNKNOWN_WIDTH in (left.width, right.width):
        width = UNKNOWN_WIDTH
    else:
        width = NARROW if NARROW in (left.width, right.width) else WIDE
    return Value(
        width,
        fixed=left.fixed and right.fixed,
        indices=left.indices | right.indices,
        products=left.products | right.products,
        lifts=left.lifts & right.lifts,
        assumed=left.assumed and right.assumed,
        base=left.base or right.base,
    )


def join_all(left: Value | Cases, right: Value | Cases) -> Value | Cases:
    """`join`, case by case."""
    if left is right or left == right:
        return left
    return gather([(guard, join(first, second)) for guard, first, second in pairs(left, right)] or [(NOTHING, UNKNOWN)])


def cast_wide(value: Value) -> Value:
    """A value cast to 64 bits; what was computed before stays as narrow as it was."""
    return Value(WIDE, fixed=value.fixed, products=value.products, base=value.base)


def cast_narrow(value: Value) -> Value:
    """A value cast to 32 bits or fewer; one that was 64-bit is no uncast program id any more."""
    indices = value.indices if value.width == NARROW else NOTHING
    return Value(NARROW, fixed=value.fixed, indices=indices, products=value.products, base=value.base)


def cast_unknown(value: Value) -> Value:
    """A value cast to a type that is not known."""
    return Value(products=value.products, base=value.base)


def stored(value: Value) -> Value:
    """What a plain assignment makes of a value: a constexpr becomes a run-time integer."""
    if not value.const:
        return value
    wide = value.literal is not None and not -2**31 <= value.literal < 2**32
    return value._replace(const=False, width=WIDE if wide else NARROW)
