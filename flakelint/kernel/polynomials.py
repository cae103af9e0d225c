# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Integers and pointers of a kernel as polynomials, so that two indices can be compared whatever they are called.

The atoms are parameters, program ids, `tl.arange`, rounds of a loop, loaded values, and whatever is not taken apart. What a loop adds to a value in each round is a multiple of its round number, so that an advanced pointer and an index that is worked out anew are the same polynomial.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Value
from flakelint.project.imports import last_name

# through these a value is what it was
_SAME = frozenset({'cast', 'assign', 'trans'})
_KEPT = frozenset({
    'broadcast_to', 'expand_dims', 'max_constancy', 'max_contiguous', 'multiple_of', 'permute', 'ravel', 'reshape', 'squeeze',
    'trans', 'unsqueeze', 'view',
})
# these keep an index within bounds
_WRAPS = frozenset({'mod', 'min', 'max', 'where', 'and', 'call'})
_MAX_TERMS = 64


class Atom(NamedTuple):
    """What a polynomial is made of.

    Args:
        kind (str):
            `parameter`, `program`, `arange`, `round`, `load` or `other`.
        key (tuple):
            What tells it from others of its kind.
    """

    kind: str
    key: tuple


Monomial = tuple[Atom, ...]
Polynomial = Mapping[Monomial, int]

ZERO: Polynomial = {}
ONE: Monomial = ()


class Polynomials:
    """The polynomials of the values of a kernel."""

    def __init__(self) -> None:
        self._known: dict[int, Polynomial | None] = {}
        # the aranges and parts that atoms are made of
        self._inside: dict[Atom, tuple[Polynomial, ...]] = {}
        self._wrapped: set[Atom] = set()
        # the values of aranges, for their spelled length
        self.tiles: dict[Atom, Value] = {}
        # the stops of loops, by the atom that counts their rounds
        self.stops: dict[Atom, Value | Cases] = {}

    def of(self, value: Value | Cases) -> Polynomial | None:
        """The polynomial of a value; `None` where it is not resolved."""
        if type(value) is Cases:
            found = [self.of(case) for _, case in value.cases]
            return found[0] if found and all(one == found[0] for one in found) else None
        if id(value) not in self._known:
            # a carried value is made of itself
            self._known[id(value)] = None
            self._known[id(value)] = self._of(value)
        return self._known[id(value)]

    def aranges(self, polynomial: Polynomial) -> set[Atom]:
        """The aranges in a polynomial, those in the parts of its atoms included."""
        return {atom for atom in self.atoms(polynomial) if atom.kind == 'arange'}

    def atoms(self, polynomial: Polynomial) -> set[Atom]:
        """All atoms in a polynomial, with the parts of those that are made of others."""
        found: set[Atom] = set()
        stack = [polynomial]
        while stack:
            for monomial in stack.pop():
                for atom in monomial:
                    if atom not in found:
                        found.add(atom)
                        stack.extend(self._inside.get(atom, ()))
        return found

    def is_wrapped(self, atom: Atom) -> bool:
        """Whether an atom is a value that was brought within bounds, such as `i % M`."""
        return atom in self._wrapped

    def _of(self, value: Value) -> Polynomial | None:
        if type(value.literal) is int:
            return {ONE: value.literal} if value.literal else ZERO
        op = value.op
        if op in _SAME or (op == 'view' and is_kept(value)) or (op == 'fill' and value.operands):
            return self.of(value.operands[0])
        if op == 'parameter':
            return _atom('parameter', value.name)
        if op == 'program_id':
            return _atom('program', value.detail)
        if op == 'arange':
            return self._arange(value)
        if op == 'counter':
            return self._counter(value)
        if op == 'phi':
            return self._carried(value)
        if op in ('add', 'sub', 'mul'):
            left, right = self.of(value.operands[0]), self.of(value.operands[1])
            if left is None or right is None:
                return None
            return multiplied(left, right) if op == 'mul' else added(left, right, 1 if op == 'add' else -1)
        if op == 'neg':
            return scaled(self.of(value.operands[0]), -1)
        if op == 'load' and value.node is not None:
            return _atom('load', id(value))
        if op in ('unknown', 'none') or (not types.is_integer(value.type) and value.type not in (types.CONST, types.POINTER)):
            return None
        return self._opaque(value)

    def _arange(self, value: Value) -> Polynomial | None:
        if value.shape is None:
            return None
        atom = Atom('arange', value.shape)
        self.tiles.setdefault(atom, value)
        start = self.of(value.operands[0])
        return None if start is None else added({(atom,): 1}, start, 1)

    def _counter(self, value: Value) -> Polynomial | None:
        start, step = self.of(value.operands[0]), self.of(value.operands[2])
        if start is None or step is None:
            return None
        atom = _round(value.node, value.frame)
        self.stops[atom] = value.operands[1]
        return added(start, multiplied({(atom,): 1}, step), 1)

    def _carried(self, value: Value) -> Polynomial | None:
        """A value that a loop adds the same to in each round."""
        if not isinstance(value.node, ast.For | ast.While):
            found = [self.of(operand) for operand in value.operands]
            is_one = bool(found) and found[0] is not None and all(one == found[0] for one in found)
            return found[0] if is_one else self._opaque(value)
        start = self.of(value.operands[0])
        if start is None:
            return None
        steps = [self._step(value, end) for end in value.operands[1:]]
        if not steps or None in steps or any(step != steps[0] for step in steps):
            return start if not steps else self._opaque(value)
        atom = _round(value.node, value.frame)
        return added(start, multiplied({(atom,): 1}, steps[0]), 1)

    def _step(self, carried: Value, end: Value | Cases) -> Polynomial | None:
        """What is added to a carried value until the end of a round."""
        total: Polynomial = ZERO
        while type(end) is Value and end is not carried:
            while end.op in _SAME and type(end.operands[0]) is Value:
                end = end.operands[0]
            if end is carried:
                break
            if end.op not in ('add', 'sub') or type(end.operands[0]) is not Value:
                return None
            first, second = end.operands
            if end.op == 'add' and second is carried:
                first, second = second, first
            step = self.of(second)
            if step is None:
                return None
            total = added(total, step, 1 if end.op == 'add' else -1)
            end = first
        return total if end is carried else None

    def _opaque(self, value: Value) -> Polynomial | None:
        parts = [self.of(operand) for operand in value.operands]
        if None in parts:
            atom = Atom('other', (value.op, id(value)))
            parts = [part for part in parts if part is not None]
        else:
            atom = Atom('other', (value.op, value.name if not parts else '', *map(frozen, parts)))
        self._inside[atom] = tuple(parts)
        if value.op in _WRAPS or any(part in self._wrapped for one in parts for part in self.atoms(one)):
            self._wrapped.add(atom)
        return {(atom,): 1}


