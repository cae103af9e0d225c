# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Comparisons in which `&` or `|` bind tighter than they were meant to."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import each_value, reachable
from flakelint.rules.tri.mask_expressions import BITS, Mixture, Source, mixture
from flakelint.rules.tri.mask_operands import constants, is_constant, is_number

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.graph import Value
    from flakelint.kernel.kernels import Kernel

_DIRECTIONS = {ast.Lt: '<', ast.LtE: '<', ast.Gt: '>', ast.GtE: '>', ast.Eq: '=', ast.NotEq: '='}
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# chains of more comparisons than a bit test needs are two conditions
_LONG = 3
_FLAG = re.compile('(is|has|use)_', re.IGNORECASE)


def mixtures(kernel: 'Kernel', file: 'File', source: Source) -> Iterator[Mixture]:
    """The comparisons of a kernel that mean something else than what they look like."""
    if '&' not in kernel.unit.text and '|' not in kernel.unit.text:
        return
    fixed: frozenset[str] | None = None
    for node in kernel.body:
        if not isinstance(node, ast.Compare) or not _has_bits(node):
            continue
        mixed = mixture(node, source)
        if mixed is None or any(type(op) not in _DIRECTIONS for op in node.ops):
            continue
        fixed = constants(kernel) if fixed is None else fixed
        is_single = len(mixed.comparisons) == 1
        if _is_misread_operand(mixed, fixed, kernel, file) if is_single else _is_misread_chain(mixed, fixed):
            yield mixed


def _has_bits(node: ast.Compare) -> bool:
    return any(isinstance(one, ast.BinOp) and type(one.op) in BITS for one in (node.left, *node.comparators))


def _is_misread_chain(mixed: Mixture, fixed: frozenset[str]) -> bool:
    """Whether several comparisons became a chain."""
    segments = mixed.segments
    between = [
        (joint, left.operands[-1], right.operands[0])
        for joint, left, right in zip(mixed.joints, segments, segments[1:], strict=False) if left.ops and right.ops
    ]
    # `0 <= o & o < n` is `0 <= (o & o) < n`, which is the same
    if len(mixed.comparisons) < 2 or (len(between) == len(mixed.joints) and all(map(_is_harmless, between))):
        return False
    directions = {_DIRECTIONS[type(op)] for op in mixed.node.ops}
    if len(directions) > 1 or len(mixed.node.ops) >= _LONG:
        return True
    return any(not is_constant(right, fixed) or _keeps_nothing(right) for _, _, right in between)


def _is_harmless(between: tuple[str, ast.expr, ast.expr]) -> bool:
    joint, left, right = between
    return joint == '&' and _text(left) == _text(right)


def _keeps_nothing(node: ast.expr) -> bool:
    """Whether it is a number that no one takes the bits of."""
    return isinstance(node, ast.UnaryOp) or (isinstance(node, ast.Constant) and not node.value)


def _is_misread_operand(mixed: Mixture, fixed: frozenset[str], kernel: 'Kernel', file: 'File') -> bool:
    """Whether a condition became an operand of the bits that are compared: `mask & o < n`, `x == 0 | (x != x)`."""
    borders = list(_borders(mixed))
    conditions = [segment.operands[0] for segment in mixed.segments if not segment.ops]
    if any(map(_is_bit_test, borders)):
        return False
    if is_constant(mixed.node, fixed):
        # numbers that are made of bits look the same, unless they go by the name of a flag
        return any(isinstance(one, ast.Name) and _FLAG.match(one.id) for one in conditions) and _make_no_flag(borders)
    are_orders = all(isinstance(op, _ORDERS) for op in mixed.comparisons[0].ops)
    found: dict[int, list[Value]] = {}
    if not any(map(_looks_boolean, conditions)):
        found = _values(mixed.node, kernel, file)
        if not any(one.type == types.BOOL for other in conditions for one in found.get(id(other), ())):
            are_flags = any(isinstance(one, ast.Name) and one.id in fixed & _truths(kernel) for one in conditions)
            return are_flags and _make_no_flag(borders)
    if are_orders or all(_is_numeral(one.near) or _is_large(one.far) for one in borders):
        return True
    found = found or _values(mixed.node, kernel, file)
    return all(found.get(id(one.near)) and all(map(is_number, found[id(one.near)])) for one in borders)


class _Border(NamedTuple):
    """Where a comparison touches a condition.

    Args:
        near (ast.expr):
            The operand of the comparison that `&` or `|` takes.
        far (ast.expr):
            What it was meant to be compared with.
        joint (str):
            The operator.
        is_behind (bool):
            Whether the comparison stands behind the condition.
    """

    near: ast.expr
    far: ast.expr
    joint: str
    is_behind: bool


def _borders(mixed: Mixture) -> Iterator[_Border]:
    compared = mixed.comparisons[0]
    position = mixed.segments.index(compared)
    if position > 0:
        yield _Border(*compared.operands[:2], mixed.joints[position - 1], True)
    if position < len(mixed.segments) - 1:
        yield _Border(*compared.operands[:-3:-1], mixed.joints[position], False)


def _is_bit_test(border: _Border) -> bool:
    """Whether it takes bits on purpose: `mask & 1 == 1`, `flags & bit == bit`."""
    return (border.is_behind and border.joint == '&' and _number(border.near) == 1) or _text(border.near) == _text(border.far)


def _make_no_flag(borders: list[_Border]) -> bool:
    """Whether comparisons with the bits of a flag make no sense: they are 0 or 1."""
    return all(_number(one.far) not in (0, 1) and not _is_numeral(one.near) for one in borders)


def _is_numeral(node: ast.expr) -> bool:
    return _number(node) is not None and not isinstance(_number(node), bool)


def _is_large(node: ast.expr) -> bool:
    return _is_numeral(node) and _number(node) not in (0, 1)


def _number(node: ast.expr) -> int | float | None:
    """The number that an expression spells."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _number(node.operand)
        return None if number is None else -number
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None


def _text(node: ast.expr) -> str:
    return ast.unparse(node)


def _truths(kernel: 'Kernel') -> frozenset[str]:
    """The names that a kernel takes as true or false."""
    found: list[ast.expr] = []
    for node in kernel.body:
        if isinstance(node, ast.BoolOp):
            found += node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found.append(node.operand)
        elif isinstance(node, ast.If | ast.IfExp):
            found.append(node.test)
    return frozenset(node.id for node in found if isinstance(node, ast.Name))


def _looks_boolean(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not) or (isinstance(node.op, ast.Invert) and _looks_boolean(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in BITS:
        return _looks_boolean(node.left) and _looks_boolean(node.right)
    return isinstance(node, ast.Compare)


def _values(node: ast.Compare, kernel: 'Kernel', file: 'File') -> 'dict[int, list[Value]]':
    """What the operands of the `&` and `|` in a comparison are, by the expression."""
    found: dict[int, list[Value]] = {}
    compared = [one for one in file.model(kernel).comparisons if one.node is node]
    operands = [operand for one in compared for operand in one.operands]
    for value in reachable(operands, lambda one: one.operands if one.op in ('and', 'or') else ()):
        if isinstance(value.node, ast.BinOp) and value.op in ('and', 'or'):
            for side, operand in zip((value.node.left, value.node.right), value.operands, strict=True):
                found.setdefault(id(side), []).extend(each_value([operand]))
    return found
