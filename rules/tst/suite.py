# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The tests of a file, and the functions of the file that they use."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.rule import Rule
from flakelint.project.ignore import Where
from flakelint.project.imports import dotted
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File

FILES = ('test_*.py', '*_test.py')

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS_AND_LAMBDAS = (*FUNCTIONS, ast.Lambda)
_HEAD = re.compile(r'(?:async\s+)?(?:def|class)\s+(?=\w)')
_OWN = ('self', 'cls')
_KNOWN_BASES = frozenset({'object', 'unittest.TestCase', 'TestCase', 'unittest.IsolatedAsyncioTestCase'})


class Test(NamedTuple):
    """A test.

    Args:
        function (ast.FunctionDef | ast.AsyncFunctionDef):
            The function.
        owner (ast.ClassDef | None):
            The class in which it stands.
    """

    function: Function
    owner: ast.ClassDef | None


class SuiteRule(Rule):
    """A rule that looks at files of tests, which its option `files` names."""

    def __init__(self, options: object | None = None) -> None:
        super().__init__(options)
        self._where = Where(self.options.files)


class Suite:
    """The tests of a file.

    Args:
        file (File):
            The file.
    """

    def __init__(self, file: 'File') -> None:
        self._file = file
        self._bodies: dict[ast.AST, list[ast.AST]] = {}
        self._wholes: dict[ast.AST, list[ast.AST]] = {}
        self._reached: dict[Test, list[Function]] = {}

    @cached_property
    def tests(self) -> list[Test]:
        """The tests, in source order."""
        found = []
        for node in scope_statements(self._file.statements):
            if isinstance(node, FUNCTIONS) and _is_test(node):
                found.append(Test(node, None))
            elif isinstance(node, ast.ClassDef) and (node.name.startswith('Test') or node.name.endswith(('Test', 'Tests'))):
                methods = [one for one in scope_statements(node.body) if isinstance(one, FUNCTIONS)]
                found.extend(Test(one, node) for one in methods if _is_test(one))
        return found

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions at the top of the file, by name."""
        return {node.name: node for node in scope_statements(self._file.statements) if isinstance(node, FUNCTIONS)}

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes at the top of the file, by name."""
        return {node.name: node for node in scope_statements(self._file.statements) if isinstance(node, ast.ClassDef)}

    def body(self, function: Function) -> list[ast.AST]:
        """The nodes of a function's body, in source order, without those of functions in it."""
        if function not in self._bodies:
            self._bodies[function] = _outer(self.whole(function))
        return self._bodies[function]

    def whole(self, function: Function) -> list[ast.AST]:
        """The nodes of a function's body with those of functions in it."""
        if function not in self._wholes:
            self._wholes[function] = nodes_in_order(function.body)
        return self._wholes[function]

    def methods(self, owner: ast.ClassDef, seen: frozenset[str] = frozenset()) -> dict[str, Function]:
        """The methods of a class, with those of its bases in the file."""
        found: dict[str, Function] = {}
        for base in owner.bases:
            above = self.classes.get(dotted(base) or '')
            if above is not None and above is not owner and above.name not in seen:
                found.update(self.methods(above, seen | {owner.name}))
        found.update({one.name: one for one in scope_statements(owner.body) if isinstance(one, FUNCTIONS)})
        return found

    def has_strange_base(self, owner: ast.ClassDef, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a class inherits from one that is not seen, and whose set-up may do anything."""
        for base in owner.bases:
            name = dotted(base) or ''
            if name in self.classes:
                if name not in seen and self.has_strange_base(self.classes[name], seen | {name}):
                    return True
            elif self._file.bindings.resolve(name) not in _KNOWN_BASES:
                return True
        return False

    def meant(self, node: ast.AST, test: Test, local: dict[str, Function]) -> Function | None:
        """The function of the file that an expression names."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return local.get(node.id) or self.functions.get(node.id)
        is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _OWN
        return self.methods(test.owner).get(node.attr) if is_own and test.owner is not None else None

    def reached(self, test: Test) -> list[Function]:
        """The test's function, and the functions of the file that it uses or is given, through each other too."""
        if test not in self._reached:
            found = [test.function, *self._given(test)]
            for function in found:
                local = local_functions(function)
                for node in self.whole(function):
                    used = self.meant(node, test, local)
                    if used is not None and used not in found:
                        found.append(used)
            self._reached[test] = found
        return self._reached[test]

    def decorators(self, test: Test) -> list[ast.AST]:
        """The nodes of a test's decorators, and of what the names in them are bound to at the top of the file."""
        nodes = nodes_in_order(test.function.decorator_list)
        seen: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Name) and node.id in self._values and node.id not in seen:
                seen.add(node.id)
                nodes.extend(nodes_in_order([self._values[node.id]]))
        return nodes

    @cached_property
    def _values(self) -> dict[str, ast.expr]:
        statements = [node for node in scope_statements(self._file.statements) if isinstance(node, ast.Assign)]
        return {target.id: node.value for node in statements for target in node.targets if isinstance(target, ast.Name)}

    def _given(self, test: Test) -> list[Function]:
        """The functions of the file that decorators pass to a test; those that they call have run before it."""
        nodes = self.decorators(test)
        called = {one.func for one in nodes if isinstance(one, ast.Call)}
        names = [one.id for one in nodes if isinstance(one, ast.Name) and one not in called]
        return [self.functions[name] for name in dict.fromkeys(names) if name in self.functions]

    def nodes(self, test: Test) -> Iterator[ast.AST]:
        """The nodes of all functions that a test reaches, its own first."""
        for function in self.reached(test):
            yield from self.whole(function)


