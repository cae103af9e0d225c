# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Find the functions of a file that Triton compiles."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.project.imports import Bindings, dotted
from flakelint.source.syntax import HOLDS_STATEMENTS, nodes_in_order

if TYPE_CHECKING:
    import libcst as cst

    from flakelint.source.unit import Unit

JIT = 'jit'
AUTOTUNE = 'autotune'
HEURISTICS = 'heuristics'

_ROLES = {
    'triton.jit': JIT,
    'triton.runtime.jit': JIT,
    'triton.runtime.jit.jit': JIT,
    'triton.autotune': AUTOTUNE,
    'triton.runtime.autotuner.autotune': AUTOTUNE,
    'triton.heuristics': HEURISTICS,
    'triton.runtime.autotuner.heuristics': HEURISTICS,
}
_CONSTEXPR = frozenset({'triton.language.constexpr', 'triton.language.core.constexpr'})


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    Args:
        name (str):
            Its name.
        node (ast.arg):
            Where it stands.
        annotation (str):
            The full name of its annotation, or nothing.
    """

    name: str
    node: ast.arg
    annotation: str

    @property
    def is_constexpr(self) -> bool:
        """Whether its value is fixed when the kernel is compiled."""
        return self.annotation in _CONSTEXPR


@dataclass(frozen=True)
class Decorator:
    """A decorator of a kernel.

    Args:
        name (str):
            Its full name.
        role (str):
            `jit`, `autotune` or `heuristics`; nothing for any other.
        node (ast.expr):
            The expression behind the `@`.
    """

    name: str
    role: str
    node: ast.expr

    @property
    def keywords(self) -> dict[str, ast.expr]:
        """The keyword arguments of its call; the positional ones that Triton's own decorators take go by their names too."""
        if not isinstance(self.node, ast.Call):
            return {}
        positional = dict(zip(_POSITIONAL.get(self.role, ()), self.node.args, strict=False))
        return positional | {keyword.arg: keyword.value for keyword in self.node.keywords if keyword.arg}

    @property
    def spreads(self) -> list[ast.expr]:
        """What its call spreads with `**`."""
        return [keyword.value for keyword in self.node.keywords if not keyword.arg] if isinstance(self.node, ast.Call) else []


_POSITIONAL = {AUTOTUNE: ('configs', 'key'), HEURISTICS: ('values',)}


class Kernel:
    """A function that Triton compiles: a kernel that is launched, or a helper that kernels call.

    Args:
        definition (ast.FunctionDef):
            The function.
        decorators (Sequence[Decorator]):
            Its decorators, from the top.
        unit (Unit):
            The top-level statement in which it stands.
        bindings (Bindings):
            What the names of its module mean.
    """

    def __init__(self, definition: ast.FunctionDef, decorators: Sequence[Decorator], unit: 'Unit', bindings: Bindings) -> None:
        self.definition = definition
        self.decorators = decorators
        self.unit = unit
        self.bindings = bindings
        self.name = definition.name

    @cached_property
    def node(self) -> 'cst.FunctionDef':
        """The function in the libcst tree of its unit."""
        from flakelint.source.walk import function_definitions

        order = list(_functions_in_order(self.unit.nodes))
        return function_definitions(self.unit.tree)[order.index(self.definition)]

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The parameters, in order."""
        arguments = self.definition.args
        nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [Parameter(node.arg, node, self._annotation(node)) for node in nodes]

    @cached_property
    def body(self) -> list[ast.AST]:
        """The nodes of the abstract syntax tree in the body, in source order."""
        return nodes_in_order(self.definition.body)

    @cached_property
    def calls(self) -> list[ast.Call]:
        """The calls in the body, the outer ones before those in them."""
        return [node for node in self.body if isinstance(node, ast.Call)]

    def decorator(self, role: str) -> Decorator | None:
        """The first decorator with a role."""
        return next((one for one in self.decorators if one.role == role), None)

    @property
    def jit(self) -> Decorator:
        """The decorator that makes it a kernel."""
        return next(one for one in self.decorators if one.role == JIT)

    def _annotation(self, node: ast.arg) -> str:
        if node.annotation is None:
            return ''
        if isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str):
            return self.bindings.resolve(node.annotation.value)
        return self.bindings.resolve(dotted(node.annotation) or '')


class DecoratorNames:
    """Which full names stand for Triton's own decorators.

    Args:
        jit (Sequence[str], Optional):
            Names of wrappers of `triton.jit`. Default: none.
        autotune (Sequence[str], Optional):
            Names of wrappers of `triton.autotune`. Default: none.
        heuristics (Sequence[str], Optional):
            Names of wrappers of `triton.heuristics`. Default: none.
    """

    def __init__(self, jit: Sequence[str] = (), autotune: Sequence[str] = (), heuristics: Sequence[str] = ()) -> None:
        self._roles = dict(_ROLES)
        for role, names in ((JIT, jit), (AUTOTUNE, autotune), (HEURISTICS, heuristics)):
            self._roles.update(dict.fromkeys(names, role))

    def role(self, name: str) -> str:
        """The role of a decorator with this full name; nothing for one that is none of Triton's."""
        return self._roles.get(name, '')


def find(units: 'Sequence[Unit]', bindings: Bindings, names: DecoratorNames) -> list[Kernel]:
    """The kernels of a file, in source order."""
    found = []
    for unit in units:
        if '@' not in unit.text:
            continue
        for node in _functions_in_order(unit.nodes):
            decorators = [_decorator(item, bindings, names) for item in node.decorator_list]
            if isinstance(node, ast.FunctionDef) and any(one.role == JIT for one in decorators):
                found.append(Kernel(node, decorators, unit, bindings))
    return found


def _decorator(node: ast.expr, bindings: Bindings, names: DecoratorNames) -> Decorator:
    called = node.func if isinstance(node, ast.Call) else node
    name = bindings.resolve(dotted(called) or '')
    return Decorator(name, names.role(name), node)


def _functions_in_order(nodes: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    stack: list[ast.AST] = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        if not isinstance(node, ast.expr):
            stack.extend(reversed([child for child in ast.iter_child_nodes(node) if isinstance(child, HOLDS_STATEMENTS)]))
