# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Spell expressions so that equal ones look equal, and compile-time conditions so that they can be compared."""

import ast
from collections.abc import Mapping

from flakelint.kernel.graph import NOTHING, Guard

_SYMBOLS = {
    ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.FloorDiv: '//', ast.Mod: '%', ast.Div: '/', ast.Pow: '**',
    ast.LShift: '<<', ast.RShift: '>>', ast.BitAnd: '&', ast.BitOr: '|', ast.BitXor: '^',
}
_COMPARISONS = {
    ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Is: 'is', ast.IsNot: 'is not',
}
_NEGATED = {'!=': '==', 'is not': 'is', '>=': '<', '>': '<='}

# a text that starts with this is like no other
UNIQUE = '@'
# names that stand for others can make a text twice as long with each
_LONGEST = 1000


def spell(node: ast.expr, names: Mapping[str, str]) -> str:
    """The text of an expression without white space and needless parentheses; the names in `names` are replaced.

    What is too complicated gets a text that no other expression has.
    """
    kind = type(node)
    if kind is ast.Name:
        return names.get(node.id, node.id)
    if kind is ast.Constant:
        return repr(node.value)
    if kind is ast.BinOp:
        symbol = _SYMBOLS.get(type(node.op), '?')
        left, right = _operand(node.left, names), _operand(node.right, names)
        if symbol == '*':
            left, right = sorted((left, right))
        return f'{left}{symbol}{right}' if len(left) + len(right) < _LONGEST else f'{UNIQUE}{id(node)}'
    if kind is ast.Attribute:
        return f'{spell(node.value, names)}.{node.attr}'
    if kind is ast.Call and all(keyword.arg for keyword in node.keywords):
        inside = [spell(argument, names) for argument in node.args]
        inside += [f'{keyword.arg}={spell(keyword.value, names)}' for keyword in node.keywords]
        return f'{spell(node.func, names)}({",".join(inside)})'
    if kind is ast.UnaryOp and type(node.op) is ast.USub:
        return f'-{_operand(node.operand, names)}'
    if kind is ast.UnaryOp and type(node.op) is ast.Not:
        return f'not {spell(node.operand, names)}'
    if kind is ast.Compare and len(node.ops) == 1:
        text, truth = _comparison(node, names)
        return text if truth else f'not {text}'
    return f'{UNIQUE}{id(node)}'


def guards(node: ast.expr, names: Mapping[str, str], same: Mapping[str, tuple[str, bool]]) -> tuple[Guard, Guard]:
    """What holds where a condition is true, and where it is false.

    Args:
        node (ast.expr):
            The condition.
        names (Mapping[str, str]):
            What the names in it are called elsewhere.
        same (Mapping[str, tuple[str, bool]]):
            Conditions that are another one, or its opposite.
    """
    kind = type(node)
    if kind is ast.UnaryOp and type(node.op) is ast.Not:
        yes, no = guards(node.operand, names, same)
        return no, yes
    if kind is ast.BoolOp:
        sides = [guards(value, names, same) for value in node.values]
        if type(node.op) is ast.And:
            return NOTHING.union(*(yes for yes, _ in sides)), NOTHING
        return NOTHING, NOTHING.union(*(no for _, no in sides))
    text, truth = _comparison(node, names) if kind is ast.Compare else (spell(node, names), True)
    while text.startswith('not '):
        # a name may stand for what its caller negates
        text, truth = text.removeprefix('not '), not truth
    if UNIQUE in text:
        return NOTHING, NOTHING
    if text in same:
        text, as_is = same[text]
        truth = truth == as_is
    return frozenset({(text, truth)}), frozenset({(text, not truth)})


def conflicts(guard: Guard, decided: Mapping[str, bool]) -> bool:
    """Whether what is decided already rules a condition out."""
    return any(decided.get(atom, truth) != truth for atom, truth in guard)


def in_words(guard: Guard) -> list[str]:
    """The conditions that can be told, in words."""
    return [f'`{text}` is {str(truth).lower()}' for text, truth in sorted(guard) if UNIQUE not in text]


def _operand(node: ast.expr, names: Mapping[str, str]) -> str:
    text = spell(node, names)
    return f'({text})' if type(node) is ast.BinOp and type(node.op) is not ast.Mult else text


def _comparison(node: ast.Compare, names: Mapping[str, str]) -> tuple[str, bool]:
    symbol = _COMPARISONS.get(type(node.ops[0]))
    if len(node.ops) != 1 or symbol is None:
        return f'{UNIQUE}{id(node)}', True
    plain = _NEGATED.get(symbol, symbol)
    space = ' ' if plain == 'is' else ''
    text = f'{_operand(node.left, names)}{space}{plain}{space}{_operand(node.comparators[0], names)}'
    return text, plain == symbol
