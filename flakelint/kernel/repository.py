# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a kernel needs to know of other modules: the helpers that it calls, the constants that it reads, the launches that launch it."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from flakelint.kernel.decorators import AUTOTUNE, DecoratorNames, Roles
from flakelint.kernel.host_calls import HostCalls
from flakelint.kernel.host_statements import LOCAL
from flakelint.kernel.index import Index, Key, Store, find_function, find_literal
from flakelint.kernel.kernels import Kernel, Module
from flakelint.kernel.launch_calls import LaunchCall, calls_of, is_direct
from flakelint.kernel.launch_sites import may_launch
from flakelint.kernel.launches import Launch, bind
from flakelint.kernel.summary import Summary, summarise
from flakelint.project.contents import Contents, content_hash
from flakelint.project.meanings import APPLIED, FUNCTION, MEMBER, Names, imported_by, target_names
from flakelint.project.resolution import Resolver, Symbol
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import encode

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

# helpers mostly stand in few modules
_MODULES_KEPT = 32


class Repository:
    """The kernels of a repository and how they hang together.

    Nothing of it is executed, and a file is parsed only when it is asked for. What a name may mean in two ways is not known.

    Args:
        root (str):
            The folder to which paths are relative.
        paths (Iterable[str]):
            Its Python files, absolute or from the root.
        decorator_names (DecoratorNames | None, Optional):
            Which decorators stand for Triton's own, besides those that wrap them. Default: `None`.
        store (Store | None, Optional):
            Where summaries of files are kept from run to run. Default: `None`.
        contents (Contents | None, Optional):
            The files, where they were read already. Default: `None`.
    """

    def __init__(
        self,
        root: str,
        paths: Iterable[str],
        decorator_names: DecoratorNames | None = None,
        store: Store | None = None,
        contents: Contents | None = None,
    ) -> None:
        self.index = Index(contents or Contents(root, paths), decorator_names or DecoratorNames(), store)
        self._modules: dict[str, Module | None] = {}

    def __getstate__(self) -> dict:
        return {'index': self.index}

    def __setstate__(self, state: dict) -> None:
        self.index, self._modules = state['index'], {}

    def module(self, file: 'SourceFile') -> Module:
        """A file with its kernels; what it holds may differ from what is on disk."""
        module = Module(file, lambda name: self.roles(module, name), self.index.decorator_names)
        return module

    def roles(self, module: Module, name: str) -> tuple[str, ...]:
        """The roles that a name in a file has as a decorator, as far as its definition tells."""
        return self._view(module).roles.of(module.path, name)

    def helper(self, kernel: Kernel, name: str) -> Kernel | None:
        """The function that Triton compiles which a name in a kernel means, such as `mul` or `op.exp`; None where there is no one such."""
        found = self._lookup(kernel, name)
        if found is None or isinstance(found, Kernel):
            return found
        key = self._view(kernel.module).function(kernel.path, found)
        return None if key is None else self._kernel(key, kernel.module)

    def constant(self, kernel: Kernel, name: str) -> bool | int | float | str | None:
        """The value that a name in a kernel means, if it is written out at the top of a module; None where it is not."""
        found = self._lookup(kernel, name)
        return find_literal(self._view(kernel.module).resolver, kernel.path, found) if isinstance(found, str) else None

    def launches(self, kernel: Kernel) -> tuple[Launch, ...]:
        """Every launch of a kernel that is seen, those in its own file first."""
        view = self._view(kernel.module)
        filled = _Filled(kernel)
        found = []
        for path, number in view.launches(_key(kernel)):
            site = view.summary(path).sites[number]
            found.append(bind(site, path, kernel, filled, lambda name, path=path: find_literal(view.resolver, path, name)))
        return tuple(found)

    def launch_calls(self, module: Module) -> list[LaunchCall]:
        """The launches in a file whose kernels are known, and launched as they are decorated."""
        view = self._view(module)
        sites = view.summary(module.path).sites
        units = [unit for unit in module.file.units if sites and may_launch(unit.text)]
        calls = calls_of(node for unit in units for node in module.file.nodes_of(unit))
        literal = partial(find_literal, view.resolver, module.path)
        found: list[LaunchCall] = []
        for site in sites:
            node = calls.get((site.line, site.column))
            kernel = self.function(module, site.target) if node is not None and is_direct(node) else None
            if kernel is not None:
                choices = sum((one.line, one.column) == (site.line, site.column) for one in sites)
                launch = bind(site, module.path, kernel, _Filled(kernel), literal)
                found.append(LaunchCall(node, site, kernel, launch, choices))
        return found

    def function(self, module: Module, name: str) -> Kernel | None:
        """The function that Triton compiles which a name at the top of a file means, as it is decorated; None where there is no one such."""
        key = self._view(module).definition(module.path, name)
        if key is None or (name.startswith(LOCAL) and sum(one.qualified_name == key[1] for one in module.kernels) > 1):
            return None
        return self._kernel(key, module) if key[1] in self._view(module).summary(key[0]).functions else None

    def launched(self, module: Module, name: str) -> Kernel | None:
        """The function that Triton compiles to which a name at the top of a file leads, through whatever is applied to it by hand; None where there is no one such."""
        key = self._view(module).function(module.path, name, through_any=True)
        return None if key is None else self._kernel(key, module)

    def signature(self, module: Module, name: str) -> tuple[str, str] | None:
        """The file and the signature of the one function that a name at the top of a file means, if both are known."""
        symbol = self._view(module).resolver.resolve(module.path, name)
        if symbol is None or symbol.meaning is None or symbol.meaning.kind != FUNCTION or symbol.meaning.value is None:
            return None
        return symbol.path, symbol.meaning.value

    def is_left_out(self, kernel: Kernel) -> bool:
        """Whether nothing is seen to launch a kernel, although its own file launches others."""
        view = self._view(kernel.module)
        return not view.launches(_key(kernel)) and bool(view.summary(kernel.path).sites)

    def is_trained(self, kernel: Kernel) -> bool:
        """Whether gradients are computed beside a kernel, or where it is launched."""
        return self._view(kernel.module).is_trained(_key(kernel))

    def is_called_by_kernels(self, kernel: Kernel) -> bool:
        """Whether another function that Triton compiles uses it."""
        return self._view(kernel.module).is_called(_key(kernel))

    def host(self, module: Module) -> HostCalls:
        """How the functions of a file that run on the host hang together with those of others."""
        return self._view(module).host

    def seen_from(self, module: Module) -> '_View':
        """The repository as one of its files sees it."""
        return self._view(module)

    def module_at(self, path: str, own: Module) -> Module | None:
        """The file at a path; the one that asks may differ from what is on disk."""
        return own if path == own.path else self._module(path)

    def consulted(self, module: Module) -> str:
        """A hash of all that may be asked of other files for the kernels of one: it changes where an answer does."""
        return self._view(module).digest()

    def consulted_by(self, path: str) -> str:
        """The same for a file as it is on disk."""
        return _View(self.index, path).digest()

    def _view(self, module: Module) -> '_View':
        if module.view is None:
            module.view = _View(self.index, module.path, module)
        return module.view

    def _kernel(self, key: Key, own: Module) -> Kernel | None:
        path, name = key
        module = self.module_at(path, own)
        if module is None:
            return None
        return next((kernel for kernel in module.kernels if kernel.qualified_name == name), None)

    def _module(self, path: str) -> Module | None:
        if path not in self._modules:
            if len(self._modules) >= _MODULES_KEPT:
                self._modules.clear()
            file = self.index.source(path)
            self._modules[path] = None if file is None else self.module(file)
        return self._modules[path]

    def _lookup(self, kernel: Kernel, name: str) -> Kernel | str | None:
        """A name in a kernel: a function beside it, or the name as for `Resolver`; None for what is bound in the kernel."""
        head, dot, rest = name.partition('.')
        if head in kernel.assigned or any(one.name == head for one in kernel.parameters):
            return None
        for owner in reversed(kernel.owners):
            if isinstance(owner, ast.ClassDef):
                continue
            bound = [one for node in scope_statements(owner.body) for one in _binds(node, head)]
            bound.extend(one.arg for one in nodes_in_order([owner.args]) if isinstance(one, ast.arg) and one.arg == head)
            if bound:
                return _one_of(bound, kernel.module, f'{dot}{rest}')
        return name


