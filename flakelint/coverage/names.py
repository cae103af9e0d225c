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

from flakelint.affected.reads import brought_by
from flakelint.coverage.run import UNREADABLE, Run, SkippedError, TooMuchError
from flakelint.coverage.values import (
    OUTPUT,
    Class,
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
    Structure,
    Tested,
    sources_of,
)
from flakelint.project.resolution import Symbol
from flakelint.project.statements import FUNCTIONS

# what tells of a tensor without being made of its values
_FACTS = frozenset({'dtype', 'device', 'is_leaf', 'requires_grad', 'is_cuda', 'layout', 'grad_fn', 'itemsize', 'nbytes'})
_SAME = frozenset({'data', 'real', 'values', 'indices'})
_REFERENCE = re.compile(r'(?:^|_)(?:naive|ref|reference|recurrence|torch|eager)(?:_|$)')
_OPERATORS = 'ops'
# the name under which a module says that it skips its tests
SKIPPED = '<skipped>'


def look_up(name: str, scope: Scope, run: Run) -> Any:
    """What a name holds in a scope."""
    while scope.outer is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.outer
    return of_module(scope.path, name, run)


def of_module(path: str, name: str, run: Run) -> Any:
    """What a name means at the top of a module."""
    scope = run.modules.scope(path)
    if is_test_module(path) and run.modules.is_new(path):
        _go_through(path, scope, run)
    if name not in scope.names:
        # a name that is made of itself
        scope.names[name] = Opaque()
        scope.names[name] = _worked_out(path, name, run)
    return scope.names[name]


def _go_through(path: str, scope: Scope, run: Run) -> None:
    """Read the statements of a module of the tests in their order: lists may grow, and names be bound anew."""
    inner = Run(run.modules, run.operators, run.evaluate, run.call, run.execute)
    try:
        run.execute(run.modules.statements(path), scope, inner)
    except (TooMuchError, SkippedError, *UNREADABLE) as error:
        scope.names[SKIPPED] = isinstance(error, SkippedError)
    for name, value in scope.names.items():
        if any(kind == OUTPUT for kind, _ in sources_of(value)):
            # what is called before a test is no call of the test
            scope.names[name] = Opaque()


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
    if isinstance(owner, Class):
        return _of_class(owner, name, run)
    if isinstance(owner, Structure):
        return owner.names.get(name, Opaque())
    if isinstance(owner, Request):
        return owner.param if name == 'param' else Opaque()
    if name == '__name__':
        return getattr(getattr(owner, 'place', None), 'name', None) or getattr(getattr(owner, 'node', None), 'name', Opaque())
    return Method(owner, name)


def imported(node: ast.Import | ast.ImportFrom, path: str, run: Run) -> Iterator[tuple[str, Any]]:
    """What an import in a function binds."""
    for name, brought in brought_by(node):
        target = run.modules.resolver.modules.find(brought.module, path)
        if target is None:
            yield name, Named('.'.join(filter(None, (brought.module, brought.member))))
        elif brought.member:
            yield name, attribute(Module(target), brought.member, run)
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
        return Class(node, scope)
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
    if name in owner.names:
        return owner.names[name]
    kind = Class(owner.node, owner.scope)
    found = _of_class(kind, name, run)
    if isinstance(found, Function) and found.node is methods_of(kind, run).get(name):
        is_static = any(getattr(one, 'id', '') == 'staticmethod' for one in found.node.decorator_list)
        return Function(found.node, found.scope, () if is_static else (owner,))
    if found == Opaque() and name.startswith('assert'):
        return Named(f'unittest.{name}')
    return Named('pytest.skip') if found == Opaque() and name == 'skipTest' else found


def _of_class(owner: Class, name: str, run: Run) -> Any:
    method = methods_of(owner, run).get(name)
    if method is not None:
        return Function(method, owner.scope)
    for one in lineage(owner, run):
        inner = Scope(one.scope.path, outer=one.scope)
        body = [node for node in one.node.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        run.execute(body, inner, run)
        if name in inner.names:
            return inner.names[name]
    return Opaque()


def lineage(owner: Class, run: Run) -> list[Class]:
    """A class and those of the repository from which it inherits, nearest first."""
    found = [owner]
    for one in found:
        bases = [look_up(base.id, one.scope, run) for base in one.node.bases if isinstance(base, ast.Name)]
        found.extend(base for base in bases if isinstance(base, Class) and base not in found)
    return found


def methods_of(owner: Class, run: Run) -> dict[str, ast.FunctionDef]:
    """The methods of a class, inherited ones included."""
    found: dict[str, ast.FunctionDef] = {}
    for one in reversed(lineage(owner, run)):
        found.update({node.name: node for node in one.node.body if isinstance(node, FUNCTIONS)})
    return found
