# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The summaries of all files of a repository, each made when it is first needed, and what they say together."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Protocol

from flakelint.kernel.decorators import JIT, DecoratorNames, Roles
from flakelint.kernel.host_statements import LOCAL
from flakelint.kernel.summary import NO_SUMMARY, Summary, summarise
from flakelint.project.contents import Content, Contents
from flakelint.project.meanings import APPLIED, FUNCTION, LITERAL
from flakelint.project.modules import ModuleNames
from flakelint.project.resolution import Resolver, Symbol
from flakelint.source.file import SourceFile
from flakelint.source.text import DecodeError

_MAX_APPLIED = 8

# a function: its file, and its name there
Key = tuple[str, str]


class Store(Protocol):
    """Where summaries are kept from run to run."""

    def read_summaries(self, hashes: Iterable[str]) -> dict[str, tuple[str, str]]:
        """The summaries that are known, as two texts each, by the hash of the file's content."""

    def write_summaries(self, summaries: Mapping[str, tuple[str, str]]) -> None:
        """Keep summaries, by the hash of the file's content."""


class Index:
    """The files of a repository in short.

    Args:
        contents (Contents):
            The files.
        names (DecoratorNames):
            Which decorators stand for Triton's own.
        store (Store | None, Optional):
            Where summaries of earlier runs are. Default: `None`.
    """

    def __init__(self, contents: Contents, names: DecoratorNames, store: Store | None = None) -> None:
        self.files = contents
        self.decorator_names = names
        self.modules = ModuleNames(contents.paths, os.path.basename(os.path.abspath(contents.root)))
        self.resolver = Resolver(self.modules, lambda path: self.summary(path).names)
        self.roles = Roles(names, self.resolver, lambda path: self.summary(path).wraps)
        self._store = store
        self._summaries: dict[str, Summary] = {}
        self._kept: dict[str, tuple[str, str]] | None = None
        self._fresh: dict[str, tuple[str, str]] = {}

    def __getstate__(self) -> dict:
        """What another process needs: it reads no store, and makes the views anew."""
        kept = {**(self._kept or {}), **self._fresh}
        return {'files': self.files, 'names': self.decorator_names, 'kept': kept}

    def __setstate__(self, state: dict) -> None:
        self.__init__(state['files'], state['names'])
        self._kept = state['kept']

    @property
    def contents(self) -> dict[str, Content]:
        """What is known of each file without parsing it."""
        return self.files.files

    def missing(self) -> list[str]:
        """The files that may hold kernels or launches, and of which no summary is kept."""
        kept = self._kept_summaries
        return [path for path, content in self.contents.items() if content.is_relevant and content.hash not in kept]

    def add(self, path: str, dumped: tuple[str, str] | None) -> None:
        """Take over a summary that another process made; an empty one where it could not."""
        if dumped is None:
            self._summaries[path] = NO_SUMMARY
            return
        self._kept_summaries[self.contents[path].hash] = dumped
        self._fresh[self.contents[path].hash] = dumped

    def save(self) -> None:
        """Write the new summaries to the store."""
        if self._store is not None:
            self._store.write_summaries(self._fresh)
            self._fresh = {}

    def summary(self, path: str) -> Summary:
        """The summary of a file; an empty one where it cannot be read or parsed."""
        if path not in self._summaries:
            content = self.contents.get(path)
            kept = self._kept_summaries.get(content.hash) if content is not None else None
            if kept is not None:
                self._summaries[path] = Summary.load(*kept)
            else:
                self._summaries[path] = self.summarise(path)
                if content is not None:
                    self._fresh[content.hash] = self._summaries[path].dump()
        return self._summaries[path]

    def summarise(self, path: str) -> Summary:
        """Make the summary of a file from its content."""
        file = self.source(path)
        return NO_SUMMARY if file is None else summarise(file)

    def source(self, path: str) -> SourceFile | None:
        """A file; None where it cannot be read or parsed."""
        data = self.files.read(path) if path in self.contents else None
        if data is None:
            return None
        try:
            file = SourceFile(path, data)
        except DecodeError:
            return None
        return file if file.problem is None else None

    def function(self, path: str, name: str, through_any: bool = False) -> Symbol | None:
        """The one function that a name means, through decorators that are applied by hand.

        Args:
            path (str):
                The file in which the name stands.
            name (str):
                The name, as for `Resolver`, or that of a function in a function.
            through_any (bool, Optional):
                Whether it does not matter what is applied. Default: `False`.
        """
        return find_function(self.resolver, self.roles, path, name, through_any)

    @cached_property
    def launches(self) -> dict[Key, list[tuple[str, int]]]:
        """The launches of each function: the file, and the number of the launch in its summary."""
        found: dict[Key, list[tuple[str, int]]] = {}
        for path in self.relevant():
            for number, head in enumerate(self.summary(path).heads):
                key = self.launched(path, head.target)
                if key is not None:
                    found.setdefault(key, []).append((path, number))
        return found

    def launched(self, path: str, target: str) -> Key | None:
        """The function that a launch in a file launches."""
        if target.startswith(LOCAL):
            return path, target[len(LOCAL):]
        symbol = self.function(path, target, through_any=True)
        return None if symbol is None else (symbol.path, symbol.name)

    @cached_property
    def applied(self) -> dict[Key, list[tuple[str, int]]]:
        """The uses of the `apply` of each autograd function: the file, and the number of the use in its summary."""
        found: dict[Key, list[tuple[str, int]]] = {}
        for path in self.relevant():
            for number, application in enumerate(self.summary(path).applications):
                symbol = self.resolver.resolve(path, application.target)
                if symbol is not None:
                    found.setdefault((symbol.path, symbol.name), []).append((path, number))
        return found

    @cached_property
    def called(self) -> dict[Key, set[Key]]:
        """The functions that Triton compiles and that mention each function."""
        found: dict[Key, set[Key]] = {}
        for path in self.relevant():
            for caller, mentioned in self.mentioned_by_kernels(path, self.summary(path)):
                found.setdefault(mentioned, set()).add(caller)
        return found

    def mentioned_by_kernels(self, path: str, summary: Summary) -> Iterator[tuple[Key, Key]]:
        """Each function of a file that Triton compiles, with each function that it mentions."""
        for name, function in summary.functions.items():
            if not any(JIT in self.roles.of(path, decorator) for decorator in function.decorators):
                continue
            for mention in function.mentions:
                key = self.launched(path, mention) if mention.startswith(LOCAL) else self._function_key(path, mention)
                if key is not None and key != (path, name):
                    yield (path, name), key

    def relevant(self) -> Iterator[str]:
        """The files that may hold kernels or launches."""
        return (path for path, content in self.contents.items() if content.is_relevant)

    def _function_key(self, path: str, name: str) -> Key | None:
        symbol = self.function(path, name)
        return None if symbol is None else (symbol.path, symbol.name)

    @property
    def _kept_summaries(self) -> dict[str, tuple[str, str]]:
        if self._kept is None:
            hashes = {content.hash for content in self.contents.values()}
            self._kept = self._store.read_summaries(hashes) if self._store is not None else {}
        return self._kept


def find_function(resolver: Resolver, roles: Roles, path: str, name: str, through_any: bool) -> Symbol | None:
    """The one function that a name means; see `Index.function`."""
    symbol = resolver.resolve(path, name)
    for _ in range(_MAX_APPLIED):
        if symbol is None or not symbol.path or symbol.meaning is None:
            return None
        if symbol.meaning.kind == FUNCTION:
            return symbol
        if symbol.meaning.kind != APPLIED or not (through_any or roles.of(symbol.path, symbol.meaning.value)):
            return None
        symbol = resolver.resolve(symbol.path, symbol.meaning.text)
    return None


def find_literal(resolver: Resolver, path: str, name: str) -> bool | int | float | str | None:
    """The literal that a name means, or None."""
    symbol = resolver.resolve(path, name)
    if symbol is not None and symbol.meaning is not None and symbol.meaning.kind == APPLIED:
        is_constant = symbol.meaning.value.rpartition('.')[2] == 'constexpr'
        symbol = resolver.resolve(symbol.path, symbol.meaning.text) if is_constant else None
    if symbol is None or symbol.meaning is None or symbol.meaning.kind != LITERAL:
        return None
    return symbol.meaning.value
