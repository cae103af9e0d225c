# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The files of a repository, read when they are asked for."""

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from flakelint.affected.modules import Modules as ModulesOfTests
from flakelint.affected.question import Tree
from flakelint.coverage.values import Scope
from flakelint.project.imports import called_name
from flakelint.project.meanings import NO_NAMES, Names, names_of, target_names
from flakelint.project.resolution import Resolver
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.expressions import argument
from flakelint.source.file import SourceFile
from flakelint.source.text import DecodeError

_FIXTURE = 'fixture'


class Modules:
    """The files.

    Args:
        tree (Tree):
            The repository.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.paths = tree.below('.')
        self._files: dict[str, SourceFile | None] = {}
        self._names: dict[str, Names] = {}
        self._bound: dict[str, dict[str, ast.stmt]] = {}
        self._fixtures: dict[str, dict[str, ast.FunctionDef]] = {}
        self._scopes: dict[str, Scope] = {}
        self._read_through: set[str] = set()

    @cached_property
    def resolver(self) -> Resolver:
        """What names mean, from file to file."""
        return Resolver(ModulesOfTests(self.paths, self._tree.collected.folders), self.names)

    def file(self, path: str) -> SourceFile | None:
        """A file; `None` where it cannot be read or parsed."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def unread(self) -> list[str]:
        """The files that were asked for and cannot be read or parsed."""
        return sorted(path for path, file in self._files.items() if file is None and self._tree.data(path) is not None)

    def statements(self, path: str) -> Sequence[ast.stmt]:
        """The statements of a file."""
        file = self.file(path)
        return () if file is None else file.statements

    def names(self, path: str) -> Names:
        """The names of a file."""
        if path not in self._names:
            file = self.file(path)
            self._names[path] = NO_NAMES if file is None else names_of(file)
        return self._names[path]

    def text(self, path: str) -> str:
        """The text of a file."""
        file = self.file(path)
        return '' if file is None else file.text

    def scope(self, path: str) -> Scope:
        """The scope of a module."""
        if path not in self._scopes:
            self._scopes[path] = Scope(path)
        return self._scopes[path]

    def is_test_file(self, path: str) -> bool:
        """Whether pytest collects a file."""
        return self._tree.collected.has_file(path)

    def is_new(self, path: str) -> bool:
        """Whether nobody has asked this of a module before."""
        is_new = path not in self._read_through
        self._read_through.add(path)
        return is_new

    def binding(self, path: str, name: str) -> ast.stmt | None:
        """The last statement of a module that defines a function or a class of a name, or assigns to it."""
        if path not in self._bound:
            nodes = scope_statements(self.statements(path))
            self._bound[path] = {one: node for node in nodes for one in _bound_by(node)}
        return self._bound[path].get(name)

    def function(self, path: str, name: str) -> ast.FunctionDef | None:
        """A function of a module."""
        found = self.binding(path, name)
        return found if isinstance(found, FUNCTIONS) else None

    def fixtures(self, path: str) -> dict[str, ast.FunctionDef]:
        """The fixtures of a module, by the names under which tests ask for them; of two with one name, the first."""
        if path not in self._fixtures:
            nodes = [node for node in scope_statements(self.statements(path)) if isinstance(node, FUNCTIONS)]
            self._fixtures[path] = {name: node for node in reversed(nodes) for name in fixture_names(node)}
        return self._fixtures[path]

    def _read(self, path: str) -> SourceFile | None:
        data = self._tree.data(path)
        try:
            file = None if data is None else SourceFile(path, data)
        except DecodeError:
            return None
        return file if file is not None and file.problem is None else None


def _bound_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name for target in targets for name in target_names(target)]


def fixture_names(node: ast.FunctionDef) -> Iterator[str]:
    """The names under which a function is a fixture; none where it is no fixture."""
    for one in node.decorator_list:
        if called_name(one) == _FIXTURE:
            named = argument(one, 'name')
            yield named.value if isinstance(named, ast.Constant) else node.name
