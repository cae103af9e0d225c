# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names and attributes in a test mean."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Any

from flakelint.coverage.run import Run
from flakelint.coverage.values import (
    Function,
    Instance,
    Method,
    Module,
    Named,
    Opaque,
    Place,
    Reference,
    Request,
    Scope,
    Tested,
)
from flakelint.project.meanings import imported_by
from flakelint.project.resolution import Symbol
from flakelint.project.statements import FUNCTIONS

# what tells of a tensor without being made of its values
_FACTS = frozenset({'dtype', 'device', 'is_leaf', 'requires_grad', 'is_cuda', 'layout', 'grad_fn', 'itemsize', 'nbytes'})
_SAME = frozenset({'data', 'real', 'values', 'indices'})
_REFERENCE = re.compile(r'(?:^|_)(?:naive|ref|reference|recurrence|torch|eager)(?:_|$)')
_OPERATORS = 'ops'


def look_up(name: str, scope: Scope, run: Run) -> Any:
    """What a name holds in a scope."""
    while scope.outer is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.outer
    return of_module(scope.path, name, run)


def of_module(path: str, name: str, run: Run) -> Any:
    """What a name means at the top of a module."""
    names = run.modules.scope(path).names
    if name not in names:
        # a name that is made of itself
        names[name] = Opaque()
        names[name] = _worked_out(path, name, run)
    return names[name]


def attribute(owner: Any, name: str, run: Run) -> Any:
    """What an attribute of a value holds."""
    if isinstance(owner, Opaque):
        return _of_opaque(owner, name, run)
    if isinstance(owner, Named):
        return Named(f'{owner.name}.{name}')
    if isinstance(owner, Module):
        return _of_module(owner, name, run)
    if isinstance(owner, Instance):
        return _of_instance(owner, name, run)
    if isinstance(owner, Request):
        return owner.param if name == 'param' else Opaque()
    if name == '__name__':
        return getattr(getattr(owner, 'place', None), 'name', None) or getattr(getattr(owner, 'node', None), 'name', Opaque())
    return Method(owner, name)


def imported(node: ast.Import | ast.ImportFrom, path: str, run: Run) -> Iterator[tuple[str, Any]]:
    """What an import in a function binds."""
    for name, meaning in imported_by(node):
        module, colon, member = meaning.text.rpartition(':')
        if not colon:
            module, member = meaning.text, ''
        target = run.modules.resolver.modules.find(module, path)
        if target is None:
            yield name, Named(f'{module}.{member}' if colon else module)
        elif colon:
            yield name, attribute(Module(target), member, run)
        else:
            yield name, Module(target)


def is_test_module(path: str) -> bool:
    """Whether a file belongs to the tests."""
    folders = path.split('/')
    return 'tests' in folders[:-1] or 'test' in folders[:-1] or folders[-1].startswith(('test_', 'conftest'))


def _worked_out(path: str, name: str, run: Run) -> Any:
    node = run.modules.binding(path, name)
    if node is None:
        symbol = run.modules.resolver.resolve(path, name)
        if symbol is None:
            return Named(f'builtins.{name}') if hasattr(builtins, name) else Opaque()
        return _meant(symbol, run)
    if isinstance(node, FUNCTIONS):
        return _function(Place(path, name), node, run)
    scope = run.modules.scope(path)
    if isinstance(node, ast.ClassDef):
        return Instance(node, scope)
    inner = Scope(path, outer=scope)
    if node.value is None:
        return Opaque()
    value = run.evaluate(node.value, inner, run)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return value if any(isinstance(one, ast.Name) and one.id == name for one in targets) else Opaque()


def _meant(symbol: Symbol, run: Run) -> Any:
    if not symbol.path:
        return Named(symbol.name)
    if not symbol.name:
        return Module(symbol.path)
    return Opaque() if '.' in symbol.name else of_module(symbol.path, symbol.name, run)


def _function(place: Place, node: ast.FunctionDef, run: Run) -> Any:
    if place in run.operators:
        return Tested(place)
    file = place.path.rpartition('/')[2]
    if not is_test_module(place.path):
        if file == 'naive.py' or _REFERENCE.search(place.name):
            return Reference(place)
        if _OPERATORS in place.path.split('/'):
            return Opaque()
    return Function(node, run.modules.scope(place.path))


def _of_opaque(owner: Opaque, name: str, run: Run) -> Any:
    if name == 'shape':
        return Opaque() if owner.shape is None else owner.shape
    if name == 'ndim':
        return Opaque() if owner.shape is None else len(owner.shape)
    if name == 'grad':
        return Opaque(run.gradient(owner.sources), owner.shape)
    if name in _FACTS:
        return Opaque()
    return owner if name in _SAME else Method(owner, name)


def _of_module(owner: Module, name: str, run: Run) -> Any:
    modules = run.modules
    is_file = owner.path.endswith('.py')
    if is_file and (modules.binding(owner.path, name) is not None or modules.resolver.candidates(owner.path, name)):
        return of_module(owner.path, name, run)
    below = modules.resolver.modules.member(owner.path, name)
    return Module(below) if below is not None else Opaque()


def _of_instance(owner: Instance, name: str, run: Run) -> Any:
    for node in owner.node.body:
        if isinstance(node, FUNCTIONS) and node.name == name:
            is_static = any(getattr(one, 'id', '') == 'staticmethod' for one in node.decorator_list)
            return Function(node, owner.scope, () if is_static else (owner,))
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            return run.evaluate(node.value, Scope(owner.scope.path, outer=owner.scope), run)
    return Opaque()
