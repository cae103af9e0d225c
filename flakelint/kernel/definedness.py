# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which names of a kernel hold a value where they are read.

Triton compiles both branches of a condition that is decided at run time, and keeps behind it only the names that both of them bind, or that were bound before. What a loop binds first is gone behind it, and its counter is there but holds no value. Of a condition that is decided when the kernel is compiled only one branch is compiled, and all that it binds stays.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.bindings import bound_in
from flakelint.kernel.conditions import UNIQUE
from flakelint.kernel.decisions import Decide, Decision
from flakelint.kernel.graph import NOTHING, Guard, compatible
from flakelint.project.imports import dotted
from flakelint.project.statements import FUNCTIONS

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

RANGES = frozenset({'range', 'triton.language.range', 'triton.language.core.range'})
_STATIC_ASSERT = frozenset({'triton.language.static_assert', 'triton.language.core.static_assert'})
_BLOCKS = (ast.Try, ast.Match, ast.ClassDef, *FUNCTIONS)

# why a name holds nothing, or not always
BRANCH = 'branch'
LOOP = 'loop'
LATER = 'later'
FLAG = 'flag'
COUNTER = 'counter'
ANNOTATED = 'annotated'


class Loss(NamedTuple):
    """Why a name holds nothing.

    Args:
        kind (str):
            One of the constants above.
        statement (ast.AST):
            The condition or the loop that it does not outlive, or what binds it.
        binding (ast.AST):
            Where it was given a value.
    """

    kind: str
    statement: ast.AST
    binding: ast.AST


class State(NamedTuple):
    """What is known of a name at one point.

    Args:
        guards (frozenset[Guard]):
            The conditions under which it is bound, any of which is enough; none where it never is.
        binding (ast.AST):
            Where it was bound last.
        loss (Loss | None, Optional):
            Why it is not bound, or holds no value although it is. Default: `None`.
        is_annotated (bool, Optional):
            Whether it was declared a constant where it was bound. Default: `False`.
        within (Guard, Optional):
            The conditions around the branch outside of which it may not be bound. Default: none.
    """

    guards: frozenset[Guard]
    binding: ast.AST
    loss: Loss | None = None
    is_annotated: bool = False
    within: Guard = NOTHING


class Reading(NamedTuple):
    """A name that is read where it holds nothing, or not always.

    Args:
        node (ast.Name):
            Where it is read.
        loss (Loss):
            Why.
        missing (Guard, Optional):
            The conditions without which it is not bound; none where it never is. Default: none.
    """

    node: ast.Name
    loss: Loss
    missing: Guard = NOTHING


ALWAYS = frozenset({NOTHING})
_Env = dict[str, State]


