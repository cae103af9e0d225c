# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""From what changed to the tests that reach it, with the steps in between."""

from collections import deque
from collections.abc import Collection, Iterable
from typing import NamedTuple

from flakelint.affected.back import Back, backwards
from flakelint.affected.graph import Graph
from flakelint.affected.steps import REEXPORT, Node

# what is said to have changed where the settings name a test
SETTINGS = 'the settings'


class Link(NamedTuple):
    """A step of a chain from a test to what changed.

    Args:
        path (str):
            The file in which the step is taken.
        name (str):
            The part of it; nothing for the body.
        line (int):
            The line.
        kind (str):
            What kind of step it is.
        to (tuple[str, str]):
            The file and the part to which it leads.
    """

    path: str
    name: str
    line: int
    kind: str
    to: Node


class Selected(NamedTuple):
    """A test file that a change needs.

    Args:
        path (str):
            The file.
        tests (tuple[str, ...]):
            The functions and classes in it that reach the change; none where the file as a whole does.
        chain (tuple[Link, ...]):
            The shortest way from it to the change; none where the change is in it.
        cause (str):
            What changed.
    """

    path: str
    tests: tuple[str, ...]
    chain: tuple[Link, ...]
    cause: str


# by which step each part was reached: its line, its kind, and to what it leads
_Came = dict[Node, tuple[int, str, Node] | None]


def select(
    graph: Graph, changed: Iterable[Node], removed: Collection[str] = (), lost: Iterable[Node] = (), back: Back | None = None,
) -> list[Selected]:
    """The test files that reach what changed, in order of their paths.

    Args:
        graph (Graph):
            The parts of all files, those that are no more included.
        changed (Iterable[tuple[str, str]]):
            What changed.
        removed (Collection[str], Optional):
            The files that are no more. Default: none.
        lost (Iterable[tuple[str, str]], Optional):
            The parts that are no more. Default: none.
        back (Back | None, Optional):
            The steps that lead to each part, where they are known already. Default: `None`.
    """
    back = backwards(graph, graph.files) if back is None else back
    # whoever imports what is no more cannot be imported any more
    broken = {(importer[0], '') for node in lost for importer, kind, _ in back.to(node) if kind == REEXPORT}
    named = {node for node in back if node[0] in removed} if removed else set()
    came: _Came = dict.fromkeys(sorted({*changed, *broken, *named}))
    queue = deque(came)
    while queue:
        node = queue.popleft()
        for before, kind, line in back.to(node):
            if before not in came:
                came[before] = line, kind, node
                queue.append(before)
    found: dict[str, list[Node]] = {}
    for node in came:
        if graph.collected.has_file(node[0]) and node[0] in graph.files and node[0] not in removed:
            found.setdefault(node[0], []).append(node)
    selected = [_selected(graph, path, nodes, came) for path, nodes in sorted(found.items())]
    return [one for one in selected if one is not None]


def _selected(graph: Graph, path: str, nodes: list[Node], came: _Came) -> Selected | None:
    tests = [node for node in nodes if any(map(graph.collected.has, graph.parts(node)))]
    is_whole = (path, '') in nodes
    if not tests and not is_whole:
        return None
    first = nodes[0] if is_whole else tests[0]
    chain = _chain(first, came)
    end = chain[-1].to if chain else first
    names = () if is_whole else tuple(sorted(name for _, name in tests))
    return Selected(path, names, chain, described(end))


def described(node: Node) -> str:
    """A part in words."""
    return f'{node[0]}:{node[1]}' if node[1] else node[0]


def _chain(node: Node, came: _Came) -> tuple[Link, ...]:
    found = []
    while (taken := came[node]) is not None:
        found.append(Link(*node, *taken))
        node = taken[2]
    return tuple(found)
