# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What an autograd function saves for its backward, and what the backward takes out again."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakelint.kernel.autograd import AutogradFunction, context_of, passes_on
from flakelint.project.statements import scope_statements
from flakelint.source.expressions import whole_number
from flakelint.source.syntax import nodes_in_order

_SAVES = 'save_for_backward'
_SAVED = frozenset({'saved_tensors', 'saved_variables'})
_SAVERS = ('forward', 'setup_context')


class Save(NamedTuple):
    """A call of `save_for_backward`.

    Args:
        node (ast.Call):
            The call.
        names (tuple[str, ...]):
            What it saves: the name of each variable, and nothing for any other expression.
    """

    node: ast.Call
    names: tuple[str, ...]


class Taken(NamedTuple):
    """A place where saved tensors are taken out.

    Args:
        node (ast.expr):
            The targets of the assignment, or the subscript.
        names (tuple[str, ...]):
            The names that the tensors get.
        least (int):
            How many there have to be.
        is_exact (bool):
            Whether there may be no more.
        cut (slice | None, Optional):
            Which of the saved ones are taken; all, if it is `None`. Default: `None`.
    """

    node: ast.expr
    names: tuple[str, ...]
    least: int
    is_exact: bool
    cut: slice | None = None

    def fits(self, count: int) -> bool:
        """Whether so many saved tensors can be taken out here."""
        if self.cut is not None:
            count = len(range(count)[self.cut])
        return count == self.least if self.is_exact else count >= self.least


class SavedTensors:
    """What an autograd function saves and takes out.

    Args:
        function (AutogradFunction):
            The function; it has a `forward` and a `backward`.
    """

    def __init__(self, function: AutogradFunction) -> None:
        methods = function.methods
        saver = methods['setup_context' if 'setup_context' in methods else 'forward']
        self.saves: list[Save] = []
        # whether all is seen that is saved, and all that is taken out
        self.is_whole = True
        self._save(saver)
        backward = methods['backward']
        self.takes = list(_taken(backward, context_of(backward)))
        reads = sum(_is_saved(node, context_of(backward)) for node in nodes_in_order(backward.body))
        unpacked = [take for take in self.takes if not isinstance(take.node, ast.Subscript)]
        others = [method for name, method in methods.items() if name not in (*_SAVERS, 'backward')]
        is_read_elsewhere = passes_on(backward, context_of(backward)) or any(_SAVED & _attributes(one) for one in others)
        self.is_taken_whole = reads == len(unpacked) == len(self.takes) and not is_read_elsewhere

    def _save(self, method: ast.FunctionDef) -> None:
        context = context_of(method)
        called = set()
        nodes = nodes_in_order(method.body)
        for node in nodes:
            if isinstance(node, ast.Call) and _is_attribute(node.func, context, {_SAVES}):
                called.add(id(node.func))
                if any(isinstance(one, ast.Starred) for one in node.args):
                    self.is_whole = False
                else:
                    self.saves.append(Save(node, tuple(one.id if isinstance(one, ast.Name) else '' for one in node.args)))
        is_kept = any(_is_attribute(node, context, {_SAVES}) and id(node) not in called for node in nodes)
        if is_kept or passes_on(method, context):
            self.is_whole = False


def displaced(saved: Sequence[str], taken: Sequence[str]) -> list[tuple[str, str]]:
    """The names that changed places among themselves between saving and taking out, each with what was saved in its place."""
    moved = {
        name: (saved.index(name), place) for place, name in enumerate(taken)
        if name and saved.count(name) == 1 and taken.count(name) == 1 and saved.index(name) != place
    }
    if {before for before, _ in moved.values()} != {after for _, after in moved.values()}:
        return []
    return [(name, saved[after]) for name, (_, after) in moved.items()]


def _taken(method: ast.FunctionDef, context: str) -> Iterator[Taken]:
    """The places where a method takes out what was saved."""
    statements = list(scope_statements(method.body))
    assigned = [node for node in statements if isinstance(node, ast.Assign) and len(node.targets) == 1]
    names = [node for node in nodes_in_order(method.body) if isinstance(node, ast.Name)]
    stored = [node.id for node in names if isinstance(node.ctx, ast.Store)]
    aliases = {
        node.targets[0].id for node in assigned
        if isinstance(node.targets[0], ast.Name) and _is_saved(node.value, context) and stored.count(node.targets[0].id) == 1
    }
    for node in assigned:
        source, cut = _cut(node.value)
        is_whole = source is not None and (_is_saved(source, context) or getattr(source, 'id', '') in aliases)
        if is_whole and isinstance(node.targets[0], ast.Tuple | ast.List):
            elements = node.targets[0].elts
            plain = [one for one in elements if not isinstance(one, ast.Starred)]
            is_exact = len(plain) == len(elements)
            names = tuple(one.id if isinstance(one, ast.Name) else '' for one in elements) if is_exact and cut is None else ()
            yield Taken(node.targets[0], names, len(plain), is_exact, cut)
    for node in nodes_in_order(method.body):
        if isinstance(node, ast.Subscript) and (_is_saved(node.value, context) or getattr(node.value, 'id', '') in aliases):
            index = whole_number(node.slice)
            if index is not None:
                yield Taken(node, (), index + 1 if index >= 0 else -index, False)


def _cut(node: ast.expr) -> tuple[ast.expr | None, slice | None]:
    """What an expression takes a slice of, and which; the expression itself where it takes none."""
    if not isinstance(node, ast.Subscript):
        return node, None
    if not isinstance(node.slice, ast.Slice):
        return None, None
    ends = [node.slice.lower, node.slice.upper, node.slice.step]
    numbers = [None if end is None else whole_number(end) for end in ends]
    if any(end is not None and number is None for end, number in zip(ends, numbers, strict=True)) or numbers[2] == 0:
        return None, None
    return node.value, slice(*numbers)


def _is_saved(node: ast.AST, context: str) -> bool:
    return _is_attribute(node, context, _SAVED)


def _is_attribute(node: ast.AST, owner: str, names: 'frozenset[str] | set[str]') -> bool:
    is_named = isinstance(node, ast.Attribute) and node.attr in names
    return is_named and isinstance(node.value, ast.Name) and node.value.id == owner


def _attributes(method: ast.FunctionDef) -> set[str]:
    return {node.attr for node in nodes_in_order(method.body) if isinstance(node, ast.Attribute)}
