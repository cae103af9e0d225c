# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The answer as a picture: from what changed, over what leads to it, to the tests; for Graphviz, and for a browser."""

from collections.abc import Iterator
from html import escape
from string import Template
from typing import NamedTuple

from flakelint.affected.question import Answer
from flakelint.affected.selection import Link, described
from flakelint.affected.steps import Node

_ROW, _COLUMN, _MARGIN = 26, 330, 20
_PAGE = Template('''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Which tests the change needs</title>
<style>
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem; }
svg { font: 12px monospace; }
text { fill: CanvasText; } path { fill: none; stroke: #8888; } .change { font-weight: bold; } .test { fill: #2e7d32; }
@media (prefers-color-scheme: dark) { .test { fill: #81c784; } }
</style>
</head>
<body>
<h1>Which tests the change needs</h1>
<p>$told</p>
<svg width="$width" height="$height" role="img" aria-label="From what changed to the tests">$drawn</svg>
</body>
</html>
''')


class _Place(NamedTuple):
    """Where a part is drawn."""

    depth: int
    row: int


class _Tree:
    """What is reached from each part, by the shortest ways: each part has one way to what changed."""

    def __init__(self, answer: Answer) -> None:
        self.above: dict[Node, Link] = {}
        self.tests: dict[Node, str] = {}
        self.below: dict[Node, list[Node]] = {}
        for one in answer.selected:
            first = (one.path, '') if not one.chain else (one.chain[0].path, one.chain[0].name)
            self.tests[first] = one.path
            self.below.setdefault(first, [])
            for link in one.chain:
                node = (link.path, link.name)
                if node not in self.above:
                    self.above[node] = link
                    self.below.setdefault(link.to, []).append(node)
                    self.below.setdefault(node, [])
        self.roots = [node for node in self.below if node not in self.above]


def dot(answer: Answer) -> str:
    """The answer as a graph for Graphviz."""
    tree = _Tree(answer)
    lines = ['digraph affected {', '  rankdir=LR;', '  node [shape=box, fontname="monospace"];']
    for node in tree.below:
        style = ', style=bold' if node not in tree.above else ', style=rounded' if node in tree.tests else ''
        lines.append(f'  {_quoted(described(node))} [label={_quoted(described(node))}{style}];')
    for node, link in tree.above.items():
        lines.append(f'  {_quoted(described(link.to))} -> {_quoted(described(node))} [label={_quoted(link.kind)}];')
    return '\n'.join([*lines, '}']) + '\n'


def page(answer: Answer) -> str:
    """The answer as a page for a browser."""
    tree = _Tree(answer)
    places = dict(_placed(tree))
    depth = max([place.depth for place in places.values()] or [0])
    rows = max([place.row for place in places.values()] or [0]) + 1
    told = f'{len(answer.selected)} of {answer.total} test files.'
    if answer.everything:
        told += f' Every test depends on {answer.everything[0]}.'
    drawn = ''.join(_drawn(tree, node, places) for node in places)
    size = {'width': (depth + 2) * _COLUMN, 'height': rows * _ROW + 2 * _MARGIN}
    return _PAGE.substitute(told=escape(told), drawn=drawn, **size)


def _placed(tree: _Tree) -> Iterator[tuple[Node, _Place]]:
    """The parts with their places: what leads to nothing further takes a row of its own, any other stands at its first."""
    row = 0
    stack = [(node, 0) for node in reversed(tree.roots)]
    while stack:
        node, depth = stack.pop()
        yield node, _Place(depth, row)
        below = tree.below[node]
        row += not below
        stack.extend((one, depth + 1) for one in reversed(below))


def _drawn(tree: _Tree, node: Node, places: dict[Node, _Place]) -> str:
    x, y = _point(places[node])
    kind = 'change' if node not in tree.above else 'test' if node in tree.tests else 'part'
    name = described(node)
    link = tree.above.get(node)
    title = escape(name if link is None else f'{link.path}:{link.line}: {link.kind} of {described(link.to)}')
    shown = escape(name if len(name) <= 44 else '…' + name[-43:])
    text = f'<text class="{kind}" x="{x}" y="{y + 4}"><title>{title}</title>{shown}</text>'
    if link is None:
        return text
    left, top = _point(places[link.to])
    # what stands beside the part that it leads to has a short line to it, what stands below one from its beginning
    way = f'M{x - 20} {y} H{x - 4}' if y == top else f'M{left + 4} {top + 8} V{y} H{x - 4}'
    return f'<path d="{way}"/>{text}'


def _point(place: _Place) -> tuple[int, int]:
    return _MARGIN + place.depth * _COLUMN, _MARGIN + place.row * _ROW


def _quoted(text: str) -> str:
    escaped = text.replace('\\', '\\\\').replace('"', '\\"')
    return f'"{escaped}"'
