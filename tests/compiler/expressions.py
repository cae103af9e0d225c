# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Expressions made at random of the names that stand for something."""

from contextlib import suppress
from random import Random

from tests.compiler.algebra import (
    ATOM,
    DTYPES,
    LOOSE,
    Expr,
    Invalid,
    binary,
    cast,
    cdiv,
    compare,
    constant,
    expanded,
    extreme,
    need,
    negated,
    reduced,
    settled,
    shapes,
    where,
)
from tests.compiler.helpers import Helper

# pointers to integers, and the type of what they point at
TABLES = {'p8': 'i8', 'p32': 'i32', 'p64': 'i64', 'pu': 'u32'}


class Expressions:
    """What the names of a kernel stand for at some place in it, and expressions that can stand there.

    Args:
        random (Random):
            Makes the choices.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: dict[str, Expr] = {}
        # what each points at, and its shape
        self.pointers: dict[str, tuple[str, str]] = {}
        self.helpers: list[Helper] = []
        # the flag that is set, and the one that is not
        self.yes, self.no = random.sample(('FLAG', 'OTHER'), 2)

    def some_constant(self) -> Expr:
        known = [value for value in self.names.values() if value.kind == 'const']
        if self.random.random() < 0.5:
            return constant(self.random.choice((-1, 0, 1, 2, 3, 8, 64, 100, 2**15, 2**31 - 1, 2**31, 2**33)))
        return self.random.choice(known)

    def expr(self, depth: int, shape: str | None = None) -> Expr:
        """An expression of some depth, of any shape or of the one that is wanted."""
        for _ in range(20):
            with suppress(Invalid):
                found = self.leaf() if depth == 0 or self.random.random() < 0.12 else self.inner(depth)
                need(shape is None or found.shape == shape)
                return found
        raise Invalid

    def leaf(self) -> Expr:
        choice = self.random.random()
        if choice < 0.78:
            kinds = [value for value in self.names.values() if value.kind != 'fp' or self.random.random() < 0.1]
            return self.random.choice(kinds)
        if choice < 0.86:
            return self.some_constant()
        if choice < 0.9:
            return Expr(f'tl.program_id({self.random.randrange(3)})', 'i32')
        if choice < 0.92:
            return Expr('tl.num_programs(0)', 'i32')
        if choice < 0.96:
            return Expr('tl.arange(0, BT)', 'i32', 'B')
        name = self.random.choice(list(TABLES))
        need(self.pointers[name] == (TABLES[name], ''))
        return self.loaded(name)

    def loaded(self, name: str) -> Expr:
        index = self.random.choice([value for value in self.names.values() if value.is_integer])
        return Expr(f'tl.load({name} + {index.text})', TABLES[name], index.shape)

    def inner(self, depth: int) -> Expr:
        draw, less = self.random, depth - 1
        choice = draw.random()
        if choice < 0.53:
            symbol = draw.choice(('*', '*', '*', '*', '+', '+', '-', '//', '%', '&', '|', '^', '<<', '>>', '/'))
            need(symbol != '/' or draw.random() < 0.2)
            return binary(self.expr(less), symbol, self.expr(less))
        if choice < 0.65:
            kind = draw.choice(('i64', 'i64', 'i64', 'i32', 'i32', 'u32', 'i8', 'fp'))
            return cast(self.expr(less), kind, draw.random() < 0.7)
        if choice < 0.68:
            other = draw.choice([value for value in self.names.values() if value.kind in ('i32', 'i64')])
            value = self.expr(less)
            need(value.kind != 'const')
            if draw.random() < 0.3:
                name = draw.choice(list(TABLES))
                need(TABLES[name] != 'i8' or value.kind != 'fp')
                return Expr(f'{value.at(ATOM)}.to({name}.dtype.element_ty)', TABLES[name], value.shape)
            return Expr(f'{value.at(ATOM)}.to({other.text}.dtype)', other.kind, value.shape)
        if choice < 0.73:
            return where(self.truth(None), self.expr(less), self.expr(less))
        if choice < 0.78:
            return extreme(draw.choice(('min', 'max', 'tl.minimum', 'tl.maximum')), self.expr(less), self.expr(less))
        if choice < 0.81:
            return cdiv(self.expr(less), self.expr(less))
        if choice < 0.845:
            block = self.truth('B') if draw.random() < 0.2 else self.expr(less, draw.choice(('B', 'B', 'BB')))
            return reduced(draw.choice(('sum', 'sum', 'max', 'min', 'cumsum', 'argmax', 'argmin')), block)
        if choice < 0.885:
            return expanded(self.expr(less, 'B'), draw.random() < 0.5)
        if choice < 0.9:
            return negated(self.expr(less), draw.choice('-~'))
        if choice < 0.92:
            return self.ternary(less)
        if choice < 0.94 and self.helpers:
            values = self.called(draw.choice(self.helpers))
            need(len(values) == 1)
            return values[0]
        return special(draw, self.expr(less, draw.choice(('B', 'B', '', None))), self.expr(less))

    def ternary(self, depth: int) -> Expr:
        left, right = self.expr(depth), self.expr(depth)
        if self.random.random() < 0.5:
            text, chosen = self.random.choice(((self.yes, left), (self.no, right), ('NONE is None', left), ('C == BT', right)))
            need('const' not in (left.kind, right.kind))
            return Expr(f'{left.at(1)} if {text} else {right.at(1)}', chosen.kind, chosen.shape, level=0)
        need(settled(left) == settled(right) and left.shape == right.shape)
        return Expr(f'{left.at(1)} if {self.truth().text} else {right.at(1)}', settled(left), left.shape, level=0)

    def truth(self, shape: str | None = '') -> Expr:
        """A comparison whose outcome is not known when the kernel is compiled."""
        for _ in range(12):
            with suppress(Invalid):
                found = compare(self.expr(1, shape), self.random.choice(('<', '>=', '==')), self.expr(1, shape))
                need(found.kind == 'i1')
                return found if self.random.random() < 0.75 else self.joined(found, shape)
        raise Invalid

    def joined(self, truth: Expr, shape: str | None) -> Expr:
        """A truth with another one, or turned round."""
        if self.random.random() < 0.3:
            need(not truth.shape)
            return Expr(f'not {truth.text}', 'i1', level=LOOSE)
        if self.random.random() < 0.3:
            need(not truth.shape)
            text = self.random.choice((f'{self.yes} and {{}}', f'{{}} and {self.yes}', f'{{}} or {self.no}', 'C == 7 or {}'))
            return Expr(text.format(truth.at(1)), 'i1', level=LOOSE)
        other = self.truth(shape)
        if truth.shape or other.shape or self.random.random() < 0.5:
            return binary(truth, self.random.choice('&|'), other)
        return Expr(f'{truth.at(1)} {self.random.choice(("and", "or"))} {other.at(1)}', 'i1', level=LOOSE)

    def scalar_integer(self, depth: int = 1) -> Expr:
        for _ in range(12):
            with suppress(Invalid):
                value = self.expr(depth, '')
                need(value.kind in ('i32', 'i64', 'const') and (value.kind != 'const' or abs(value.value) < 2**31))
                return value
        raise Invalid

    def called(self, helper: Helper) -> tuple[Expr, ...]:
        for _ in range(8):
            with suppress(Invalid):
                count = len(helper.parameters) - (helper.default is not None and self.random.random() < 0.5)
                return helper.call(tuple(self.expr(1) for _ in range(count)), self.random.random() < 0.3)
        raise Invalid

    def address(self, name: str) -> tuple[str, str]:
        """A pointer with offsets, and its shape."""
        shape = self.pointers[name][1]
        text = name
        for _ in range(self.random.choice((1, 1, 2))):
            offset = self.offset()
            shape = shapes(Expr('', 'i32', shape), offset)
            if self.random.random() < 0.1:
                text = f'{offset.at(6)} + ({text})'
            else:
                text = f'{text} {self.random.choice("+++-")} {offset.at(7)}'
        return text, shape

    def offset(self) -> Expr:
        for _ in range(8):
            with suppress(Invalid):
                offset = self.expr(3)
                need(offset.kind not in ('fp', 'i1'))
                return offset
        raise Invalid


def special(random: Random, value: Expr, other: Expr) -> Expr:
    """A function that occurs now and then."""
    need(value.is_integer)
    text, kind, shape = value.text, value.kind, value.shape
    choice = random.randrange(16)
    if choice == 0:
        need(kind in ('i32', 'i64'))
        return Expr(f'tl.abs({text})', kind, shape)
    if choice == 1:
        need(shape == 'B')
        return Expr(f'tl.{random.choice(("multiple_of", "max_contiguous"))}({text}, 8)', kind, shape)
    if choice == 2:
        need(not shape)
        return Expr(f'tl.broadcast_to({text}, (BT,))', kind, 'B')
    if choice == 3:
        kind = random.choice(('i32', 'i64'))
        return Expr(f'tl.full([BT], {random.choice((0, 3))}, {DTYPES[kind]})', kind, 'B')
    if choice == 4:
        need(shape)
        return Expr(f'tl.zeros_like({text})', kind, shape)
    if choice == 5:
        need(shape == 'BB')
        return Expr(random.choice((f'tl.trans({text})', f'{value.at(ATOM)}.T')), kind, shape)
    if choice == 6:
        need(shape == 'B')
        return Expr(random.choice((f'tl.flip({text})', f'tl.sort({text})')), kind, shape)
    if choice == 7:
        need(shape == 'B')
        return Expr(random.choice((f'tl.reshape({text}, (BT, 1))', f'tl.expand_dims({text}, 1)')), kind, 'B1')
    if choice == 8:
        need(shape == 'B' and kind in ('i32', 'i64'))
        return Expr(f'{value.at(ATOM)}.{random.choice(("sum", "max", "min"))}(0)', kind)
    if choice == 9:
        need(shape == 'B' and kind in ('i32', 'i64'))
        return Expr(f'tl.max({text}, 0, return_indices=True)[{(index := random.randrange(2))}]', (kind, 'i32')[index])
    if choice == 10:
        need(shape == 'B' and kind == 'i32')
        return Expr(f'tl.histogram({text}, BT)', 'i32', 'B')
    if choice == 11:
        need(kind == other.kind == 'i32' and not shape and not other.shape)
        return Expr(f'tl.swizzle2d({text}, {other.text}, 8, 8, 4)[{random.randrange(2)}]', 'i32')
    if choice == 12:
        need(kind == other.kind == 'i32')
        return Expr(f'tl.umulhi({text}, {other.text})', 'i32', shapes(value, other))
    if choice == 13:
        need(shape == other.shape == 'B' and other.kind == 'i32')
        return Expr(f'tl.gather({text}, {other.text}, 0)', kind, 'B')
    if choice == 14:
        need(other.is_integer and shapes(value, other) != '')
        return Expr(f'tl.broadcast({text}, {other.text})[0]', kind, shapes(value, other))
    need(kind in ('i32', 'i64'))
    return Expr(f'tl.randint(3, {text})', 'u32', shape)
