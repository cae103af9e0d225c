# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How the operators in a mask bind, and how the expression is written so that they bind as they were meant to."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

BITS = {ast.BitAnd: '&', ast.BitOr: '|'}
COMPARISONS = {
    ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Is: 'is', ast.IsNot: 'is not',
    ast.In: 'in', ast.NotIn: 'not in',
}
_WORDS = {ast.And: 'and', ast.Or: 'or'}
_SYMBOLS = {ast.And: '&', ast.Or: '|'}
# these bind looser than `&` does
_LOOSER = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)


class Source:
    """The text of a file, by the nodes of its tree.

    Args:
        file (SourceFile):
            The file.
    """

    def __init__(self, file: 'SourceFile') -> None:
        self._file = file

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node starts and ends, parentheses around it aside."""
        place = self._file.range(node)
        return self._file.lines.offset(place.start), self._file.lines.offset(place.end)

    def text(self, start: int, end: int) -> str:
        """A stretch of the text."""
        return self._file.text[start:end]

    def between(self, left: ast.AST, right: ast.AST) -> str:
        """What stands between two operands: the operator, and the parentheses that end there or start."""
        return self.text(self.span(left)[1], self.span(right)[0])

    def are_apart(self, left: ast.AST, right: ast.AST) -> bool:
        """Whether a parenthesis opens between two operands, so that the right one is read by itself."""
        return '(' in _without_comments(self.between(left, right))


@dataclass
class Segment:
    """A part of a comparison between two `&` or `|` that are not in parentheses: a comparison itself, or a single operand.

    Args:
        operands (list[ast.expr]):
            Its operands.
        ops (list[ast.cmpop], Optional):
            The comparisons between them. Default: none.
    """

    operands: list[ast.expr]
    ops: list[ast.cmpop] = field(default_factory=list)

    def __str__(self) -> str:
        text = ast.unparse(self.operands[0])
        for op, operand in zip(self.ops, self.operands[1:], strict=True):
            text += f' {COMPARISONS[type(op)]} {ast.unparse(operand)}'
        return f'({text})' if self.ops or isinstance(self.operands[0], _LOOSER) or _is_bitwise(self.operands[0]) else text


@dataclass
class Mixture:
    """A comparison in which `&` or `|` bind tighter than the comparisons beside them.

    Args:
        node (ast.Compare):
            The comparison.
        segments (list[Segment]):
            What stands between those operators.
        joints (list[str]):
            The operators.
    """

    node: ast.Compare
    segments: list[Segment]
    joints: list[str]

    @property
    def comparisons(self) -> list[Segment]:
        """The segments that compare something."""
        return [segment for segment in self.segments if segment.ops]

    def meant(self) -> str:
        """The expression, with the comparisons in parentheses."""
        text = str(self.segments[0])
        for joint, segment in zip(self.joints, self.segments[1:], strict=True):
            text += f' {joint} {segment}'
        return text

    def compiled(self) -> str:
        """The expression, with parentheses as Triton reads it."""
        operands = [self.node.left, *self.node.comparators]
        words = [f'({ast.unparse(one)})' if _is_bitwise(one) else ast.unparse(one) for one in operands]
        pairs = zip(words, self.node.ops, words[1:], strict=False)
        return ' and '.join(f'{left} {COMPARISONS[type(op)]} {right}' for left, op, right in pairs)


def mixture(node: ast.Compare, source: Source) -> Mixture | None:
    """How a comparison is made up, if a `&` or `|` in it is not in parentheses."""
    segments, joints = [Segment([])], []
    before: ast.expr | None = None
    for position, operand in enumerate((node.left, *node.comparators)):
        start = source.span(operand)[0]
        is_open = start == source.span(node)[0] if before is None else not source.are_apart(before, operand)
        if position:
            segments[-1].ops.append(node.ops[position - 1])
        for joint, atom in _atoms(operand, source) if is_open else [('', operand)]:
            if joint:
                joints.append(joint)
                segments.append(Segment([]))
            segments[-1].operands.append(atom)
        before = operand
    return Mixture(node, segments, joints) if joints else None


def parenthesised(mixed: Mixture, source: Source) -> str | None:
    """The text of a comparison with the comparisons between its `&` and `|` in parentheses; `None` where a comment is in the way."""
    start, end = source.span(mixed.node)
    starts, ends = [start], []
    for left, right in zip(mixed.segments, mixed.segments[1:], strict=False):
        first = source.span(left.operands[-1])[1]
        gap = source.between(left.operands[-1], right.operands[0])
        at = re.search(r'[&|]', gap)
        if '#' in gap or at is None:
            return None
        before, after = gap[:at.start()], gap[at.end():]
        ends.append(first + len(before.rstrip(' \t\r\n\\')))
        starts.append(first + at.end() + len(after) - len(after.lstrip(' \t\r\n\\')))
    ends.append(end)
    text, last = '', start
    for segment, one, other in zip(mixed.segments, starts, ends, strict=True):
        words = source.text(one, other)
        text += source.text(last, one) + (f'({words})' if segment.ops else words)
        last = other
    return text


def bitwise(node: ast.expr, source: Source) -> str | None:
    """The text of a condition with `&`, `|` and `~` in place of `and`, `or` and `not`; `None` where a comment is in the way."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start = source.span(node)[0]
        gap = source.text(start + len('not'), source.span(node.operand)[0])
        end = source.text(source.span(node.operand)[1], source.span(node)[1])
        operand = _operand(node.operand, '(' in gap, source, '~')
        return None if '#' in gap + end or operand is None else f'~{gap.lstrip()}{operand}{end}'
    if not isinstance(node, ast.BoolOp):
        return source.text(*source.span(node))
    word, symbol = _WORDS[type(node.op)], _SYMBOLS[type(node.op)]
    start, end = source.span(node)
    gap = source.text(start, source.span(node.values[0])[0])
    text, last = gap, None
    for value in node.values:
        if last is not None:
            gap = source.between(last, value)
            text += re.sub(rf'\b{word}\b', symbol, gap, count=1)
        operand = _operand(value, '(' in gap, source, symbol)
        if '#' in gap or operand is None:
            return None
        text, last = text + operand, value
    return text + source.text(source.span(node.values[-1])[1], end)


def _operand(node: ast.expr, is_closed: bool, source: Source, symbol: str) -> str | None:
    """The text of an operand of `&`, `|` or `~`, in parentheses where it needs them and has none."""
    text = bitwise(node, source)
    if text is None or is_closed:
        return text
    return f'({text})' if _binds_looser(node, symbol) else text


def _binds_looser(node: ast.expr, symbol: str) -> bool:
    if not isinstance(node, ast.BinOp):
        return isinstance(node, _LOOSER)
    return symbol == '~' or (symbol == '&' and isinstance(node.op, ast.BitOr | ast.BitXor))


def _atoms(node: ast.expr, source: Source) -> Iterator[tuple[str, ast.expr]]:
    """The operands of the `&` and `|` of an expression that are not in parentheses, each with the operator before it."""
    if not _is_bitwise(node):
        yield '', node
        return
    is_open = source.span(node.left)[0] == source.span(node)[0]
    yield from _atoms(node.left, source) if is_open else [('', node.left)]
    rest = [('', node.right)] if source.are_apart(node.left, node.right) else list(_atoms(node.right, source))
    yield BITS[type(node.op)], rest[0][1]
    yield from rest[1:]


def _is_bitwise(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and type(node.op) in BITS


def _without_comments(text: str) -> str:
    return re.sub(r'#[^\n]*', '', text)
