# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the expressions of a kernel are worth, with what is known about each name."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from flakelint.kernel import calls, values
from flakelint.kernel.spelling import KNOWN, conflicts, guards, spell
from flakelint.kernel.values import (
    CONST,
    NOTHING,
    UNKNOWN,
    WIDE_INT,
    Cases,
    Guard,
    Index,
    Product,
    ProgramId,
    Value,
    cases_of,
    each,
    gather,
    pairs,
)

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel, Parameter

# a number below this is the width of a table's row, not a size
SMALL = 16
MAX_INLINED = 3

_WIDE_ANNOTATIONS = frozenset({'triton.language.int64', 'triton.language.uint64'})
_PLAIN = (cst.Add, cst.Subtract, cst.BitOr, cst.BitXor)
_WRAPPING = (cst.Modulo, cst.BitAnd)


class Facts:
    """What the pass has found.

    Args:
        kernel (Kernel):
            The kernel.
    """

    def __init__(self, kernel: 'Kernel') -> None:
        self.kernel = kernel
        # the program ids, each with the name to which it is assigned, and the narrow products, both in the order of evaluation
        self.names: dict[ProgramId, str] = {}
        self.products: dict[Product, None] = {}
        # the products that are part of an address
        self.reached: set[Product] = set()
        # the compile-time constants with which a tile is compared
        self.bounds: dict[str, set[str]] = {}
        # program ids that must stay 32-bit, and those that go where it is not known
        self.forbidden: set[ProgramId] = set()
        self.escaped: set[ProgramId] = set()


class _Frame:
    def __init__(self, kernel: 'Kernel', env: dict[str, Value | Cases], spelled: Mapping[str, str]) -> None:
        self.kernel = kernel
        self.env = env
        self.spelled = spelled
        self.result: Value | Cases | None = None


