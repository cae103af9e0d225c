# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which names a statement reads that are not its own: those of its module, and those that imports inside it bring."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from flakelint.project.imports import dotted
from flakelint.project.meanings import MEMBER, imported_by, module_of
from flakelint.project.statements import FUNCTIONS
from flakelint.source.syntax import children, nodes_in_order

USE, DECORATOR, ARGUMENT, BASE, STRING = 'use', 'decorator', 'argument of a decorator', 'base class', 'string'
# what the body of a module works out
VALUE_OF = 'value'
# all names of a module
STAR = '*'

# a string that may name a module, or something in one
_NAMES_SOMETHING = re.compile(r'[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?')
_LOADERS = frozenset({'import_module', 'importlib.import_module', '__import__'})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FILLERS = frozenset({'add', 'append', 'extend', 'insert', 'register', 'setdefault', 'update'})
_SCOPES = frozenset({*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Import, ast.ImportFrom, *_COMPREHENSIONS})
_CAPTURES = {ast.MatchAs: 'name', ast.MatchStar: 'name', ast.MatchMapping: 'rest', ast.ExceptHandler: 'name'}


class Read(NamedTuple):
    """A name that is read.

    Args:
        name (str):
            The name, with the attributes that are asked of it.
        line (int):
            Where.
        kind (str):
            `use`, `decorator`, `argument of a decorator`, `base class`, `string` for a text that may name something, or `value` for what a body works out.
    """

    name: str
    line: int
    kind: str = USE


class Import(NamedTuple):
    """What an import statement brings.

    Args:
        module (str):
            The module, with the dots of a relative import.
        member (str):
            What is taken from it; nothing for the module itself, `*` for all.
        line (int):
            Where.
    """

    module: str
    member: str
    line: int


class Reads:
    """What some nodes read.

    Args:
        own (str, Optional):
            The class to whose members the first parameter of a function leads. Default: none.
    """

    def __init__(self, own: str = '') -> None:
        self.names: dict[tuple[str, str], Read] = {}
        self.imports: dict[str, list[Import]] = {}
        self.loads: list[Import] = []
        # the names into which something is put
        self.fills: set[str] = set()
        self._own = own

    def add(self, nodes: Iterable[ast.AST | None], local: frozenset[str] = frozenset(), kind: str = USE) -> None:
        """Look at nodes in a scope that binds some names."""
        for node in nodes:
            if node is not None:
                self._visit(node, local, kind)

    def decorators(self, nodes: Iterable[ast.expr], local: frozenset[str] = frozenset()) -> None:
        """Look at decorators: at what they are, and at what they are given."""
        for node in nodes:
            given = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
            self.add([node.func if isinstance(node, ast.Call) else node], local, DECORATOR)
            self.add(given, local, ARGUMENT)

    def _visit(self, node: ast.AST, local: frozenset[str], kind: str) -> None:
        stack: list[ast.AST] = [node]
        while stack:
            one = stack.pop()
            node_class = type(one)
            if node_class is ast.Name:
                self._read(one.id, one, local, kind)
            elif node_class is ast.Attribute and (name := dotted(one)) is not None:
                self._read(name, one, local, kind)
            elif node_class is ast.Constant:
                if type(one.value) is str:
                    self._string(one)
            elif node_class in _SCOPES:
                self._scope(one, local, kind)
            else:
                if node_class is ast.Call:
                    self._loaded(one)
                elif node_class is ast.Subscript and type(one.ctx) is ast.Store and type(one.value) is ast.Name:
                    self.fills.update({one.value.id} - local)
                stack += children(one)

    def _scope(self, node: ast.AST, local: frozenset[str], kind: str) -> None:
        if isinstance(node, ast.ClassDef):
            self._class(node, local)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name, brought in brought_by(node):
                self.imports.setdefault(name, []).append(brought)
        elif isinstance(node, _COMPREHENSIONS):
            targets = nodes_in_order(one.target for one in node.generators)
            # over what it goes first is asked for outside of it
            self.add([node.generators[0].iter], local, kind)
            self.add(children(node), local | {one.id for one in targets if isinstance(one, ast.Name)}, kind)
        else:
            self._function(node, local, kind)

    def _read(self, name: str, node: ast.AST, local: frozenset[str], kind: str) -> None:
        head, _, last = name.partition('.')
        if head not in local:
            if last in _FILLERS:
                self.fills.add(head)
            self.names.setdefault((name, kind), Read(name, node.lineno, kind))

    def _string(self, node: ast.Constant) -> None:
        if '.' in node.value and _NAMES_SOMETHING.fullmatch(node.value):
            name = node.value.replace(':', '.')
            self.names.setdefault((name, STRING), Read(name, node.lineno, STRING))

    def _loaded(self, node: ast.Call) -> None:
        """A module that is loaded by its name, of which anything may be asked."""
        first = node.args[0] if node.args else None
        if dotted(node.func) in _LOADERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            self.loads.append(Import(first.value, '', node.lineno))

    def _function(self, node: 'ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda', local: frozenset[str], kind: str) -> None:
        arguments = node.args
        self.add([*arguments.defaults, *arguments.kw_defaults], local)
        places = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        every = [one for one in places if one is not None]
        inner = local | {one.arg for one in every}
        if isinstance(node, ast.Lambda):
            self.add([node.body], inner, kind)
            return
        self.decorators(node.decorator_list, local)
        self.add([*(one.annotation for one in every), node.returns], local)
        if self._own and every:
            self._members(node, every[0].arg)
        self.add(node.body, inner | frozenset(bound_in(node.body)))

    def _class(self, node: ast.ClassDef, local: frozenset[str]) -> None:
        self.decorators(node.decorator_list, local)
        self.add([*node.bases, *(one.value for one in node.keywords)], local, BASE)
        names = frozenset(bound_in(node.body))
        for one in node.body:
            # the methods of a class do not see what it binds
            self.add([one], local if isinstance(one, FUNCTIONS) else local | names)

    def _members(self, node: ast.AST, name: str) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == name:
                self._read(f'{self._own}.{one.attr}', one, frozenset(), USE)


def brought_by(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
    """The names that an import binds, each with what it brings; `*` for all names of a module."""
    for name, meaning in imported_by(node):
        module, _, member = meaning.text.rpartition(':') if meaning.kind == MEMBER else (meaning.text, '', '')
        yield name, Import(module, member, node.lineno)
    if isinstance(node, ast.ImportFrom) and node.names[0].name == STAR:
        yield STAR, Import(module_of(node), STAR, node.lineno)


def bound_in(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names that statements bind in their scope, but for imports and those that are declared global."""
    stack: list[ast.AST] = list(body)
    found: set[str | None] = set()
    elsewhere: set[str | None] = {None}
    while stack:
        node = stack.pop()
        node_class = type(node)
        if node_class is ast.Name:
            if type(node.ctx) is not ast.Load:
                found.add(node.id)
        elif node_class in _SCOPES:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, _COMPREHENSIONS):
                inner = nodes_in_order([node])
                found.update(one.target.id for one in inner if isinstance(one, ast.NamedExpr))
        elif node_class is ast.Global:
            elsewhere.update(node.names)
        else:
            if node_class in _CAPTURES:
                found.add(getattr(node, _CAPTURES[node_class]))
            stack += children(node)
    yield from found - elsewhere
