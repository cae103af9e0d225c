# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which decorators make a kernel or tune it: Triton's own, those that the settings name, and those that wrap one of them."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flakelint.project.imports import dotted
from flakelint.project.meanings import MEMBER, imported_by
from flakelint.project.statements import FUNCTIONS, scope_statements

if TYPE_CHECKING:
    from flakelint.project.resolution import Resolver

JIT = 'jit'
AUTOTUNE = 'autotune'
HEURISTICS = 'heuristics'

_ROLES = {
    'triton.jit': JIT,
    'triton.runtime.jit': JIT,
    'triton.runtime.jit.jit': JIT,
    'triton.runtime.JITFunction': JIT,
    'triton.runtime.jit.JITFunction': JIT,
    'triton.autotune': AUTOTUNE,
    'triton.runtime.autotuner.autotune': AUTOTUNE,
    'triton.runtime.Autotuner': AUTOTUNE,
    'triton.runtime.autotuner.Autotuner': AUTOTUNE,
    'triton.heuristics': HEURISTICS,
    'triton.runtime.autotuner.heuristics': HEURISTICS,
    'triton.runtime.Heuristics': HEURISTICS,
    'triton.runtime.autotuner.Heuristics': HEURISTICS,
}
# the packages of decorators that make no kernel, and builtins that make none
_NO_KERNELS = frozenset({
    'abc', 'atexit', 'classmethod', 'click', 'contextlib', 'dataclasses', 'functools', 'property', 'pytest',
    'staticmethod', 'torch', 'typing',
})
_MAX_DEPTH = 8


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


class Roles:
    """The roles of decorators, found by following their definitions.

    Args:
        names (DecoratorNames):
            Which full names have a role.
        resolver (Resolver):
            The names of the repository.
        wraps (Callable[[str], Mapping[str, tuple[str, ...]]]):
            Gives, for a file, what `wrappers` found in it.
    """

    def __init__(
        self, names: DecoratorNames, resolver: 'Resolver', wraps: Callable[[str], Mapping[str, tuple[str, ...]]],
    ) -> None:
        self._names = names
        self._resolver = resolver
        self._wraps = wraps
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, path: str, name: str) -> tuple[str, ...]:
        """The roles that a name has as a decorator in a file, each once.

        Where it may be several things, as in a module that does without Triton if need be, what one of them does counts.
        """
        key = (path, name)
        if key not in self._known:
            # a wrapper that calls itself adds nothing
            self._known[key] = ()
            self._known[key] = tuple(dict.fromkeys(self._find(path, name)))
        return self._known[key]

    def _find(self, path: str, name: str) -> Iterator[str]:
        for symbol in self._resolver.candidates(path, name):
            full = symbol.name
            if symbol.path and symbol.meaning is not None:
                full = f'{self._resolver.modules.name(symbol.path)}.{symbol.name}'
            role = self._names.role(full)
            if role:
                yield role
            elif symbol.path and symbol.meaning is not None:
                for inner in self._wraps(symbol.path).get(symbol.name, ()):
                    yield from self.of(symbol.path, inner)


def may_make_kernel(name: str) -> bool:
    """Whether a decorator with this full name may wrap one of Triton's own."""
    return bool(name) and name.partition('.')[0] not in _NO_KERNELS


def wrappers(statements: Iterable[ast.stmt]) -> dict[str, tuple[str, ...]]:
    """The names of a module that may stand for other decorators, with the names, as for `Resolver`, of those.

    A function stands for what it calls in what it returns, a class for its bases, a value for the function whose call it is.
    """
    found: dict[str, list[str]] = {}
    for node in scope_statements(statements):
        if isinstance(node, FUNCTIONS):
            found.setdefault(node.name, []).extend(_Wrapper(node).called())
        elif isinstance(node, ast.ClassDef):
            found.setdefault(node.name, []).extend(filter(None, map(dotted, node.bases)))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call | ast.Lambda):
            for name in (target.id for target in node.targets if isinstance(target, ast.Name)):
                found.setdefault(name, []).extend(_Wrapper(None).in_value(node.value, 0))
    return {name: tuple(dict.fromkeys(names)) for name, names in found.items() if names}


class _Wrapper:
    """What a function calls in what it returns, through its local names and the functions in it."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> None:
        self._function = function
        self._bound: dict[str, list[ast.AST | str]] | None = None

    def called(self, function: ast.FunctionDef | ast.AsyncFunctionDef | None = None, depth: int = 0) -> Iterator[str]:
        """The names of what is called."""
        function = function or self._function
        for node in scope_statements(function.body):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from self.in_value(node.value, depth)

    def in_value(self, value: ast.expr, depth: int) -> Iterator[str]:
        """The names of what is called in a value."""
        if depth > _MAX_DEPTH:
            return
        if isinstance(value, ast.Call):
            yield from self._in_call(value, depth)
        elif isinstance(value, ast.IfExp):
            yield from self.in_value(value.body, depth + 1)
            yield from self.in_value(value.orelse, depth + 1)
        elif isinstance(value, ast.Lambda):
            yield from self.in_value(value.body, depth + 1)
        else:
            name = dotted(value)
            if name is not None:
                yield from self._named(name, depth + 1)

    def _in_call(self, value: ast.Call, depth: int) -> Iterator[str]:
        name = dotted(value.func)
        is_partial = name is not None and name.rpartition('.')[2] == 'partial' and bool(value.args)
        if is_partial:
            yield from self.in_value(value.args[0], depth + 1)
            return
        if name is not None:
            yield from self._named(name, depth + 1)
        else:
            yield from self.in_value(value.func, depth + 1)
        for argument in value.args:
            if isinstance(argument, ast.Call):
                yield from self.in_value(argument, depth + 1)

    def _named(self, name: str, depth: int) -> Iterator[str]:
        head, dot, rest = name.partition('.')
        if head not in self._local:
            yield name
        for bound in self._local.get(head, ()):
            if isinstance(bound, str):
                yield f'{bound}{"" if bound.endswith(":") else dot}{rest}'
            elif isinstance(bound, FUNCTIONS):
                yield from self.called(bound, depth + 1) if depth <= _MAX_DEPTH else ()
            elif isinstance(bound, ast.expr) and not dot:
                yield from self.in_value(bound, depth + 1)

    @property
    def _local(self) -> dict[str, list[ast.AST | str]]:
        """What the function and those in it bind to names; looked up only where a return is more than a value."""
        if self._bound is None:
            self._bound = {}
            if self._function is not None:
                self._enter(self._function)
        return self._bound

    def _enter(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = function.args
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            # what is passed in may be anything
            self._bound.setdefault(one.arg, [])
        for node in scope_statements(function.body):
            if isinstance(node, FUNCTIONS):
                self._bound.setdefault(node.name, []).append(node)
                self._enter(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for name, meaning in imported_by(node):
                    self._bound.setdefault(name, []).append(meaning.text if meaning.kind == MEMBER else f'{meaning.text}:')
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self._bound.setdefault(node.targets[0].id, []).append(node.value)