class Evaluator:
    """Evaluate the expressions of a kernel.

    Args:
        kernel (Kernel):
            The kernel.
        helpers (Mapping[str, Kernel]):
            The functions of its module that it may call.
    """

    def __init__(self, kernel: 'Kernel', helpers: 'Mapping[str, Kernel]') -> None:
        self.facts = Facts(kernel)
        self.helpers = helpers
        self._decided: dict[str, bool] = dict(KNOWN)
        self._guard: Guard = NOTHING
        self._origins: dict[cst.Call, ProgramId] = {}
        self._pointers = {'*'}
        self._merges: list[tuple[frozenset[ProgramId], str]] = []
        self._active: list[Kernel] = []
        env = {parameter.name: _argument(parameter) for parameter in kernel.parameters}
        self._frame = _Frame(kernel, env, {})

    # what calls ask for

    def is_module(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is the dotted name of something imported, not of a value."""
        while type(node) is cst.Attribute:
            node = node.value
        return type(node) is cst.Name and node.value not in self._frame.env

    def resolve(self, node: cst.BaseExpression) -> str:
        """The full name that an expression spells; empty for any other expression."""
        parts = []
        while type(node) is cst.Attribute:
            parts.append(node.attr.value)
            node = node.value
        if type(node) is not cst.Name or node.value in self._frame.env:
            return ''
        parts.append(node.value)
        return self._frame.kernel.bindings.resolve('.'.join(reversed(parts)))

    def origin(self, node: cst.Call) -> ProgramId:
        """The program id that a call asks for."""
        if node not in self._origins:
            self._origins[node] = ProgramId(node, self._frame.kernel)
            self.facts.names[self._origins[node]] = ''
        return self._origins[node]

    def promote(self, left: Value | Cases, right: Value | Cases) -> Value | Cases:
        """The value of an operation that treats both sides alike."""
        if type(left) is Value and type(right) is Value:
            return values.promote(left, right)
        return self._pairwise(values.promote, left, right)

    def untiled(self, value: Value | Cases) -> Value | Cases:
        """A quotient or remainder: no longer the tile that it was made from."""
        return each(_untile, value)

    def bound(self, value: Value | Cases, limit: Value | Cases, node: cst.BaseExpression) -> None:
        """Note that a value is kept below a limit."""
        if not all(case.fixed for _, case in cases_of(limit)):
            return
        for _, case in cases_of(value):
            for index in case.indices:
                if index.tile:
                    self.facts.bounds.setdefault(index.tile, set()).add(spell(node, self._frame.spelled))

    def access(self, address: Value | Cases | None) -> None:
        """Note that memory is read or written at an address."""
        for _, case in cases_of(address or UNKNOWN):
            self.facts.reached |= case.products
            if case.base:
                self._pointers.add(case.base)

    def forbid_widening(self, *found: Value | Cases | None) -> None:
        """Note that values must keep their width."""
        self.facts.forbidden.update(_lifts(found))

    def let_escape(self, found: Iterable[Value | Cases]) -> None:
        """Note that values go where nobody looks."""
        self.facts.escaped.update(_lifts(found))

    def inline(self, helper: 'Kernel', arguments: calls.Arguments) -> Value | Cases | None:
        """The value of a call of a function of this module; None where it cannot be followed."""
        if helper in self._active or len(self._active) > MAX_INLINED:
            return None
        env: dict[str, Value | Cases] = {}
        spelled: dict[str, str] = {}
        for position, parameter in enumerate(helper.parameters):
            value, node = arguments.get(position, parameter.name), arguments.node(position, parameter.name)
            env[parameter.name] = CONST if value is None else value
            own = f'@{id(arguments)}.{parameter.name}'
            spelled[parameter.name] = own if node is None else spell(node, self._frame.spelled)
        outer, decided, guard = self._frame, dict(self._decided), self._guard
        self._frame = _Frame(helper, env, spelled)
        self._active.append(helper)
        try:
            self.run_body(helper)
            return self._frame.result or UNKNOWN
        finally:
            self._active.pop()
            self._frame, self._decided, self._guard = outer, decided, guard

    # the kinds of expressions

    def evaluate(self, node: cst.BaseExpression) -> Value | Cases:
        """The value of an expression."""
        handler = _EXPRESSIONS.get(type(node))
        return UNKNOWN if handler is None else handler(self, node)

    def _name(self, node: cst.Name) -> Value | Cases:
        value = self._frame.env.get(node.value)
        if value is None:
            # only constants can be read from outside the kernel
            return CONST
        if type(value) is Cases:
            left = [(guard, case) for guard, case in value.cases if not conflicts(guard, self._decided)]
            return gather(left) if left else UNKNOWN
        return value

    def _integer(self, node: cst.Integer) -> Value:
        return CONST._replace(literal=int(node.value, 0))

    def _unary(self, node: cst.UnaryOperation) -> Value | Cases:
        value = self.evaluate(node.expression)
        if type(node.operator) is cst.Not:
            return CONST if is_const(value) else UNKNOWN
        return each(lambda case: case._replace(literal=None), value)

    def _binary(self, node: cst.BinaryOperation) -> Value | Cases:
        return self._operation(node, type(node.operator), self.evaluate(node.left), self.evaluate(node.right), node.right)

    def _operation(
        self, node: cst.CSTNode, operator: type, left: Value | Cases, right: Value | Cases, right_node: cst.BaseExpression,
    ) -> Value | Cases:
        if operator in _PLAIN:
            # what is taken away from something is not bounded by what bounds the difference
            return self.promote(left, self.untiled(right) if operator is cst.Subtract else right)
        if operator is cst.Multiply:
            return self._pairwise(lambda one, other: self._multiply(node, one, other), left, right)
        if operator is cst.FloorDivide:
            return self._pairwise(lambda one, other: self._divide(one, other, right_node), left, right)
        if operator is cst.RightShift:
            return self.untiled(self.promote(left, right))
        if operator in _WRAPPING:
            self.bound(left, right, right_node)
            return self.untiled(self.promote(left, right))
        if operator is cst.LeftShift:
            return self._pairwise(lambda one, other: self._multiply(node, one, _power_of_two(other)), left, right)
        return CONST if is_const(left) and is_const(right) else UNKNOWN

    def _pairwise(self, function: Callable[[Value, Value], Value], left: Value | Cases, right: Value | Cases) -> Value | Cases:
        if type(left) is Value and type(right) is Value:
            return function(left, right)
        outer, found = self._guard, []
        for guard, one, other in pairs(left, right):
            if not conflicts(guard, self._decided):
                self._guard = outer | guard
                found.append((guard, function(one, other)))
        self._guard = outer
        return gather(found) if found else UNKNOWN

    def _multiply(self, node: cst.CSTNode, left: Value, right: Value) -> Value:
        result = values.promote(left, right)
        spelled = self._factors(node)
        if result.width != values.NARROW or not result.indices:
            return result._replace(base='', factors=left.factors | right.factors | spelled)
        factor = right if left.indices else left
        if not factor.indices and factor.literal is not None and abs(factor.literal) < SMALL:
            return result._replace(base='')
        # a quotient times a factor of its divisor is no larger than what was divided
        if not spelled.isdisjoint(left.divisors | right.divisors):
            return result._replace(base='')
        tile = spell(node, self._frame.spelled) if any(not index.tile for index in result.indices) else ''
        indices = frozenset(Index(index.origin, index.tile or tile) for index in result.indices)
        fixed = factor.fixed and not factor.indices
        product = Product(node, self._frame.kernel, indices, fixed, result.lifts, result.assumed, self._guard)
        self.facts.products[product] = None
        return result._replace(indices=indices, products=result.products | {product}, base='')

    def _divide(self, left: Value, right: Value, right_node: cst.BaseExpression) -> Value:
        result = _untile(values.promote(left, right))
        if not result.indices:
            return result
        return result._replace(divisors=left.divisors | right.factors | {spell(right_node, self._frame.spelled)})

    def _factors(self, node: cst.CSTNode) -> frozenset[str]:
        operands = (node.left, node.right) if type(node) is cst.BinaryOperation else (node.target, node.value)
        return frozenset(spell(operand, self._frame.spelled) for operand in operands if type(operand) is cst.Name)

    def _boolean(self, node: cst.BooleanOperation) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return CONST if is_const(left) and is_const(right) else UNKNOWN

    def _comparison(self, node: cst.Comparison) -> Value:
        left_node, left = node.left, self.evaluate(node.left)
        const = is_const(left)
        for target in node.comparisons:
            right = self.evaluate(target.comparator)
            operator = type(target.operator)
            if operator in (cst.LessThan, cst.LessThanEqual):
                self.bound(left, right, target.comparator)
            elif operator in (cst.GreaterThan, cst.GreaterThanEqual):
                self.bound(right, left, left_node)
            const = (const and is_const(right)) or operator in (cst.Is, cst.IsNot)
            left_node, left = target.comparator, right
        return CONST if const else UNKNOWN

    def _ternary(self, node: cst.IfExp) -> Value | Cases:
        static = is_const(self.evaluate(node.test))
        yes, no = guards(node.test, self._frame.spelled)
        if static and conflicts(yes, self._decided):
            return self._under(no, node.orelse)
        if static and conflicts(no, self._decided):
            return self._under(yes, node.body)
        chosen, other = self._under(yes, node.body), self._under(no if static else NOTHING, node.orelse)
        if static:
            return gather(guarded(yes, chosen) + guarded(no, other)) if yes and no else values.join_all(chosen, other)
        self.merge(chosen, other)
        return values.join_all(chosen, other)

    def _under(self, guard: Guard, node: cst.BaseExpression) -> Value | Cases:
        decided = self._decided
        self._decided = decided | dict(guard)
        value = self.evaluate(node)
        self._decided = decided
        return value

    def _tuple(self, node: cst.Tuple | cst.List) -> Value:
        if any(type(element) is cst.StarredElement for element in node.elements):
            return UNKNOWN
        return Value(items=tuple(self.evaluate(element.value) for element in node.elements))

    def _subscript(self, node: cst.Subscript) -> Value | Cases:
        value = self.evaluate(node.value)
        index = node.slice[0].slice
        if type(index) is not cst.Index or len(node.slice) > 1 or type(index.value) is not cst.Integer:
            # `[:, None]` and `[None]`; the elements of a tuple that are picked at run time are not followed
            return UNKNOWN if type(value) is Value and value.items else value
        position = int(index.value.value, 0)
        if type(value) is Value and position < len(value.items):
            return value.items[position]
        return UNKNOWN

    def _attribute(self, node: cst.Attribute) -> Value | Cases:
        if self.is_module(node):
            return CONST
        value = self.evaluate(node.value)
        return value if node.attr.value == 'T' else UNKNOWN

    def _walrus(self, node: cst.NamedExpr) -> Value | Cases:
        value = self.evaluate(node.value)
        self.assign(node.target, value)
        return value

    def _call(self, node: cst.Call) -> Value | Cases:
        return calls.call(self, node)

    def merge(self, left: Value | Cases, right: Value | Cases) -> None:
        """Two values meet at run time: widening one alone would not compile."""
        for _, one, other in pairs(left, right):
            if one.items and len(one.items) == len(other.items):
                for first, second in zip(one.items, other.items, strict=True):
                    self.merge(first, second)
            elif one.lifts != other.lifts and values.WIDE not in (one.width, other.width):
                self._merges.append((one.lifts ^ other.lifts, one.base or other.base))

    # what statements give

    def run_body(self, kernel: 'Kernel') -> None:
        """Run the statements of a function."""
        raise NotImplementedError

    def assign(self, target: cst.BaseExpression, value: Value | Cases, source: cst.BaseExpression | None = None) -> None:
        """Bind what an assignment binds."""
        raise NotImplementedError


_EXPRESSIONS: dict[type, Callable] = {
    cst.Name: Evaluator._name,
    cst.Integer: Evaluator._integer,
    cst.UnaryOperation: Evaluator._unary,
    cst.BinaryOperation: Evaluator._binary,
    cst.BooleanOperation: Evaluator._boolean,
    cst.Comparison: Evaluator._comparison,
    cst.IfExp: Evaluator._ternary,
    cst.Tuple: Evaluator._tuple,
    cst.List: Evaluator._tuple,
    cst.Subscript: Evaluator._subscript,
    cst.Attribute: Evaluator._attribute,
    cst.NamedExpr: Evaluator._walrus,
    cst.Call: Evaluator._call,
}


def _argument(parameter: 'Parameter') -> Value:
    if parameter.is_constexpr:
        return CONST
    return WIDE_INT if parameter.annotation in _WIDE_ANNOTATIONS else Value(values.NARROW, base=parameter.name)


def guarded(guard: Guard, value: Value | Cases) -> list[tuple[Guard, Value]]:
    return [(guard | inner, case) for inner, case in cases_of(value) if values.compatible(guard, inner)]


def is_const(value: Value | Cases) -> bool:
    return type(value) is Value and value.const


def _lifts(found: Iterable[Value | Cases | None]) -> set[ProgramId]:
    lifts: set[ProgramId] = set()
    for value in found:
        for _, case in cases_of(value or UNKNOWN):
            lifts |= case.lifts
            lifts |= _lifts(case.items)
    return lifts


def _power_of_two(shift: Value) -> Value:
    small = shift.literal is not None and 0 <= shift.literal < 32
    return shift._replace(literal=1 << shift.literal if small else None)


def _untile(value: Value) -> Value:
    if not value.indices:
        return value
    return value._replace(indices=frozenset(Index(index.origin, '') for index in value.indices))