class Flow:
    """One pass over the statements of a function, in the order in which they are compiled.

    Args:
        kernel (Kernel):
            The function.
        decide (Callable[[ast.expr], Decision]):
            Tells how a condition is decided.
    """

    def __init__(self, kernel: 'Kernel', decide: Decide) -> None:
        self.kernel = kernel
        self.readings: list[Reading] = []
        self._decide = decide
        self._guard = NOTHING
        self._told: set[str] = set()
        self._local = _first_bindings(kernel)
        arguments = kernel.definition.args
        self._env: _Env = {one.name: State(ALWAYS, one.node) for one in kernel.parameters}
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                self._env[extra.arg] = State(ALWAYS, extra)

    def run(self) -> list[Reading]:
        """What is read without a value, each name once."""
        self._block(self.kernel.definition.body)
        return self.readings

    # statements

    def _block(self, statements: Sequence[ast.stmt]) -> bool:
        """Go through a block; whether it is never compiled to its end."""
        for statement in statements:
            if isinstance(statement, ast.If):
                self._if(statement)
            elif isinstance(statement, ast.For):
                self._for(statement)
            elif isinstance(statement, ast.While):
                self._read(statement.test)
                self._loop(statement, {})
            elif isinstance(statement, ast.With):
                self._with(statement)
            elif isinstance(statement, _BLOCKS):
                # Triton refuses these as a whole
                self._assume(bound_in([statement]), statement)
            else:
                self._simple(statement)
            if isinstance(statement, ast.Return | ast.Raise) or self._is_refusal(statement):
                return not isinstance(statement, ast.Return)
        return False

    def _simple(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            self._read(statement.value)
            targets = statement.targets
        elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
            targets = [statement.target]
            if isinstance(statement, ast.AugAssign):
                self._read(_as_read(statement.target))
            if statement.value is None:
                # what else gives a value to what is only declared is not seen
                self._assume(() if self._is_constexpr(statement.annotation) else _stored(statement.target), statement)
                return
            self._read(statement.value)
        else:
            targets = []
            for child in ast.iter_child_nodes(statement):
                self._read(child)
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    is_constant = isinstance(statement, ast.AnnAssign) and self._is_constexpr(statement.annotation)
                    self._env[node.id] = State(ALWAYS, node, is_annotated=is_constant)
                elif isinstance(node, ast.Name):
                    self._read(node)

    def _with(self, statement: ast.With) -> None:
        for item in statement.items:
            self._read(item.context_expr)
            if item.optional_vars is not None:
                self._assume(_stored(item.optional_vars), item.optional_vars)
        self._block(statement.body)

    def _if(self, statement: ast.If) -> None:
        self._read(statement.test)
        decision = self._decide(statement.test)
        if decision.truth is not None:
            self._block(statement.body if decision.truth else statement.orelse)
            return
        before, outer = dict(self._env), self._guard
        yes, no = self._sides(decision, statement)
        self._guard = outer | yes
        refuses = self._block(statement.body)
        body, self._env = self._env, dict(before)
        self._guard = outer | no
        else_refuses = self._block(statement.orelse)
        orelse, self._guard = self._env, outer
        if decision.is_static is not False and (refuses or else_refuses):
            # where the kernel is refused on purpose, nothing follows
            self._env = orelse if refuses else body
        elif decision.is_static is False:
            self._env = {name: _at_run_time(name, body, orelse, before, statement) for name in {**body, **orelse}}
        else:
            self._env = {
                name: _chosen(body.get(name), orelse.get(name), decision, outer) for name in {**body, **orelse}
            }

    def _sides(self, decision: Decision, node: ast.AST) -> tuple[Guard, Guard]:
        if decision.is_static is False:
            return decision.yes, decision.no
        # a condition that cannot be told is like no other
        yes, no = (frozenset({(f'{UNIQUE}{id(node)}', truth)}) for truth in (True, False))
        return decision.yes or yes, decision.no or no

    def _for(self, statement: ast.For) -> None:
        if isinstance(statement.iter, ast.Call):
            for argument in (*statement.iter.args, *(one.value for one in statement.iter.keywords)):
                self._read(argument)
        name = dotted(statement.iter.func) if isinstance(statement.iter, ast.Call) else None
        is_loop = name is not None and name not in self._env and self.kernel.bindings.resolve(name) in RANGES
        if is_loop and isinstance(statement.target, ast.Name):
            counter = statement.target
            self._loop(statement, {counter.id: State(ALWAYS, counter)})
            self._env[counter.id] = State(ALWAYS, counter, Loss(COUNTER, statement, counter))
            return
        # what is unrolled keeps what it binds, from one round to the next
        self._assume(_stored(statement.target), statement)
        self._assume(bound_in(statement.body) - {name for name, state in self._env.items() if state.guards}, statement)
        self._block(statement.body)

    def _loop(self, statement: ast.For | ast.While, entered: _Env) -> None:
        before = dict(self._env)
        self._env.update(entered)
        self._block(statement.body)
        after = self._env
        self._env = before
        for name, state in after.items():
            known = before.get(name)
            if known is None or (not known.guards and state.guards):
                loss = state.loss if not state.guards else Loss(LOOP, statement, state.binding)
                self._env[name] = State(frozenset(), state.binding, loss)
            elif known.loss is not None and state.binding is not known.binding:
                self._env[name] = State(known.guards, state.binding)

    def _assume(self, names: Iterable[str], node: ast.AST) -> None:
        self._env.update({name: State(ALWAYS, node) for name in names})

    # expressions

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self._name(node)
        elif isinstance(node, ast.IfExp):
            self._ternary(node)
        elif isinstance(node, ast.BoolOp):
            self._boolean(node)
        elif isinstance(node, ast.NamedExpr):
            self._read(node.value)
            self._env[node.target.id] = State(ALWAYS, node.target)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            for generator in node.generators:
                self._assume(_stored(generator.target), generator.target)
            self._read_all(node)
        elif not isinstance(node, ast.Lambda):
            self._read_all(node)

    def _read_all(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._read(child)

    def _ternary(self, node: ast.IfExp) -> None:
        self._read(node.test)
        decision = self._decide(node.test)
        yes, no = self._sides(decision, node)
        for branch, truth, guard in ((node.body, True, yes), (node.orelse, False, no)):
            if decision.truth in (None, truth):
                outer, self._guard = self._guard, self._guard | guard
                self._read(branch)
                self._guard = outer

    def _boolean(self, node: ast.BoolOp) -> None:
        outer = self._guard
        for value in node.values:
            self._read(value)
            # a constant may end it here
            yes, no = self._sides(self._decide(value)._replace(is_static=True), value)
            self._guard = self._guard | (yes if isinstance(node.op, ast.And) else no)
        self._guard = outer

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name not in self._local or name in self._told:
            return
        state = self._env.get(name)
        if state is None:
            first = self._local[name]
            self._tell(Reading(node, Loss(LATER, first, first)))
            return
        possible = [guard for guard in state.guards if compatible(guard, self._guard)]
        if not possible:
            self._tell(Reading(node, state.loss or Loss(FLAG, state.binding, state.binding), self._without(state)))
        elif not any(guard <= self._guard for guard in possible):
            # a further condition may imply the one that is missing
            if len(state.guards) == 1 and self._guard <= state.within:
                self._tell(Reading(node, Loss(FLAG, state.binding, state.binding), possible[0] - self._guard))
        elif state.loss is not None:
            self._tell(Reading(node, state.loss))

    def _without(self, state: State) -> Guard:
        """The conditions that exclude a binding."""
        return frozenset(atom for guard in state.guards for atom in guard if (atom[0], not atom[1]) in self._guard)

    def _tell(self, reading: Reading) -> None:
        self._told.add(reading.node.id)
        self.readings.append(reading)

    def _is_constexpr(self, annotation: ast.expr) -> bool:
        spelled = annotation.value if isinstance(annotation, ast.Constant) else dotted(annotation)
        return isinstance(spelled, str) and self.kernel.bindings.resolve(spelled).endswith('language.constexpr')

    def _is_refusal(self, statement: ast.stmt) -> bool:
        """Whether it is `tl.static_assert(False)`."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Constant):
            return False
        return not call.args[0].value and self.kernel.bindings.resolve(dotted(call.func) or '') in _STATIC_ASSERT


def _first_bindings(kernel: 'Kernel') -> dict[str, ast.Name]:
    found: dict[str, ast.Name] = {}
    for node in kernel.body:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, node)
    return found


def _stored(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _as_read(target: ast.expr) -> ast.expr:
    """The target of `x += 1`, which is read first."""
    return ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target


def _at_run_time(name: str, body: _Env, orelse: _Env, before: _Env, statement: ast.If) -> State:
    """What a name is behind a condition of the run time."""
    one, other, known = body.get(name), orelse.get(name), before.get(name)
    if known is not None and known.guards:
        changed = next((state for state in (one, other) if state is not None and state.binding is not known.binding), known)
        loss = next((state.loss for state in (one, other) if state is not None and state.loss is not None), None)
        return State(known.guards, changed.binding, loss, known.is_annotated)
    states = [state for state in (one, other) if state is not None and state.guards]
    if len(states) == 2 and not any(state.is_annotated for state in states):
        both = frozenset(a | b for a in one.guards for b in other.guards if compatible(a, b))
        return State(_simplified(both), one.binding, one.loss or other.loss)
    if not states:
        return one or other
    annotated = next((state for state in states if state.is_annotated), None)
    kind = BRANCH if annotated is None else ANNOTATED
    binding = (annotated or states[0]).binding
    return State(frozenset(), binding, Loss(kind, statement, binding))


def _chosen(one: State | None, other: State | None, decision: Decision, within: Guard) -> State:
    """What a name is behind a condition that chooses when the kernel is compiled."""
    if one is other:
        return one
    sides = ((one, decision.yes), (other, decision.no))
    guards = {guard | side for state, side in sides if state for guard in state.guards if compatible(guard, side)}
    bound = [state for state in (one, other) if state is not None and state.guards]
    lost = [state for state in (one, other) if state is not None and state.loss is not None]
    loss = lost[0].loss if lost and (len(lost) == 2 or not bound or (len(bound) == 1 and bound[0] is lost[0])) else None
    return State(_simplified(guards), (bound or [one or other])[0].binding, loss, within=within)


def _simplified(guards: Iterable[Guard]) -> frozenset[Guard]:
    """The same conditions, said with fewer: of two that differ in the truth of one flag, the flag does not matter."""
    found = set(guards)
    while (shorter := next(_shorter(found), None)) is not None:
        found -= {one for one in found if shorter < one}
        found.add(shorter)
    return frozenset(found)


def _shorter(guards: set[Guard]) -> Iterator[Guard]:
    for one in guards:
        for text, truth in one:
            rest = one - {(text, truth)}
            if rest in guards or any(other <= rest | {(text, not truth)} for other in guards):
                yield rest