class _View:
    """The repository as one of its files sees it, whose content may differ from what is on disk; if no module is given, it does not."""

    def __init__(self, index: Index, path: str, module: Module | None = None) -> None:
        self._index = index
        self._module = module
        self._path = path
        content = index.contents.get(path)
        self._is_changed = module is not None and (content is None or content.hash != content_hash(_data(module.file)))
        if self._is_changed:
            self.resolver = Resolver(index.modules, lambda path: self.summary(path).names)
            self.roles = Roles(index.decorator_names, self.resolver, lambda path: self.summary(path).wraps)
        else:
            self.resolver, self.roles = index.resolver, index.roles

    @cached_property
    def _own(self) -> Summary:
        return summarise(self._module.file)

    @property
    def names(self) -> Names | None:
        """The names of the file; None where nobody asked for any so far."""
        known = self._known
        return known and known.names

    @property
    def _known(self) -> Summary | None:
        return self.__dict__.get('_own') if self._is_changed else self._index.summary(self._path)

    def moved(self, module: Module, last: int, by: int) -> '_View':
        """The same for a content of the file with some lines more or less in the body of a function, as for `Summary.moved`."""
        view = _View(self._index, self._path, module)
        known = self._known
        if known is not None and view._is_changed:
            view._own = known.moved(last, by)
        return view

    def summary(self, path: str) -> Summary:
        """The summary of a file."""
        return self._own if self._is_changed and path == self._path else self._index.summary(path)

    def function(self, path: str, name: str, through_any: bool = False) -> Key | None:
        """The function that a name means."""
        if name.startswith(LOCAL):
            return path, name[len(LOCAL):]
        symbol = find_function(self.resolver, self.roles, path, name, through_any)
        return None if symbol is None else (symbol.path, symbol.name)

    def definition(self, path: str, name: str) -> Key | None:
        """The function that a name means without anything being applied to it by hand."""
        if name.startswith(LOCAL):
            return path, name[len(LOCAL):]
        symbol = self.resolver.resolve(path, name)
        is_function = symbol is not None and symbol.meaning is not None and symbol.meaning.kind == FUNCTION
        return (symbol.path, symbol.name) if is_function else None

    def launches(self, key: Key) -> list[tuple[str, int]]:
        """The launches of a function of the file, those in the file first."""
        if not self._is_changed:
            return sorted(self._index.launches.get(key, ()), key=lambda place: place[0] != self._path)
        heads = enumerate(self._own.heads)
        own = [(self._path, number) for number, head in heads if self.function(self._path, head.target, True) == key]
        return [*own, *(place for place in self._index.launches.get(key, ()) if place[0] != self._path)]

    def is_trained(self, key: Key) -> bool:
        """Whether the file of a function computes gradients, or one that launches it."""
        paths = dict.fromkeys([key[0], *(path for path, _ in self.launches(key))])
        return any(self.summary(path).computes_gradients for path in paths)

    def is_called(self, key: Key) -> bool:
        """Whether a function that Triton compiles mentions another function."""
        callers = self._index.called.get(key, set())
        if not self._is_changed:
            return bool(callers)
        return any(path != self._path for path, _ in callers) or key in self._mentioned

    @cached_property
    def _mentioned(self) -> set[Key]:
        kernels = {kernel.qualified_name for kernel in self._module.kernels}
        found = set()
        for name, function in self._own.functions.items():
            if name in kernels:
                keys = {self.function(self._path, mention) for mention in function.mentions}
                found |= keys - {None, (self._path, name)}
        return found

    @cached_property
    def host(self) -> HostCalls:
        """The calls between functions that run on the host."""
        return HostCalls(self._path, self._index, self.resolver, self.roles, self.summary)

    def digest(self) -> str:
        """A hash of all that the file's kernels may ask of other files."""
        digest = hashlib.blake2b(digest_size=16)
        facts = sorted({*self._reached(), *self._uses(), *self._imported(), *self.host.facts()})
        digest.update(repr(facts).encode(errors='surrogatepass'))
        return digest.hexdigest()

    def _reached(self) -> Iterator[tuple]:
        """What the names in the file's kernels lead to, through the functions of other files."""
        seen = set()
        functions = self.summary(self._path).functions.values()
        names = [(self._path, name) for one in functions for name in (*one.decorators, *one.mentions)]
        names.extend((self._path, head.target) for head in self.summary(self._path).heads)
        while names:
            path, name = names.pop()
            if (path, name) in seen or name.startswith(LOCAL):
                continue
            seen.add((path, name))
            for symbol in self.resolver.candidates(path, name):
                if symbol.path != self._path:
                    yield path, name, symbol.path, symbol.name, repr(symbol.meaning)
                names.extend((symbol.path, inner) for inner in self._behind(symbol))

    def _imported(self) -> Iterator[tuple]:
        """What there is to know of the functions that the file imports, for those who call them."""
        for name, meanings in self.summary(self._path).names.meanings.items():
            if meanings[0].kind != MEMBER:
                continue
            for symbol in self.resolver.candidates(self._path, name):
                if symbol.path and symbol.meaning is not None and symbol.meaning.kind == FUNCTION:
                    function = self.summary(symbol.path).functions.get(symbol.name)
                    by = [self.roles.of(symbol.path, one) for one in function.decorators] if function is not None else []
                    yield 'imported', name, symbol.path, symbol.name, repr((symbol.meaning.value, by))

    def _behind(self, symbol: Symbol) -> Iterator[str]:
        """The names that what a name means depends on, in its file."""
        if not symbol.path or symbol.meaning is None:
            return
        summary = self.summary(symbol.path)
        yield from summary.wraps.get(symbol.name, ())
        if symbol.meaning.kind == APPLIED:
            yield from (symbol.meaning.text, symbol.meaning.value)
        function = summary.functions.get(symbol.name)
        if function is not None:
            yield from (*function.decorators, *function.mentions)

    def _uses(self) -> Iterator[tuple]:
        """How other files use the functions of the file."""
        for name in self.summary(self._path).functions:
            key = (self._path, name)
            yield 'called', name, '', '', repr((self.is_called(key), self.is_trained(key)))
            for path, number in self.launches(key):
                head = self.summary(path).heads[number]
                literals = [(one, find_literal(self.resolver, path, one)) for one in head.references]
                yield 'launched', name, path, head.digest, repr(literals)


