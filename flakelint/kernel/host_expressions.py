# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Evaluate the expressions of host code, as far as its source shows what they are."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flakelint.kernel import host_tensors
from flakelint.kernel.host_arithmetic import folded
from flakelint.kernel.host_bindings import items_of
from flakelint.kernel.host_conditions import Condition, learned
from flakelint.kernel.host_values import (
    AXES,
    DICT,
    FUNCTION,
    META,
    SAVED,
    STAR,
    TUPLE,
    Axes,
    Value,
    made,
    merge,
    number,
    unknown,
)
from flakelint.kernel.launches import DTYPE, EXPRESSION, FLAG, NONE, NUMBER, PARAMETER, PROCESSORS, SIZE, STRIDE, STRING
from flakelint.project.imports import dotted
from flakelint.project.meanings import literal

Env = dict[str, Value]

_OPERATORS: dict[type, str] = {
    ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/', ast.FloorDiv: '//', ast.Mod: '%', ast.Pow: '**', ast.LShift: '<<',
    ast.RShift: '>>', ast.BitAnd: '&', ast.BitOr: '|', ast.BitXor: '^',
}
_COMPARISONS: dict[type, str] = {
    ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Is: 'is', ast.IsNot: 'is not',
    ast.In: 'in', ast.NotIn: 'not in',
}
# functions that are understood by their last name, wherever they come from, and what they are called here
_FUNCTIONS = {
    'cdiv': 'cdiv', 'ceil_div': 'cdiv', 'ceildiv': 'cdiv', 'div_up': 'cdiv', 'next_power_of_2': 'next_power_of_2',
    'next_power_of_two': 'next_power_of_2',
    'min': 'min', 'max': 'max', 'len': 'len', 'abs': 'abs', 'ceil': 'ceil', 'floor': 'floor', 'round': 'round',
    'log2': 'log2', 'prod': 'prod', 'sum': 'sum',
}
_MODULES = ('triton.', 'math.', 'numpy.', 'torch.')
_TRANSPARENT = frozenset({'constexpr', 'int'})
_SEQUENCES = frozenset({'list', 'tuple'})
_TRUTHS = frozenset({'any', 'all', 'bool', 'hasattr', 'isinstance', 'callable'})


