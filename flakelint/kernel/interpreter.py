# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One pass over the statements of a kernel."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from flakelint.kernel import calls, values
from flakelint.kernel.expressions import Evaluator, Facts, guarded, is_const
from flakelint.kernel.spelling import conflicts, guards, spell
from flakelint.kernel.values import CONST, NOTHING, UNKNOWN, Cases, Guard, Value, each, gather

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel


_ROUNDS_TWICE = 4


class Interpreter(Evaluator):
    """Evaluate a kernel, statement by statement."""

    _nesting = 0

    def run(self) -> Facts:
        """Evaluate the body."""
        self._active.append(self._frame.kernel)
        self.run_body(self._frame.kernel)
        for origins, base in self._merges:
            # pointers are 64-bit whatever was added to them
            if base not in self._pointers:
                self.facts.forbidden |= origins
        return self.facts

    def run_body(self, kernel: 'Kernel') -> None:
        """Run the statements of a function."""
        self._block(kernel.node.body)

    def _block(self, block: cst.BaseSuite) -> bool:
        """Run the statements; whether none can follow."""
        for statement in block.body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None and handler(self, statement):
                return True
        return False

    def _line(self, line: cst.SimpleStatementLine) -> bool:
        return self._block(line)

    def _assignment(self, node: cst.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target.target, value, node.value)

    def _annotated(self, node: cst.AnnAssign) -> None:
        if node.value is None or type(node.target) is not cst.Name:
            return
        value = self.evaluate(node.value)
        if self.resolve(node.annotation.annotation).endswith('.constexpr'):
            self._frame.env[node.target.value] = value
        else:
            self.assign(node.target, value, node.value)

    def _augmented(self, node: cst.AugAssign) -> None:
        operator = _AUGMENTED.get(type(node.operator))
        left = self.evaluate(node.target)
        value = self.evaluate(node.value)
        result = UNKNOWN if operator is None else self._operation(node, operator, left, value, node.value)
        self.assign(node.target, result)

    def assign(self, target: cst.BaseExpression, value: Value | Cases, source: cst.BaseExpression | None = None) -> None:
        if type(target) is cst.Name:
            self._frame.env[target.value] = each(values.stored, value)
            if source in self._origins:
                self.facts.names[self._origins[source]] = target.value
        elif type(target) in (cst.Tuple, cst.List):
            items = value.items if type(value) is Value else ()
            if len(items) != len(target.elements):
                items = (UNKNOWN,) * len(target.elements)
            written = source.elements if type(source) is cst.Tuple else ()
            for position, (element, item) in enumerate(zip(target.elements, items, strict=True)):
                self.assign(element.value, item, written[position].value if position < len(written) else None)

    def _return(self, node: cst.Return) -> bool:
        if node.value is not None:
            value = self.evaluate(node.value)
            before = self._frame.result
            if before is not None:
                self.merge(before, value)
            self._frame.result = value if before is None else values.join_all(before, value)
        return True

    def _expression(self, node: cst.Expr) -> None:
        self.evaluate(node.value)

    def _if(self, node: cst.If) -> bool:
        static = is_const(self.evaluate(node.test))
        yes, no = guards(node.test, self._frame.spelled)
        if static and conflicts(no, self._decided):
            return self._block(node.body)
        if static and conflicts(yes, self._decided):
            return node.orelse is not None and self._else(node.orelse)
        before, decided = dict(self._frame.env), self._decided
        self._decided = decided | dict(yes)
        ends = self._block(node.body)
        after_body, self._frame.env = self._frame.env, dict(before)
        # only widening here is the author's choice of when to pay for it
        chosen = static and node.orelse is None and all(_is_widening(statement) for statement in node.body.body)
        self._decided = decided | dict(no) if static else decided
        else_ends = node.orelse is not None and self._else(node.orelse)
        if ends or else_ends or chosen:
            # where a branch leaves, what follows is the other one
            remains = no if ends else yes
            self._decided = decided | dict(remains) if static and ends != else_ends and not chosen else decided
            if not ends:
                self._frame.env = after_body
            return ends and else_ends
        self._decided = decided
        self._frame.env = self._joined(before, after_body, self._frame.env, (yes, no) if static else None)
        return False

    def _else(self, node: cst.Else | cst.If) -> bool:
        return self._if(node) if type(node) is cst.If else self._block(node.body)

    def _joined(self, before: dict, one: dict, other: dict, told: tuple[Guard, Guard] | None) -> dict:
        env = dict(one)
        for name, second in other.items():
            first = one.get(name, second)
            if first is second or first == second:
                env[name] = second
            elif told and all(told):
                env[name] = gather(guarded(told[0], first) + guarded(told[1], second))
            else:
                if told is None:
                    self.merge(first, second)
                env[name] = values.join_all(first, second)
        return env

    def _for(self, node: cst.For) -> None:
        value, unrolled = self._counter(node.iter)
        self._loop(node.body, lambda: self.assign(node.target, value), not unrolled)

    def _counter(self, node: cst.BaseExpression) -> tuple[Value | Cases, bool]:
        """The values over which a loop runs, and whether it is unrolled."""
        name = self.resolve(node.func) if type(node) is cst.Call else ''
        if name not in ('range', f'{calls.LANGUAGE}range', f'{calls.LANGUAGE}static_range'):
            self.evaluate(node)
            return UNKNOWN, False
        bounds = [self.evaluate(argument.value) for argument in node.args if argument.keyword is None]
        if name.endswith('static_range'):
            return CONST, True
        if not bounds or len(bounds) > 3:
            return UNKNOWN, False
        start = bounds[0] if len(bounds) > 1 else CONST
        # a limit that wraps ends the loop early, but the products in it are no part of the counter
        rest = [each(lambda case: case._replace(products=NOTHING), bound) for bound in bounds[len(bounds) > 1:]]
        for bound in rest:
            start = self.promote(start, bound)
        return each(lambda case: values.stored(case)._replace(fixed=False, literal=None, base=''), start), False

    def _while(self, node: cst.While) -> None:
        self._loop(node.body, lambda: self.evaluate(node.test), True)

    def _loop(self, body: cst.BaseSuite, enter: Callable[[], object], carries: bool) -> None:
        before = dict(self._frame.env)
        enter()
        decided = self._decided
        self._nesting += 1
        self._block(body)
        self._decided = decided
        carried = self._carried(before, carries)
        if carried:
            self._frame.env.update(carried)
            enter()
            # each level doubles the work of those in it
            if self._nesting <= _ROUNDS_TWICE:
                self._block(body)
                self._decided = decided
                self._carried(before, carries)
        self._nesting -= 1
        # a loop may run no time at all
        for name, value in before.items():
            now = self._frame.env[name]
            if now is not value:
                self._frame.env[name] = values.join_all(value, now)

    def _carried(self, before: dict, carries: bool) -> dict:
        """The names that enter the next round with other values than the first."""
        found = {}
        for name, value in before.items():
            now = self._frame.env.get(name, value)
            if now is value or now == value:
                continue
            if carries:
                self.merge(value, now)
            joined = values.join_all(value, now)
            if joined != value:
                found[name] = joined
        return found

    def _with(self, node: cst.With) -> bool:
        return self._block(node.body)


