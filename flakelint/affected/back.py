# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The steps between parts, by where they lead."""

import json
from collections.abc import Container, Iterable, Iterator

from flakelint.affected.fixtures import steps_of_pytest
from flakelint.affected.graph import Graph
from flakelint.affected.steps import Node, Step


class Back:
    """The steps that lead to each part, in rows of numbers: three for each step, the part that it leaves, its kind and its line."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._ids: dict[Node, int] = {}
        self._rows: list[list[int]] = []
        self._kinds: list[str] = []
        # the files some of whose steps are due to others
        self.entangled: set[str] = set()
        # those that were known before, and the files of which they do not hold any more
        self._before: Back | None = None
        self._without: Container[str] = ()

    def add(self, node: Node, step: Step) -> None:
        """Add a step that leaves a part."""
        if step.kind not in self._kinds:
            self._kinds.append(step.kind)
        self._rows[self._id(step.node)] += self._id(node), self._kinds.index(step.kind), step.line

    def _id(self, node: Node) -> int:
        found = self._ids.setdefault(node, len(self._nodes))
        if found == len(self._nodes):
            self._nodes.append(node)
            self._rows.append([])
        return found

    def __iter__(self) -> Iterator[Node]:
        yield from self._before or ()
        yield from self._nodes

    def to(self, node: Node) -> list[tuple[Node, str, int]]:
        """The steps that lead to a part: the part that each leaves, its kind, and its line."""
        number = self._ids.get(node)
        row = self._rows[number] if number is not None else ()
        nodes, kinds = self._nodes, self._kinds
        steps = zip(row[::3], row[1::3], row[2::3], strict=True)
        found = [(nodes[origin], kinds[kind], line) for origin, kind, line in steps]
        if self._before is None:
            return found
        before = self._before.to(node)
        return [one for one in before if one[0][0] not in self._without] + found

    def renewed(self, paths: Container[str]) -> 'Back':
        """The same without what leaves some files, to which other steps can be added."""
        found = Back()
        found._before, found._without = self, paths
        return found

    def dump(self) -> str:
        """All as a text."""
        return json.dumps([self._nodes, self._rows, self._kinds, sorted(self.entangled)], separators=(',', ':'))

    @staticmethod
    def load(text: str) -> 'Back':
        """What was dumped."""
        found = Back()
        nodes, found._rows, found._kinds, entangled = json.loads(text)
        found._nodes = [(path, name) for path, name in nodes]
        found._ids = {node: number for number, node in enumerate(found._nodes)}
        found.entangled = set(entangled)
        return found


def backwards(graph: Graph, paths: Iterable[str], back: Back | None = None) -> Back:
    """The steps by where they lead.

    Args:
        graph (Graph):
            The parts.
        paths (Iterable[str]):
            The files whose steps to add.
        back (Back | None, Optional):
            To what to add them. Default: nothing.
    """
    back = Back() if back is None else back
    for path in paths:
        for node in graph.nodes(path):
            for step in graph.steps(node):
                back.add(node, step)
        for node, step in steps_of_pytest(graph, path):
            back.add(node, step)
            if node[0] != path:
                back.entangled.add(node[0])
    return back
