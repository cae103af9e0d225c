# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Kernels made at random that the compiler takes: `python -m tests.compiler.generate SEED` prints one."""

import sys
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.compiler import helpers
from tests.compiler.algebra import DTYPES, Expr, Invalid, binary, bound, cast, compare, constant, need, settled, shapes
from tests.compiler.expressions import TABLES, Expressions

NAME = 'random_fwd_kernel'
CONSTANTS = {'C': 4, 'BT': 16, 'BIG': 65536, 'NONE': None}
_HEAD = 'import triton\nimport triton.language as tl\n\nGLOBAL = tl.constexpr(12)\n\n\n'
_PARAMETERS = (
    'x, y, p8, p32, p64, pu, T, N, L, U, S, E, F, W: tl.int64,\n'
    '    C: tl.constexpr, BT: tl.constexpr, BIG: tl.constexpr, FLAG: tl.constexpr, OTHER: tl.constexpr, NONE: tl.constexpr,\n'
)


@dataclass(frozen=True)
class Generated:
    """A module with one kernel, and the signature to compile it with."""

    text: str
    types: dict[str, str]
    constants: dict[str, Any]


def generate(seed: int) -> Generated:
    """The kernel of a seed."""
    return _Writer(Random(seed)).kernel()


class _Writer(Expressions):
    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        # the names that must keep their types here, and those that must not change at all
        self.kept: frozenset[str] = frozenset()
        self.fixed: frozenset[str] = frozenset()
        self.regions = 0

    def kernel(self) -> Generated:
        """All of it."""
        draw = self.random
        types = {
            'x': '*fp32', 'y': '*bf16', 'p8': '*i8', 'p32': '*i32', 'p64': '*i64', 'pu': '*u32',
            'T': draw.choice(('i32', 'i32', 'i32', 'i64')), 'N': 'i32', 'L': 'i64', 'U': 'u32', 'S': 'i8', 'E': 'u1',
            'F': 'fp32', 'W': 'i64',
        }
        constants = {**CONSTANTS, self.yes: True, self.no: False}
        if draw.random() < 0.2:
            del types['N']
            constants['N'] = 1
        for name, kind in types.items():
            if not kind.startswith('*'):
                self.names[name] = Expr(name, {'fp32': 'fp', 'u1': 'i1'}.get(kind, kind))
        for name, value in constants.items():
            if isinstance(value, int) and not isinstance(value, bool):
                self.names[name] = Expr(name, 'const', value=value)
        self.names['GLOBAL'] = Expr('GLOBAL', 'const', value=12)
        self.pointers = {'x': ('fp', ''), 'y': ('fp', ''), **{name: (kind, '') for name, kind in TABLES.items()}}
        for number in range(draw.randrange(4)):
            self.helpers.append(helpers.make(draw, number, list(self.helpers)))
        self.assign('i', Expr('tl.program_id(0)', 'i32'))
        self.assign('o', Expr('tl.arange(0, BT)', 'i32', 'B'))
        for _ in range(draw.randint(4, 10)):
            self.statement()
        for _ in range(draw.randint(1, 3)):
            with suppress(Invalid):
                self.access()
        definitions = ''.join(f'{helper.text}\n\n' for helper in self.helpers)
        body = ''.join(f'{line}\n' for line in self.lines)
        return Generated(f'{_HEAD}{definitions}@triton.jit\ndef {NAME}(\n    {_PARAMETERS}):\n{body}', types, constants)

    def write(self, line: str) -> None:
        self.lines.append('    ' * self.depth + line)

    def new_name(self, prefix: str) -> str:
        self.count += 1
        return f'{prefix}{self.count}'

    def assign(self, name: str, expr: Expr) -> None:
        self.names[name] = bound(expr, name)
        self.write(f'{name} = {expr.text}')

    def statement(self) -> None:
        """A statement that is valid here; what was begun of one that is not is taken back."""
        rare = [self.tuples, self.access, self.constants, self.addressed, self.claim]
        simple = [self.assignment] * 6 + [self.augmented] * 3 + [self.pointer] * 2 + rare
        nested = [self.loop, self.loop, self.unrolled, self.while_loop, self.branch, self.branch, self.static_branch]
        for _ in range(20):
            chosen = self.random.choice(simple + nested * (self.depth < 3))
            before = self.names, self.pointers, len(self.lines), self.depth, self.kept, self.fixed, self.regions
            self.names, self.pointers = dict(self.names), dict(self.pointers)
            try:
                chosen()
                return
            except Invalid:
                self.names, self.pointers, length, self.depth, self.kept, self.fixed, self.regions = before
                del self.lines[length:]
        self.write('pass')

    def block(self, count: int) -> None:
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1

    def region(self, count: int, fixed: tuple[str, ...] = ()) -> None:
        """Statements after which only what was there before is left, with its types."""
        before = dict(self.names), dict(self.pointers), self.kept, self.fixed
        self.kept = frozenset(self.names) | frozenset(self.pointers)
        self.fixed |= set(fixed)
        self.regions += 1
        self.block(count)
        self.regions -= 1
        self.names, self.pointers, self.kept, self.fixed = before

    def target(self) -> str:
        """A name to assign to."""
        known = [name for name in self.names if name not in self.fixed and self.is_free(name)]
        return self.random.choice(known) if known and self.random.random() < 0.35 else self.new_name('v')

    def is_free(self, name: str) -> bool:
        return name not in CONSTANTS and name != 'GLOBAL' and not (name in self.kept and self.names[name].kind == 'const')

    def fitted(self, name: str, expr: Expr) -> Expr:
        """An expression that can be assigned to a name here."""
        if name not in self.kept:
            return expr
        wanted = self.names[name]
        if shapes(wanted, expr) == wanted.shape != expr.shape:
            expr = binary(wanted, '+', expr)
        need(expr.shape == wanted.shape)
        if settled(expr) == wanted.kind:
            return expr
        need(wanted.kind in DTYPES and expr.kind != 'i1')
        return cast(expr, wanted.kind, self.random.random() < 0.7)

    def assignment(self) -> None:
        name = self.target()
        expr = self.expr(3) if self.random.random() < 0.93 else self.some_constant()
        self.assign(name, self.fitted(name, expr))

    def constants(self) -> None:
        name = self.new_name('k')
        value = binary(self.some_constant(), self.random.choice('*+-'), self.some_constant())
        self.write(f'{name}: tl.constexpr = {value.text}')
        self.names[name] = Expr(name, 'const', value=value.value)
        need(not self.regions)

    def augmented(self) -> None:
        known = [name for name, value in self.names.items() if value.is_integer and name not in self.fixed]
        name = self.random.choice([one for one in known if self.is_free(one)])
        symbol = self.random.choice(('+', '+', '-', '*', '//', '%', '&'))
        other = self.expr(2)
        result = binary(self.names[name], symbol, other)
        if name in self.kept:
            need(result.shape == self.names[name].shape)
            if result.kind != self.names[name].kind:
                other = cast(other, self.names[name].kind, self.random.random() < 0.7)
                result = binary(self.names[name], symbol, other)
                need(result.kind == self.names[name].kind)
        self.write(f'{name} {symbol}= {other.text}')
        self.names[name] = bound(result, name)

    def tuples(self) -> None:
        helper = self.random.choice([None, *self.helpers])
        values = self.called(helper) if helper else (self.expr(2), self.expr(2))
        if len(values) == 1 or self.random.random() < 0.3:
            name = self.new_name('t')
            text = values[0].text if helper else f'({", ".join(value.text for value in values)})'
            self.write(f'{name} = {text}')
            if len(values) == 1:
                self.names[name] = bound(values[0], name)
                return
            chosen = self.random.randrange(len(values))
            value = values[chosen]
            self.assign(self.new_name('v'), Expr(f'{name}[{chosen}]', settled(value), value.shape))
            return
        names = [self.new_name('v') for _ in values]
        text = values[0].text if helper else ', '.join(value.text for value in values)
        self.write(f'{", ".join(names)} = {text}')
        for name, value in zip(names, values, strict=True):
            self.names[name] = bound(value, name)

    def pointer(self) -> None:
        name = self.random.choice(list(self.pointers))
        element, shape = self.pointers[name]
        text, wide = self.address(name)
        if name in self.kept or self.random.random() < 0.5:
            offset = self.offset()
            need(name not in self.kept or shapes(Expr('', 'i32', shape), offset) == shape)
            self.write(f'{name} {self.random.choice("++-")}= {offset.text}')
            self.pointers[name] = element, shapes(Expr('', 'i32', shape), offset)
            return
        fresh = self.new_name('q')
        self.write(f'{fresh} = {text}')
        self.pointers[fresh] = element, wide

    def access(self) -> None:
        """A store, a load or an atomic."""
        name = self.random.choice([name for name, (_, shape) in self.pointers.items()])
        element, _ = self.pointers[name]
        text, shape = self.address(name)
        choice = self.random.random()
        mask = f', mask={self.truth(shape).text}' if shape and self.random.random() < 0.4 else ''
        if choice < 0.4:
            value = self.expr(1, '')
            self.write(f'tl.store({text}, {value.text if value.kind != "i1" else "1"}{mask})')
        elif choice < 0.6 and element in ('i32', 'i64'):
            called = f'tl.atomic_{self.random.choice(("add", "max"))}({text}, 1{mask})'
            self.assign(self.new_name('a'), Expr(called, element, shape))
        else:
            need(element != 'fp' or self.random.random() < 0.2)
            self.assign(self.new_name('b'), Expr(f'tl.load({text}{mask})', element, shape))

    def addressed(self) -> None:
        """An address that was loaded, or the number of one."""
        if self.random.random() < 0.5:
            need(self.pointers['p64'] == ('i64', ''))
            name, index = self.new_name('q'), self.scalar_integer()
            self.write(f'{name} = tl.load(p64 + {index.at(7)}).to(tl.pointer_type(tl.float32))')
            self.pointers[name] = ('fp', '')
            return
        name = self.random.choice(list(self.pointers))
        self.assign(self.new_name('v'), Expr(f'{name}.to(tl.int64)', 'i64', self.pointers[name][1]))

    def claim(self) -> None:
        """A statement without effect."""
        self.write(self.random.choice((f'tl.assume({self.truth().text})', 'tl.static_assert(BT > 1)', 'tl.debug_barrier()')))

    def loop(self) -> None:
        name = self.new_name('j')
        bounds = [self.scalar_integer() for _ in range(self.random.choice((1, 2, 2, 3)))]
        if len(bounds) == 3 and bounds[2].kind == 'const':
            bounds[2] = constant(self.random.choice((-1, 1, 2)))
        kind = 'i64' if 'i64' in {settled(bound) for bound in bounds} else 'i32'
        how = self.random.choice(('range', 'range', 'tl.range'))
        stages = ', num_stages=2' if how == 'tl.range' and self.random.random() < 0.5 else ''
        self.write(f'for {name} in {how}({", ".join(bound.text for bound in bounds)}{stages}):')
        self.names[name] = Expr(name, kind)
        self.region(self.random.randint(1, 3), (name,))
        del self.names[name]

    def unrolled(self) -> None:
        name = self.new_name('s')
        self.write(f'for {name} in tl.static_range(1, 3):')
        self.names[name] = Expr(name, 'const', value=2)
        self.region(self.random.randint(1, 2), (name,))
        del self.names[name]

    def while_loop(self) -> None:
        name, limit = self.new_name('w'), self.scalar_integer()
        self.assign(name, cast(constant(0), self.random.choice(('i32', 'i64')), False))
        self.write(f'while {compare(self.names[name], "<", limit).text}:')
        self.region(self.random.randint(1, 2), (name,))
        self.depth += 1
        self.write(f'{name} += {self.random.choice((1, 2))}')
        self.depth -= 1

    def branch(self) -> None:
        """A branch that is decided when the kernel runs; what both sides define lives on."""
        condition = self.truth()
        if self.depth == 1 and self.random.random() < 0.15:
            self.write(f'if {condition.text}:')
            self.write('    return')
            return
        common = self.expr(2) if self.random.random() < 0.5 else None
        if common and common.kind not in ('i32', 'i64'):
            common = None
        name = self.new_name('v')
        self.write(f'if {condition.text}:')
        self.region(self.random.randint(1, 2))
        if common:
            self.write(f'    {name} = {common.text}')
        if common or self.random.random() < 0.5:
            self.write('else:')
            self.region(self.random.randint(1, 2))
        if common:
            other = binary(common, '+', constant(1))
            self.write(f'    {name} = {other.text}')
            self.names[name] = bound(common, name)

    def static_branch(self) -> None:
        yes, no = self.yes, self.no
        text, holds = self.random.choice((
            (yes, True), (f'not {yes}', False), (no, False), ('NONE is None', True), ('NONE is not None', False),
            ('C > 3', True), ('FLAG and OTHER', False), ('BT == C', False), ('L.dtype == tl.int64', True),
            (f'tl.program_id(0) > 3 or {yes}', True), (f'{no} and W > 3', False), (f'W > 3 and i > C and {no}', False),
            ('L.dtype.primitive_bitwidth < 64', False), ('C * BT == 64 and NONE is None', True),
        ))
        need('dtype' not in text or self.names['L'].kind == 'i64')
        need('W' not in text or (not self.names['W'].shape and not self.names['i'].shape))
        self.write(f'if {text}:')
        self.static_side(holds)
        if self.random.random() < 0.7:
            self.write('else:')
            self.static_side(not holds)

    def static_side(self, is_taken: bool) -> None:
        before = dict(self.names), dict(self.pointers)
        self.block(self.random.randint(1, 2))
        if not is_taken:
            self.names, self.pointers = before


if __name__ == '__main__':
    print(generate(int(sys.argv[1])).text)
