# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the rest of a repository needs to know of a file, in a form that can be kept without its tree."""

import ast
import builtins
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.decorators import may_make_kernel, wrappers
from flakelint.kernel.host_functions import Application, HostFunction, applications, host_functions
from flakelint.kernel.host_statements import LOCAL
from flakelint.kernel.launch_sites import find_sites
from flakelint.kernel.launches import Site, pack, unpack
from flakelint.project.imports import Bindings, dotted
from flakelint.project.meanings import (
    MEMBER,
    NO_NAMES,
    Meaning,
    Names,
    digest,
    imported_by,
    names_of,
    source_lines,
)
from flakelint.project.statements import FUNCTIONS, inside, scope_statements
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

_BUILTINS = frozenset(dir(builtins))
_WORD = re.compile(r'[^\W\d]\w*')
_GRADIENTS = re.compile(r'(?:^|_)(?:bwd|backward|grads?)(?:_|\d|$)', re.IGNORECASE)
_BACKWARD = '.backward'
_MAX_DEPTH = 3


class Function(NamedTuple):
    """A function with decorators, which may make it a kernel.

    Args:
        line (int):
            The line of its `def`.
        decorators (tuple[str, ...]):
            The names of its decorators, as for `Resolver`.
        digest (str):
            A digest of its source.
        mentions (tuple[str, ...]):
            The names from outside that it mentions, as for `Resolver`; those of Triton itself are left out.
    """

    line: int
    decorators: tuple[str, ...]
    digest: str
    mentions: tuple[str, ...]


class LaunchHead(NamedTuple):
    """What is needed to tell whether a launch concerns a kernel, and has changed.

    Args:
        target (str):
            What is launched, as for `Resolver`.
        digest (str):
            A digest of the launch and its line.
        references (tuple[str, ...]):
            The names of the module that it passes.
    """

    target: str
    digest: str
    references: tuple[str, ...]


class Summary:
    """A file in short.

    Args:
        names (Names):
            Its names.
        functions (Mapping[str, Function]):
            Its functions with decorators, by their name in the module, such as `Class.method`.
        wraps (Mapping[str, tuple[str, ...]]):
            What `wrappers` finds in it.
        heads (Sequence[LaunchHead]):
            Its launches in short.
        body (str):
            Its launches, as JSON.
        host (Mapping[str, HostFunction], Optional):
            Its functions that run on the host. Default: none.
        applications (Sequence[Application], Optional):
            How it applies autograd functions. Default: none.
    """

    def __init__(
        self,
        names: Names,
        functions: Mapping[str, Function],
        wraps: Mapping[str, tuple[str, ...]],
        heads: Sequence[LaunchHead],
        body: str,
        host: Mapping[str, HostFunction] | None = None,
        applications: Sequence[Application] = (),
    ) -> None:
        self.names = names
        self.functions = functions
        self.wraps = wraps
        self.heads = heads
        self.host = host or {}
        self.applications = applications
        self._body = body

    @cached_property
    def sites(self) -> list[Site]:
        """Its launches."""
        return [unpack(packed) for packed in json.loads(self._body)]

    @cached_property
    def computes_gradients(self) -> bool:
        """Whether the file holds a kernel that computes gradients by its name, or an autograd function."""
        methods = (name.removesuffix(_BACKWARD) for name in self.host if name.endswith(_BACKWARD))
        return any(f'{name}.forward' in self.host for name in methods) or any(map(_GRADIENTS.search, self.functions))

    def moved(self, last: int, by: int) -> 'Summary':
        """The summary of the file with some lines more or less in the body of a function.

        Args:
            last (int):
                The last line of those that were changed.
            by (int):
                By how many lines what stands below moved down.
        """
        def now(line: int) -> int:
            return line + by if line > last else line

        names, stars, exports = self.names
        meanings = {name: tuple(one._replace(line=now(one.line)) for one in bound) for name, bound in names.items()}
        names = Names(meanings, tuple((module, now(line)) for module, line in stars), exports)
        functions = {name: one._replace(line=now(one.line)) for name, one in self.functions.items()}
        sites = [[now(line), *rest] for line, *rest in json.loads(self._body)]
        heads = [_head(packed) for packed in sites]
        applied = [one._replace(line=now(one.line)) for one in self.applications]
        return Summary(names, functions, self.wraps, heads, _body_of(sites), self.host, applied)

    def dump(self) -> tuple[str, str]:
        """The summary as two texts of JSON: what is always needed, and the launches."""
        head = [self.names, self.functions, self.wraps, self.heads, self.host, self.applications]
        return json.dumps(head, separators=(',', ':')), self._body

    @classmethod
    def load(cls, head: str, body: str) -> 'Summary':
        """The summary that was dumped."""
        (meanings, stars, exports), functions, wraps, heads, host, applied = json.loads(head)
        names = Names(
            {name: tuple(Meaning(*one) for one in bound) for name, bound in meanings.items()},
            tuple((module, line) for module, line in stars),
            None if exports is None else tuple(exports),
        )
        known = {name: Function(line, tuple(by), text, tuple(uses)) for name, (line, by, text, uses) in functions.items()}
        launches = [LaunchHead(target, text, tuple(references)) for target, text, references in heads]
        on_host = {
            name: HostFunction(tuple(places), tuple(keywords), is_open, tuple(calls), tuple(launched))
            for name, (places, keywords, is_open, calls, launched) in host.items()
        }
        applications = [Application(*one) for one in applied]
        return cls(names, known, {name: tuple(inner) for name, inner in wraps.items()}, launches, body, on_host, applications)