class Expressions:
    """Evaluates expressions in one file.

    Args:
        full_name (Callable[[str], str]):
            Gives the full name of a dotted name, as the imports of the file say it.
        module (Callable[[str], Value]):
            Gives what a name of the module is.
        call (Callable[[Value, host_tensors.Arguments], Value | None]):
            Gives what a function of the module returns.
    """

    def __init__(
        self,
        full_name: Callable[[str], str],
        module: Callable[[str], Value],
        call: Callable[[Value, host_tensors.Arguments], Value | None],
    ) -> None:
        self._full_name = full_name
        self._module = module
        self._call_function = call

    def evaluate(self, node: ast.expr, env: Env) -> Value:
        """What an expression is where the local names mean what `env` says."""
        method = _METHODS.get(type(node))
        return method(self, node, env) if method is not None else unknown('', node)

    def elements(self, nodes: Sequence[ast.expr], env: Env) -> tuple[Value, ...]:
        """The values of expressions, those that are starred spread as far as it is known how many they are."""
        found: list[Value] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                found.append(self.evaluate(node, env))
                continue
            inner = self.evaluate(node.value, env)
            spread = items_of(inner)
            found.extend(spread if spread is not None else [Value(STAR, operands=(inner,))])
        return tuple(found)

    def is_outside(self, node: ast.expr, env: Env) -> bool:
        """Whether an expression spells a name of the module, not a local one."""
        name = dotted(node)
        return name is not None and name.partition('.')[0] not in env

    def full_name(self, node: ast.expr, env: Env) -> str:
        """The full name that an expression spells, or nothing where it starts from a local name."""
        return self._full_name(dotted(node)) if self.is_outside(node, env) else ''

    def _constant(self, node: ast.Constant, env: Env) -> Value:
        value = node.value
        if value is None:
            return Value(NONE, 'None')
        if isinstance(value, bool):
            return Value(FLAG, repr(value), value=value)
        if isinstance(value, int | float):
            return number(value)
        return Value(STRING, repr(value), value=value) if isinstance(value, str) else unknown('', node)

    def _name(self, node: ast.Name, env: Env) -> Value:
        return env[node.id] if node.id in env else self._module(node.id)

    def _attribute(self, node: ast.Attribute, env: Env) -> Value:
        name = dotted(node)
        if name in env:
            return env[name]
        full = self.full_name(node, env)
        if full.startswith(('torch.', 'triton.language.')) and full.rpartition('.')[2] in host_tensors.DTYPES:
            return Value(DTYPE, node=node, dtype=full.rpartition('.')[2])
        if node.attr == PROCESSORS:
            return Value(EXPRESSION, node.attr, node=node, head=PROCESSORS)
        base = self.evaluate(node.value, env)
        if base.may_be_tensor and not (base.reference and name):
            known = self._tensor_attribute(node, base)
            if known is not None:
                return known
        reference = f'{base.reference}.{node.attr}' if base.reference and base.items is None else ''
        value = unknown('', node, reference=reference)
        if name is not None and not reference:
            value.tensor.name = name
            # what a tensor shows of itself in one place holds in the others
            env[name] = value
        return value

    def _tensor_attribute(self, node: ast.Attribute, base: Value) -> Value | None:
        tensor = base.tensor
        if node.attr in host_tensors.EVIDENT:
            tensor.seen = True
        if node.attr == 'shape':
            return Value(AXES, items=Axes(SIZE, tensor))
        if node.attr == 'dtype':
            return Value(DTYPE, tensor=tensor, node=node)
        if node.attr == 'ndim':
            return _rank_of(base)
        if node.attr == 'saved_tensors':
            return Value(SAVED, node=node)
        if node.attr in ('T', 'mT') and tensor.is_evident:
            return host_tensors.derived(base, replace(tensor.shape, dims=None), node, contiguous=False)
        return None

    def _subscript(self, node: ast.Subscript, env: Env) -> Value:
        base = self.evaluate(node.value, env)
        index = node.slice
        if base.kind == META:
            if isinstance(index, ast.Constant) and isinstance(index.value, str):
                return Value(EXPRESSION, index.value, head=PARAMETER)
            return unknown('', node)
        if isinstance(index, ast.Slice):
            return self._stretch(base, index, node)
        is_literal, key = literal(index)
        if base.kind == AXES:
            return base.items.at(key) if type(key) is int else Value(base.items.kind, node=node, tensor=base.items.tensor)
        items = items_of(base)
        if items is not None and isinstance(key, int) and -len(items) <= key < len(items):
            return items[key]
        if base.kind == DICT and is_literal and key in base.items:
            return base.items[key]
        return host_tensors.indexed(base, index, node) if base.may_be_tensor else unknown('', node)

    def _stretch(self, base: Value, index: ast.Slice, node: ast.expr) -> Value:
        bounds = [(True, None) if bound is None else literal(bound) for bound in (index.lower, index.upper, index.step)]
        is_plain = all(is_literal and (value is None or type(value) is int) for is_literal, value in bounds)
        start, stop, step = (value for _, value in bounds)
        if base.kind == AXES and is_plain and step in (None, 1):
            axes = base.items.between(start, stop)
            return unknown('', node) if axes is None else Value(AXES, items=axes, node=node)
        items = items_of(base)
        if items is not None and is_plain and step != 0:
            return Value(TUPLE, items=items[start:stop:step], node=node)
        return host_tensors.indexed(base, index, node) if base.may_be_tensor else unknown('', node)

    def _call(self, node: ast.Call, env: Env) -> Value:
        full = self.full_name(node.func, env)
        last = full.rpartition('.')[2]
        if full.startswith('torch.') and last in host_tensors.FACTORIES:
            return host_tensors.created(last, self._arguments(node, env), node)
        if full.startswith('torch.') and last in host_tensors.METHODS:
            arguments = self._arguments(node, env)
            if arguments.positional and arguments.positional[0].may_be_tensor:
                others = arguments._replace(positional=arguments.positional[1:])
                return host_tensors.method(last, arguments.positional[0], others, node)
        is_function = '.' not in full or full.startswith(_MODULES) or last in ('cdiv', 'next_power_of_2', 'next_power_of_two')
        if full and is_function and not any(isinstance(one, ast.Starred) for one in node.args):
            known = self._function(last, node, env)
            if known is not None:
                return known
        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value, env)
            if base.kind == META and node.func.attr == 'get' and node.args and isinstance(node.args[0], ast.Constant):
                return Value(EXPRESSION, str(node.args[0].value), head=PARAMETER)
            if base.kind == AXES and node.func.attr == 'numel':
                return Value(EXPRESSION, tensor=base.items.tensor, head='prod', node=node)
            if base.may_be_tensor and not (base.reference and '.' in base.reference and not base.tensor.is_evident):
                return self._method(base, node, env)
        function = self.evaluate(node.func, env) if isinstance(node.func, ast.Name) else None
        returned = None
        if function is not None and function.kind == FUNCTION:
            returned = self._call_function(function, self._arguments(node, env))
        return unknown('', node) if returned is None else returned

    def _function(self, name: str, node: ast.Call, env: Env) -> Value | None:
        """A call of a function that is understood by its name."""
        if name == 'dict' and not node.args:
            return Value(DICT, items={one.arg: self.evaluate(one.value, env) for one in node.keywords}, node=node)
        if node.keywords or not node.args:
            return Value(FLAG, node=node) if name in _TRUTHS else None
        if name in _TRANSPARENT and len(node.args) == 1:
            return self.evaluate(node.args[0], env)
        if name in _SEQUENCES and len(node.args) == 1:
            return self.evaluate(node.args[0], env)
        if name in _TRUTHS:
            return Value(FLAG, node=node)
        if name not in _FUNCTIONS:
            return None
        operands = self.elements(node.args, env)
        if any(one.kind in (AXES, TUPLE, SAVED) for one in operands):
            return self._of_several(name, operands[0], node)
        if name == 'len' and operands[0].may_be_tensor and operands[0].tensor.is_evident:
            return replace(Axes(SIZE, operands[0].tensor).at(0), node=node)
        return folded(_FUNCTIONS[name], operands)

    def _of_several(self, name: str, value: Value, node: ast.Call) -> Value:
        items = items_of(value)
        if name == 'len' and value.kind == AXES and value.items == Axes(value.items.kind, value.items.tensor):
            return _rank_of(Value(EXPRESSION, tensor=value.items.tensor))
        if name == 'len' and items is not None:
            return number(len(items))
        if name == 'prod' and items:
            product = items[0]
            for item in items[1:]:
                product = made('*', (product, item))
            return product
        tensor = value.items.tensor if value.kind == AXES else None
        return Value(EXPRESSION, tensor=tensor, head=_FUNCTIONS[name], node=node)

    def _method(self, base: Value, node: ast.Call, env: Env) -> Value:
        name = node.func.attr
        if name in host_tensors.EVIDENT:
            base.tensor.seen = True
        if name in ('stride', 'size'):
            return self._axis(STRIDE if name == 'stride' else SIZE, base, node)
        if name in ('numel', 'nelement') and not node.args:
            return Value(SIZE, node=node, tensor=base.tensor, head='numel')
        if name in ('dim', 'ndimension') and not node.args:
            return _rank_of(base)
        if name in ('is_contiguous', 'is_floating_point'):
            return Value(FLAG, node=node, head=name, tensor=base.tensor)
        return host_tensors.method(name, base, self._arguments(node, env), node)

    def _axis(self, kind: str, base: Value, node: ast.Call) -> Value:
        argument = node.args[0] if node.args else next((one.value for one in node.keywords if one.arg == 'dim'), None)
        if argument is None:
            return Value(AXES, items=Axes(kind, base.tensor))
        _, axis = literal(argument)
        return Axes(kind, base.tensor).at(axis) if type(axis) is int else Value(kind, node=node, tensor=base.tensor)

    def _arguments(self, node: ast.Call, env: Env) -> host_tensors.Arguments:
        keywords = {one.arg: self.evaluate(one.value, env) for one in node.keywords if one.arg}
        return host_tensors.Arguments(self.elements(node.args, env), keywords)

    def _binary(self, node: ast.BinOp, env: Env) -> Value:
        left, right = self.evaluate(node.left, env), self.evaluate(node.right, env)
        lists = [items_of(one) for one in (left, right)]
        if isinstance(node.op, ast.Add) and TUPLE in (left.kind, right.kind) and None not in lists:
            return Value(TUPLE, items=(*lists[0], *lists[1]), node=node)
        operator = _OPERATORS.get(type(node.op))
        if operator is None or any(one.kind in (AXES, TUPLE, DICT, META, FUNCTION) for one in (left, right)):
            return unknown('', node)
        tensors = [one for one in (left, right) if one.may_be_tensor and one.tensor.is_evident]
        if tensors:
            return host_tensors.elementwise(tensors, node)
        return folded(operator, (left, right))

    def _unary(self, node: ast.UnaryOp, env: Env) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(FLAG, node=node, head='not', operands=(self.evaluate(node.operand, env),))
        operand = self.evaluate(node.operand, env)
        if not isinstance(node.op, ast.USub) or operand.kind in (AXES, TUPLE, DICT):
            return unknown('', node)
        return number(-operand.value) if operand.kind == NUMBER else made('-', (operand,))

    def _compare(self, node: ast.Compare, env: Env) -> Value:
        operands = tuple(self.evaluate(one, env) for one in (node.left, *node.comparators))
        pairs = [
            Value(FLAG, node=node, head=_COMPARISONS[type(operator)], operands=tuple(pair))
            for operator, *pair in zip(node.ops, operands[:-1], operands[1:], strict=True)
        ]
        return pairs[0] if len(pairs) == 1 else Value(FLAG, node=node, head='and', operands=tuple(pairs))

    def _boolean(self, node: ast.BoolOp, env: Env) -> Value:
        operands = tuple(self.evaluate(one, env) for one in node.values)
        head = 'and' if isinstance(node.op, ast.And) else 'or'
        # a condition if one of them is: nobody asks for the other value of `n > 4 and x`
        is_condition = FLAG in {one.kind for one in operands}
        return Value(FLAG, node=node, head=head, operands=operands) if is_condition else unknown('', node)

    def _choice(self, node: ast.IfExp, env: Env) -> Value:
        test = self.evaluate(node.test, env)
        left, right = ({**env, **learned([Condition(test, holds)], env)} for holds in (True, False))
        chosen = merge('', self.evaluate(node.body, left), self.evaluate(node.orelse, right))
        return chosen if chosen.text else replace(chosen, node=node)

    def _tuple(self, node: ast.Tuple | ast.List | ast.Set, env: Env) -> Value:
        return Value(TUPLE, items=self.elements(node.elts, env), node=node)

    def _dict(self, node: ast.Dict, env: Env) -> Value:
        items: dict[Any, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                spread = self.evaluate(value, env)
                if spread.kind != DICT:
                    return unknown('', node)
                items.update(spread.items)
            elif not isinstance(key, ast.Constant):
                return unknown('', node)
            else:
                items[key.value] = self.evaluate(value, env)
        return Value(DICT, items=items, node=node)

    def _walrus(self, node: ast.NamedExpr, env: Env) -> Value:
        env[node.target.id] = self.evaluate(node.value, env).named(node.target.id)
        return env[node.target.id]

    def _lambda(self, node: ast.Lambda, env: Env) -> Value:
        return Value(FUNCTION, node=node)

    def _text(self, node: ast.JoinedStr, env: Env) -> Value:
        return Value(STRING, node=node)


_METHODS: Mapping[type, Callable[[Expressions, Any, Env], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._boolean,
    ast.IfExp: Expressions._choice,
    ast.Tuple: Expressions._tuple,
    ast.List: Expressions._tuple,
    ast.Set: Expressions._tuple,
    ast.Dict: Expressions._dict,
    ast.NamedExpr: Expressions._walrus,
    ast.Lambda: Expressions._lambda,
    ast.JoinedStr: Expressions._text,
}


def _rank_of(value: Value) -> Value:
    rank = value.tensor.shape.rank
    if rank is not None:
        return number(rank)
    return Value(EXPRESSION, head='ndim', tensor=value.tensor, text=f'{value.tensor.name}.ndim')
