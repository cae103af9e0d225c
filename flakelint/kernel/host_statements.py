# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run through the statements of host code, and note what it launches with what."""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from flakelint.kernel import host_tensors
from flakelint.kernel.host_bindings import unpacked
from flakelint.kernel.host_conditions import Condition, learned
from flakelint.kernel.host_expressions import Env, Expressions
from flakelint.kernel.host_fresh import as_taken, spoil
from flakelint.kernel.host_launches import Found, axes_of, is_launch, is_number
from flakelint.kernel.host_values import DICT, FUNCTION, META, STAR, Tensor, Value, merge, unknown
from flakelint.kernel.launches import EITHER
from flakelint.project.imports import dotted
from flakelint.project.meanings import MEMBER, imported_by, target_names
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.syntax import nodes_in_order

# the target of a launch of a function that is defined in a function begins with this
LOCAL = '@'

_TRIES = (ast.Try, *([ast.TryStar] if sys.version_info >= (3, 11) else []))
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_CHANGES = frozenset({'append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'setdefault', 'sort', 'update'})
# what a tuner wraps
_WRAPPED = re.compile(r'(.*?)((?:\.fn)*)')
_BODIES = ('body', 'orelse', 'finalbody', 'handlers', 'cases')


class Surroundings(Protocol):
    """What a function needs of the module around it."""

    expressions: Expressions

    def run(self, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, outer: Env) -> None:
        """Look for launches in a function that sees the names of another one."""


class Body:
    """Runs through the statements of one function, and keeps what its names are."""

    def __init__(self, module: Surroundings, name: str, watched: str = '') -> None:
        self.found: list[Found] = []
        # the calls of the function that is watched, each with what holds there and what it is given
        self.calls: list[tuple[tuple[Condition, ...], host_tensors.Arguments]] = []
        self._watched = watched
        self.returned: list[Value] = []
        self._module = module
        self._name = name
        self._evaluate = module.expressions.evaluate
        self._functions: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, Env]] = []
        self._last: Env = {}
        # what holds where the walk is, and what was asserted on the way
        self._conditions: list[Condition] = []
        self.asserted: list[Condition] = []

    def block(self, statements: Sequence[ast.stmt], env: Env) -> bool:
        """Run through statements; says whether the end of them is never reached."""
        self._last = env
        outside = len(self._conditions)
        for statement in statements:
            for expression in _expressions(statement):
                self._scan(expression, env)
                spoil(expression, env)
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                spoil(statement, env)
            if self._run(statement, env):
                del self._conditions[outside:]
                return True
        del self._conditions[outside:]
        return False

    def result(self) -> Value | None:
        """What the function returns, if anything."""
        result = None
        for returned in self.returned:
            result = returned if result is None else merge('', result, returned)
        return result

    def enter_functions(self) -> None:
        """Look for launches in the functions that are defined in this one, which see its names as they are in the end."""
        for node, before in self._functions:
            if not any(is_launch(inner) for inner in nodes_in_order(node.body)):
                continue
            outer = {name: value for name, value in self._last.items() if before.get(name, value) is value}
            outer |= {name: unknown(name) for name in before.keys() - outer.keys()}
            self._module.run(f'{self._name}.{node.name}' if self._name else node.name, node, outer)

    def _run(self, node: ast.stmt, env: Env) -> bool:
        if isinstance(node, ast.Assign):
            value = self._evaluate(node.value, env)
            if len(node.targets) > 1 and value.may_be_tensor:
                # each name may change it behind the back of the others
                value.tensor.is_fresh = False
            for target in node.targets:
                self._bind(target, value, env, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._bind(node.target, self._evaluate(node.value, env), env, node.value)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, env)
        elif isinstance(node, ast.If):
            return self._branch(node, env)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            self._loop(node, env)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, unknown(''), env)
            return self.block(node.body, env)
        elif isinstance(node, _TRIES):
            return self._try(node, env)
        elif isinstance(node, ast.Match):
            return self._either([(case.body, dict(env)) for case in node.cases], env)
        elif isinstance(node, ast.Return):
            self.returned.append(self._evaluate(node.value, env) if node.value is not None else unknown(''))
        elif isinstance(node, ast.Assert):
            self._learn(node.test, env)
            self.asserted.append(Condition(self._evaluate(node.test, env), holds=True))
            self._take(self.asserted[-1], env)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, env)
        elif isinstance(node, FUNCTIONS):
            self._define(node, env)
        return isinstance(node, _LEAVES)

    def _import(self, node: ast.Import | ast.ImportFrom, env: Env) -> None:
        # at the top of a module the resolver follows imports and definitions itself
        for name, meaning in imported_by(node) if self._name else ():
            env[name] = unknown(name, reference=meaning.text if meaning.kind == MEMBER else f'{meaning.text}:')

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Env) -> None:
        if self._name:
            env[node.name] = Value(FUNCTION, node.name, node=node, reference=f'{LOCAL}{self._name}.{node.name}')
            self._functions.append((node, dict(env)))

    def _bind(self, target: ast.expr, value: Value, env: Env, source: ast.expr | None = None) -> None:
        """Bind a target; what is but another name for something keeps that something's name."""
        name = dotted(target)
        if name is not None:
            env[name] = value if isinstance(source, ast.Name) else value.named(name)
            if env[name].may_be_tensor and not isinstance(source, ast.Call):
                env[name].tensor.is_fresh = False
        elif isinstance(target, ast.Tuple | ast.List):
            is_parallel = isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(target.elts)
            sources = source.elts if is_parallel else [None] * len(target.elts)
            for one, part, origin in zip(target.elts, unpacked(value, target.elts), sources, strict=True):
                self._bind(one.value if isinstance(one, ast.Starred) else one, part, env, origin)
        elif isinstance(target, ast.Subscript):
            self._store(target, value, env)

    def _store(self, target: ast.Subscript, value: Value, env: Env) -> None:
        name = dotted(target.value)
        held = env.get(name or '')
        if held is None or held.may_be_tensor:
            return
        is_plain = held.kind == DICT and isinstance(target.slice, ast.Constant)
        env[name] = replace(held, items={**held.items, target.slice.value: value}) if is_plain else unknown(name)

    def _augment(self, node: ast.AugAssign, env: Env) -> None:
        name = dotted(node.target)
        if name is not None:
            env[name] = self._evaluate(ast.BinOp(node.target, node.op, node.value), env).named(name)

    def _branch(self, node: ast.If, env: Env) -> bool:
        body, other = dict(env), dict(env)
        compared = self._compared_ranks(node.test, env)
        test = self._evaluate(node.test, env)
        ends = self._block_where(Condition(test, holds=True), node.body, body)
        if ends and not node.orelse and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.NotEq):
            # whoever comes by has as many dimensions as the test asks for
            self._learn(ast.Compare(node.test.left, [ast.Eq()], node.test.comparators), env)
        else:
            for tensor in compared:
                tensor.shape.vary()
        other_ends = self._block_where(Condition(test, holds=False), node.orelse, other)
        joined = self._join([(ends, body), (other_ends, other)], env)
        if ends != other_ends:
            self._take(Condition(test, holds=other_ends), env)
        return joined

    def _block_where(self, condition: Condition, statements: Sequence[ast.stmt], env: Env) -> bool:
        """Run through statements that only run where a condition comes out as it says."""
        outside = len(self._conditions)
        self._take(condition, env)
        ends = self.block(statements, env)
        del self._conditions[outside:]
        return ends

    def _take(self, condition: Condition, env: Env) -> None:
        """Take a condition for true from here to the end of the block."""
        self._conditions.append(condition)
        env.update(learned([condition], env))

    def _either(self, branches: list[tuple[list[ast.stmt], Env]], env: Env) -> bool:
        """One of several blocks runs, or none."""
        ended = [(self.block(statements, inner), inner) for statements, inner in branches]
        return self._join([*ended, (False, dict(env))], env)

    def _try(self, node: ast.Try, env: Env) -> bool:
        before = dict(env)
        body = dict(env)
        ends = self.block([*node.body, *node.orelse], body)
        outcomes = [(ends, body)]
        for handler in node.handlers:
            failed = dict(before)
            self._join([(False, dict(before)), (False, dict(body))], failed)
            outcomes.append((self.block(handler.body, failed), failed))
        ends = self._join(outcomes, env)
        return self.block(node.finalbody, env) or ends

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, env: Env) -> None:
        # what stands further down may come first in the next round
        spoil(node, env, 2)
        changed = {name for inner in scope_statements(node.body) for name in _changed_by(inner)}
        for name in changed & env.keys():
            env[name] = unknown(name)
        body = dict(env)
        if not isinstance(node, ast.While):
            source = self._evaluate(node.iter, env)
            is_counter = source.head == 'range' and isinstance(node.target, ast.Name)
            self._bind(node.target, replace(source, text=node.target.id) if is_counter else unknown(''), body)
        self.block(node.body, body)
        self._join([(False, body), (False, dict(env))], env)
        self.block(node.orelse, env)

    def _join(self, outcomes: list[tuple[bool, Env]], env: Env) -> bool:
        """Take over what is known after several branches that may have been run through; says whether all of them ended."""
        reached = [branch for ends, branch in outcomes if not ends]
        if not reached:
            return True
        joined = dict(reached[0])
        for branch in reached[1:]:
            for name, value in branch.items():
                joined[name] = merge(name, joined[name], value) if name in joined else value
        env.clear()
        env.update(joined)
        self._last = env
        return False

    def _learn(self, test: ast.expr, env: Env) -> None:
        sides = [side for node in ast.walk(test) if isinstance(node, ast.Compare) for side in (node.left, *node.comparators)]
        host_tensors.learn(test, {id(side): self._evaluate(side, env) for side in sides})

    def _compared_ranks(self, test: ast.expr, env: Env) -> list[Tensor]:
        """The tensors of which a condition compares the number of dimensions."""
        sides = [self._evaluate(node.left, env) for node in ast.walk(test) if isinstance(node, ast.Compare)]
        return [side.tensor for side in sides if side.head == 'ndim']

    def _scan(self, expression: ast.AST, env: Env) -> None:
        """Note the launches in an expression, and what it shows of the values that it mentions."""
        for node in nodes_in_order([expression]):
            kind = type(node)
            if kind is ast.Attribute and node.attr in host_tensors.EVIDENT:
                held = env.get(dotted(node.value) or '')
                if held is not None and held.may_be_tensor:
                    held.tensor.seen = True
            elif kind is ast.Call:
                self._scan_call(node, env, expression)

    def _scan_call(self, node: ast.Call, env: Env, expression: ast.AST) -> None:
        if self._watched and dotted(node.func) == self._watched:
            keywords = {one.arg: self._evaluate(one.value, env) for one in node.keywords if one.arg}
            given = host_tensors.Arguments(self._module.expressions.elements(node.args, env), keywords)
            self.calls.append((tuple(self._conditions), given))
        if is_launch(node):
            for found in self._launch(node, env):
                given = tuple(as_taken(value, expression) for value in found.positional)
                keywords = {name: as_taken(value, expression) for name, value in found.keywords.items()}
                self.found.append(replace(found, positional=given, keywords=keywords))
        elif isinstance(node.func, ast.Attribute):
            if node.func.attr in _CHANGES:
                name = dotted(node.func.value) or ''
                if name in env and not env[name].may_be_tensor:
                    env[name] = unknown(name)
            elif node.func.attr.endswith('_like') and node.args:
                first = self._evaluate(node.args[0], env)
                if first.may_be_tensor:
                    first.tensor.seen = True

    def _launch(self, node: ast.Call, env: Env) -> list[Found]:
        """A launch; several where the kernel is one of several."""
        launched = node.func.value
        # a wrapper such as `wrap_triton(name)[grid](...)`
        if isinstance(launched, ast.Call) and len(launched.args) == 1 and not launched.keywords:
            launched = launched.args[0]
        kernel = self._evaluate(launched, env)
        targets = [one.reference for one in (kernel.operands if kernel.head == EITHER else (kernel,))]
        targets = [_WRAPPED.fullmatch(target).groups() for target in targets if target]
        if not targets:
            return []
        keywords: dict[str, Value] = {}
        spreads = False
        for one in node.keywords:
            value = self._evaluate(one.value, env)
            if one.arg:
                keywords[one.arg] = value
            elif value.kind == DICT and all(isinstance(key, str) for key in value.items):
                keywords.update(value.items)
            else:
                spreads = True
        given = self._module.expressions.elements(node.args, env)
        known = next((index for index, one in enumerate(given) if one.kind == STAR), len(given))
        if isinstance(node.func, ast.Subscript):
            grid: Value | None = self._evaluate(node.func.slice, env)
        else:
            grid = keywords.pop('grid', None)
        asserted = len(self.asserted)
        grid = self._returned_grid(grid, env)
        axes = None if grid is None else axes_of(grid)
        has_number = grid is not None and is_number(grid)
        # a function that gives the grid may assert something, too
        conditions = (*self._conditions, *self.asserted[asserted:])
        return [
            Found(
                node, target, unwrapped.count('.fn'), given[:known], known < len(given), keywords, spreads, axes, has_number,
                conditions,
            )
            for target, unwrapped in targets
        ]

    def _returned_grid(self, grid: Value | None, env: Env) -> Value | None:
        """The grid, or what the function returns that gives it."""
        if grid is None or grid.kind != FUNCTION:
            return grid
        returned = self._call_grid(grid, env)
        return None if returned is None or returned.kind == FUNCTION else returned

    def _call_grid(self, grid: Value, env: Env) -> Value | None:
        """What a function that gives the grid returns."""
        if isinstance(grid.node, ast.Lambda):
            names = [one.arg for one in grid.node.args.args]
            return self._evaluate(grid.node.body, {**env, **{name: Value(META, name) for name in names}})
        names = [one.arg for one in grid.node.args.args]
        outer = env if grid.reference.startswith(LOCAL) else {}
        body = Body(self._module, f'{self._name}.{grid.text}')
        body.block(grid.node.body, {**outer, **{name: Value(META, name) for name in names}})
        self.asserted.extend(body.asserted)
        return body.result()


def _expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of the statements in it."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    if not any(hasattr(node, name) for name in _BODIES):
        yield node
        return
    for name, value in ast.iter_fields(node):
        if name not in _BODIES:
            yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST))


def _changed_by(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds, attributes too."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, 'target', None)]
    targets = [*targets, *(item.optional_vars for item in getattr(node, 'items', ()))]
    for target in filter(None, targets):
        yield from target_names(target)
        yield dotted(target) or ''
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (name for name, _ in imported_by(node))
    elif isinstance(node, FUNCTIONS):
        yield node.name