def is_kept(value: Value) -> bool:
    """Whether what changes the shape of a value leaves its numbers as they are."""
    node = value.node
    return not isinstance(node, ast.Call) or last_name(node.func) in _KEPT


def _atom(kind: str, *key: object) -> Polynomial:
    return {(Atom(kind, key),): 1}


def _round(node: ast.AST, frame: object) -> Atom:
    return Atom('round', (id(frame), node.lineno))


def spelled(polynomial: Polynomial) -> str:
    """A polynomial in words."""
    terms = [' * '.join([*([str(number)] if number != 1 or not monomial else []), *map(_spelled, monomial)])
             for monomial, number in polynomial.items()]
    return ' + '.join(terms) or '0'


def _spelled(atom: Atom) -> str:
    words = {'program': 'program id {}', 'round': 'round', 'load': 'a loaded value', 'other': '{}', 'arange': 'arange({})'}
    return words.get(atom.kind, '{}').format(*atom.key)


def frozen(polynomial: Polynomial) -> frozenset:
    """A polynomial that can be compared and kept in sets."""
    return frozenset(polynomial.items())


def added(left: Polynomial, right: Polynomial, sign: int) -> Polynomial:
    """The sum of two polynomials, or the difference."""
    found = dict(left)
    for monomial, number in right.items():
        total = found.get(monomial, 0) + sign * number
        if total:
            found[monomial] = total
        else:
            found.pop(monomial, None)
    return found


def scaled(polynomial: Polynomial | None, number: int) -> Polynomial | None:
    """A polynomial times a number."""
    return None if polynomial is None else {monomial: number * one for monomial, one in polynomial.items()}


def multiplied(left: Polynomial, right: Polynomial) -> Polynomial | None:
    """The product of two polynomials; `None` where it has too many terms."""
    if len(left) * len(right) > _MAX_TERMS:
        return None
    found: dict[Monomial, int] = {}
    for one, number in left.items():
        for other, factor in right.items():
            monomial = tuple(sorted((*one, *other), key=repr))
            total = found.get(monomial, 0) + number * factor
            if total:
                found[monomial] = total
            else:
                found.pop(monomial, None)
    return found


def divided_by(polynomial: Polynomial, divisor: Monomial) -> Iterator[tuple[Monomial, int]]:
    """The terms of a polynomial that a monomial divides, divided by it."""
    for monomial, number in polynomial.items():
        left = list(monomial)
        for atom in divisor:
            if atom not in left:
                break
            left.remove(atom)
        else:
            yield tuple(left), number
