# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One pass over the statements of a kernel."""

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.bindings import bound_in, differ_in_width, only_widens
from flakelint.kernel.conditions import UNIQUE, spell
from flakelint.kernel.constants import COMPILE_TIME, OPPOSITES, may_be_constant, promoted, rounds_of, types_at_run_time
from flakelint.kernel.evaluator import Evaluator
from flakelint.kernel.frames import Call, Frame, Test
from flakelint.kernel.graph import NOTHING, SCALAR, UNKNOWN, Guard, Value, cases_of, each_value, narrowed, reachable
from flakelint.kernel.relations import is_same
from flakelint.kernel.walk import Any_
from flakelint.source.expressions import defaults_of

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.language import Arguments

_RANGES = ('range', 'triton.language.range', 'triton.language.core.range')
_STATIC_RANGES = ('triton.language.static_range', 'triton.language.core.static_range')
_MAX_DEPTH = 12
_MAX_CALLS = 3000
# loops that are unrolled are gone through round by round, but no more often than this in all
_MAX_UNROLLED = 16


class Interpreter(Evaluator):
    """Evaluate a kernel, statement by statement."""

    _unrolled = 1

    def run(self, kernel: 'Kernel', env: dict[str, Any_]) -> Frame:
        """Evaluate the body of a kernel of which the parameters hold these values."""
        self.frame = Frame(kernel, env, {})
        self.active.append(kernel.definition)
        self._block(kernel.definition.body)
        return self.frame

    def inline(self, helper: 'Kernel', arguments: 'Arguments', node: ast.Call) -> Any_ | None:
        if helper.definition in self.active or len(self.active) > _MAX_DEPTH or self.calls > _MAX_CALLS:
            return None
        self.calls += 1
        env: dict[str, Any_] = {}
        spelled: dict[str, str] = {}
        for position, parameter in enumerate(helper.parameters):
            value, source = arguments.get(position, parameter.name), arguments.node(position, parameter.name)
            env[parameter.name] = self._default(helper, position) if value is None else value
            own = f'{UNIQUE}{id(arguments)}.{parameter.name}'
            spelled[parameter.name] = own if source is None else spell(source, self.frame.spelled)
        if helper.definition.args.vararg is not None:
            named = len(helper.parameters)
            rest = tuple(value for key, value in arguments.values.items() if type(key) is int and key >= named)
            env[helper.definition.args.vararg.arg] = self.make('tuple', rest, types.TUPLE, SCALAR, node)
        outer, decided, guard, path = self.frame, self.decided, self.guard, self.path
        self.frame = frame = Frame(helper, env, spelled, node, outer)
        self.active.append(helper.definition)
        try:
            self._block(helper.definition.body)
        finally:
            self.active.pop()
            self.frame, self.decided, self.guard, self.path = outer, decided, guard, path
        return self._returned(frame, node)

    def _returned(self, frame: Frame, node: ast.Call) -> Any_:
        if not frame.returns:
            return self.make('none', (), types.NONE, SCALAR, node)
        cases: list[tuple[Guard, Value]] = []
        for guard, value in frame.returns:
            cases.extend(narrowed(value, guard))
        for _, value in frame.returns[frame.goes_on:] if frame.goes_on is not None else ():
            self._compare_returns(frame.returns[0][1], value, node)
        first_guard = frame.returns[0][0]
        if len(frame.returns) == 1 or all(guard != first_guard for guard, _ in frame.returns[1:]):
            return self.gather([(guard - self.guard, value) for guard, value in cases])
        result = frame.returns[0][1]
        for _, value in frame.returns[1:]:
            result = self.map2(lambda one, other: self.meet(one, other, node, 'return'), result, value)
        return result

    def _compare_returns(self, first: Any_, other: Any_, node: ast.Call) -> None:
        """Note returns of two types: Triton goes on behind a compile-time branch that returns."""
        for one in each_value([first]):
            for two in each_value([other]):
                if one.type == two.type == types.TUPLE and len(one.operands) == len(two.operands):
                    for pair in zip(one.operands, two.operands, strict=True):
                        self._compare_returns(*pair, node)
                elif types.differ(types_at_run_time(one), types_at_run_time(two)):
                    self.conflict('return', node, types_at_run_time(one), types_at_run_time(two))

    def _default(self, helper: 'Kernel', position: int) -> Value:
        """What a parameter holds for which nothing is given."""
        node = defaults_of(helper.definition.args).get(helper.parameters[position].name)
        literal = node.value if type(node) is ast.Constant else None
        kind = types.NONE if type(node) is ast.Constant and literal is None else types.CONST
        return Value('constant', (), kind, SCALAR, node, self.frame, literal)

    # statements

    def _block(self, statements: Iterable[ast.stmt]) -> bool:
        """Run the statements; whether none can follow."""
        for statement in statements:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None and handler(self, statement):
                return True
        return False

    def _assignment(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value, node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if type(node.target) is not ast.Name:
            return
        annotation = self.resolve(node.annotation)
        is_constant = annotation.endswith('.constexpr') and annotation.startswith('triton.')
        if node.value is None:
            self.frame.declared.update({node.target.id} if is_constant else ())
            return
        value = self.evaluate(node.value)
        if is_constant:
            self.frame.env[node.target.id] = value
            self.frame.spelled[node.target.id] = spell(node.value, self.frame.spelled)
        else:
            self.assign(node.target, value, node.value)

    def _augmented(self, node: ast.AugAssign) -> None:
        left, right = self.evaluate(node.target), self.evaluate(node.value)
        result = self.operation(node, type(node.op), left, right)
        if self.record is not None:
            self.record.append((node, self.frame, result))
        self.assign(node.target, result)

    def assign(self, target: ast.expr, value: Any_, source: ast.expr | None = None) -> None:
        if type(target) is ast.Name:
            stored = value if target.id in self.frame.declared else self.map(self._stored, value)
            if self.decided and target.id in self.frame.spelled:
                self.frame.spelled[target.id] = f'{UNIQUE}{id(target)}'
            elif target.id in self.frame.spelled:
                del self.frame.spelled[target.id]
            self.frame.env[target.id] = stored
            _name(stored, target.id)
        elif type(target) in (ast.Tuple, ast.List):
            self._unpack(target, value)
        elif type(target) is ast.Starred:
            self.assign(target.value, UNKNOWN)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any_) -> None:
        count = len(target.elts)
        found: list[list[tuple[Guard, Value]]] = [[] for _ in range(count)]
        for guard, case in cases_of(value):
            items = case.operands if case.type == types.TUPLE and len(case.operands) == count else (UNKNOWN,) * count
            for position, item in enumerate(items):
                found[position].extend(narrowed(item, guard))
        for element, cases in zip(target.elts, found, strict=True):
            self.assign(element, self.gather(cases))

    def _stored(self, value: Value) -> Value:
        """What a plain name holds: a constant becomes a value of the run time there."""
        if value.type == types.TUPLE:
            items = tuple(self.map(self._stored, item) for item in value.operands)
            return value if items == value.operands else self.make('tuple', items, types.TUPLE, SCALAR, value.node)
        if value.type != types.CONST or isinstance(value.literal, str):
            return self.make('assign', (value,), value.type, value.shape, value.node) if may_be_constant(value) else value
        if value.literal is None:
            if value.op == 'global' and self._is_function(value):
                return value
            kind = types.UNKNOWN if value.op in ('global', 'attribute', 'item') else self.at_run_time(value)
            return self.make('assign', (value,), kind, SCALAR, value.node)
        return self.make('assign', (value,), types.of_literal(value.literal), SCALAR, value.node, literal=value.literal)

    def _is_function(self, value: Value) -> bool:
        kernel = value.frame.kernel
        full = kernel.bindings.resolve(value.name)
        return full.startswith('triton.') or self.facts.helper(kernel, value.node, full) is not None

    def _return(self, node: ast.Return) -> bool:
        if node.value is not None:
            self.frame.returns.append((self.guard, self.evaluate(node.value)))
        return True

    def _expression(self, node: ast.Expr) -> None:
        if type(node.value) is not ast.Constant:
            self.evaluate(node.value)

    def _assertion(self, node: ast.Assert) -> None:
        if node.msg is not None:
            self.evaluate(node.msg)

    def _holds(self, name: str, other: str) -> bool:
        return is_same(self.frame.env.get(name), self.frame.env.get(other))

    def _if(self, node: ast.If) -> bool:
        test, static, truth, yes, no = self.static_truth(node.test)
        self.tests.append(Test(node, test, self.frame, self.guard))
        if truth is not None:
            chosen = node.body if truth else node.orelse
            ends, _ = self._branch(chosen, yes if truth else no)
            if ends and not (node.body and node.orelse):
                # Triton compiles what follows all the same
                self.frame.goes_on = len(self.frame.returns)
            return ends
        before = dict(self.frame.env)
        outside = self.path
        self.path = outside if static else (*outside, test)
        ends, after_body = self._branch(node.body, yes)
        self.frame.env = dict(before)
        # only widening here is the author's choice of when to pay for it
        if static and not node.orelse and all(only_widens(one, self._holds) for one in node.body):
            self.declined |= no
        if static and node.orelse:
            widens, narrows = differ_in_width(node.body, node.orelse)
            self.declined |= no if widens else yes if narrows else NOTHING
        else_ends, after_else = self._branch(node.orelse, no)
        self.note_branch(node, None if static else test, before, after_body, after_else)
        if not ends and not else_ends:
            # behind a branch that leaves, the condition is decided for the rest of the block
            self.path = outside
        if ends and else_ends:
            return True
        if ends or else_ends:
            # where a branch leaves, what follows is the other one
            self.frame.env = after_else if ends else after_body
            if ends and not static:
                self._note_opposite(self.evaluate(node.test))
            if static:
                self.frame.goes_on = len(self.frame.returns)
                remains = no if ends else yes
                self.decided, self.guard = self.decided | dict(remains), self.guard | remains
            return False
        self.frame.env = self._joined(after_body, after_else, (yes, no) if static else None, node)
        return False

    def _note_opposite(self, test: Any_) -> None:
        """Note what is known behind a branch that leaves: the opposite of its condition."""
        for value in reachable([test], lambda one: one.operands if one.op == 'any' else ()):
            if value.op in OPPOSITES:
                opposite = OPPOSITES[value.op]
                self.comparisons.append(self.make(opposite, value.operands, types.BOOL, value.shape, value.node))

    def _branch(self, statements: list[ast.stmt], guard: Guard) -> tuple[bool, dict[str, Any_]]:
        outer = self.decided, self.guard
        self.decided, self.guard = self.decided | dict(guard), self.guard | guard
        path = self.path
        ends = self._block(statements)
        self.decided, self.guard = outer
        self.path = path
        return ends, self.frame.env

    def _joined(
        self, one: dict[str, Any_], other: dict[str, Any_], told: tuple[Guard, Guard] | None, node: ast.If,
    ) -> dict[str, Any_]:
        env = {**other, **one}
        for name in bound_in((*node.body, *node.orelse)):
            first, second = one.get(name), other.get(name)
            if first is second:
                continue
            if first is None or second is None:
                if not told:
                    # behind a condition of the run time there is no such name any more
                    del env[name]
            elif told:
                env[name] = self.gather(narrowed(first, told[0]) + narrowed(second, told[1]))
            else:
                env[name] = self.map2(lambda a, b: self.meet(a, b, node, 'branch'), first, second)
                _name(env[name], name)
        return env

    # loops

    def _for(self, node: ast.For) -> bool:
        name = self.resolve(node.iter.func) if type(node.iter) is ast.Call else ''
        if name in _STATIC_RANGES:
            return self._static_loop(node)
        if name in _RANGES:
            bounds = [self.evaluate(argument) for argument in node.iter.args if type(argument) is not ast.Starred]
            for keyword in node.iter.keywords:
                self.evaluate(keyword.value)
            counter = self._counter(node, bounds)
        else:
            self.evaluate(node.iter)
            counter = UNKNOWN
        self._loop(node, lambda: self.assign(node.target, counter))
        return False

    def _counter(self, node: ast.For, bounds: list[Any_]) -> Any_:
        if not 1 <= len(bounds) <= 3:
            return UNKNOWN
        zero = Value('constant', (), types.CONST, SCALAR, node.iter, self.frame, 0)
        one = Value('constant', (), types.CONST, SCALAR, node.iter, self.frame, 1)
        start, stop = (zero, bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else one

        def ends(first: Value, last: Value) -> Value:
            return self.make('ends', (first, last), promoted([first, last]), SCALAR, node.target)

        def counter(pair: Value, third: Value) -> Value:
            counter = self.make('counter', (*pair.operands, third), promoted([*pair.operands, third]), SCALAR, node.target)
            self.counters.append(counter)
            return counter

        return self.map2(counter, self.map2(ends, start, stop), step)

    def _static_loop(self, node: ast.For) -> bool:
        bounds = [self.evaluate(argument) for argument in node.iter.args]
        nodes, values = dict(enumerate(node.iter.args)), dict(enumerate(bounds))
        self.constant_calls.append(Call(node.iter, 'static_range', nodes, values, self.frame, self.guard))
        if type(node.target) is not ast.Name:
            return False
        rounds = rounds_of(bounds, _MAX_UNROLLED)
        if rounds is None or len(rounds) * self._unrolled > _MAX_UNROLLED:
            # what the first round made meets what it found, for the rounds that follow
            rounds = [None, None] if self._unrolled <= _MAX_UNROLLED // 4 else [None]
        self._unrolled *= max(1, len(rounds))
        for literal in rounds:
            counter = self.make('static counter', tuple(bounds), types.CONST, SCALAR, node.target, literal=literal)
            self.frame.env[node.target.id] = counter
            self.frame.spelled[node.target.id] = f'{UNIQUE}{id(node)}'
            self._branch(node.body, NOTHING)
        self._unrolled //= max(1, len(rounds))
        return False

    def _while(self, node: ast.While) -> bool:
        self._loop(node, lambda: self.tests.append(Test(node, self.evaluate(node.test), self.frame, self.guard)))
        return False

    def _loop(self, node: ast.For | ast.While, enter: Callable[[], object]) -> None:
        carried = {}
        for name in bound_in(node.body):
            value = self.frame.env.get(name)
            if value is not None:
                carried[name] = self.map(lambda case: self._carry(node, case), value)
        self.frame.env.update(carried)
        enter()
        self._branch(node.body, NOTHING)
        for name, start in carried.items():
            now = self.frame.env.get(name, start)
            if now is start:
                continue
            for guard, case in cases_of(start):
                self._close(node, case, narrowed(now, guard))
            self.note('loop', name, node, start, now)
            self.frame.env[name] = start

    def _carry(self, node: ast.AST, value: Value) -> Value:
        if value.type == types.TUPLE:
            items = tuple(self.map(lambda item: self._carry(node, item), item) for item in value.operands)
            return self.make('tuple', items, types.TUPLE, SCALAR, node)
        if value.type in COMPILE_TIME and value.op in ('global', 'dtype', 'attribute', 'none'):
            return value
        return self.make('phi', (value,), types_at_run_time(value), value.shape, node, name=value.name, detail=value.detail)

    def _close(self, node: ast.AST, start: Value, ends: list[tuple[Guard, Value]]) -> None:
        """Tell a carried value what the loop makes of it."""
        for _, end in ends:
            if start.type == types.TUPLE and end.type == types.TUPLE and len(start.operands) == len(end.operands):
                for one, other in zip(start.operands, end.operands, strict=True):
                    for guard, case in cases_of(one):
                        self._close(node, case, narrowed(other, guard))
            elif start.op == 'phi' and end is not start:
                start.operands = (*start.operands, end)
                one, other = start.type, types_at_run_time(end)
                if types.differ(one, other):
                    self.conflict('loop', node, one, other)
                if '?' in one and types.is_integer(other) and '?' not in other:
                    start.type = other
                elif not one:
                    start.type = types.UNKNOWN

    def _with(self, node: ast.With) -> bool:
        return self._block(node.body)


_STATEMENTS: dict[type, Callable] = {
    ast.Assign: Interpreter._assignment,
    ast.AnnAssign: Interpreter._annotated,
    ast.AugAssign: Interpreter._augmented,
    ast.Assert: Interpreter._assertion,
    ast.Expr: Interpreter._expression,
    ast.Return: Interpreter._return,
    ast.If: Interpreter._if,
    ast.For: Interpreter._for,
    ast.While: Interpreter._while,
    ast.With: Interpreter._with,
}


def _name(value: Any_, name: str) -> None:
    """Let values without a name go by the one that they are bound to."""
    for case in each_value([value]):
        if not case.name and case.op not in ('constant', 'global'):
            case.name = name
