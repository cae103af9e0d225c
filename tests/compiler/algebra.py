# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Expressions of Triton's language with enough of their types to know what the compiler will take."""

import operator
from dataclasses import dataclass
from typing import Any

WIDTHS = {'i1': 1, 'i8': 8, 'u8': 8, 'i16': 16, 'i32': 32, 'u32': 32, 'i64': 64}
DTYPES = {'i8': 'tl.int8', 'i16': 'tl.int16', 'i32': 'tl.int32', 'u32': 'tl.uint32', 'i64': 'tl.int64', 'fp': 'tl.float32'}
ATOM, UNARY, LOOSE = 10, 8, 0
_LEVELS = {'*': 7, '//': 7, '%': 7, '/': 7, '+': 6, '-': 6, '<<': 5, '>>': 5, '&': 4, '^': 3, '|': 2, 'compare': 1}
_PYTHON = {
    '*': operator.mul, '//': operator.floordiv, '%': operator.mod, '+': operator.add, '-': operator.sub, '&': operator.and_,
    '|': operator.or_, '^': operator.xor, '<<': operator.lshift, '>>': operator.rshift,
}


class Invalid(Exception):
    """The compiler would refuse it."""


@dataclass(frozen=True)
class Expr:
    """An expression.

    Args:
        text (str):
            How it is written.
        kind (str):
            Its type, such as `i32`; `const` for what is computed when the kernel is compiled.
        shape (str, Optional):
            `B` for a block, `B1`, `1B` and `BB` for those of two dimensions. Default: a scalar.
        value (Any, Optional):
            The value of a constant. Default: `None`.
        level (int, Optional):
            How tightly its operator binds. Default: `10`.
    """

    text: str
    kind: str
    shape: str = ''
    value: Any = None
    level: int = ATOM

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer known when the kernel runs, a truth left out."""
        return self.kind in WIDTHS and self.kind != 'i1'

    def at(self, level: int) -> str:
        """Its text as an operand of an operator that binds as tightly as this."""
        return self.text if self.level >= level else f'({self.text})'


def need(condition: bool) -> None:
    """Give up unless something holds."""
    if not condition:
        raise Invalid


def constant(value: int) -> Expr:
    """A literal."""
    return Expr(str(value), 'const', value=value, level=UNARY if value < 0 else ATOM)


def bound(expr: Expr, name: str) -> Expr:
    """A name to which an expression has been assigned: a constant becomes a value of the kernel."""
    return Expr(name, settled(expr), expr.shape)


def settled(expr: Expr) -> str:
    """The type of an expression where a constant cannot stay one."""
    if expr.kind != 'const':
        return expr.kind
    if isinstance(expr.value, bool):
        return 'i1'
    if -2**31 <= expr.value < 2**31:
        return 'i32'
    need(-2**63 <= expr.value < 2**63)
    return 'u32' if 0 <= expr.value < 2**32 else 'i64'


def shapes(*exprs: Expr) -> str:
    """The shape of expressions that are broadcast to each other."""
    found = {expr.shape for expr in exprs} - {''}
    if len(found) < 2:
        return found.pop() if found else ''
    flat = {'1B' if shape == 'B' else shape for shape in found}
    return flat.pop() if len(flat) == 1 else 'BB'


def fits(value: int, kind: str) -> bool:
    """Whether a constant can take the type of the other operand."""
    if kind == 'i1':
        return -2**31 <= value < 2**31
    low = 0 if kind.startswith('u') else -2**(WIDTHS[kind] - 1)
    return low <= value < low + 2**WIDTHS[kind]


def promoted(left: Expr, right: Expr) -> str:
    """The type in which two expressions meet."""
    if left.kind == right.kind == 'const':
        return 'const'
    if 'fp' in (left.kind, right.kind):
        return 'fp'
    if right.kind == 'const':
        left, right = right, left
    if left.kind == 'const':
        need(not isinstance(left.value, bool) and fits(left.value, right.kind))
        return settled(left) if right.kind == 'i1' else right.kind
    wide, narrow = (left, right) if WIDTHS[left.kind] >= WIDTHS[right.kind] else (right, left)
    if WIDTHS[wide.kind] == WIDTHS[narrow.kind] and narrow.kind.startswith('u'):
        return narrow.kind
    return wide.kind


def binary(left: Expr, symbol: str, right: Expr) -> Expr:
    """`left symbol right`."""
    level = _LEVELS[symbol]
    text = f'{left.at(level)} {symbol} {right.at(level + 1)}'
    kind, shape = promoted(left, right), shapes(left, right)
    if kind == 'const':
        need(symbol != '/' and not (symbol in ('//', '%') and right.value == 0))
        need(symbol not in ('<<', '>>') or 0 <= right.value < 16)
        value = _PYTHON[symbol](left.value, right.value)
        need(-2**40 < value < 2**40)
        return Expr(text, 'const', value=value, level=level)
    if symbol == '/':
        kinds = {left.kind, right.kind}
        need('i1' not in kinds and (kinds & {'fp', 'const'} or left.kind[0] == right.kind[0]))
        return Expr(text, 'fp', shape, level=level)
    if kind == 'fp':
        need(symbol in ('+', '-', '*') and 'i1' not in (left.kind, right.kind))
    if 'i1' in (left.kind, right.kind):
        need((symbol in ('+', '*') and kind != 'i1') or (symbol in ('&', '|', '^') and left.kind == right.kind))
    if symbol in ('//', '%', '<<', '>>'):
        need('const' in (left.kind, right.kind) or left.kind[0] == right.kind[0])
        need(right.kind != 'const' or (0 <= right.value < 8 if symbol in ('<<', '>>') else right.value > 0))
    return Expr(text, kind, shape, level=level)


def compare(left: Expr, symbol: str, right: Expr) -> Expr:
    """`left symbol right`, a truth."""
    level = _LEVELS['compare']
    kind = promoted(left, right)
    text = f'{left.at(level + 1)} {symbol} {right.at(level + 1)}'
    if kind == 'const':
        value = {'<': left.value < right.value, '>=': left.value >= right.value, '==': left.value == right.value}[symbol]
        return Expr(text, 'const', value=value, level=level)
    need('i1' not in (left.kind, right.kind))
    return Expr(text, 'i1', shapes(left, right), level=level)


def negated(expr: Expr, symbol: str) -> Expr:
    """`-expr` or `~expr`."""
    need(expr.kind in ('i32', 'i64', 'const') and not isinstance(expr.value, bool))
    value = expr.value if expr.kind != 'const' else -expr.value if symbol == '-' else ~expr.value
    return Expr(f'{symbol}{expr.at(UNARY)}', expr.kind, expr.shape, value, UNARY)


def cast(expr: Expr, kind: str, is_method: bool) -> Expr:
    """`expr.to(dtype)`, or `tl.cast(expr, dtype)`; a constant has no methods."""
    need(expr.kind != 'fp' or kind not in ('i8', 'fp'))
    if expr.kind == 'const':
        is_method = False
        need(kind == 'fp' or (not isinstance(expr.value, bool) and fits(expr.value, kind)))
    text = f'{expr.at(ATOM)}.to({DTYPES[kind]})' if is_method else f'tl.cast({expr.text}, {DTYPES[kind]})'
    return Expr(text, kind, expr.shape)


def extreme(name: str, left: Expr, right: Expr) -> Expr:
    """`min(left, right)` and its like; only the built-in names take two constants."""
    kind = promoted(left, right)
    need(left.kind != 'i1' and right.kind != 'i1')
    value = None
    if kind == 'const':
        need(name in ('min', 'max'))
        value = min(left.value, right.value) if name == 'min' else max(left.value, right.value)
    return Expr(f'{name}({left.text}, {right.text})', kind, shapes(left, right), value)


def where(condition: Expr, left: Expr, right: Expr) -> Expr:
    """`tl.where(condition, left, right)`."""
    need(condition.kind == 'i1' and 'i1' not in (left.kind, right.kind))
    kind = promoted(left, right)
    if kind == 'const':
        need(fits(left.value, 'i32') and fits(right.value, 'i32'))
        kind = 'i32'
    return Expr(f'tl.where({condition.text}, {left.text}, {right.text})', kind, shapes(condition, left, right))


def cdiv(left: Expr, right: Expr) -> Expr:
    """`tl.cdiv(left, right)`, which is `(left + (right - 1)) // right`."""
    whole = binary(binary(left, '+', binary(right, '-', constant(1))), '//', right)
    need(whole.kind != 'fp' and 'i1' not in (left.kind, right.kind))
    return Expr(f'tl.cdiv({left.text}, {right.text})', whole.kind, whole.shape, whole.value)


def reduced(name: str, block: Expr) -> Expr:
    """`tl.sum(block, axis)` and its like."""
    need(block.shape in ('B', 'BB') and block.kind in WIDTHS)
    axis, shape = (0, '') if block.shape == 'B' else (1, 'B')
    kind = 'i32' if name.startswith('arg') else block.kind
    if name in ('sum', 'cumsum') and WIDTHS[kind] < 32:
        kind = 'u32' if kind in ('i1', 'u8') else 'i32'
    need(name in ('sum', 'cumsum') or block.kind in ('i32', 'i64'))
    return Expr(f'tl.{name}({block.text}, {axis})', kind, block.shape if name == 'cumsum' else shape)


def expanded(block: Expr, first: bool) -> Expr:
    """`block[:, None]` or `block[None, :]`."""
    need(block.shape == 'B')
    return Expr(f'{block.at(ATOM)}[{"None, :" if first else ":, None"}]', block.kind, '1B' if first else 'B1')
