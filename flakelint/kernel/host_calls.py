# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How the functions of a repository that run on the host hang together."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from flakelint.kernel.decorators import JIT, Roles
from flakelint.kernel.host_functions import APPLY, Application, HostFunction
from flakelint.kernel.index import Index, Key, find_function
from flakelint.kernel.summary import Summary
from flakelint.project.meanings import Names
from flakelint.project.resolution import Resolver, Symbol

# what stands in the names of modules that hold reference implementations
REFERENCE = 'naive'
_FORWARD = 'forward'


class Callee(NamedTuple):
    """A function that is called.

    Args:
        path (str):
            Its file.
        name (str):
            Its name there.
        function (HostFunction):
            What it takes: without the context, where it is the `forward` of an autograd function.
    """

    path: str
    name: str
    function: HostFunction


class HostCalls:
    """The calls between the functions of a repository, as one of its files sees them.

    Args:
        path (str):
            The file.
        index (Index):
            The files of the repository.
        resolver (Resolver):
            Its names.
        roles (Roles):
            The roles of its decorators.
        summary (Callable[[str], Summary]):
            Gives the summary of a file.
    """

    def __init__(
        self, path: str, index: Index, resolver: Resolver, roles: Roles, summary: Callable[[str], Summary],
    ) -> None:
        self._path = path
        self._index = index
        self._resolver = resolver
        self._roles = roles
        self._summary = summary
        self._launching: dict[Key, bool] = {}

    @property
    def names(self) -> Names:
        """The names of the file."""
        return self._summary(self._path).names

    def applications(self, name: str) -> list[tuple[str, Application]]:
        """The uses of the `apply` of an autograd function of the file, each with its file; those in the same file first."""
        known = self._summary(self._path)
        if '.' in name and name not in known.names.meanings:
            # a class in a function is known in the file alone
            last = name.rpartition('.')[2]
            return [(self._path, one) for one in known.applications if one.target == last]
        own = [(self._path, one) for one in known.applications if self._key(self._path, one.target) == (self._path, name)]
        places = self._index.applied.get((self._path, name), ())
        return [*own, *((path, self._summary(path).applications[number]) for path, number in places if path != self._path)]

    def callee(self, name: str) -> Callee | None:
        """The function of the repository that a call in the file calls, by the name that is called."""
        return self._callee(self._path, name)

    def launches(self, name: str) -> bool:
        """Whether a function of the file launches kernels, by itself or through what it calls."""
        return self._launches(self._path, name)

    @property
    def has_reference(self) -> bool:
        """Whether the name of a file in the folder says that it holds a reference implementation."""
        folder = self._path.rpartition('/')[0]
        paths = (path.rpartition('/') for path in self._index.files.paths)
        return any(above == folder and REFERENCE in name.lower() for above, _, name in paths)

    def facts(self) -> Iterator[tuple]:
        """All that may be asked of other files."""
        known = self._summary(self._path)
        yield 'reference', '', '', '', repr(self.has_reference)
        for name in (name.removesuffix(f'.{_FORWARD}') for name in known.host if name.endswith(f'.{_FORWARD}')):
            yield 'applied', name, '', '', repr(self.applications(name))
        for name in {name for function in known.host.values() for name in function.calls}:
            callee = self.callee(name)
            if callee is not None and callee.path != self._path:
                takes = callee.function[:3]
                yield 'calls', name, callee.path, callee.name, repr((takes, self._launches(callee.path, callee.name)))

    def _key(self, path: str, name: str) -> Key | None:
        symbol = self._resolver.resolve(path, name)
        return None if symbol is None else (symbol.path, symbol.name)

    def _callee(self, path: str, name: str) -> Callee | None:
        if name.endswith(APPLY):
            symbol = self._resolver.resolve(path, name.removesuffix(APPLY))
            return None if symbol is None else self._forward(symbol)
        symbol = find_function(self._resolver, self._roles, path, name, through_any=True)
        function = self._summary(symbol.path).host.get(symbol.name) if symbol is not None else None
        return None if function is None else Callee(symbol.path, symbol.name, function)

    def _forward(self, symbol: Symbol) -> Callee | None:
        """What `apply` of an autograd function calls."""
        methods = self._summary(symbol.path).host if symbol.path else {}
        forward = methods.get(f'{symbol.name}.{_FORWARD}')
        if forward is None:
            return None
        skipped = 0 if f'{symbol.name}.setup_context' in methods else 1
        return Callee(symbol.path, f'{symbol.name}.{_FORWARD}', forward._replace(positional=forward.positional[skipped:]))

    def _launches(self, path: str, name: str) -> bool:
        key = (path, name)
        if key not in self._launching:
            # what leads back here adds nothing
            self._launching[key] = False
            function = self._summary(path).host.get(name)
            self._launching[key] = function is not None and self._reaches_kernels(path, function)
        return self._launching[key]

    def _reaches_kernels(self, path: str, function: HostFunction) -> bool:
        if any(self._is_kernel(path, target) for target in function.launches):
            return True
        callees = (self._callee(path, name) for name in function.calls)
        return any(callee is not None and self._launches(callee.path, callee.name) for callee in callees)

    def _is_kernel(self, path: str, target: str) -> bool:
        symbol = find_function(self._resolver, self._roles, path, target, through_any=True)
        if symbol is None:
            return 'kernel' in target.rpartition('.')[2]
        function = self._summary(symbol.path).functions.get(symbol.name)
        return function is not None and any(JIT in self._roles.of(symbol.path, one) for one in function.decorators)
