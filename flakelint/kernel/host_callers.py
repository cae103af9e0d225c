# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What holds where the only call of a function stands: its launches have no larger sizes than that leaves."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.kernel.host_bindings import arguments_of, bound
from flakelint.kernel.host_conditions import Condition, limits
from flakelint.kernel.host_expressions import Env
from flakelint.kernel.host_statements import Body, Surroundings
from flakelint.kernel.host_values import freeze
from flakelint.kernel.launches import SIZE, Passed
from flakelint.project.imports import dotted
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

Limits = tuple[tuple[Passed, int], ...]
# the definition of a function, and its call
_MENTIONS = 2


def is_called_once(name: str, file: 'SourceFile') -> bool:
    """Whether a function of a module is its own affair, and mentioned where it is called only."""
    return name.startswith('_') and len(re.findall(rf'\b{re.escape(name)}\b', file.text)) == _MENTIONS


def limits_of_caller(function: ast.FunctionDef, file: 'SourceFile', module: Surroundings) -> Limits:
    """What the parameters of a function cannot exceed, since its only call stands behind a condition.

    Args:
        function (ast.FunctionDef):
            The function.
        file (SourceFile):
            Its file.
        module (Surroundings):
            The names of the module.
    """
    if not is_called_once(function.name, file):
        return ()
    callers = (caller for caller in _functions(file, function.name) if caller is not function)
    calls = [call for caller in callers for call in _calls(function, caller, module)]
    return tuple(_passed_on(function, *calls[0])) if len(calls) == 1 else ()


def _functions(file: 'SourceFile', name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions and methods of a file that mention a name."""
    for unit in file.units:
        if name not in unit.text:
            continue
        for node in scope_statements(unit.nodes):
            for inner in scope_statements(node.body) if isinstance(node, ast.ClassDef) else [node]:
                if isinstance(inner, FUNCTIONS) and any(dotted(one) == name for one in nodes_in_order(inner.body)):
                    yield inner


def _calls(
    function: ast.FunctionDef, caller: ast.FunctionDef | ast.AsyncFunctionDef, module: Surroundings,
) -> Sequence[tuple[tuple[Condition, ...], Env]]:
    """What holds where a function calls another one, with what that is given."""
    body = Body(module, caller.name, function.name)
    try:
        body.block(caller.body, arguments_of(caller))
    except RecursionError:
        return ()
    return [(conditions, bound(function.args, given)) for conditions, given in body.calls]


def _passed_on(function: ast.FunctionDef, conditions: tuple[Condition, ...], given: Env) -> Iterator[tuple[Passed, int]]:
    """The limits of what a function is given, as it calls that itself."""
    own = arguments_of(function)
    names = (node for node in nodes_in_order(function.body) if isinstance(node, ast.Name))
    # what a parameter is given later may be larger
    rebound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    given = {name: argument for name, argument in given.items() if name not in rebound}
    for value, most in limits(conditions):
        limited = freeze(value)
        for name, argument in given.items():
            if limited.identity == freeze(argument).identity:
                yield freeze(own[name]), most
            elif limited.kind == SIZE and argument.may_be_tensor and value.tensor is argument.tensor:
                yield limited._replace(tensor=name), most
