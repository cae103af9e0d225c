# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Compile-time constants that decide what a kernel does, that launches pass with several values, and for which a tuner does not tune anew."""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.launches import DTYPE, FLAG, NONE, NUMBER, PARAMETER, PROCESSORS, SIZE, STRIDE, STRING, TENSOR, UNKNOWN
from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launches import Launch, Passed
    from flakelint.kernel.repository import Repository
    from flakelint.kernel.tuners import Tuner

_LANGUAGE = 'triton.language.'
# what takes time wherever it stands, and what does in a loop, or where there is none
_HEAVY = frozenset({'dot', 'dot_scaled'})
_LIGHT = frozenset({'load', 'store', 'atomic_add'})
# how many of their arguments say how large a block is
_SHAPES = {'arange': 2, 'zeros': 1, 'full': 1}
_LITERALS = frozenset({NUMBER, STRING, NONE, DTYPE})
_TESTS = frozenset({'is', 'is not', '==', '!=', 'not', 'and', 'or'})
_MAX_DEPTH = 4

# what tells a value that is not taken apart from others
Identity = tuple


class Untuned(NamedTuple):
    """A constant that is missing from the key of a tuner.

    Args:
        name (str):
            The parameter.
        use (ast.AST):
            Where it decides what the kernel does.
        place (Kernel):
            The function in which that stands.
        launch (Launch):
            A launch that passes what differs from call to call, or another value than others.
    """

    name: str
    use: ast.AST
    place: 'Kernel'
    launch: 'Launch'


def untuned(tuner: 'Tuner', launches: 'Sequence[Launch]', repository: 'Repository') -> Iterator[Untuned]:
    """The constants that decide what a kernel does and are missing from the key of a tuner."""
    key = tuner.names('key')
    kernel = tuner.kernel
    if key is None or not launches:
        return
    for parameter in kernel.parameters:
        name = parameter.name
        if not parameter.is_constexpr or name in key or name in kernel.tuned.some or name in kernel.heuristics:
            continue
        launch = _varying(kernel, name, key, launches)
        found = _use(kernel, name, repository) if launch is not None else None
        if found is not None and not _is_told(kernel, name, launch):
            yield Untuned(name, *found, launch)


def _varying(kernel: 'Kernel', name: str, key: Sequence[str], launches: 'Sequence[Launch]') -> 'Launch | None':
    """A launch by which a constant has several values for one value of the key."""
    values = {}
    for launch in launches:
        passed = launch.parameters.get(name)
        if passed is None:
            return None
        known = {leaf for one in key for leaf in _known(kernel, one, launch)}
        leaves = dict(_leaves(passed, launch))
        if leaves.keys() - known and launch.path == kernel.path:
            around = _Around(kernel, launch.line)
            if all(leaf in known or around.varies(one) for leaf, one in leaves.items()):
                return launch
        if passed.kind in (NUMBER, FLAG, STRING) and not leaves:
            others = [str(launch.parameters[one].value) for one in key if one in launch.parameters]
            absent = sum(one.kind == NONE for one in launch.parameters.values())
            values.setdefault((*others, absent), {})[passed.value] = launch
    return next((list(one.values())[-1] for one in values.values() if len(one) > 1), None)


def _is_told(kernel: 'Kernel', name: str, launch: 'Launch') -> bool:
    """Whether a flag may go with an argument that is there or None, which the key tells: one that is used only where the flag is asked."""
    branches = [node for node in kernel.body if isinstance(node, ast.If) and _mentions(node.test, name)]
    sides = [_reads([one for branch in branches for one in getattr(branch, side)]) for side in ('body', 'orelse')]
    inside = {id(one) for side in sides for one in side}
    elsewhere = {one.id for one in _reads(kernel.definition.body) if id(one) not in inside}
    alone = {one.id for one in sides[0]} ^ {one.id for one in sides[1]}
    asked = [one.name for one in kernel.parameters if one.name in alone - elsewhere and not one.is_constexpr]
    passed = [launch.parameters.get(one) for one in asked]
    return any(one is not None and (one.optional or one.kind in (NONE, UNKNOWN)) for one in passed)


def _reads(statements: Sequence[ast.stmt]) -> list[ast.Name]:
    return [one for one in nodes_in_order(statements) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]


def _known(kernel: 'Kernel', name: str, launch: 'Launch') -> Iterator[Identity]:
    """What the value of a parameter in the key tells apart."""
    names = [name]
    for node in ast.walk(kernel.heuristics[name]) if name in kernel.heuristics else ():
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            names.append(node.slice.value)
    for one in names:
        if one in launch.parameters:
            yield from dict(_leaves(launch.parameters[one], launch))


