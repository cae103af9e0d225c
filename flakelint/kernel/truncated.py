# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Divisions and remainders of numbers that are negative in some program or lane, which Triton rounds towards zero."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Value, reachable
from flakelint.kernel.strides import plain

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

CEILING = 'ceiling'

_SAME = frozenset({'view', 'assign', 'trans', 'cast'})
_COMPARISONS = frozenset({'eq', 'ge', 'gt', 'le', 'lt', 'ne'})
# what counts from 0 on
_COUNTS = frozenset({'arange', 'counter', 'program_id'})
# what is 0 where its left side is
_ZERO = frozenset({'floordiv', 'mod', 'shr', 'shl', 'and'})


class Negative(NamedTuple):
    """A division or a remainder of a number that is negative somewhere.

    Args:
        value (Value):
            The division.
        why (str):
            Where the number is negative, in words.
        kind (str, Optional):
            `ceiling` where Python's rounding would round up what is negated again. Default: none.
    """

    value: Value
    why: str
    kind: str = ''


def negative_divisions(model: 'Model', values: Iterable[Value]) -> Iterator[Negative]:
    """The divisions among some values that are of a negative number, and of which no comparison keeps it away."""
    for value in values:
        if value.op not in ('floordiv', 'mod') or len(value.operands) != 2 or not types.is_integer(value.type):
            continue
        left = plain(value.operands[0])
        if left is None or not types.is_integer(left.type) or left.type in types.UNSIGNED:
            continue
        found = _negated(value, left) or _shifted(value, left) or _difference(value, left)
        if found is not None and not _is_guarded(left, model):
            yield found


def _negated(value: Value, left: Value) -> Negative | None:
    """`-n // d`, which is the idiom that rounds up."""
    if left.op != 'neg':
        return None
    inner = plain(left.operands[0])
    if inner is None or inner.op not in ('parameter', 'num_programs', *_COUNTS) or inner.type == types.CONST:
        return None
    return Negative(value, f'`-{inner.name}` is negative' if inner.name else 'its dividend is negative', CEILING)


def _shifted(value: Value, left: Value) -> Negative | None:
    """`(i - 1) // d` of something that counts from 0."""
    if left.op != 'sub':
        return None
    first, last = plain(left.operands[0]), left.operands[1]
    literal = last.literal if type(last) is Value else None
    if first is None or type(literal) is not int or literal < 1 or not _reaches_zero(first):
        return None
    where = f'where `{first.name}` is 0' if first.name else 'at first'
    return Negative(value, f'its dividend is negative {where}')


def _difference(value: Value, left: Value) -> Negative | None:
    """`(i[:, None] - j[None, :]) // d`, which has both signs."""
    if left.op != 'sub' or not left.shape or len(left.shape) < 2:
        return None
    first, last = left.operands
    if type(first) is not Value or type(last) is not Value or '1' not in (first.shape or ()) or '1' not in (last.shape or ()):
        return None
    if first.shape == last.shape or not all(plain(one) is not None for one in (first, last)):
        return None
    if plain(first).op == 'arange' and plain(last).op == 'arange' and _reaches_zero(plain(first)):
        return Negative(value, 'its dividend is negative above the diagonal')
    return None


def _reaches_zero(value: Value | Cases) -> bool:
    """Whether a value is 0 in the first program, lane and round."""
    found = plain(value)
    if found is None:
        return False
    if found.op == 'program_id' or found.literal == 0:
        return True
    if found.op == 'arange':
        start = found.operands[0]
        return type(start) is Value and start.literal == 0
    if found.op == 'counter':
        start = _start(found)
        return start is not None and start.literal == 0
    if found.op == 'mul':
        return any(map(_reaches_zero, found.operands))
    if found.op == 'add':
        return all(map(_reaches_zero, found.operands))
    return found.op in _ZERO and _reaches_zero(found.operands[0])


def _start(counter: Value) -> Value | None:
    first = counter.operands[0] if counter.operands else None
    return first if type(first) is Value else None


def _is_guarded(left: Value, model: 'Model') -> bool:
    """Whether anything in the kernel is asked of the number, or of what it is made of, beside a bound of another name."""
    roots = {id(one) for one in reachable([left], _computed) if one.op in (*_COUNTS, 'parameter') and one.type != types.CONST}
    for compared in model.comparisons:
        if compared.op not in _COMPARISONS:
            continue
        sides = [{id(one) for one in reachable([side], _computed)} & roots for side in compared.operands]
        constant = [type(side) is Value and isinstance(side.literal, int) for side in compared.operands]
        if all(sides) or (any(sides) and any(constant)):
            return True
    return False


def _computed(value: Value) -> Iterable[Value | Cases]:
    """What a value is computed of; what is loaded says nothing of where it was."""
    return value.operands if value.op != 'load' else ()
