# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The launches in a file with the calls that make them, the kernels that they launch, and what the decorators of those fill in."""

import ast
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from flakelint.kernel.decorators import AUTOTUNE, HEURISTICS, JIT
from flakelint.kernel.host_launches import is_launch
from flakelint.kernel.kernels import Kernel
from flakelint.kernel.launches import Launch, Site
from flakelint.project.imports import last_name
from flakelint.project.literals import bindings
from flakelint.project.statements import scope_statements

# what a kernel may be handed to before it is launched, and is launched as before
_TRANSPARENT = frozenset({'wrap_triton', 'capture_triton'})


class LaunchCall(NamedTuple):
    """A launch whose kernel is known.

    Args:
        node (ast.Call):
            The call.
        site (Site):
            What it passes.
        kernel (Kernel):
            What it launches.
        launch (Launch):
            The same, bound to the parameters of the kernel.
        choices (int):
            How many kernels it may launch, this one among them.
    """

    node: ast.Call
    site: Site
    kernel: Kernel
    launch: Launch
    choices: int

    @property
    def grid(self) -> ast.expr | None:
        """The expression that gives the grid."""
        if isinstance(self.node.func, ast.Subscript):
            return self.node.func.slice
        return next((one.value for one in self.node.keywords if one.arg == 'grid'), None)


class Filled(NamedTuple):
    """What the decorators of a kernel fill in when it is launched.

    Args:
        is_tuned (bool):
            Whether a tuner is among them.
        is_seen (bool):
            Whether it is seen what all of them set.
        some (frozenset[str]):
            The parameters that a configuration sets.
        every (frozenset[str]):
            Those that each configuration sets; none where not all are seen.
        computed (Mapping[str, ast.expr]):
            The parameters that heuristics compute, with the functions that do it.
    """

    is_tuned: bool
    is_seen: bool
    some: frozenset[str]
    every: frozenset[str]
    computed: Mapping[str, ast.expr]


def calls_of(nodes: Iterable[ast.AST]) -> dict[tuple[int, int], ast.Call]:
    """The calls in a file that may be launches, by line and offset, as their sites have them."""
    return {(node.lineno, node.col_offset): node for node in nodes if is_launch(node)}


def is_direct(node: ast.Call) -> bool:
    """Whether a launch launches what it names, and not what a function makes of it."""
    launched = node.func.value
    return not isinstance(launched, ast.Call) or last_name(launched.func) in _TRANSPARENT


def filled_by_decorators(kernel: Kernel, unwrapped: int = 0) -> Filled | None:
    """What the decorators of a kernel fill in; None where one of them is not understood.

    Args:
        kernel (Kernel):
            The kernel.
        unwrapped (int, Optional):
            How many of them the launch goes around. Default: `0`.
    """
    decorators = kernel.decorators[unwrapped:]
    if not all(one.role for one in decorators) or [one.role for one in decorators][-1:] != [JIT]:
        return None
    computed: dict[str, ast.expr] = {}
    # a framework to which a kernel is registered may fill in what its own tuner finds
    is_seen = not _is_handed_on(kernel)
    for decorator in decorators:
        if decorator.role == HEURISTICS:
            pairs = _pairs(decorator.keywords.get('values'), kernel)
            is_seen = is_seen and pairs is not None
            computed |= pairs or {}
    tuners = [one for one in decorators if one.role == AUTOTUNE]
    if not tuners:
        return Filled(False, is_seen, frozenset(), frozenset(), computed)
    tuned = kernel.tuned
    is_complete = tuned.is_complete and not any(
        'configs' not in one.keywords or _is_changed(one.keywords['configs'], kernel) for one in tuners
    )
    every = tuned.every if is_complete else frozenset()
    return Filled(True, is_seen and is_complete, tuned.some, every, computed)


def _is_handed_on(kernel: Kernel) -> bool:
    """Whether the module passes a kernel to a function where it is imported."""
    for statement in scope_statements(kernel.module.file.statements):
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        given = [*value.args, *(one.value for one in value.keywords)] if isinstance(value, ast.Call) else []
        if any(isinstance(one, ast.Name) and one.id == kernel.name for one in given):
            return True
    return False


def _pairs(values: ast.expr | None, kernel: Kernel) -> dict[str, ast.expr] | None:
    """The entries of a dictionary that is written out, in place or once in the module."""
    if isinstance(values, ast.Name):
        bound = kernel.module.definitions.values.get(values.id, [])
        if len(bound) != 1 or _is_changed(values, kernel):
            return None
        (values,) = bound
    if not isinstance(values, ast.Dict):
        return None
    names = [key.value if isinstance(key, ast.Constant) else None for key in values.keys]
    return dict(zip(names, values.values, strict=True)) if all(isinstance(name, str) for name in names) else None


def _is_changed(value: ast.expr | None, kernel: Kernel) -> bool:
    """Whether the module changes the list to which a name is bound."""
    return isinstance(value, ast.Name) and sum(name == value.id for name, _ in bindings(kernel.module.file.statements)) > 1
