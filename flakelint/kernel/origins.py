# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where the indices in a value come from, and which multiplications an address is made of."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Value, each_value, reachable

if TYPE_CHECKING:
    from flakelint.kernel.bounds import Bounds
    from flakelint.kernel.frames import Access

# through these an index stays what it is
_FIRST = frozenset({
    'view', 'cast', 'assign', 'trans', 'neg', 'invert', 'abs', 'floordiv', 'mod', 'cdiv', 'shr', 'and', 'div', 'fill',
})
_BOTH = frozenset({'min', 'max', 'where', 'or', 'xor', 'swizzle'})
_FOLLOWED = _FIRST | _BOTH | {'add', 'sub', 'mul', 'shl', 'phi', 'tuple', 'reduce', 'block pointer', 'umulhi'}
_ORDERS = frozenset({'lt', 'le', 'gt', 'ge'})
_LOGICAL = frozenset({'and', 'or', 'all', 'any', 'mul', 'view', 'phi', 'where'})
_POINTER_LIKE = frozenset({types.POINTER, types.BLOCK_POINTER, types.TUPLE, types.UNKNOWN})


def products(roots: Iterable[Value]) -> list[Value]:
    """The multiplications of fewer than 64 bits, and the casts to fewer, that some values are made of."""
    return [value for value in reachable(roots, _parts) if value.type in types.NARROW and _cuts(value)]


def multiplications(roots: Iterable[Value]) -> list[Value]:
    """The multiplications of any width that some values are made of."""
    return [value for value in reachable(roots, _parts) if value.op == 'mul' and not is_hash(value)]


def accessed(accesses: 'Iterable[Access]') -> Iterator[Value]:
    """The addresses of accesses, and the narrow limits of their masks."""
    for access in accesses:
        yield from each_value([access.address])
        yield from _limits(access)


def _cuts(value: Value) -> bool:
    """Whether a value may need more bits than it has, when what it is made of does not."""
    return (value.op in ('mul', 'shl') and not is_hash(value)) or is_narrowing(value)


def _parts(value: Value) -> tuple[Value | Cases, ...]:
    """What a value is made of, as far as it is wrong where that wraps."""
    if value.op not in _FOLLOWED or not (types.is_integer(value.type) or value.type in _POINTER_LIKE):
        return ()
    if value.op == 'and' or (value.op == 'mod' and value.type in types.UNSIGNED):
        # the low bits of what has wrapped are what they would have been
        return ()
    return value.operands[:1] if value.op == 'shr' else value.operands


def is_hash(value: Value) -> bool:
    """Whether a multiplication is none of an index: with a large odd constant, or by so many bits that it packs."""
    literals = [one.literal for one in each_value(value.operands) if isinstance(one.literal, int)]
    if value.op == 'shl':
        # two numbers packed into one
        return any(literal >= 16 for literal in literals[-1:])
    return any(abs(literal) > 1 << 16 and literal % 2 for literal in literals)


def _limits(access: 'Access') -> Iterator[Value]:
    """The 32-bit values with which a mask compares 64-bit ones."""
    mask = () if access.mask is None else (access.mask,)
    for value in reachable(mask, lambda one: one.operands if one.op in _LOGICAL else ()):
        if value.op in _ORDERS:
            left, right = (next(each_value([one])) for one in value.operands)
            for wide, narrow in ((left, right), (right, left)):
                if types.bits(wide.type) == 64 and narrow.type in types.NARROW:
                    yield narrow


class Origins:
    """Where a cast to 64 bits would have to stand so that a value is 64-bit.

    Args:
        bounds (Bounds):
            The sizes of the kernel's values.
    """

    def __init__(self, bounds: 'Bounds') -> None:
        self._bounds = bounds
        self._known: dict[int, dict[Value, None]] = {}

    def of(self, value: Value | Cases) -> dict[Value, None]:
        """The program ids, loads, narrowing casts and counters that are the indices in a value, in order."""
        if type(value) is Cases:
            return {origin: None for _, case in value.cases for origin in self.of(case)}
        known = self._known.get(id(value))
        if known is None:
            # a carried value is made of itself
            self._known[id(value)] = {}
            known = self._known[id(value)] = self._find(value)
        return known

    def _find(self, value: Value) -> dict[Value, None]:
        op = value.op
        if op in ('program_id', 'load'):
            return {value: None}
        if types.bits(value.type) == 64 and op in ('cast', 'add', 'sub', 'mul'):
            return {}
        if op == 'cast' and is_narrowing(value):
            return {value: None}
        if op in _FIRST:
            return self.of(value.operands[0])
        if op in _BOTH:
            return {origin: None for operand in value.operands for origin in self.of(operand)}
        if op in ('add', 'sub', 'mul', 'shl', 'umulhi'):
            return self._of_two(value)
        if op == 'counter':
            return self.of(value.operands[0]) or {value: None}
        if op == 'phi':
            return self._carried(value)
        if op == 'reduce':
            return self.of(value.operands[0]) or ({value: None} if value.detail.startswith('arg') else {})
        return {}

    def _of_two(self, value: Value) -> dict[Value, None]:
        left, right = value.operands
        first, second = self.of(left), self.of(right)
        if not first or not second:
            return first or second
        return first if self._bounds.of(left).tight >= self._bounds.of(right).tight else second

    def _carried(self, value: Value) -> dict[Value, None]:
        found = {origin: None for operand in value.operands for origin in self.of(operand) if origin is not value}
        if found or len(value.operands) < 2:
            return found
        grows = self._bounds.of(value)
        return {value: None} if grows.index else {}


def is_narrowing(value: Value) -> bool:
    """Whether a cast takes bits away from a loaded or a 64-bit integer."""
    if value.op != 'cast' or value.type not in types.NARROW or value.type in (types.LOADED, types.BOOL):
        return False
    before = [case.type for case in each_value(value.operands)]
    # nobody casts a loaded index to an unsigned integer to make it smaller
    loaded = () if value.type in types.UNSIGNED else (types.LOADED,)
    return any(types.bits(name) == 64 or name in loaded for name in before)


def limit(value: Value) -> int:
    """From where on a value of an integer type is another one."""
    width = types.bits(value.type)
    return 1 << (width if value.type in types.UNSIGNED else width - 1)


def assumed_loads(value: Value) -> list[Value]:
    """The loaded values on whose element type the width of a value depends."""
    found = reachable([value], lambda one: one.operands if '?' in one.type and one.op != 'load' else ())
    return [one for one in found if '?' in one.type and one.op == 'load']


def base_of(address: Value | Cases) -> Iterator[Value]:
    """The parameters that are the base of an address."""
    for value in reachable([address], lambda one: one.operands if one.type in _POINTER_LIKE else ()):
        if value.op == 'parameter' and value.type in (types.POINTER, types.DESCRIPTOR, types.UNKNOWN):
            yield value


def bases_of(addresses: Iterable[Value | Cases]) -> set[str]:
    """The names of the parameters that are the bases of some addresses."""
    return {base.name for address in addresses for base in base_of(address)}


def tables_in(values: Iterable[Value | Cases]) -> set[str]:
    """The names of the tensors whose loaded values some values are computed from."""
    found = reachable(values, lambda value: value.operands if value.op not in ('load', 'call', 'counter') else ())
    return bases_of(operand for value in found if value.op == 'load' for operand in value.operands)