class _Filled:
    """The parameters that the decorators of a kernel fill in; any that has a default, where that is not seen."""

    def __init__(self, kernel: Kernel) -> None:
        self._names = {*kernel.tuned.sizes, *kernel.heuristics}
        self._is_seen = kernel.tuned.is_complete or kernel.decorator(AUTOTUNE) is None

    def __contains__(self, name: str) -> bool:
        return name in self._names or not self._is_seen


def _data(file: 'SourceFile') -> bytes:
    try:
        return encode(file.text, file.decoded.encoding, file.decoded.bom)
    except UnicodeError:
        return b''


def _key(kernel: Kernel) -> Key:
    return kernel.path, kernel.qualified_name


def _binds(node: ast.AST, name: str) -> Iterator[Any]:
    """What a statement of a function binds to a name: a function, the name of an import as for `Resolver`, or None for a value."""
    if isinstance(node, FUNCTIONS):
        yield from [node] if node.name == name else ()
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for bound, meaning in imported_by(node):
            if bound == name:
                yield meaning.text if meaning.kind == MEMBER else f'{meaning.text}:'
    else:
        targets = getattr(node, 'targets', [getattr(node, 'target', None)])
        yield from (None for target in targets if isinstance(target, ast.AST) and name in target_names(target))


def _one_of(bound: list[Any], module: Module, rest: str) -> Kernel | str | None:
    """The one thing that a function binds to a name."""
    if all(isinstance(one, str) and ':' in one for one in bound) and len(set(bound)) == 1:
        return f'{bound[0]}{rest.removeprefix(".") if bound[0].endswith(":") else rest}'
    if not rest and all(isinstance(one, FUNCTIONS) for one in bound) and len({ast.dump(one) for one in bound}) == 1:
        return next((kernel for kernel in module.kernels if kernel.definition is bound[0]), None)
    return None