_STATEMENTS: dict[type, Callable] = {
    cst.SimpleStatementLine: Interpreter._line,
    cst.Assign: Interpreter._assignment,
    cst.AnnAssign: Interpreter._annotated,
    cst.AugAssign: Interpreter._augmented,
    cst.Expr: Interpreter._expression,
    cst.Return: Interpreter._return,
    cst.If: Interpreter._if,
    cst.For: Interpreter._for,
    cst.While: Interpreter._while,
    cst.With: Interpreter._with,
}
_AUGMENTED = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
}


def _is_widening(statement: cst.BaseStatement) -> bool:
    """Whether a statement only casts names to 64 bits."""
    return type(statement) is cst.SimpleStatementLine and all(map(_widens_name, statement.body))


def _widens_name(node: cst.BaseSmallStatement) -> bool:
    if type(node) is not cst.Assign or len(node.targets) > 1 or type(node.targets[0].target) is not cst.Name:
        return False
    call, name = node.value, node.targets[0].target.value
    if type(call) is not cst.Call or len(call.args) not in (1, 2):
        return False
    is_cast = spell(call.func, {}) == f'{name}.to' if len(call.args) == 1 else spell(call.args[0].value, {}) == name
    return is_cast and spell(call.args[-1].value, {}).rpartition('.')[2] == 'int64'
