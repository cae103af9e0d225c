# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Find the launches in a file, and what the host code around them passes."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flakelint.kernel.host_bindings import arguments_of, bound
from flakelint.kernel.host_callers import limits_of_caller
from flakelint.kernel.host_expressions import Env, Expressions
from flakelint.kernel.host_statements import LOCAL, Body
from flakelint.kernel.host_tensors import Arguments
from flakelint.kernel.host_values import FUNCTION, Value, unknown
from flakelint.kernel.launches import Site, of_literal
from flakelint.project.imports import Bindings
from flakelint.project.meanings import LITERAL, Names
from flakelint.project.statements import FUNCTIONS, scope_statements

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

# how deep calls are followed, and how many in a module
_MAX_DEPTH, _MAX_CALLS = 3, 400
_MAY_LAUNCH = re.compile(r'\]\s*\(|\.(?:run|warmup)\(')


def may_launch(text: str) -> bool:
    """Whether a text may hold a launch."""
    return _MAY_LAUNCH.search(text) is not None


def find_sites(file: 'SourceFile', names: Names) -> list[Site]:
    """The launches in a file, in source order."""
    if not may_launch(file.text):
        return []
    module = None
    for unit in file.units:
        places = [match.start() for match in _MAY_LAUNCH.finditer(unit.text)]
        if places:
            module = module or _Module(file, names)
            module.search(unit.nodes, [file.lines.position(unit.offset + place).line for place in places])
    return sorted(_sites(module, file), key=lambda site: site.line) if module is not None else []


def _sites(module: '_Module', file: 'SourceFile') -> Iterator[Site]:
    """The launches, with what the callers of their functions say of them, too."""
    for name, sites in module.sites.items():
        node = module.nodes.get(name)
        further = limits_of_caller(node, file, module) if isinstance(node, ast.FunctionDef) and sites else ()
        yield from (site._replace(limits=(*site.limits, *further)) for site in sites)


class _Module:
    """The names of a file as values, and the launches that were found in it."""

    def __init__(self, file: 'SourceFile', names: Names) -> None:
        # by the function that they stand in
        self.sites: dict[str, list[Site]] = {}
        self._names = names
        self._values: dict[str, Value] = {}
        self.expressions = Expressions(Bindings(file.statements).resolve, self.value, self.call)
        # the functions that are being called, and how many calls were followed
        self._called: list[ast.AST] = []
        self._calls = 0
        # its functions, and what its names are given
        self.nodes: dict[str, ast.AST] = {}
        for node in scope_statements(file.statements):
            if isinstance(node, FUNCTIONS):
                self.nodes[node.name] = node
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.nodes[node.targets[0].id] = node.value

    def value(self, name: str) -> Value:
        """What a name of the module is."""
        if name not in self._values:
            self._values[name] = self._value(name)
        return self._values[name]

    def call(self, function: Value, arguments: Arguments) -> Value | None:
        """What a plain function of the module returns; `None` where that is not followed."""
        node = function.node
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node in self._called:
            return None
        if len(self._called) >= _MAX_DEPTH or self._calls >= _MAX_CALLS or function.reference.startswith(LOCAL):
            return None
        self._calls += 1
        self._called.append(node)
        body = Body(self, function.text)
        try:
            body.block(node.body, {**arguments_of(node), **bound(node.args, arguments)})
        finally:
            self._called.pop()
        return body.result()

    def search(self, nodes: Sequence[ast.AST], lines: Sequence[int], owner: str = '') -> None:
        """Look for launches, which stand on some lines if at all, in statements of the module or of a class, and in the functions among them."""
        plain = []
        for node in nodes:
            if not any(node.lineno <= line <= node.end_lineno for line in lines):
                continue
            if isinstance(node, FUNCTIONS):
                self.run(f'{owner}{node.name}', node, {})
            elif isinstance(node, ast.ClassDef):
                self.search(node.body, lines, f'{owner}{node.name}.')
            else:
                inner = [child for child in scope_statements([node]) if isinstance(child, (*FUNCTIONS, ast.ClassDef))]
                self.search(inner, lines, owner)
                plain.append(node)
        if plain and not owner:
            self._attempt(lambda body: body.block(plain, {}), '')

    def run(self, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, outer: Env) -> None:
        """Look for launches in a function."""
        self._attempt(lambda body: body.block(node.body, {**outer, **arguments_of(node)}), name)

    def _attempt(self, search: Callable[['Body'], object], name: str) -> None:
        body = Body(self, name)
        try:
            search(body)
            sites = [found.site() for found in body.found]
            body.enter_functions()
        except RecursionError:
            return
        self.sites.setdefault(name, []).extend(sites)

    def _value(self, name: str) -> Value:
        meanings = self._names.meanings.get(name, ())
        if len(meanings) == 1 and meanings[0].kind == LITERAL:
            literal = of_literal(meanings[0].value, name)
            return Value(literal.kind, name, value=literal.value)
        if not meanings:
            return unknown(name, reference=name if self._names.stars else '')
        node = self.nodes.get(name) if len(meanings) == 1 else None
        if isinstance(node, FUNCTIONS):
            return Value(FUNCTION, name, node=node, reference=name)
        if isinstance(node, ast.Dict):
            return replace(self.expressions.evaluate(node, {}), reference=name)
        return unknown(name, reference=name)