NO_SUMMARY = Summary(NO_NAMES, {}, {}, (), '[]')


def summarise(file: 'SourceFile') -> Summary:
    """The summary of a file; an empty one where it is nested too deeply."""
    try:
        return _summarise(file)
    except RecursionError:
        return NO_SUMMARY


def _summarise(file: 'SourceFile') -> Summary:
    names = names_of(file)
    sites = [pack(site) for site in find_sites(file, names)]
    heads = [_head(packed) for packed in sites]
    functions = _Functions(file, names).found if '@' in file.text else {}
    on_host, applied = host_functions(file, names), applications(file, names)
    return Summary(names, functions, wrappers(file.statements), heads, _body_of(sites), on_host, applied)


def _body_of(sites: list[list]) -> str:
    return json.dumps(sites, separators=(',', ':'))


def _head(packed: list) -> LaunchHead:
    site = unpack(packed)
    return LaunchHead(site.target, digest(json.dumps(packed)), tuple(sorted(site.references)))


class _Scope:
    """The names that an enclosing function binds, as for `Resolver`; nothing for those that are values of its own."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        self.names: dict[str, str] = dict.fromkeys(_parameters(node), '')
        for inner in scope_statements(node.body):
            if isinstance(inner, FUNCTIONS):
                self.names[inner.name] = f'{LOCAL}{name}.{inner.name}'
            elif isinstance(inner, ast.Import | ast.ImportFrom):
                for bound, meaning in imported_by(inner):
                    self.names[bound] = meaning.text if meaning.kind == MEMBER else f'{meaning.text}:'
            elif isinstance(inner, ast.Assign):
                self.names.update((target.id, '') for target in inner.targets if isinstance(target, ast.Name))


class _Functions:
    """Finds the functions with decorators, and what they mention."""

    def __init__(self, file: 'SourceFile', names: Names) -> None:
        self.found: dict[str, Function] = {}
        self._file = file
        self._bindings = Bindings(file.statements)
        self._top: dict[str, ast.AST] = {}
        for node in scope_statements(file.statements):
            if isinstance(node, FUNCTIONS):
                self._top[node.name] = node
            elif isinstance(node, ast.Assign):
                self._top.update((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
        # what is not Triton's own; any name may be, where all names of a module are imported
        self._known = {name for name in names.meanings if not self._bindings.resolve(name).startswith('triton')}
        self._has_stars = any(not module.startswith('triton') for module, _ in names.stars)
        for unit in file.units:
            if '@' in unit.text:
                self._search(unit.nodes, '', ())

    def _search(self, nodes: Iterable[ast.AST], owner: str, scopes: tuple[_Scope, ...]) -> None:
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                name = f'{owner}{node.name}'
                if any(self._may_make_kernel(decorator) for decorator in node.decorator_list):
                    self.found.setdefault(name, self._function(node, scopes))
                self._search(node.body, f'{name}.', (*scopes, _Scope(node, name)))
            elif isinstance(node, ast.ClassDef):
                self._search(node.body, f'{owner}{node.name}.', scopes)
            else:
                self._search(inside(node), owner, scopes)

    def _may_make_kernel(self, decorator: ast.expr) -> bool:
        return may_make_kernel(self._bindings.resolve(dotted(_called(decorator)) or ''))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scopes: tuple[_Scope, ...]) -> Function:
        named = (dotted(_called(decorator)) for decorator in node.decorator_list)
        decorators = tuple(filter(None, (_reference(name, scopes) for name in named if name)))
        mentions = self._mentioned_in(node, scopes)
        for decorator in node.decorator_list:
            mentions |= self._mentions(nodes_in_order([decorator]), frozenset(), scopes)
            mentions |= self._mentioned_through(decorator, 0)
        return Function(node.lineno, decorators, digest(source_lines(node, self._file)), tuple(sorted(mentions)))

    def _mentioned_through(self, node: ast.AST, depth: int) -> set[str]:
        """What the functions and values of the file mention that an expression uses."""
        found: set[str] = set()
        for name in self._mentions(nodes_in_order([node]), frozenset(), ()):
            inner = self._top.get(name)
            if inner is not None and depth < _MAX_DEPTH:
                found |= self._mentioned_in(inner, ()) | self._mentioned_through(inner, depth + 1)
        return found

    def _mentioned_in(self, node: ast.AST, scopes: tuple[_Scope, ...]) -> set[str]:
        """What a function, its decorators aside, or a value mentions."""
        words = set(_WORD.findall(self._file.lines.segment(node.lineno, node.end_lineno)))
        known = self._known.union(*(scope.names for scope in scopes)) - {getattr(node, 'name', '')}
        if not self._has_stars and known.isdisjoint(words):
            return set()
        parts = [node.args, *node.body] if isinstance(node, FUNCTIONS) else [node]
        nodes = nodes_in_order(parts)
        stored = {one.id for one in nodes if type(one) is ast.Name and type(one.ctx) is ast.Store}
        bound = stored.union(_parameters(node)) if isinstance(node, FUNCTIONS) else stored
        return self._mentions(nodes, bound, scopes)

    def _mentions(self, nodes: Sequence[ast.AST], bound: Set[str], scopes: tuple[_Scope, ...]) -> set[str]:
        found = set()
        for name in _dotted_names(nodes):
            head = name.partition('.')[0]
            if head in bound or (head in _BUILTINS and head not in self._known):
                continue
            if not self._bindings.resolve(head).startswith('triton'):
                found.add(_reference(name, scopes))
        return found - {''}


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _reference(name: str, scopes: tuple[_Scope, ...]) -> str:
    """A name in the innermost of some functions, as for `Resolver`; nothing for what one of them computes."""
    head, dot, rest = name.partition('.')
    for scope in reversed(scopes):
        if head in scope.names:
            full = scope.names[head]
            return full if not dot or not full else f'{full}{"" if full.endswith(":") else dot}{rest}'
    return name


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return [one.arg for one in every if one is not None]


def _dotted_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names and dotted names that are read in nodes, of `a.b.c` only the whole."""
    inner: set[int] = set()
    for node in nodes:
        kind = type(node)
        if kind is ast.Name:
            if id(node) not in inner and type(node.ctx) is ast.Load:
                yield node.id
        elif kind is ast.Attribute and id(node) not in inner:
            parts = [node.attr]
            value = node.value
            while type(value) is ast.Attribute:
                inner.add(id(value))
                parts.append(value.attr)
                value = value.value
            if type(value) is ast.Name:
                inner.add(id(value))
                yield '.'.join((value.id, *reversed(parts)))
