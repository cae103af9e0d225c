# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A file as its parts: each top-level name with what it reads, and the body that runs when the file is imported."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.affected.reads import BASE, STRING, VALUE_OF, Import, Read, Reads, bound_in, brought_by
from flakelint.project.imports import dotted, last_name
from flakelint.project.statements import FUNCTIONS, inside
from flakelint.source.syntax import first_line, nodes_in_order

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

FUNCTION, CLASS, METHOD, VALUE, IMPORT = 'function', 'class', 'method', 'value', 'import'
# what runs when the file is imported, and what only when it is run
BODY, MAIN = 'body', 'main'

# the function of a module that gives what it does not hold
LAZY = '__getattr__'
_ASKED_FOR_NAMES = frozenset({LAZY, '__dir__', '__all__'})

_VALUES = (ast.Assign, ast.AnnAssign)


class Fixture(NamedTuple):
    """What makes a function a fixture.

    Args:
        name (str):
            The name by which tests ask for it.
        is_automatic (bool):
            Whether all tests in its reach use it without asking.
    """

    name: str
    is_automatic: bool


class Part(NamedTuple):
    """A top-level definition of a file, or its body.

    Args:
        name (str):
            The name; that of a method has its class before it, that of the body is empty.
        kind (str):
            `function`, `class`, `method`, `value`, `import`, `body`, or `main` for what only runs in a script.
        line (int):
            Where it begins.
        last (int):
            Where it ends; that of a body that does nothing but import and define is 0.
        reads (tuple[Read, ...]):
            The names that it reads.
        imports (dict[str, tuple[Import, ...]]):
            The names that imports in it bind; of an import, its own.
        loads (tuple[Import, ...]):
            The modules that it has loaded by their names; of the body, those that its imports load.
        asks (tuple[str, ...], Optional):
            The fixtures that it asks for. Default: none.
        fixture (Fixture | None, Optional):
            What makes it a fixture. Default: `None`.
        dispatches (str, Optional):
            The operation in whose backends `@dispatch` looks for it. Default: none.
        fills (tuple[str, ...], Optional):
            The names of the module into which it puts something. Default: none.
        tables (tuple[tuple[str, ...], ...], Optional):
            The texts of each entry of its tables, from which a `__getattr__` beside it may take what it gives. Default: none.
    """

    name: str
    kind: str
    line: int
    last: int
    reads: tuple[Read, ...]
    imports: dict[str, tuple[Import, ...]]
    loads: tuple[Import, ...]
    asks: tuple[str, ...] = ()
    fixture: Fixture | None = None
    dispatches: str = ''
    fills: tuple[str, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()


def parts_of(file: 'SourceFile') -> list[Part]:
    """The parts of a file, the body last; of several definitions of a name each is one."""
    module = _Module(file.text)
    found = [*(part for node in _scope(file.statements) for part in module.parts(node)), module.body()]
    return [_only_for_names(part, found) if part.tables else part for part in found]


def _only_for_names(table: Part, beside: list[Part]) -> Part:
    """A table without the strings in it, where it only serves a `__getattr__`, which takes those of one entry."""
    readers = {part.name for part in beside if any(read.name.partition('.')[0] == table.name for read in part.reads)}
    if not table.name.startswith('_') or readers - _ASKED_FOR_NAMES:
        return table
    return table._replace(reads=tuple(read for read in table.reads if read.kind != STRING))


class _Module:
    """The body of a module, which grows as its statements are taken apart.

    Args:
        text (str):
            The text of the module.
    """

    def __init__(self, text: str) -> None:
        self._reads = Reads()
        self._has_tables = LAZY in text
        # what makes a fixture, by all names
        self._fixtures = frozenset({'fixture', 'pytest_fixture', *re.findall(r'\bfixture as (\w+)', text)})
        self._lines: list[int] = []

    def body(self) -> Part:
        """The body."""
        reads = self._reads
        first, last = min(self._lines, default=1), max(self._lines, default=0)
        asks = tuple(reads.asked)
        return Part('', BODY, first, last, tuple(reads.names.values()), _frozen(reads), tuple(reads.loads), asks)

    def parts(self, node: ast.AST) -> Iterable[Part]:
        """The parts that a statement makes; what it does besides is the body's."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._reads.loads.extend(_loaded_by(node))
            return [Part(name, IMPORT, node.lineno, node.end_lineno, (), {name: (one,)}, ()) for name, one in brought_by(node)]
        if isinstance(node, FUNCTIONS):
            self._defined(node)
            return [_function(node, FUNCTION, self._fixtures)]
        if isinstance(node, ast.ClassDef):
            return self._class(node)
        if isinstance(node, _VALUES) and (names := list(_targets(node))):
            return self._values(node, names)
        if _is_main(node):
            reads = Reads()
            reads.add([node])
            return [_part('__main__', MAIN, node, reads)]
        return [] if is_inert(node) else self._evaluated(node)

    def _defined(self, node: 'ast.FunctionDef | ast.AsyncFunctionDef') -> None:
        self._reads.decorators(node.decorator_list)
        self._reads.add([*node.args.defaults, *node.args.kw_defaults])

    def _class(self, node: ast.ClassDef) -> Iterator[Part]:
        reads = Reads()
        reads.decorators(node.decorator_list)
        reads.add([*node.bases, *(one.value for one in node.keywords)], kind=BASE)
        methods = [one for one in node.body if isinstance(one, FUNCTIONS)]
        reads.add(one for one in node.body if one not in methods)
        # what a class is made of runs when it is defined
        self._reads.names.update({key: read for key, read in reads.names.items() if read.kind != STRING})
        asks = list(reads.asked)
        for method in methods:
            self._defined(method)
            found = _function(method, METHOD, self._fixtures, node.name)
            asks.extend(found.asks if method.name.startswith('test') else ())
            yield found
        yield _part(node.name, CLASS, node, reads)._replace(asks=tuple(dict.fromkeys(asks)))

    def _values(self, node: 'ast.Assign | ast.AnnAssign', names: list[str]) -> list[Part]:
        value = Reads()
        value.add([node.value, getattr(node, 'annotation', None)])
        if any(isinstance(one, ast.Call | ast.Subscript) for one in nodes_in_order(filter(None, [node.value]))):
            self._reads.add([ast.Name(name, ast.Load(), lineno=node.lineno) for name in names], kind=VALUE_OF)
        if any(not isinstance(one, ast.Name | ast.Tuple) for one in getattr(node, 'targets', ())):
            # of several targets one may belong to something else
            self._lines.append(node.lineno)
            self._reads.add([node])
        # a mark of the module asks for its tests
        self._reads.asked.update(value.asked)
        tables = tuple(_tables(node)) if self._has_tables else ()
        return [_part(name, VALUE, node, value)._replace(tables=tables) for name in names]

    def _evaluated(self, node: ast.stmt) -> list[Part]:
        evaluated = [node] if not inside(node) else _heads(node)
        self._lines.append(node.lineno)
        self._reads.add(evaluated)
        value = Reads()
        value.add(evaluated)
        return [_part(name, VALUE, node, value) for name in sorted(bound_in(evaluated, deeply=True))]


def dump(parts: Iterable[Part]) -> str:
    """Parts as JSON."""
    return json.dumps(list(parts), separators=(',', ':'))


def load(text: str) -> list[Part]:
    """The parts that were dumped."""
    found = []
    for name, kind, line, last, reads, imports, loads, asks, fixture, dispatches, fills, tables in json.loads(text):
        brought = {bound: tuple(Import(*one) for one in ones) for bound, ones in imports.items()}
        known = Fixture(*fixture) if fixture else None
        found.append(Part(
            name, kind, line, last, tuple(Read(*one) for one in reads), brought, tuple(Import(*one) for one in loads),
            tuple(asks), known, dispatches, tuple(fills), tuple(map(tuple, tables)),
        ))
    return found


def _scope(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a module, those in branches after the statement that holds them."""
    for node in statements:
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not _is_main(node):
            yield from _scope(inside(node))


def _heads(node: ast.AST) -> list[ast.AST]:
    """What a statement that holds others evaluates itself."""
    held = {id(one) for one in inside(node)}
    return [one for one in ast.iter_child_nodes(node) if id(one) not in held]


def _is_main(node: ast.AST) -> bool:
    """Whether a statement does nothing unless its file is run."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "__name__ == '__main__'"


def is_inert(node: ast.AST) -> bool:
    """Whether a statement does nothing: a text by itself, `pass`."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _loaded_by(node: ast.Import | ast.ImportFrom) -> list[Import]:
    if isinstance(node, ast.Import):
        return [Import(alias.name, '', node.lineno) for alias in node.names]
    return [brought for _, brought in brought_by(node)]


def _tables(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """The texts of each entry of the tables in a statement."""
    for table in (one for one in nodes_in_order([node]) if isinstance(one, ast.Dict)):
        for entry in zip(table.keys, table.values, strict=True):
            inner = [one.value for one in nodes_in_order(filter(None, entry)) if isinstance(one, ast.Constant)]
            texts = [one for one in inner if isinstance(one, str)]
            if texts:
                yield tuple(texts)


def _targets(node: ast.AST) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        parts = [target] if isinstance(target, ast.Name) else ast.walk(target) if isinstance(target, ast.Tuple) else ()
        yield from (one.id for one in parts if isinstance(one, ast.Name))


def _function(node: 'ast.FunctionDef | ast.AsyncFunctionDef', kind: str, fixtures: frozenset[str], owner: str = '') -> Part:
    reads = Reads(owner)
    reads.add([node])
    name = f'{owner}.{node.name}' if owner else node.name
    arguments = node.args
    asks = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    found = _part(name, kind, node, reads)._replace(fills=tuple(sorted(reads.fills)))
    return found._replace(asks=(*asks, *reads.asked), fixture=_fixture(node, fixtures), dispatches=_dispatched(node))


def _part(name: str, kind: str, node: ast.stmt, reads: Reads) -> Part:
    return Part(name, kind, first_line(node), node.end_lineno, tuple(reads.names.values()), _frozen(reads), tuple(reads.loads))


def _frozen(reads: Reads) -> dict[str, tuple[Import, ...]]:
    return {name: tuple(ones) for name, ones in reads.imports.items()}


def _fixture(node: 'ast.FunctionDef | ast.AsyncFunctionDef', names: frozenset[str]) -> Fixture | None:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if last_name(called) in names:
            keywords = {one.arg: one.value for one in decorator.keywords} if isinstance(decorator, ast.Call) else {}
            named, automatic = keywords.get('name'), keywords.get('autouse')
            name = named.value if isinstance(named, ast.Constant) else node.name
            # with a name that is worked out, any test may ask for it
            is_unknown = named is not None and not isinstance(named, ast.Constant)
            return Fixture(name, is_unknown or (automatic is not None and getattr(automatic, 'value', True) is not False))
    return None


def _dispatched(node: 'ast.FunctionDef | ast.AsyncFunctionDef') -> str:
    """The operation that `@dispatch('operation')` names."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and (dotted(decorator.func) or '').rpartition('.')[2] == 'dispatch':
            first = decorator.args[0] if decorator.args else next((one.value for one in decorator.keywords), None)
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                return first.value
    return ''
