# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the expressions in a kernel evaluate to."""

import ast
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from flakelint.kernel import language, shapes, types
from flakelint.kernel.conditions import conflicts, guards, spell
from flakelint.kernel.constants import (
    COMPARE,
    COMPILE_TIME,
    SYMBOLS,
    TRUTHS,
    are_told_apart,
    compared,
    folded,
    identity,
    logical,
    truth_of,
    types_at_run_time,
)
from flakelint.kernel.frames import Test
from flakelint.kernel.graph import NOTHING, SCALAR, UNKNOWN, Cases, Guard, Value, cases_of, narrowed
from flakelint.kernel.walk import Any_, Walk
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    pass

_OPERATIONS = {
    ast.Add: 'add', ast.Sub: 'sub', ast.Mult: 'mul', ast.FloorDiv: 'floordiv', ast.Mod: 'mod', ast.Div: 'div', ast.Pow: 'pow',
    ast.LShift: 'shl', ast.RShift: 'shr', ast.BitAnd: 'and', ast.BitOr: 'or', ast.BitXor: 'xor', ast.MatMult: 'dot',
}


class Evaluator(Walk):
    """Evaluates the expressions of a kernel."""

    def evaluate(self, node: ast.expr) -> Any_:
        """The value of an expression."""
        handler = _EXPRESSIONS.get(type(node))
        value = UNKNOWN if handler is None else handler(self, node)
        if self.record is not None:
            self.record.append((node, self.frame, value))
        return value

    def _name(self, node: ast.Name) -> Any_:
        value = self.frame.env.get(node.id)
        if value is None:
            return self._outside(node, node.id)
        if type(value) is Cases:
            left = [(guard, case) for guard, case in value.cases if not conflicts(guard, self.decided)]
            return self.gather(left)
        return value

    def _outside(self, node: ast.expr, name: str) -> Value:
        full = self.frame.kernel.bindings.resolve(name)
        if full.startswith(language.PREFIX):
            found = types.LANGUAGE_TYPES.get(full.rpartition('.')[2])
            if found is not None:
                return Value('dtype', (), types.DTYPE, SCALAR, node, self.frame, found)
        literal = self.facts.constant(self.frame.kernel, name)
        return Value('global', (), types.CONST, SCALAR, node, self.frame, literal, name=name)

    def _constant(self, node: ast.Constant) -> Value:
        kind = types.NONE if node.value is None else types.CONST
        return Value('constant', (), kind, SCALAR, node, self.frame, node.value)

    def _unary(self, node: ast.UnaryOp) -> Any_:
        return self.map(lambda value: self._unary_of(node, value), self.evaluate(node.operand))

    def _unary_of(self, node: ast.UnaryOp, value: Value) -> Value:
        op = type(node.op)
        if op is ast.Not:
            if value.type in COMPILE_TIME:
                literal = None if value.literal is None and value.type != types.NONE else not value.literal
                return self.make('not', (value,), types.CONST, SCALAR, node, literal=literal)
            return self.make('not', (value,), types.BOOL, value.shape, node)
        if op is ast.UAdd:
            return value
        literal = value.literal
        if isinstance(literal, int | float):
            literal = -literal if op is ast.USub else ~literal if isinstance(literal, int) else None
        return self.make('neg' if op is ast.USub else 'invert', (value,), value.type, value.shape, node, literal=literal)

    def _binary(self, node: ast.BinOp) -> Any_:
        return self.operation(node, type(node.op), self.evaluate(node.left), self.evaluate(node.right))

    def operation(self, node: ast.AST, kind: type[ast.operator], left: Any_, right: Any_) -> Any_:
        """The value of a binary operation."""
        op = _OPERATIONS[kind]
        return self.map2(lambda one, other: self.combine(node, op, one, other), left, right)

    def combine(self, node: ast.AST, op: str, left: Value, right: Value) -> Value:
        """The value of a binary operation on two cases."""
        one, other = left.type, right.type
        if one == types.CONST and other == types.CONST:
            return self.make(op, (left, right), types.CONST, SCALAR, node, literal=folded(op, left.literal, right.literal))
        shape = shapes.broadcast(left.shape, right.shape)
        if types.POINTER in (one, other) and op in ('add', 'sub'):
            pointer, offset = (left, right) if one == types.POINTER else (right, left)
            if self.record is not None:
                self.offsets.append((node, self.frame, types_at_run_time(offset)))
            address = self.make(op, (left, right), types.POINTER, shape, node, detail=pointer.detail)
            self.addresses.append(address)
            return address
        if op == 'dot':
            return self.make(op, (left, right), types.FLOAT, None, node)
        if types.CONST in (one, other):
            runtime, constant = (right, left) if one == types.CONST else (left, right)
            literal = True if constant.op in TRUTHS and constant.literal is None else constant.literal
            joined = types.with_constant(runtime.type, literal)
        else:
            joined = types.promote(one, other)
        if op == 'div' and types.is_integer(joined):
            joined = types.FLOAT
        value = self.make(op, (left, right), joined, shape, node)
        if op in ('mod', 'min'):
            self.remainders.append(value)
        elif op == 'mul':
            self.products.append(value)
        return value

    def _boolean(self, node: ast.BoolOp) -> Any_:
        found = [self.evaluate(value) for value in node.values]
        name = 'all' if type(node.op) is ast.And else 'any'
        decisive = name == 'any'
        for position, value in enumerate(found):
            known = truth_of(value) if type(value) is Value and value.type in COMPILE_TIME else None
            if known is decisive:
                # a constant that decides is what comes out, wherever it stands
                return self.make(name, tuple(found), types.CONST, SCALAR, node, literal=decisive)
            if known is None or position == len(found) - 1:
                break
            if position == len(found) - 2:
                # what stands behind constants that do not decide is the value itself
                return found[-1]
        if all(type(value) is Value and value.type in COMPILE_TIME for value in found):
            return self.make(name, tuple(found), types.CONST, SCALAR, node, literal=logical(name, found))
        if any(type(value) is Value and value.type in COMPILE_TIME and truth_of(value) is decisive for value in found):
            return self.make(name, tuple(found), types.CONST, SCALAR, node, literal=decisive)
        return self.make(name, tuple(found), types.BOOL, shapes.joined(found), node)

    def _comparison(self, node: ast.Compare) -> Any_:
        left = self.evaluate(node.left)
        result: Any_ | None = None
        for kind, comparator in zip(map(type, node.ops), node.comparators, strict=True):
            right = self.evaluate(comparator)
            one = self.map2(partial(self._compare, node, kind), left, right)
            result = one if result is None else self.map2(lambda a, b: self._both(node, a, b), result, one)
            left = right
        return result or UNKNOWN

    def _both(self, node: ast.AST, left: Value, right: Value) -> Value:
        if left.type == right.type == types.CONST:
            return self.make('all', (left, right), types.CONST, SCALAR, node, literal=logical('all', [left, right]))
        return self.make('all', (left, right), types.BOOL, shapes.broadcast(left.shape, right.shape), node)

    def _compare(self, node: ast.AST, kind: type[ast.cmpop], left: Value, right: Value) -> Value:
        symbol = SYMBOLS[kind]
        if kind in (ast.Is, ast.IsNot):
            literal = identity(kind, left, right)
            if literal is None and left.op == 'parameter' and left.name in self.given.types:
                # an argument of a known type is not None
                literal = kind is ast.IsNot
            return self.make(symbol, (left, right), types.CONST, SCALAR, node, literal=literal)
        if left.type in COMPILE_TIME and right.type in COMPILE_TIME:
            literal = self._compared(kind, left, right)
            return self.make(symbol, (left, right), types.CONST, SCALAR, node, literal=literal)
        if kind in (ast.In, ast.NotIn):
            return self.make(symbol, (left, right), types.CONST, SCALAR, node)
        kind_of = types.UNKNOWN if types.UNKNOWN in (left.type, right.type) else types.BOOL
        compared = self.make(symbol, (left, right), kind_of, shapes.broadcast(left.shape, right.shape), node)
        self.comparisons.append(compared)
        return compared

    def _compared(self, kind: type[ast.cmpop], left: Value, right: Value) -> bool | None:
        if kind not in COMPARE or left.literal is None or right.literal is None:
            return None
        if types.DTYPE in (left.type, right.type) and not (self.given.types and are_told_apart(left, right)):
            return None
        return compared(kind, left.literal, right.literal)

    def static_truth(self, node: ast.expr) -> tuple[Any_, bool, bool | None, Guard, Guard]:
        """A condition; whether it is decided when the kernel is compiled, how if that is known, and what holds where it is true and false."""
        test = self.evaluate(node)
        static = all(case.type in COMPILE_TIME for _, case in cases_of(test))
        yes, no = guards(node, self.frame.spelled, self.facts.same_conditions) if static else self._static_part(node)
        truth = None
        if static:
            literals = {truth_of(case) for _, case in cases_of(test)}
            truth = literals.pop() if len(literals) == 1 else None
            if truth is None and conflicts(yes, self.decided):
                truth = False
            elif truth is None and conflicts(no, self.decided):
                truth = True
        return test, static, truth, yes, no

    def _decline(self, node: ast.IfExp, yes: Guard, no: Guard) -> None:
        """Note the narrow side of a conditional expression that does nothing but widen: it is the author's choice."""
        body, orelse = ast.unparse(node.body), ast.unparse(node.orelse)
        for wide, narrow, guard in ((body, orelse, no), (orelse, body, yes)):
            is_wide = wide.startswith(f'{narrow}.to(') or wide.replace('int64', 'int32') == narrow
            if is_wide and wide.endswith('int64)'):
                self.declined |= guard

    def _static_part(self, node: ast.expr) -> tuple[Guard, Guard]:
        """What a condition that is decided at run time says of constants and arguments: `FLAG and i > 3` holds only with the flag."""
        if all(map(self._is_argument, ast.walk(node))):
            return guards(node, self.frame.spelled, self.facts.same_conditions)
        if type(node) is ast.UnaryOp and type(node.op) is ast.Not:
            yes, no = self._static_part(node.operand)
            return no, yes
        parts = node.values if type(node) is ast.BoolOp else [node.left, node.right] if type(node) is ast.BinOp else []
        sides = [self._static_part(part) for part in parts]
        if sides and type(node.op) in (ast.And, ast.BitAnd):
            return NOTHING.union(*(yes for yes, _ in sides)), NOTHING
        if sides and type(node.op) in (ast.Or, ast.BitOr):
            return NOTHING, NOTHING.union(*(no for _, no in sides))
        return NOTHING, NOTHING

    def _is_argument(self, node: ast.AST) -> bool:
        """Whether a part of an expression is made of arguments and constants, of which a question is answered once and for all."""
        if type(node) is not ast.Name:
            return not isinstance(node, ast.Call | ast.Subscript | ast.Attribute | ast.BitAnd | ast.BitOr)
        value = self.frame.env.get(node.id)
        return value is None or (type(value) is Value and value.op in ('parameter', 'constant'))

    def _ternary(self, node: ast.IfExp) -> Any_:
        test, static, truth, yes, no = self.static_truth(node.test)
        self.tests.append(Test(node, test, self.frame, self.guard))
        if truth is not None:
            return self.under(yes if truth else no, lambda: self.evaluate(node.body if truth else node.orelse))
        chosen = self.under(yes, lambda: self.evaluate(node.body))
        other = self.under(no, lambda: self.evaluate(node.orelse))
        if static:
            self._decline(node, yes, no)
        if static:
            return self.gather(narrowed(chosen, yes) + narrowed(other, no))
        self.note('ternary', '', node, chosen, other, test=test)
        return self.map2(lambda one, two: self.meet(one, two, node, 'branch'), chosen, other)

    def under(self, guard: Guard, run: Callable[[], Any_]) -> Any_:
        """What something gives where further conditions hold."""
        outer = self.decided, self.guard
        self.decided, self.guard = self.decided | dict(guard), self.guard | guard
        try:
            return run()
        finally:
            self.decided, self.guard = outer

    def _tuple(self, node: ast.Tuple | ast.List) -> Value:
        if any(type(element) is ast.Starred for element in node.elts):
            return UNKNOWN
        return self.make('tuple', tuple(self.evaluate(element) for element in node.elts), types.TUPLE, SCALAR, node)

    def _subscript(self, node: ast.Subscript) -> Any_:
        value = self.evaluate(node.value)
        if self.record is not None:
            for index in node.slice.elts if type(node.slice) is ast.Tuple else [node.slice]:
                self.evaluate(index)
        return self.map(lambda case: self._item(node, case), value)

    def _item(self, node: ast.Subscript, value: Value) -> Any_:
        if value.type == types.TUPLE:
            index = self.evaluate(node.slice) if type(node.slice) is not ast.Slice else UNKNOWN
            position = index.literal if type(index) is Value else None
            if isinstance(position, int) and -len(value.operands) <= position < len(value.operands):
                item = value.operands[position]
                return item if type(item) is Value else self.gather(list(item.cases))
            return UNKNOWN
        if value.type in COMPILE_TIME:
            return self.make('item', (value,), types.CONST, SCALAR, node)
        shape = shapes.indexed(value.shape, node.slice)
        return self.make('view', (value,), value.type, shape, node, detail=value.detail)

    def _attribute(self, node: ast.Attribute) -> Any_:
        if self.is_global(node):
            return self._outside(node, dotted(node) or '')
        return self.map(lambda case: language.attribute(self, node, case), self.evaluate(node.value))

    def _walrus(self, node: ast.NamedExpr) -> Any_:
        self.assign(node.target, self.evaluate(node.value), node.value)
        return self.frame.env[node.target.id]

    def _call(self, node: ast.Call) -> Any_:
        return language.call(self, node)

    def _text(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            if type(part) is ast.FormattedValue:
                self.evaluate(part.value)
        return UNKNOWN

    def spell(self, node: ast.expr) -> str:
        """The text of an expression in the names of the kernel."""
        return spell(node, self.frame.spelled)

    # what statements give

    def assign(self, target: ast.expr, value: Any_, source: ast.expr | None = None) -> None:
        """Bind what an assignment binds."""
        raise NotImplementedError

    def inline(self, helper: Any, arguments: 'language.Arguments', node: ast.Call) -> Any_ | None:
        """The value of a call of a helper; `None` where it cannot be followed."""
        raise NotImplementedError


_EXPRESSIONS: dict[type, Callable] = {
    ast.Name: Evaluator._name,
    ast.Constant: Evaluator._constant,
    ast.UnaryOp: Evaluator._unary,
    ast.BinOp: Evaluator._binary,
    ast.BoolOp: Evaluator._boolean,
    ast.Compare: Evaluator._comparison,
    ast.IfExp: Evaluator._ternary,
    ast.Tuple: Evaluator._tuple,
    ast.List: Evaluator._tuple,
    ast.Subscript: Evaluator._subscript,
    ast.Attribute: Evaluator._attribute,
    ast.NamedExpr: Evaluator._walrus,
    ast.Call: Evaluator._call,
    ast.JoinedStr: Evaluator._text,
}
