# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The arguments that a function on the host changes in place."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from flakelint.kernel.autograd import positional
from flakelint.kernel.frames import Access
from flakelint.kernel.launch_calls import LaunchCall
from flakelint.kernel.launches import FLAG, NUMBER, Launch
from flakelint.kernel.origins import base_of
from flakelint.project.meanings import target_names
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.syntax import nodes_in_order

_MAX_DEPTH = 3
# what these give shares the memory of what they are asked of
_SAME = frozenset({
    'contiguous', 'detach', 'flatten', 'narrow', 'permute', 'reshape', 'squeeze', 'swapaxes', 't', 'transpose', 'unsqueeze',
    'view', 'view_as',
})
_SAME_ATTRIBUTES = frozenset({'T', 'data', 'mT'})
# methods with an underscore at their end that leave the values alone
_HARMLESS = frozenset({'requires_grad_', 'share_memory_'})


class Surroundings(Protocol):
    """What is asked of the file in which a function stands."""

    def launched(self, call: ast.Call) -> LaunchCall | None:
        """The launch that a call is."""

    def called(self, call: ast.Call) -> ast.FunctionDef | None:
        """The plain function of the file that a call calls."""

    def stored(self, launch: LaunchCall) -> set[str]:
        """The parameters of its kernel to which a launch stores."""


class Change(NamedTuple):
    """A place where an argument is changed.

    Args:
        parameter (str):
            The argument.
        node (ast.expr):
            The expression that changes it.
        how (str):
            What changes it, for a person.
    """

    parameter: str
    node: ast.expr
    how: str


class Inputs:
    """Follows the arguments of a function through its statements.

    Args:
        function (ast.FunctionDef):
            The function.
        around (Surroundings):
            The file in which it stands.
        depth (int, Optional):
            How many calls led here. Default: `0`.
    """

    def __init__(self, function: ast.FunctionDef, around: Surroundings, depth: int = 0) -> None:
        self.changes: list[Change] = []
        self.returned: set[str] = set()
        self._around = around
        self._depth = depth
        # which argument each name holds, where the walk is
        self._held = {one.arg: one.arg for one in (*positional(function), *function.args.kwonlyargs)}
        for node in scope_statements(function.body):
            self._statement(node)

    def root(self, node: ast.expr | None) -> str:
        """The argument whose memory an expression gives; nothing where it gives another one."""
        while node is not None:
            if isinstance(node, ast.Name):
                return self._held.get(node.id, '')
            if isinstance(node, ast.Attribute) and node.attr in _SAME_ATTRIBUTES:
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
                node = node.func.value
            elif isinstance(node, ast.Subscript) and _is_view(node.slice):
                node = node.value
            else:
                return ''
        return ''

    def _statement(self, node: ast.AST) -> None:
        for expression in _own_expressions(node):
            for inner in nodes_in_order([expression]):
                if isinstance(inner, ast.Call):
                    self._call(inner)
        if isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            self.returned |= {self.root(value) for value in values} - {''}
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._bind(target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._note(self.root(_written(node.target)), node.target, f'`{ast.unparse(node.target)} {_sign(node.op)}= ...`')
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._forget(node.target)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._forget(item.optional_vars)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            root = self.root(value)
            self._held.pop(target.id, None)
            if root:
                self._held[target.id] = root
        elif isinstance(target, ast.Subscript):
            self._note(self.root(target.value), target, f'`{ast.unparse(target)} = ...`')
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                self._bind(one, part)
        else:
            self._forget(target)

    def _forget(self, target: ast.expr) -> None:
        for name in target_names(target):
            self._held.pop(name, None)

    def _call(self, call: ast.Call) -> None:
        function = call.func
        if isinstance(function, ast.Attribute) and _changes(function.attr):
            self._note(self.root(function.value), call, f'`{ast.unparse(function)}()`')
        for keyword in call.keywords:
            if keyword.arg == 'out':
                self._note(self.root(keyword.value), call, f'`out={ast.unparse(keyword.value)}`')
        launch = self._around.launched(call)
        if launch is not None:
            self._launch(call, launch)
        elif self._depth < _MAX_DEPTH and isinstance(function, ast.Name) and function.id not in self._held:
            callee = self._around.called(call)
            if callee is not None:
                self._follow(call, callee)

    def _launch(self, call: ast.Call, launch: LaunchCall) -> None:
        names = [one.name for one in launch.kernel.parameters]
        given = [(name, value) for name, value in _bound(call, names) if self.root(value)]
        stored = self._around.stored(launch) if given else ()
        for name, value in given:
            if name in stored:
                self._note(self.root(value), call, f'`{launch.kernel.name}` stores to `{name}`')

    def _follow(self, call: ast.Call, callee: ast.FunctionDef) -> None:
        names = [one.arg for one in positional(callee)]
        given = [(name, value) for name, value in _bound(call, names) if self.root(value)]
        inner = Inputs(callee, self._around, self._depth + 1).changes if given else ()
        changes = {change.parameter: change for change in inner}
        for name, value in given:
            if name in changes:
                change = changes[name]
                self._note(self.root(value), call, f'`{callee.name}` changes it on line {change.node.lineno}: {change.how}')

    def _note(self, parameter: str, node: ast.expr, how: str) -> None:
        if parameter:
            self.changes.append(Change(parameter, node, how))


def stored_parameters(accesses: Sequence[Access], launch: Launch) -> set[str]:
    """The parameters to which the accesses of a kernel write, with the compile-time flags that a launch shows."""
    found = set()
    for access in accesses:
        if access.kind in ('store', 'atomic') and all(_holds(text, truth, launch) for text, truth in access.guard):
            bases = {value.name for value in base_of(access.address)}
            found |= bases if len(bases) == 1 else set()
    return found


def _holds(text: str, truth: bool, launch: Launch) -> bool:
    passed = launch.parameters.get(text)
    return passed is not None and passed.kind in (FLAG, NUMBER) and passed.value is not None and bool(passed.value) == truth


def _bound(call: ast.Call, names: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    """What a call gives to parameters, by their names; nothing behind what may be several."""
    for name, value in zip(names, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        yield name, value
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)


def _own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements in it."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    for value in vars(node).values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.expr | ast.withitem):
                yield one


def _written(target: ast.expr) -> ast.expr | None:
    return target.value if isinstance(target, ast.Subscript) else target if isinstance(target, ast.Name) else None


def _is_view(index: ast.expr) -> bool:
    """Whether indexing gives a view: slices, numbers, None and an ellipsis."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(part, ast.Slice | ast.Constant) for part in parts)


def _changes(name: str) -> bool:
    return name.endswith('_') and not name.endswith('__') and name not in _HARMLESS


def _sign(operator: ast.operator) -> str:
    return _SIGNS.get(type(operator), '')


_SIGNS: Mapping[type, str] = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/'}