@lru_cache(maxsize=1)
def suite_of(file: 'File') -> Suite:
    """The tests of a file, found once for all rules."""
    return Suite(file)


def local_functions(function: Function) -> dict[str, Function]:
    """The functions that stand directly in a function, by name."""
    return {node.name: node for node in scope_statements(function.body) if isinstance(node, FUNCTIONS)}


def full_name(node: ast.AST, file: 'File') -> str:
    """The full name of what a dotted expression spells; nothing for another expression."""
    name = dotted(node)
    return file.bindings.resolve(name) if name else ''


def name_range(node: Function | ast.ClassDef, file: 'File') -> Range:
    """Where the name of a function or class stands."""
    start = file.range(node).start
    head = _HEAD.match(file.lines.line(start.line), start.column - 1)
    column = head.end() + 1 if head is not None else start.column
    return Range(Position(start.line, column), Position(start.line, column + len(node.name)))


def fixtures_of(function: Function) -> bool:
    """Whether a function is a fixture."""
    return any(decorator_name(one).rpartition('.')[2] == 'fixture' for one in function.decorator_list)


def decorator_name(node: ast.expr) -> str:
    """The dotted name of a decorator, without its arguments."""
    return dotted(node.func if isinstance(node, ast.Call) else node) or ''


def is_package(full: str, packages: Sequence[str]) -> bool:
    """Whether a full name belongs to one of some packages, or is relative."""
    return full.startswith('.') or full.partition('.')[0] in packages


def words(name: str) -> list[str]:
    """The words of a name between its underscores, in lower case."""
    return [word for word in name.lower().split('_') if word]


def _is_test(node: Function) -> bool:
    return node.name.startswith('test_') and not fixtures_of(node)


def _outer(nodes: list[ast.AST]) -> list[ast.AST]:
    """The nodes among some without what stands in functions; functions themselves are given."""
    inner = [node for node in nodes if isinstance(node, _FUNCTIONS_AND_LAMBDAS)]
    skipped = {one for node in inner for one in nodes_in_order([node]) if one is not node}
    return [node for node in nodes if node not in skipped] if skipped else nodes
