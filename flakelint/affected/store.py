# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is kept from one question to the next: the parts of files by their contents, and the steps between them."""

import gc
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from flakelint.affected.back import Back, backwards
from flakelint.affected.changes import parse
from flakelint.affected.collected import Collected
from flakelint.affected.fixtures import is_hook
from flakelint.affected.graph import Graph
from flakelint.affected.parts import BODY, CLASS, LAZY, METHOD, Part, dump, load
from flakelint.affected.reads import BASE, DECORATOR
from flakelint.affected.registries import SUBCLASSES
from flakelint.affected.steps import Node, Registered
from flakelint.project.contents import content_hash

if TYPE_CHECKING:
    from flakelint.engine.cache import Cache

# the steps are worked out anew where more files than these have changed since
_FEW = 40
# under what the hash of all stands beside those of single files
_STATE = ''


class Files(Mapping[str, list[Part]]):
    """The parts of files, each taken from where they are kept when first asked for.

    Args:
        data (Mapping[str, bytes]):
            The contents of the files, by path.
        store (Cache | None):
            Keeps what is known of them.
    """

    def __init__(self, data: Mapping[str, bytes], store: 'Cache | None') -> None:
        self._loaded: dict[str, list[Part]] = {}
        # the hash of each content, and of what other files may ask of it
        self.contents = {path: content_hash(one) for path, one in data.items()}
        self.outsides: dict[str, str] = {}
        keys = {path: f'parts {own_digest()} {one}' for path, one in self.contents.items()}
        known = store.read_summaries(keys.values()) if store is not None else {}
        self._kept = {path: known[key][1] for path, key in keys.items() if key in known}
        self.outsides.update((path, known[key][0]) for path, key in keys.items() if key in known)
        fresh: dict[str, tuple[str, str]] = {}
        with _without_collections():
            for path in data.keys() - self._kept.keys():
                self._loaded[path] = parse(path, data[path]) or []
                self.outsides[path] = outside(self._loaded[path])
                if store is not None:
                    fresh[keys[path]] = self.outsides[path], dump(self._loaded[path])
        if fresh and store is not None:
            store.write_summaries(fresh)

    def __getitem__(self, path: str) -> list[Part]:
        if path not in self._loaded:
            self._loaded[path] = load(self._kept[path])
        return self._loaded[path]

    def __contains__(self, path: object) -> bool:
        return path in self.contents

    def __iter__(self) -> Iterator[str]:
        return iter(self.contents)

    def __len__(self) -> int:
        return len(self.contents)

    def add(self, path: str, parts: list[Part]) -> None:
        """Add parts to a file, which need not be there."""
        self._loaded[path] = [*self[path], *parts] if path in self else parts
        self.outsides[path] = outside(self._loaded[path])
        self.contents[path] = content_hash(f'{self.contents.get(path, "")} {dump(parts)}'.encode(errors='surrogatepass'))


@contextmanager
def _without_collections() -> Iterator[None]:
    """While much is made and little of it refers to itself."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def outside(parts: Iterable[Part]) -> str:
    """The hash of what the steps of other files may depend on."""
    parts = list(parts)
    if any(part.fixture is not None or is_hook(part.name) for part in parts):
        seen = dump(parts)
    else:
        seen = '\n'.join(sorted({_from_outside(part) for part in parts}))
    return hashlib.blake2b(seen.encode(), digest_size=12).hexdigest()


def _from_outside(part: Part) -> str:
    always = part.kind == CLASS
    seen = (read for read in part.reads if always or read.kind in (BASE, DECORATOR) or read.name.endswith(SUBCLASSES))
    reads = {(read.name, read.kind) for read in seen}
    imports = {name: [(one.module, one.member) for one in ones] for name, ones in part.imports.items()}
    asks = part.asks if part.kind in (METHOD, BODY) else ()
    loads = [(one.module, one.member) for one in part.loads] if part.name == LAZY else ()
    return repr((
        part.name, part.kind, sorted(reads), sorted(imports.items()), loads, asks, part.dispatches, part.fills, part.tables,
    ))


@cache
def own_digest() -> str:
    """The hash of this house's own source, which the cache does not know of."""
    folder = os.path.dirname(os.path.abspath(__file__))
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(one for one in os.listdir(folder) if one.endswith('.py')):
        with open(os.path.join(folder, name), 'rb') as file:
            digest.update(file.read())
    return digest.hexdigest()


def steps_between(files: Files, collected: Collected, store: 'Cache | None', root: str) -> tuple[Graph, Back]:
    """The parts of files, and the steps that lead to each: those that are kept, but for the files that have changed since.

    Args:
        files (Files):
            The parts.
        collected (Collected):
            What pytest collects.
        store (Cache | None):
            Where the steps are kept.
        root (str):
            The folder that they are those of.
    """
    key = f'steps {own_digest()} {root}'
    head, body = store.read_summaries([key]).get(key, ('{}', '')) if store is not None else ('{}', '')
    marks = json.loads(head)
    changed = {path for path in files if marks.get(path) != files.contents[path]}
    with _without_collections():
        if marks and marks[_STATE] == _state(files, collected) and len(changed) <= _FEW:
            steps, registered = body.split('\n')
            back = Back.load(steps)
            if not changed & back.entangled:
                graph = Graph(files, _registered(registered), collected)
                return graph, backwards(graph, changed, back.renewed(changed))
        graph = Graph(files, collected=collected)
        back = backwards(graph, files)
    if store is not None:
        body = f'{back.dump()}\n{json.dumps(list(graph.registered.items()))}'
        store.write_summaries({key: (json.dumps(files.contents | {_STATE: _state(files, collected)}), body)})
    return graph, back


def _registered(text: str) -> dict[Node, Registered]:
    found = {}
    for holder, kept in json.loads(text):
        writers, nodes = ([(path, name) for path, name in ones] for ones in kept)
        found[tuple(holder)] = Registered(writers, nodes)
    return found


def _state(files: Files, collected: Collected) -> str:
    """The hash of all that the steps of a file depend on beside its own content."""
    text = '\n'.join(f'{path} {hash_}' for path, hash_ in sorted(files.outsides.items())) + repr(collected)
    return hashlib.blake2b(text.encode(errors='surrogateescape'), digest_size=12).hexdigest()