def _leaves(passed: 'Passed', launch: 'Launch') -> 'Iterator[tuple[Identity, Passed]]':
    """What a value is made of, literals and whatever the tuner sees by itself left out."""
    if passed.kind in _LITERALS or passed.head in (PROCESSORS, PARAMETER) or passed.reference:
        return
    if passed.head in _TESTS and passed.operands:
        tensors = {one.text for one in launch.parameters.values() if one.kind in (TENSOR, UNKNOWN)}
        if any(one.kind == NONE for one in passed.operands) and any(one.text in tensors for one in passed.operands):
            # the types of tensors belong to the key, and None has none
            return
    if passed.kind in (SIZE, STRIDE) and passed.axis is not None:
        yield (passed.kind, passed.tensor, passed.axis), passed
    elif passed.operands and passed.kind != UNKNOWN:
        for one in passed.operands:
            yield from _leaves(one, launch)
    elif passed.kind != FLAG or passed.value is None:
        yield (passed.kind, passed.text), passed


class _Around:
    """The functions around a launch in the file of its kernel."""

    def __init__(self, kernel: 'Kernel', line: int) -> None:
        functions = [
            node for node in kernel.module.file.nodes
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        self._parameters = {one.arg for node in functions for one in (*node.args.args, *node.args.kwonlyargs)}
        self._fixed: set[str] = set()
        nodes = nodes_in_order(functions[:1])
        for node in nodes:
            self._fixed.update(_equated(node))
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                names = {target.id for target in node.targets if isinstance(target, ast.Name)}
                self._fixed.update({node.value.id} if names & self._fixed else ())

    def varies(self, passed: 'Passed') -> bool:
        """Whether a value surely differs from call to call, and is no length: the width of a tensor, or a parameter.

        What the functions compare with a literal may be that where the launch stands.
        """
        if passed.text in self._fixed:
            return False
        if passed.kind == SIZE:
            return passed.rank != 1 and passed.axis in (-1, (passed.rank or 0) - 1)
        return passed.kind in (FLAG, UNKNOWN) and passed.text in self._parameters


def _equated(node: ast.AST) -> Iterator[str]:
    """The names that a comparison asks to be equal to a literal, alone or as a ratio."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and isinstance(node.comparators[0], ast.Constant):
        is_ratio = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Div)
        for part in (node.left.left, node.left.right) if is_ratio else (node.left,):
            if isinstance(part, ast.Name):
                yield part.id


def _use(
    kernel: 'Kernel', name: str, repository: 'Repository', depth: int = 0,
) -> 'tuple[ast.AST, Kernel] | None':
    """Where a constant decides what a function does: which memory it touches, how often a loop runs, how large a block is."""
    for node in kernel.body:
        if isinstance(node, ast.If) and _mentions(node.test, name):
            words = _HEAVY if _is_aside(kernel, node) else _HEAVY | _LIGHT
            if any(_is_work(one, words, kernel, repository) for one in nodes_in_order([*node.body, *node.orelse])):
                return node.test, kernel
        elif isinstance(node, ast.For) and _mentions(node.iter, name):
            return node.iter, kernel
        elif isinstance(node, ast.Call):
            full = kernel.bindings.resolve(dotted(node.func) or '')
            if full.startswith(_LANGUAGE):
                if any(_mentions(one, name) for one in node.args[:_SHAPES.get(full.rpartition('.')[2], 0)]):
                    return node, kernel
            elif depth < _MAX_DEPTH:
                for helper, inner in _passed_on(kernel, node, name, repository):
                    found = _use(helper, inner, repository, depth + 1)
                    if found is not None:
                        return found
    return None


def _passed_on(
    kernel: 'Kernel', node: ast.Call, name: str, repository: 'Repository',
) -> 'Iterator[tuple[Kernel, str]]':
    """The helper that is given a constant, with the parameter that takes it."""
    places = [index for index, one in enumerate(node.args) if isinstance(one, ast.Name) and one.id == name]
    keywords = [one.arg for one in node.keywords if one.arg and isinstance(one.value, ast.Name) and one.value.id == name]
    spelled = dotted(node.func) if places or keywords else None
    helper = repository.helper(kernel, spelled) if spelled else None
    if helper is not None:
        names = [one.name for one in helper.parameters]
        yield from ((helper, names[place]) for place in places if place < len(names))
        yield from ((helper, keyword) for keyword in keywords)


def _is_aside(kernel: 'Kernel', branch: ast.If) -> bool:
    """Whether a branch stands before or behind the loops in which a function spends its time."""
    loops = [node for node in kernel.body if isinstance(node, ast.For | ast.While)]
    return bool(loops) and not any(loop.lineno < branch.lineno <= (loop.end_lineno or 0) for loop in loops)


def _is_work(node: ast.AST, words: frozenset[str], kernel: 'Kernel', repository: 'Repository', depth: int = 0) -> bool:
    if isinstance(node, ast.For | ast.While):
        return True
    if not isinstance(node, ast.Call):
        return False
    spelled = dotted(node.func) or ''
    full = kernel.bindings.resolve(spelled)
    if full.startswith(_LANGUAGE):
        return full.rpartition('.')[2] in words
    helper = repository.helper(kernel, spelled) if spelled and depth < _MAX_DEPTH else None
    return helper is not None and any(_is_work(one, words, helper, repository, depth + 1) for one in helper.body)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))
