# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which statements of its file the findings in a kernel depend on, besides what launches pass to it.

These are the statements to which its names lead, those that name it, and whatever is no function or class, such as imports and constants.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.project.statements import all_statements
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.source.unit import Unit

_WORD = re.compile(r'[^\W\d]\w*')
_NAMED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Words(NamedTuple):
    """What a top-level statement has to do with others.

    Args:
        is_shared (bool):
            Whether it is no function or class.
        names (frozenset[str]):
            The names that it may bind.
        mentioned (frozenset[str]):
            The words in it.
    """

    is_shared: bool
    names: frozenset[str]
    mentioned: frozenset[str]


def words_of(unit: 'Unit') -> Words:
    """What a top-level statement has to do with others."""
    mentioned = frozenset(_WORD.findall(unit.text))
    if len(unit.nodes) == 1 and isinstance(unit.nodes[0], _NAMED):
        stated = nodes_in_order(unit.nodes) if 'global' in mentioned else ()
        bound = [name for node in stated if isinstance(node, ast.Global) for name in node.names]
        # a launch may name a kernel that stands in a class
        inner = all_statements(unit.nodes) if '@' in unit.text else unit.nodes
        named = [node.name for node in inner if isinstance(node, _NAMED)]
        return Words(False, frozenset([*named, *bound]), mentioned)
    return Words(True, frozenset(_bound(unit.nodes)), mentioned)


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes_in_order(nodes):
        if isinstance(node, _NAMED):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


class Dependencies:
    """The top-level statements of a file, and which of them may matter to a kernel.

    Args:
        file (File):
            The file.
        words (Callable[[Unit], Words]):
            What a statement has to do with others, as `words_of`.
    """

    def __init__(self, file: 'File', words: 'Callable[[Unit], Words]') -> None:
        self.units = file.units
        self._words = [words(unit) for unit in self.units]
        self._index = {unit.first_line: number for number, unit in enumerate(self.units)}
        by_name: dict[str, list[int]] = {}
        for number, one in enumerate(self._words):
            for name in one.names:
                by_name.setdefault(name, []).append(number)
        names = by_name.keys()
        self._uses = [[used for name in one.mentioned & names for used in by_name[name]] for one in self._words]
        self._used_by: list[list[int]] = [[] for _ in self.units]
        for number, uses in enumerate(self._uses):
            for used in uses:
                self._used_by[used].append(number)
        self._shared = {number for number, one in enumerate(self._words) if one.is_shared}

    def of(self, unit: 'Unit') -> 'list[Unit]':
        """The statements that may matter to the kernels of one of them, in order."""
        own = self._index[unit.first_line]
        named = set(self._used_by[own])
        # a kernel may be launched by another name that the module gives it
        named.update(user for alias in named & self._shared for user in self._used_by[alias])
        return self._in_order(_closure([own], self._uses) | named | self._shared)

    def led_to(self, unit: 'Unit') -> 'list[Unit]':
        """The statements that may matter to a launch in one of them, in order."""
        return self._in_order(_closure([self._index[unit.first_line]], self._uses) | self._shared)

    def around(self, line: int) -> 'Unit':
        """The statement in which a line is."""
        return self.units[bisect_right(self.units, line, key=lambda unit: unit.first_line) - 1]

    def _in_order(self, numbers: Iterable[int]) -> 'list[Unit]':
        return [self.units[number] for number in sorted(numbers)]


def _closure(begin: Iterable[int], steps: Sequence[Iterable[int]]) -> set[int]:
    found = set(begin)
    stack = list(found)
    while stack:
        for one in steps[stack.pop()]:
            if one not in found:
                found.add(one)
                stack.append(one)
    return found
