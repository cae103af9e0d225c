# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The parts of all files as a graph: what each leads to, and by which kind of step."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from flakelint.affected.collected import Collected
from flakelint.affected.modules import Modules
from flakelint.affected.parts import BODY, CLASS, FUNCTION, IMPORT, LAZY, METHOD, VALUE, Part
from flakelint.affected.reads import ARGUMENT, BELOW, DECORATOR, SCRIPT, STAR, STRING, VALUE_OF, Import, Read
from flakelint.affected.registries import BACKEND, registrations
from flakelint.affected.steps import (
    CHANGES,
    DISPATCH,
    MEMBER,
    REEXPORT,
    REGISTERS,
    RUNS,
    WHOLE,
    Node,
    Registered,
    Step,
)
from flakelint.project.modules import folders_above

# how a body may read a value without changing it
_HARMLESS = frozenset({DECORATOR, ARGUMENT, VALUE_OF})
ALL = '__all__'
_BACKENDS = 'backends'
_DEFAULT = Collected()


class Graph:
    """What the parts of files lead to.

    Args:
        files (Mapping[str, list[Part]]):
            The parts of every Python file, by its path from the root.
        registered (dict[tuple[str, str], Registered] | None, Optional):
            What decorators register, where it is known already. Default: `None`.
        collected (Collected, Optional):
            What pytest collects. Default: as without settings.
    """

    def __init__(
        self,
        files: Mapping[str, list[Part]],
        registered: 'dict[Node, Registered] | None' = None,
        collected: Collected = _DEFAULT,
    ) -> None:
        self.files = files
        self.collected = collected
        self.modules = Modules(files, collected.folders)
        self._changed: dict[str, frozenset[str]] = {}
        self._by_name: dict[str, dict[str, list[Part]]] = {}
        self._registered = registered

    def names(self, path: str) -> dict[str, list[Part]]:
        """The definitions in a file, by name."""
        if path not in self._by_name:
            names = self._by_name[path] = {}
            for part in self.files.get(path, ()):
                names.setdefault(part.name, []).append(part)
        return self._by_name[path]

    def parts(self, node: Node) -> list[Part]:
        """The definitions of a name in a file."""
        return self.names(node[0]).get(node[1], [])

    def nodes(self, path: str) -> list[Node]:
        """All that a file is made of."""
        return [(path, name) for name in self.names(path)]

    def steps(self, node: Node) -> list[Step]:
        """Where a part leads, by its own source."""
        found: dict[Node, Step] = {}
        for part in self.parts(node):
            for step in self._of_part(node[0], part):
                if step.node != node:
                    found.setdefault(step.node, step)
        for holder in list(found):
            held = self.registered.get(holder)
            if held is not None and node not in held.writers:
                found.update((one, Step(one, REGISTERS, found[holder].line)) for one in held.nodes)
        return list(found.values())

    def _of_part(self, path: str, part: Part) -> Iterator[Step]:
        for read in part.reads:
            yield from self.of_read(path, part, read)
        for brought in part.loads:
            if not brought.module:
                # a body only binds what it looks up in its own module
                yield from self._whole(path, brought.line) if part.kind in (FUNCTION, METHOD) else ()
            elif brought.member.startswith(BELOW):
                # of these, what is asked of a module says which
                yield from self._below(path, brought) if part.name != LAZY else ()
            elif part.kind == BODY:
                yield from self._runs(path, brought)
            else:
                yield from self._whole(self.modules.find(brought.module, path), brought.line)
        for ones in part.imports.values():
            for brought in ones:
                yield from self._runs(path, brought)
                if part.kind == IMPORT and brought.member not in ('', STAR):
                    yield from self._member(path, brought, [], REEXPORT)
        if part.kind == CLASS:
            yield from (Step((path, name), MEMBER, part.line) for name in self._members(path, part.name))
        if part.kind == METHOD:
            # what the class is derived from
            owner = part.name.partition('.')[0]
            for one in self.parts((path, owner)):
                yield from (step for read in one.reads for step in self.of_read(path, one, read))
        if part.kind == BODY:
            yield from (Step((one, ''), RUNS, part.line) for one in self._packages(path))
        if part.kind in (VALUE, CLASS) and part.name in self._changed_by_body(path):
            yield Step((path, ''), CHANGES, part.line)
        if part.dispatches:
            name = part.name.rpartition('.')[2]
            yield from (Step(one, DISPATCH, part.line) for one in self._backends.get((part.dispatches, name), ()))

    def of_read(self, path: str, part: Part, read: Read) -> Iterator[Step]:
        """What something leads to that a part of a file reads."""
        if read.kind == STRING:
            yield from self._named(path, read)
            return
        if read.kind == SCRIPT:
            found = [node for one in self.modules.ending(read.name) for node in self.nodes(one)]
            yield from (Step(node, SCRIPT, read.line) for node in found)
            return
        head, *rest = read.name.split('.')
        if head in part.imports and part.kind != IMPORT:
            for brought in part.imports[head]:
                yield from self._imported(path, brought, rest, read.kind, read.line)
            return
        yield from self._symbol(path, head, rest, read.kind, read.line)

    def _symbol(
        self, path: str, name: str, rest: list[str], kind: str, line: int, seen: set[Node] | None = None,
    ) -> Iterator[Step]:
        """What a name of a module leads to, with the attributes that are asked of it."""
        names = self.names(path)
        seen = set() if seen is None else seen
        if (path, name) in seen:
            return
        seen.add((path, name))
        # a name may be bound here and by a star as well
        yield from self._from_stars(path, name, rest, kind, line, seen)
        if name not in names:
            if LAZY in names and self._lazily_loaded(path, name):
                yield from self._lazy(path, name, rest, kind, line, seen)
            return
        if rest and f'{name}.{rest[0]}' in names:
            yield Step((path, f'{name}.{rest[0]}'), kind, line)
            return
        yield Step((path, name), kind, line)
        for part in names[name]:
            for brought in part.imports.get(name, ()) if part.kind == IMPORT else ():
                yield from self._through(path, brought, rest, kind, line, seen)

    def _through(
        self, path: str, brought: Import, rest: list[str], kind: str, line: int, seen: set[Node],
    ) -> Iterator[Step]:
        """What lies behind an import, where it brings a module; what it brings else, its own steps lead to."""
        target = self.modules.find(brought.module, path)
        if target is None:
            return
        if brought.member:
            inner = self.names(target)
            if brought.member in inner and target != path:
                yield from self._symbol(target, brought.member, rest, kind, line, seen)
                return
            target = self.modules.member(target, brought.member)
        yield from self._module(target, rest, kind, line, seen)

    def _imported(self, path: str, brought: Import, rest: list[str], kind: str, line: int) -> Iterator[Step]:
        yield from self._runs(path, brought)
        if brought.member and brought.member != STAR:
            yield from self._member(path, brought, rest, kind)
        else:
            yield from self._module(self.modules.find(brought.module, path), rest, kind, line, set())

    def _member(self, path: str, brought: Import, rest: list[str], kind: str) -> Iterator[Step]:
        """What `from module import member` brings."""
        target = self.modules.find(brought.module, path)
        if target is None:
            return
        names = self.names(target)
        submodule = self.modules.member(target, brought.member)
        if LAZY in names and brought.member not in names:
            yield Step((target, LAZY), kind, brought.line)
        if submodule is not None and (brought.member not in names or target == path):
            yield from self._module(submodule, rest, kind, brought.line, set()) if rest or kind != REEXPORT else ()
            return
        if LAZY in names and brought.member not in names:
            yield from self._lazy(target, brought.member, rest, kind, brought.line, set())
            return
        if target.endswith('/'):
            return
        # a name that is not there is noted as well: it may have been there before
        yield Step((target, brought.member), kind, brought.line)
        yield from self._symbol(target, brought.member, rest, kind, brought.line)

    def _module(self, target: str | None, rest: list[str], kind: str, line: int, seen: set[Node]) -> Iterator[Step]:
        """What attributes of a module lead to; all that it holds where none is asked for."""
        if target is None:
            return
        if not rest:
            yield from self._whole(target, line)
            return
        name, *inner = rest
        names = self.names(target)
        submodule = self.modules.member(target, name)
        if name not in names and submodule is not None:
            if LAZY in names:
                yield Step((target, LAZY), kind, line)
            yield Step((submodule, ''), RUNS, line)
            yield from self._module(submodule, inner, kind, line, seen)
        elif LAZY in names and name not in names:
            yield from self._lazy(target, name, inner, kind, line, seen)
        else:
            yield Step((target, name), kind, line)
            yield from self._symbol(target, name, inner, kind, line, seen)

    def _from_stars(
        self, path: str, name: str, rest: list[str], kind: str, line: int, seen: set[Node],
    ) -> Iterator[Step]:
        for star in self.names(path).get(STAR, ()):
            for brought in star.imports[STAR]:
                target = self.modules.find(brought.module, path)
                if target is not None and not target.endswith('/'):
                    yield Step((path, STAR), kind, line)
                    yield Step((target, ALL), kind, line)
                    yield from self._symbol(target, name, rest, kind, line, seen)

    def _tables(self, path: str) -> list[tuple[str, ...]]:
        return [entry for part in self.files.get(path, ()) for entry in part.tables]

    def _lazy(
        self, target: str, name: str, rest: list[str], kind: str, line: int, seen: set[Node],
    ) -> Iterator[Step]:
        """What the `__getattr__` of a module gives for a name: what its tables say, else anything."""
        yield Step((target, LAZY), kind, line)
        found = self._lazily_loaded(target, name)
        if not found:
            # with what its `__getattr__` may load
            yield from self._whole(target, line)
        for module, texts in found:
            yield from (Step((one, ''), RUNS, line) for one in (module, *self._packages(module)))
            for text in texts:
                yield Step((module, text), kind, line)
                yield from self._symbol(module, text, rest, kind, line, seen)
            if not any(text in self.names(module) for text in texts):
                yield from self._whole(module, line)

    def _lazily_loaded(self, target: str, name: str) -> list[tuple[str, tuple[str, ...]]]:
        """The modules that the tables of a module have for a name, each with what may be taken from it."""
        entries = [entry for entry in self._tables(target) if name in entry]
        return [(module, entry) for entry in entries for module in self.modules.named(target, entry)]

    def _runs_lazily(self, target: str, brought: Import) -> Iterator[Step]:
        """What an import runs that takes a name from a module which may not hold it."""
        yield Step((target, LAZY), RUNS, brought.line)
        found = [module for module, _ in self._lazily_loaded(target, brought.member)]
        if not found and self.modules.member(target, brought.member) is None:
            found = self._loadable(target)
        for module in found:
            yield from (Step((one, ''), RUNS, brought.line) for one in (module, *self._packages(module)))

    def _whole(self, target: str | None, line: int) -> Iterator[Step]:
        """All of a module, where it is not seen what is asked of it."""
        stack, seen = [target], set()
        while stack:
            one = stack.pop()
            if one is None or one in seen:
                continue
            seen.add(one)
            yield from (Step(node, WHOLE, line) for node in self.nodes(one))
            yield from (Step((package, ''), RUNS, line) for package in self._packages(one))
            # with a package go the modules that it holds
            stack.extend(self._modules_in(one))

    def _below(self, path: str, brought: Import) -> Iterator[Step]:
        """All modules that a name may mean of which only the beginning is known."""
        for one in self._beginning(path, brought):
            yield from self._whole(one, brought.line)

    def _beginning(self, path: str, brought: Import) -> list[str]:
        target = self.modules.find(brought.module, path)
        beginning = brought.member.removeprefix(BELOW).replace('.', '/')
        return self.modules.below(target, beginning) if target is not None else []

    def _loadable(self, path: str) -> list[str]:
        """The modules that the `__getattr__` of a module may load, as far as it has no table of them."""
        loads = [one for part in self.parts((path, LAZY)) for one in part.loads if one.member.startswith(BELOW)]
        return [] if self._tables(path) else [module for one in loads for module in self._beginning(path, one)]

    def _modules_in(self, path: str) -> Iterator[str | None]:
        yield from (module for entry in self._tables(path) for module in self.modules.named(path, entry))
        yield from self._loadable(path)
        for part in self.files.get(path, ()):
            for brought in (one for ones in part.imports.values() for one in ones) if part.kind == IMPORT else ():
                target = self.modules.find(brought.module, path)
                if brought.member == STAR:
                    yield target
                elif target is not None and (target == path or brought.member not in self.names(target)):
                    yield self.modules.member(target, brought.member) if brought.member else target

    def _runs(self, path: str, brought: Import) -> Iterator[Step]:
        """The bodies that an import runs: of the module, of the packages around it, and of a member that is a module."""
        target = self.modules.find(brought.module, path)
        if target is None:
            return
        found = [target, *self._packages(target)]
        if brought.member and (target == path or brought.member not in self.names(target)):
            submodule = self.modules.member(target, brought.member)
            found.extend([submodule] if submodule is not None else ())
        yield from (Step((one, ''), RUNS, brought.line) for one in found if not one.endswith('/'))
        names = self.names(target)
        if LAZY in names and target != path and brought.member not in ('', STAR, *names):
            yield from self._runs_lazily(target, brought)

    def _packages(self, path: str) -> Iterator[str]:
        """The `__init__.py` of the packages in which a file stands."""
        for folder in folders_above(path):
            init = f'{folder}/__init__.py'
            if init not in self.files:
                return
            if init != path:
                yield init

    def _named(self, path: str, read: Read) -> Iterator[Step]:
        """What a text names: a module, or something in one."""
        module, _, name = read.name.rpartition('.')
        target = self.modules.find(read.name, path)
        if target is not None and not target.endswith('/'):
            yield from (Step(node, STRING, read.line) for node in self.nodes(target))
            return
        target = self.modules.find(module, path) if module else None
        if target is not None and not target.endswith('/') and name in self.names(target):
            yield Step((target, name), STRING, read.line)

    def _members(self, path: str, name: str) -> list[str]:
        return [one for one in self.names(path) if one.startswith(f'{name}.')]

    def _changed_by_body(self, path: str) -> frozenset[str]:
        if path not in self._changed:
            reads = [one for part in self.parts((path, '')) for one in part.reads if one.kind not in _HARMLESS]
            self._changed[path] = frozenset(one.name.partition('.')[0] for one in reads)
        return self._changed[path]

    @property
    def registered(self) -> 'dict[Node, Registered]':
        """What decorators register, by the object or the value that holds it."""
        if self._registered is None:
            self._registered = {}
            for holder, writer, node in registrations(self):
                held = self._registered.setdefault(holder, Registered([], []))
                held.writers.append(writer)
                held.nodes.append(node)
        return self._registered

    @cached_property
    def _backends(self) -> dict[tuple[str, str], list[Node]]:
        """The methods of backends, by the operation for which their package stands, and their names."""
        found: dict[tuple[str, str], list[Node]] = {}
        for path, parts in self.files.items():
            folders = path.split('/')
            if _BACKENDS not in folders[1:]:
                continue
            operation = folders[folders.index(_BACKENDS, 1) - 1]
            bases = {part.name for part in parts if part.kind == CLASS and any(BACKEND in read.name for read in part.reads)}
            for part in parts:
                owner, _, name = part.name.partition('.')
                if part.kind == METHOD and owner in bases:
                    found.setdefault((operation, name), []).append((path, part.name))
        return found
