# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What of a kernel Triton never looks at, and how it takes its loops."""

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

RANGE = 'range'
LANGUAGE_RANGE = 'triton.language.range'
STATIC_RANGE = 'triton.language.static_range'

_RANGES = {
    'range': RANGE, LANGUAGE_RANGE: LANGUAGE_RANGE, 'triton.language.core.range': LANGUAGE_RANGE,
    STATIC_RANGE: STATIC_RANGE, 'triton.language.core.static_range': STATIC_RANGE,
}
# what stands in these is refused as a whole
_CLOSED = tuple(
    getattr(ast, name)
    for name in (
        'AsyncFor', 'AsyncFunctionDef', 'AsyncWith', 'ClassDef', 'Dict', 'DictComp', 'FunctionDef', 'GeneratorExp', 'Lambda',
        'Match', 'Set', 'SetComp', 'Try', 'TryStar',
    )
    if hasattr(ast, name)
)


def left_out(kernel: 'Kernel') -> frozenset[int]:
    """The nodes of a kernel, by identity, that Triton does not get to: behind a `return` in the same block, in a branch of `if False`, in what it refuses."""
    found: set[int] = set()
    _leave_out_behind_return(kernel.definition.body, found)
    for node in kernel.body:
        if id(node) in found:
            continue
        if isinstance(node, _CLOSED):
            found.update(id(one) for one in nodes_in_order([node]) if one is not node)
        elif isinstance(node, ast.IfExp) and isinstance(node.test, ast.Constant):
            _leave_out([node.orelse if node.test.value else node.body], found)
        elif isinstance(node, ast.If | ast.For | ast.While | ast.With):
            if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
                _leave_out(node.orelse if node.test.value else node.body, found)
            _leave_out_behind_return(node.body, found)
            _leave_out_behind_return(getattr(node, 'orelse', ()), found)
    return frozenset(found)


def range_of(call: ast.expr, kernel: 'Kernel') -> str:
    """Which of the three ranges that Triton knows a call makes; nothing for any other."""
    if not isinstance(call, ast.Call):
        return ''
    return _RANGES.get(kernel.bindings.resolve(dotted(call.func) or ''), '')


def conditions_around(nodes: Iterable[ast.AST], kernel: 'Kernel') -> dict[int, list[ast.expr]]:
    """The conditions of the branches in which some nodes of a kernel stand, by the identity of the node."""
    found: dict[int, list[ast.expr]] = {id(node): [] for node in nodes}
    for branch in kernel.body if found else ():
        if isinstance(branch, ast.If):
            for node in nodes_in_order([*branch.body, *branch.orelse]):
                if id(node) in found:
                    found[id(node)].append(branch.test)
    return found


def _leave_out_behind_return(block: Sequence[ast.stmt], found: set[int]) -> None:
    for position, statement in enumerate(block):
        if isinstance(statement, ast.Return):
            _leave_out(block[position + 1:], found)
            return


def _leave_out(block: Sequence[ast.AST], found: set[int]) -> None:
    found.update(map(id, nodes_in_order(block)))
