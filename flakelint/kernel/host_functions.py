# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The functions of a file that run on the host: what they take, what they call and launch, and how autograd functions are applied."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.host_launches import is_launch
from flakelint.project.imports import dotted, last_name
from flakelint.project.meanings import MEMBER, Names, imported_by
from flakelint.project.statements import FUNCTIONS, all_statements, scope_statements
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

APPLY = '.apply'
# modules that hold no functions of a repository
_STRANGERS = frozenset({'einops', 'functools', 'math', 'numpy', 'os', 'torch', 'triton', 'typing', 'warnings'})


class HostFunction(NamedTuple):
    """A function at the top of a module, or a method of a class there.

    Args:
        positional (tuple[str, ...]):
            The parameters that may be given by their place.
        keywords (tuple[str, ...]):
            Those that may not.
        is_open (bool):
            Whether it takes further arguments.
        calls (tuple[str, ...]):
            The names of what it calls, as for `Resolver`; those of PyTorch, Triton and the like are left out.
        launches (tuple[str, ...]):
            The names of what it launches.
    """

    positional: tuple[str, ...]
    keywords: tuple[str, ...]
    is_open: bool
    calls: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()


class Application(NamedTuple):
    """A use of the `apply` of an autograd function.

    Args:
        target (str):
            The function, as for `Resolver`.
        count (int | None):
            How many arguments it is given; None where that is not seen.
        line (int):
            The line.
    """

    target: str
    count: int | None
    line: int


def host_functions(file: 'SourceFile', names: Names) -> dict[str, HostFunction]:
    """The functions of a file, by their name in the module, such as `Class.method`; of several with one name, none."""
    found: dict[str, list[HostFunction]] = {}
    for node in scope_statements(file.statements):
        is_class = isinstance(node, ast.ClassDef)
        for inner in scope_statements(node.body) if is_class else [node]:
            if isinstance(inner, FUNCTIONS) and not any(map(_compiles, inner.decorator_list)):
                name = f'{node.name}.{inner.name}' if is_class else inner.name
                found.setdefault(name, []).append(_host_function(inner, names))
    return {name: functions[0] for name, functions in found.items() if len(functions) == 1}


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> HostFunction:
    """What a function takes, besides the class that a class method is given."""
    arguments = node.args
    places = tuple(one.arg for one in (*arguments.posonlyargs, *arguments.args))
    places = places[1:] if any(last_name(one) == 'classmethod' for one in node.decorator_list) else places
    is_open = arguments.vararg is not None or arguments.kwarg is not None
    return HostFunction(places, tuple(one.arg for one in arguments.kwonlyargs), is_open)


def applications(file: 'SourceFile', names: Names) -> list[Application]:
    """How a file applies autograd functions, by themselves and through names that are bound to their `apply`."""
    if APPLY not in file.text:
        return []
    top = dict(_aliases(scope_statements(file.statements)))
    found = []
    for unit in file.units:
        if APPLY in unit.text or any(name in unit.text for name in top):
            found.extend(_Applications(unit.nodes, names, top).found)
    return found


class _Applications:
    """Finds the applications in a top-level statement."""

    def __init__(self, nodes: Sequence[ast.stmt], names: Names, top: Mapping[str, str]) -> None:
        self._local = imports_in(nodes, names)
        self._aliases = {**top, **dict(_aliases(all_statements(nodes)))}
        self.found: list[Application] = []
        every = nodes_in_order(nodes)
        called: set[int] = set()
        for node in every:
            target = self._target(node.func) if isinstance(node, ast.Call) else ''
            if target:
                called.add(id(node.func))
                is_seen = not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args)
                self.found.append(Application(target, len(node.args) if is_seen else None, node.lineno))
        bound = {id(node.value) for node in every if isinstance(node, ast.Assign) and dict(_aliases([node]))}
        for node in every:
            # `apply` itself is passed on, and called elsewhere
            target = self._target(node) if id(node) not in called | bound else ''
            if target and isinstance(node.ctx, ast.Load):
                self.found.append(Application(target, None, node.lineno))

    def _target(self, node: ast.AST) -> str:
        """The autograd function whose `apply` an expression may be."""
        if not isinstance(node, ast.Attribute | ast.Name):
            return ''
        name = dotted(node) or ''
        name = self._aliases.get(name, name)
        return reference(name.removesuffix(APPLY), self._local) if name.endswith(APPLY) else ''


def _compiles(decorator: ast.expr) -> bool:
    """Whether a decorator may make a kernel of a function, by its name."""
    return 'jit' in last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _aliases(statements: 'Iterator[ast.AST] | Sequence[ast.AST]') -> Iterator[tuple[str, str]]:
    """The names that are bound to the `apply` of something, each with the spelled `apply`; nothing for those that are bound to several."""
    found: dict[str, set[str]] = {}
    for node in statements:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            name, value = dotted(node.targets[0]), dotted(node.value)
            if name:
                found.setdefault(name, set()).add(value or '')
    for name, values in found.items():
        if any(value.endswith(APPLY) for value in values):
            yield name, values.pop() if len(values) == 1 else ''


def _host_function(node: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> HostFunction:
    calls, launches = set(), set()
    local = None
    for inner in nodes_in_order(node.body):
        if type(inner) is not ast.Call:
            continue
        is_launched = is_launch(inner)
        name = dotted(inner.func.value if is_launched else inner.func)
        if name is None:
            continue
        head = name.partition('.')[0]
        if head not in names.meanings and not is_launched and local is None:
            local = imports_in(node.body, names)
        is_known = head in names.meanings or bool(names.stars) or head in (local or ())
        if is_launched:
            launches.add(reference(name, local or {}))
        elif is_known and not _is_strange(head, names):
            calls.add(reference(name, local or {}))
    return signature(node)._replace(calls=tuple(sorted(calls)), launches=tuple(sorted(launches)))


def _is_strange(name: str, names: Names) -> bool:
    return any(meaning.text.partition(':')[0].partition('.')[0] in _STRANGERS for meaning in names.meanings.get(name, ()))


def imports_in(nodes: Sequence[ast.AST], names: Names) -> dict[str, str]:
    """The names that imports in functions bind, as for `Resolver`."""
    found = {}
    for node in all_statements(nodes):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for bound, meaning in imported_by(node):
                if bound not in names.meanings:
                    found[bound] = meaning.text if meaning.kind == MEMBER else f'{meaning.text}:'
    return found


def reference(name: str, local: Mapping[str, str]) -> str:
    """A dotted name as for `Resolver`."""
    head, dot, rest = name.partition('.')
    full = local.get(head)
    if full is None:
        return name
    return full if not dot else f'{full}{"" if full.endswith(":") else dot}{rest}'
