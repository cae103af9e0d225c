# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is put where others find it: by a decorator, or by being derived from a class that knows of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.affected.parts import CLASS, FUNCTION, VALUE, Part
from flakelint.affected.reads import BASE, DECORATOR, Read
from flakelint.affected.steps import Node

if TYPE_CHECKING:
    from flakelint.affected.graph import Graph

# how a class knows of those derived from it
SUBCLASSES = '__subclasses__'
# the base of backends, which are found by the operations that ask for them
BACKEND = 'BaseBackend'


def registrations(graph: 'Graph') -> Iterator[tuple[Node, Node, Node]]:
    """The objects and values that hold something, each with who puts it there, and what it is."""
    for path, parts in graph.files.items():
        for part in parts:
            reads = [read for read in part.reads if read.kind == DECORATOR] if part.kind in (FUNCTION, CLASS) else ()
            for holder, writer in (pair for read in reads for pair in _registries(graph, path, part, read)):
                yield holder, writer, (path, part.name)
            for holder, writer in _families(graph, path, part) if part.kind == CLASS else ():
                yield holder, writer, (path, part.name)


def _families(graph: 'Graph', path: str, part: Part) -> Iterator[tuple[Node, Node]]:
    """The bases of a class that know of it, and the values in which they note it, each with who puts it there."""
    for base, name in _bases(graph, path, part):
        names = graph.names(base)
        noting = names.get(f'{name}.__init_subclass__', ())
        is_asked = any(read.name.endswith(SUBCLASSES) for one in graph.files[base] for read in one.reads)
        if name != BACKEND and (noting or is_asked):
            yield (base, name), (path, part.name)
            for filled in (filled for one in noting for filled in one.fills if filled in names):
                yield (base, filled), (base, f'{name}.__init_subclass__')


def _bases(graph: 'Graph', path: str, part: Part) -> list[Node]:
    """The classes of the repository from which a class is derived."""
    found: list[Node] = []
    stack = [(path, part)]
    while stack:
        where, one = stack.pop()
        reads = [read for read in one.reads if read.kind == BASE]
        nodes = [step.node for read in reads for step in graph.of_read(where, one, read)]
        fresh = [node for node in nodes if node not in found and any(each.kind == CLASS for each in graph.parts(node))]
        found += fresh
        stack += [(node[0], each) for node in fresh for each in graph.parts(node) if each.kind == CLASS]
    return found


def _registries(graph: 'Graph', path: str, part: Part, read: Read) -> Iterator[tuple[Node, Node]]:
    """What keeps what a decorator is applied to: the object of which it is a method, or the values of its file that it fills."""
    for step in list(graph.of_read(path, part, read)):
        for one in graph.parts(step.node):
            is_holder = one.kind == VALUE or (one.kind == FUNCTION and read.name.rpartition('.')[2] != one.name)
            if is_holder:
                yield step.node, (path, part.name)
            elif one.kind == FUNCTION:
                beside = graph.files[step.node[0]]
                values = [value.name for value in beside if value.kind == VALUE and value.name in one.fills]
                yield from (((step.node[0], name), step.node) for name in values)
