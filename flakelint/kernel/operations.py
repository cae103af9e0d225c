# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What calls of many functions have in common: their arguments, casts, shapes, and what is noted of them."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.graph import SCALAR, UNKNOWN, Cases, Value, each_value

if TYPE_CHECKING:
    from flakelint.kernel.evaluator import Evaluator

# these keep the shape of their first argument
_KEEP_SHAPE = frozenset({
    'abs', 'associative_scan', 'cumprod', 'cumsum', 'flip', 'max_constancy', 'max_contiguous', 'multiple_of', 'sort',
    'zeros_like',
})


class Arguments:
    """The evaluated arguments of a call.

    Args:
        call (ast.Call):
            The call.
        walk (Evaluator):
            What evaluates them.
        owner (Value | Cases | None, Optional):
            The value of which a method is called; it is the first argument then. Default: `None`.
        node (ast.expr | None, Optional):
            The expression of that value. Default: `None`.
    """

    def __init__(
        self, call: ast.Call, walk: 'Evaluator', owner: Value | Cases | None = None, node: ast.expr | None = None,
    ) -> None:
        first = 0 if owner is None else 1
        self.nodes: dict[int | str, ast.expr] = {} if owner is None else {0: node}
        self.values: dict[int | str, Value | Cases] = {} if owner is None else {0: owner}
        self.complete = True
        for position, argument in enumerate(call.args, first):
            if type(argument) is ast.Starred:
                self.complete = False
                continue
            self.nodes[position], self.values[position] = argument, walk.evaluate(argument)
        for keyword in call.keywords:
            value = walk.evaluate(keyword.value)
            if keyword.arg is None:
                self.complete = False
            else:
                self.nodes[keyword.arg], self.values[keyword.arg] = keyword.value, value

    def get(self, position: int, *keywords: str) -> Value | Cases | None:
        """The value of an argument, wherever it is given."""
        for keyword in keywords:
            if keyword in self.values:
                return self.values[keyword]
        return self.values.get(position)

    def node(self, position: int, *keywords: str) -> ast.expr | None:
        """The expression of an argument, wherever it is given."""
        for keyword in keywords:
            if keyword in self.nodes:
                return self.nodes[keyword]
        return self.nodes.get(position)

    def positional(self, first: int) -> list[ast.expr]:
        """The expressions of the positional arguments from a position on."""
        return [node for key, node in self.nodes.items() if isinstance(key, int) and key >= first]

    def all(self) -> list[Value | Cases]:
        """All values, in order."""
        return list(self.values.values())


def cast(walk: 'Evaluator', node: ast.AST, value: Value | Cases, to: Value | Cases | None) -> Value | Cases:
    """A value cast to the type that another one is."""
    if to is None:
        return UNKNOWN
    return walk.map2(lambda one, target: _cast(walk, node, one, target), value, to)


def _cast(walk: 'Evaluator', node: ast.AST, value: Value, to: Value) -> Value:
    if to.op == 'pointer type':
        return walk.make('cast', (value,), types.POINTER, value.shape, node, detail=to.literal)
    target = to.literal if to.type == types.DTYPE and isinstance(to.literal, str) else types.UNKNOWN
    return walk.make('cast', (value,), target, value.shape, node)


def kept(walk: 'Evaluator', node: ast.Call, name: str, value: Value, arguments: Arguments) -> Value:
    """What a function gives that keeps the type of its first argument."""
    if value.type == types.TUPLE:
        found = tuple(walk.map(lambda item: kept(walk, node, name, item, arguments), item) for item in value.operands)
        return walk.make('tuple', found, types.TUPLE, SCALAR, node)
    return walk.make('view', (value,), value.type, _shape(walk, name, value, arguments), node, detail=value.detail)


def _shape(walk: 'Evaluator', name: str, value: Value, arguments: Arguments) -> tuple[str, ...] | None:
    if name in ('broadcast_to', 'reshape', 'view'):
        given = [arguments.nodes['shape']] if 'shape' in arguments.nodes else arguments.positional(1)
        if len(given) < 2:
            return spelled_shape(walk, given[0]) if given else None
        return tuple(walk.spell(one) for one in given)
    if value.shape is None:
        return None
    if name in ('trans', 'permute') and len(arguments.values) < 2:
        return tuple(reversed(value.shape))
    if name == 'expand_dims':
        axis = arguments.get(1, 'axis')
        at = axis.literal if type(axis) is Value else None
        if not isinstance(at, int) or not -len(value.shape) - 1 <= at <= len(value.shape):
            return None
        at = at + len(value.shape) + 1 if at < 0 else at
        return (*value.shape[:at], '1', *value.shape[at:])
    return value.shape if name in _KEEP_SHAPE else None


def items(value: Value | Cases) -> list[Value]:
    found = []
    for case in each_value([value]):
        found.extend(each_value(case.operands) if case.type == types.TUPLE else [case])
    return found


def needs_narrow(walk: 'Evaluator', node: ast.Call, name: str, arguments: Arguments) -> None:
    for value in each_value(arguments.all()):
        if value.type in (types.INT64, 'u64'):
            walk.conflict(f'argument of {name}', node, value.type)


def opaque(walk: 'Evaluator', node: ast.Call, name: str, arguments: Arguments) -> Value:
    """What a call gives that is not followed; nothing is known of it."""
    for value in each_value(arguments.all()):
        if value.type in (types.INT64, 'u64'):
            walk.conflict('opaque', node, value.type)
    return walk.make('call', tuple(arguments.all()), types.UNKNOWN, None, node, detail=name)


def spelled_shape(walk: 'Evaluator', node: ast.expr | None) -> tuple[str, ...] | None:
    """The dimensions that an expression names: a literal tuple, a number, or the shape of a block."""
    if type(node) in (ast.Tuple, ast.List):
        return tuple(walk.spell(element) for element in node.elts)
    if type(node) is ast.Constant:
        return (walk.spell(node),)
    if type(node) is ast.Attribute and node.attr == 'shape' and type(node.value) is ast.Name:
        owner = walk.frame.env.get(node.value.id)
        return owner.shape if type(owner) is Value else None
    # a name may stand for several dimensions
    return None
