# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Spell expressions so that equal ones look equal, and compile-time conditions so that they can be compared."""

from collections.abc import Mapping

import libcst as cst

from flakelint.kernel.values import NOTHING, Guard

_SYMBOLS = {
    cst.Add: '+', cst.Subtract: '-', cst.Multiply: '*', cst.FloorDivide: '//', cst.Modulo: '%', cst.Divide: '/',
    cst.LeftShift: '<<', cst.RightShift: '>>', cst.BitAnd: '&', cst.BitOr: '|', cst.BitXor: '^', cst.Power: '**',
}
_COMPARISONS = {
    cst.Equal: '==', cst.NotEqual: '!=', cst.LessThan: '<', cst.LessThanEqual: '<=', cst.GreaterThan: '>',
    cst.GreaterThanEqual: '>=', cst.Is: 'is', cst.IsNot: 'is not',
}
_NEGATED = {'!=': '==', 'is not': 'is', '>=': '<', '>': '<='}

# what is known of conditions before any code is read
KNOWN = {'True': True, 'False': False, 'None': False, 'None is None': True}


def spell(node: cst.BaseExpression, names: Mapping[str, str]) -> str:
    """The text of an expression without white space and needless parentheses; the names in `names` are replaced.

    What is too complicated gets a text that no other expression has.
    """
    kind = type(node)
    if kind is cst.Name:
        return names.get(node.value, node.value)
    if kind is cst.Integer:
        return node.value
    if kind is cst.BinaryOperation:
        symbol = _SYMBOLS.get(type(node.operator), '?')
        left, right = _operand(node.left, names), _operand(node.right, names)
        if symbol == '*':
            left, right = sorted((left, right))
        return f'{left}{symbol}{right}'
    if kind is cst.Attribute:
        return f'{spell(node.value, names)}.{node.attr.value}'
    if kind is cst.Call and not any(argument.star for argument in node.args):
        inside = ','.join(f'{_keyword(argument)}{spell(argument.value, names)}' for argument in node.args)
        return f'{spell(node.func, names)}({inside})'
    if kind is cst.Comparison and len(node.comparisons) == 1:
        text, truth = _comparison(node, names)
        return text if truth else f'not {text}'
    return f'@{id(node)}'


def guards(node: cst.BaseExpression, names: Mapping[str, str]) -> tuple[Guard, Guard]:
    """What holds where a condition is true, and where it is false."""
    kind = type(node)
    if kind is cst.UnaryOperation and type(node.operator) is cst.Not:
        yes, no = guards(node.expression, names)
        return no, yes
    if kind is cst.BooleanOperation:
        left, right = guards(node.left, names), guards(node.right, names)
        if type(node.operator) is cst.And:
            return left[0] | right[0], NOTHING
        return NOTHING, left[1] | right[1]
    text, truth = _comparison(node, names) if kind is cst.Comparison else (spell(node, names), True)
    if text.startswith('@'):
        return NOTHING, NOTHING
    return frozenset({(text, truth)}), frozenset({(text, not truth)})


def conflicts(guard: Guard, decided: Mapping[str, bool]) -> bool:
    """Whether what is decided already rules a condition out."""
    return any(decided.get(atom, truth) != truth for atom, truth in guard)


def _operand(node: cst.BaseExpression, names: Mapping[str, str]) -> str:
    text = spell(node, names)
    return f'({text})' if type(node) is cst.BinaryOperation and type(node.operator) is not cst.Multiply else text


def _keyword(argument: cst.Arg) -> str:
    return f'{argument.keyword.value}=' if argument.keyword else ''


def _comparison(node: cst.Comparison, names: Mapping[str, str]) -> tuple[str, bool]:
    symbol = _COMPARISONS.get(type(node.comparisons[0].operator))
    if len(node.comparisons) != 1 or symbol is None:
        return f'@{id(node)}', True
    plain = _NEGATED.get(symbol, symbol)
    space = ' ' if plain == 'is' else ''
    text = f'{_operand(node.left, names)}{space}{plain}{space}{_operand(node.comparisons[0].comparator, names)}'
    return text, plain == symbol
