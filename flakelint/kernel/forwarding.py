# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How a function on the host hands its parameters on to what it calls."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from flakelint.kernel.host_calls import Callee, HostCalls
from flakelint.kernel.host_functions import reference, signature
from flakelint.kernel.saved_tensors import displaced
from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

# a function with more parameters that it does not use has a signature that others ask for
_MOST_DROPPED = 2
# a function with this in its name changes places on purpose
_TRANSPOSES = 'transpos'


class Dropped(NamedTuple):
    """A parameter that is not used, although something takes one of that name.

    Args:
        parameter (ast.arg):
            The parameter.
        call (ast.Call):
            The call that could hand it on.
        callee (Callee):
            What is called.
    """

    parameter: ast.arg
    call: ast.Call
    callee: Callee


class Swapped(NamedTuple):
    """Arguments that stand in each other's places.

    Args:
        call (ast.Call):
            The call.
        callee (Callee):
            What is called.
        pairs (list[tuple[str, str]]):
            The names of the arguments, each with the parameter that gets it.
    """

    call: ast.Call
    callee: Callee
    pairs: list[tuple[str, str]]


class Forwarding:
    """The calls of a function of the repository in a function.

    Args:
        function (ast.FunctionDef):
            The function.
        host (HostCalls):
            What the functions of the repository take.
        local (Mapping[str, str]):
            The names that imports in the function bind, as for `Resolver`.
    """

    def __init__(self, function: ast.FunctionDef, host: HostCalls, local: Mapping[str, str]) -> None:
        self._function = function
        self._nodes = nodes_in_order(function.body)
        self._calls = []
        for node in self._nodes:
            name = dotted(node.func) if isinstance(node, ast.Call) else None
            callee = host.callee(reference(name, local)) if name else None
            if callee is not None and callee.name != function.name:
                self._calls.append((node, callee))

    def dropped(self) -> Iterator[Dropped]:
        """The parameters that nothing reads, and that a call could hand on."""
        if not self._calls or any(isinstance(node, ast.Name) and node.id in ('locals', 'vars') for node in self._nodes):
            return
        arguments = self._function.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        unused = [one for one in every if not self._is_read(one.arg)]
        if len(unused) > _MOST_DROPPED:
            return
        for parameter in unused:
            for call, callee in reversed(self._calls):
                if _could_take(call, callee, parameter.arg):
                    yield Dropped(parameter, call, callee)
                    break

    def swapped(self) -> Iterator[Swapped]:
        """The calls that hand parameters on in another order."""
        if _TRANSPOSES in self._function.name:
            return
        own = {*signature(self._function).positional, *signature(self._function).keywords}
        for call, callee in self._calls:
            names = [one.id if isinstance(one, ast.Name) and one.id in own else '' for one in call.args]
            # sizes of a matrix, such as `M` and `N`, change their parts on purpose
            names = ['' if name.isupper() else name for name in names]
            if not any(isinstance(one, ast.Starred) for one in call.args):
                pairs = displaced(callee.function.positional[:len(names)], names)
                if pairs:
                    yield Swapped(call, callee, pairs)

    def _is_read(self, name: str) -> bool:
        named = (node for node in self._nodes if isinstance(node, ast.Name) and node.id == name)
        reads = [node for node in named if isinstance(node.ctx, ast.Load)]
        if not reads:
            return False
        own = {id(node) for statement in self._nodes for node in _read_for_itself(statement, name)}
        return any(id(node) not in own for node in reads)


def _read_for_itself(node: ast.AST, name: str) -> list[ast.AST]:
    """What is read in a statement only to give a name its value, or to refuse some of its values."""
    if isinstance(node, ast.Assign) and all(isinstance(one, ast.Name) and one.id == name for one in node.targets):
        return nodes_in_order([node.value])
    if isinstance(node, ast.Assert) and not _is_of_none(node.test, name):
        return nodes_in_order([node.test])
    if isinstance(node, ast.If) and not node.orelse and all(_gives(one, name) for one in node.body):
        refuses = any(isinstance(one, ast.Raise) for one in node.body)
        return [] if refuses and _is_of_none(node.test, name) else nodes_in_order([node.test])
    return []


def _gives(node: ast.stmt, name: str) -> bool:
    is_assigned = isinstance(node, ast.Assign) and all(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    return is_assigned or isinstance(node, ast.Raise)


def _is_of_none(test: ast.expr, name: str) -> bool:
    """Whether a condition asks only if a name is given at all, so that what it refuses is every value."""
    if isinstance(test, ast.UnaryOp):
        return _is_of_none(test.operand, name)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        return is_none and _is_of_none(test.left, name)
    return isinstance(test, ast.Name) and test.id == name


def _could_take(call: ast.Call, callee: Callee, name: str) -> bool:
    """Whether a call leaves a parameter of that name to its default."""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg in (None, name) for one in call.keywords):
        return False
    positional = callee.function.positional
    return name in callee.function.keywords or name in positional[len(call.args):]
