# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How values depend on each other: what a sum is made of, what a product was divided by."""

from collections import Counter
from collections.abc import Iterable, Iterator

from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.origins import bases_of
from flakelint.kernel.strides import Strides, stripped

_DIVISIONS = frozenset({'cdiv', 'floordiv'})
# an index has few digits: what is longer is not followed
_STEPS = 32


def divided(product: Value, strides: Strides) -> Value | Cases | None:
    """What was divided, if a product is one of a quotient and its own divisor, or of the stride that is as long."""
    left, right = product.operands
    for quotient, factor in ((left, right), (right, left)):
        for case in map(stripped, each_value([quotient])):
            whole, divisors = _quotient(case)
            if divisors and _factors(factor) <= divisors:
                return whole
            if case.op == 'floordiv' and _is_row_of(factor, case.operands[1], strides):
                return case.operands[0]
            if (whole := _shared(case, factor)) is not None:
                return whole
    return None


def _quotient(value: Value | Cases, steps: int = _STEPS) -> tuple[Value | Cases, Counter]:
    """What a value is the quotient of, with the factors of the divisor, none if it is no quotient.

    Digits are put together: `a // (n * m) * m + a // n % m` is `a // n`.
    """
    divisors: Counter = Counter()
    while type(value) is Value and steps > 0:
        steps -= 1
        value = stripped(value)
        if value.op == 'floordiv':
            value, divisor = value.operands
            divisors += _factors(divisor)
            continue
        whole, below = _composed(value, steps)
        return whole, divisors + below
    return value, divisors


def _composed(value: Value, steps: int) -> tuple[Value | Cases, Counter]:
    """The same for a sum of a digit and what stands before it; a value that is none stays what it is."""
    for product, digit in (value.operands, value.operands[::-1]) if value.op == 'add' else ():
        if type(product) is Value and type(digit) is Value and (product.op, digit.op) == ('mul', 'mod'):
            whole, divisors = _quotient(digit.operands[0], steps // 2)
            base = _factors(digit.operands[1])
            for upper, factor in (product.operands, product.operands[::-1]):
                if _factors(factor) == base and _quotient(upper, steps // 2) == (whole, divisors + base):
                    return whole, divisors
    return value, Counter()


def _factors(value: Value | Cases) -> Counter:
    """What a value is the product of: names of arguments, numbers, and the identities of what else there is."""
    found: Counter = Counter()
    stack = [value]
    while stack:
        one = stack.pop()
        one = stripped(one) if type(one) is Value else one
        if type(one) is Value and one.literal is None and one.op == 'mul' and found.total() + len(stack) < _STEPS:
            stack += one.operands
        elif type(one) is Value and (one.literal is not None or one.op == 'parameter'):
            found[one.name if one.literal is None else one.literal] += 1
        else:
            found[id(one)] += 1
    return found


def _shared(index: Value, factor: Value | Cases) -> Value | Cases | None:
    """What is divided among programs or rounds, if an index counts these, and a factor is the share or the number of them."""
    # a loop counts no further than to its end
    for end in map(stripped, each_value(index.operands[1:2] if index.op == 'counter' else ())):
        if end.op in _DIVISIONS and is_same(end.operands[1], factor):
            return end.operands[0]
    for share in map(stripped, each_value([factor] if index.op == 'program_id' else ())):
        if share.op in _DIVISIONS and any(one.op == 'num_programs' for one in each_value(share.operands[1:])):
            return share.operands[0]
    return None


def divisor_of_rest(difference: Value) -> Value | Cases | None:
    """By what was divided, if a difference is what the division leaves: `a - a // b * b`."""
    whole, taken = difference.operands
    for product in map(stripped, each_value([taken])):
        for quotient, divisor in (product.operands, product.operands[::-1]) if product.op == 'mul' else ():
            for case in map(stripped, each_value([quotient])):
                if case.op == 'floordiv' and is_same(case.operands[0], whole) and is_same(case.operands[1], divisor):
                    return divisor
    return None


def is_length(difference: Value) -> bool:
    """Whether a difference is that of two numbers of one table: from where something begins to where it ends."""
    pairs = [{id(one): one for one in map(stripped, each_value([operand]))}.values() for operand in difference.operands]
    ends, starts = ([one for one in pair if one.op == 'load'] for pair in pairs)
    tables = [bases_of(one.operands) for one in (*ends, *starts)]
    return bool(ends) and bool(starts) and bool(tables[0]) and all(one == tables[0] for one in tables)


def _is_row_of(stride: Value | Cases, length: Value | Cases, strides: Strides) -> bool:
    if type(stride) is not Value or type(length) is not Value:
        return False
    stride, length = stripped(stride), stripped(length)
    return stride.op == length.op == 'parameter' and strides.is_row_of(stride.name, length.name)


def is_same(one: Value | Cases, other: Value | Cases) -> bool:
    """Whether two values are the same number."""
    if type(one) is not Value or type(other) is not Value:
        return False
    if one.literal is not None and one.literal == other.literal:
        return True
    one, other = stripped(one), stripped(other)
    return one is other or (one.op == other.op == 'parameter' and one.name == other.name)


def upper_limits(comparisons: Iterable[Value]) -> Iterator[tuple[Value | Cases, Value | Cases]]:
    """What comparisons keep small, with what keeps it so; a comparison of equality does neither."""
    for compared in comparisons:
        if compared.op in ('lt', 'le'):
            yield compared.operands
        elif compared.op in ('gt', 'ge'):
            yield compared.operands[::-1]


def limits_by_value(comparisons: Iterable[Value]) -> dict[int, list[Value]]:
    """What keeps each value small, by the identity of the value."""
    found: dict[int, list[Value]] = {}
    for small, large in upper_limits(comparisons):
        if type(small) is Value and type(large) is Value:
            for part in addends(small):
                found.setdefault(id(part), []).append(large)
    return found


def addends(value: Value) -> list[Value]:
    """A value, and what it is the sum of: where it is below a limit, they are."""
    found: dict[int, Value] = {}
    stack = [value]
    while stack:
        one = stack.pop()
        while one.op in ('view', 'trans') and type(one.operands[0]) is Value:
            one = one.operands[0]
        if id(one) in found:
            continue
        found[id(one)] = one
        if one.op in ('add', 'sub'):
            # what is taken away is bounded by nothing
            parts = one.operands if one.op == 'add' else one.operands[:1]
            stack.extend(part for part in parts if type(part) is Value)
    return list(found.values())
