# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Follow a name from module to module to what it means."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from flakelint.project.meanings import ALIAS, CLASS, FUNCTION, LITERAL, MEMBER, MODULE, Meaning, Names
from flakelint.project.modules import ModuleNames

# what was found on the way for names in files, before a line if that matters; nothing yet for those that lead here, so that circles end
_Seen = dict[tuple[str, str, int], list['Symbol']]

_ANYWHERE = 1 << 31


class Symbol(NamedTuple):
    """What a name means.

    Args:
        path (str):
            The file that defines it; nothing for what the repository does not hold.
        name (str):
            Its name there, `Class.member` for what stands in a class; the full name of what the repository does not hold.
        meaning (Meaning | None, Optional):
            What is bound to the name; None for a module, and for what the repository does not hold. Default: `None`.
    """

    path: str
    name: str
    meaning: Meaning | None = None

    @property
    def is_none(self) -> bool:
        """Whether it is None, written out."""
        return self.meaning is not None and self.meaning.kind == LITERAL and self.meaning.value is None

    @property
    def identity(self) -> tuple:
        """Equal for symbols that mean the same, such as two definitions with the same text in one file."""
        if self.meaning is None:
            return self.path, self.name
        if self.meaning.kind == LITERAL:
            return LITERAL, type(self.meaning.value), self.meaning.value
        if self.meaning.kind == FUNCTION:
            return self.path, self.name, self.meaning.text
        return self.path, self.name, self.meaning


class Resolver:
    """The names of a repository.

    A name is written as it would be in the module: `op.exp`; or as `module:name` where an import in a function brings it.

    Args:
        modules (ModuleNames):
            Its modules.
        names (Callable[[str], Names]):
            Gives the names of a file.
    """

    def __init__(self, modules: ModuleNames, names: Callable[[str], Names]) -> None:
        self.modules = modules
        self._names = names
        self._known: dict[tuple[str, str], tuple[Symbol, ...]] = {}

    def resolve(self, path: str, name: str) -> Symbol | None:
        """What a name means in a file; None where it is not known, or might be one of several things."""
        symbols = self.candidates(path, name)
        # a name that is None where an import fails is what the import brings
        symbols = [one for one in symbols if not one.is_none] or symbols
        return symbols[0] if symbols and len({one.identity for one in symbols}) == 1 else None

    def candidates(self, path: str, name: str) -> tuple[Symbol, ...]:
        """Everything that a name may mean in a file, modules included."""
        key = (path, name)
        if key not in self._known:
            self._known[key] = tuple(dict.fromkeys(self._find(path, name, {})))
        return self._known[key]

    def _find(self, path: str, name: str, seen: _Seen, before: int = _ANYWHERE) -> Iterable[Symbol]:
        key = (path, name, before)
        if key not in seen:
            seen[key] = []
            module, colon, inside = name.rpartition(':')
            if colon:
                symbols: Iterable[Symbol] = [self._module(path, module)]
            else:
                head, _, inside = name.partition('.')
                symbols = self._own(path, head, seen, before)
            for part in inside.split('.') if inside else ():
                symbols = [below for symbol in symbols for below in self._attribute(symbol, part, seen)]
            seen[key] = list(dict.fromkeys(symbols))
        return seen[key]

    def _own(self, path: str, name: str, seen: _Seen, before: int) -> Iterator[Symbol]:
        """What a name without a dot means in a module; if something is bound to it before a line, only that."""
        names = self._names(path)
        meanings = names.meanings.get(name, ())
        meanings = [meaning for meaning in meanings if meaning.line < before] or meanings
        for meaning in meanings:
            yield from self._meant(path, name, meaning, seen)
        last = max((meaning.line for meaning in meanings), default=0)
        strangers = []
        found = bool(meanings)
        for module, line in names.stars:
            if line < last:
                continue
            target = self.modules.find(module, path)
            if target is None or target.endswith('/'):
                strangers.append(module)
            elif _is_exported(name, self._names(target)):
                for symbol in self._find(target, name, seen):
                    found = True
                    yield symbol
        if not found and len(strangers) == 1:
            yield Symbol('', f'{strangers[0]}.{name}')

    def _meant(self, path: str, name: str, meaning: Meaning, seen: _Seen) -> Iterable[Symbol]:
        if meaning.kind == MODULE:
            return [self._module(path, meaning.text)]
        if meaning.kind == MEMBER:
            return self._find(path, meaning.text, seen)
        if meaning.kind == ALIAS:
            owner, _, _ = name.rpartition('.')
            beside = f'{owner}.{meaning.text}'
            inner = beside if beside in self._names(path).meanings else meaning.text
            # the name may be bound to something else further down
            symbols = list(self._find(path, inner, seen, meaning.line))
            # what nothing binds, such as a builtin, is a value of its own
            return symbols or [Symbol(path, name, meaning)]
        return [Symbol(path, name, meaning)]

    def _module(self, path: str, module: str) -> Symbol:
        target = self.modules.find(module, path)
        return Symbol(target, '') if target else Symbol('', module)

    def _attribute(self, symbol: Symbol, name: str, seen: _Seen) -> Iterable[Symbol]:
        """An attribute of a symbol; where it cannot be followed, a stranger, so that it counts as one thing that is meant."""
        if not symbol.path:
            return [Symbol('', f'{symbol.name}.{name}')]
        found: list[Symbol] = []
        if not symbol.name:
            below = self.modules.member(symbol.path, name)
            if not symbol.path.endswith('/'):
                found.extend(self._find(symbol.path, name, seen))
            if not found and below:
                return [Symbol(below, '')]
        elif symbol.meaning.kind == CLASS:
            inside = f'{symbol.name}.{name}'
            for meaning in self._names(symbol.path).meanings.get(inside, ()):
                found.extend(self._meant(symbol.path, inside, meaning, seen))
        owner = '.'.join(filter(None, (self.modules.name(symbol.path), symbol.name)))
        return found or [Symbol('', f'{owner}.{name}')]


def _is_exported(name: str, names: Names) -> bool:
    return name in names.exports if names.exports is not None else not name.startswith('_')
