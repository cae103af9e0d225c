# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where a kernel uses a parameter in a way that asks for a constant, or that would do without one."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakelint.kernel.kernels import Kernel
from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

_PREFIX = 'triton.language.'
# which arguments are sizes: all of them, the first, or those behind the first
_SHAPES = {
    'arange': slice(0, None), 'static_range': slice(0, None), 'zeros': slice(0, 1), 'full': slice(0, 1),
    'reshape': slice(1, None), 'view': slice(1, None), 'broadcast_to': slice(1, None),
}
_SHAPE_KEYWORDS = frozenset({'start', 'end', 'shape', 'arg1', 'arg2', 'step'})
# what takes numbers of the run time as well
_ACCESSES = frozenset({
    'atomic_add', 'atomic_cas', 'atomic_max', 'atomic_min', 'atomic_xchg', 'cdiv', 'load', 'maximum', 'minimum', 'range',
    'store', 'where',
})


class Use(NamedTuple):
    """A place that asks for a constant.

    Args:
        name (str):
            The parameter.
        node (ast.expr):
            The expression that asks.
        what (str):
            What it is: `tl.arange`, `tl.static_assert`, ....
    """

    name: str
    node: ast.expr
    what: str


def constant_uses(kernel: Kernel) -> Iterator[Use]:
    """The uses of names that Triton takes only where they are constants."""
    for call in kernel.calls:
        full = kernel.bindings.resolve(dotted(call.func) or '')
        function = full.removeprefix(_PREFIX)
        if not full.startswith(_PREFIX) or any(isinstance(one, ast.Starred) for one in call.args):
            continue
        if function not in _SHAPES and function != 'static_assert':
            continue
        what = ast.unparse(call.func)
        if function == 'static_assert' and call.args:
            yield from (Use(name, call, what) for name in _decided_by(call.args[0]))
        elif function in _SHAPES:
            parts = [*call.args[_SHAPES[function]], *(one.value for one in call.keywords if one.arg in _SHAPE_KEYWORDS)]
            yield from (Use(name, call, what) for part in parts for name in _numbers_in(part))


def flags(kernel: Kernel) -> dict[str, ast.Name]:
    """The names that serve as conditions wherever they stand, each where it first does."""
    conditions: dict[int, ast.Name] = {}
    for node in kernel.body:
        if isinstance(node, ast.If | ast.IfExp):
            parts = [node.test]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            parts = [node.operand]
        elif isinstance(node, ast.BoolOp):
            parts = node.values
        else:
            continue
        conditions.update((id(part), part) for part in parts if isinstance(part, ast.Name))
    mentions: dict[str, list[ast.Name]] = {}
    for node in kernel.body:
        if isinstance(node, ast.Name):
            mentions.setdefault(node.id, []).append(node)
    return {name: nodes[0] for name, nodes in mentions.items() if all(id(node) in conditions for node in nodes)}


def does_without(kernel: Kernel, name: str) -> bool:
    """Whether every use of a parameter could be of a number that is known only when the kernel runs: bounds, addresses, loops."""
    held: set[int] = set()
    for node in kernel.body:
        if isinstance(node, ast.Compare) and all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops):
            held.update(_mentions(node, name))
        elif isinstance(node, ast.Call):
            function = kernel.bindings.resolve(dotted(node.func) or '').removeprefix(_PREFIX)
            if function in _ACCESSES:
                held.update(*(_mentions(one, name) for one in node.args))
    refused: set[int] = set()
    for node in kernel.body:
        if isinstance(node, ast.If | ast.IfExp):
            refused.update(_mentions(node.test, name))
        elif isinstance(node, ast.AnnAssign):
            refused.update(_mentions(node, name))
        elif isinstance(node, ast.Call):
            function = kernel.bindings.resolve(dotted(node.func) or '').removeprefix(_PREFIX)
            if function not in _ACCESSES:
                refused.update(_mentions(node, name))
    uses = {id(node) for node in kernel.body if isinstance(node, ast.Name) and node.id == name}
    return bool(uses) and uses <= held and not uses & refused


def _mentions(node: ast.AST, name: str) -> Iterator[int]:
    return (id(one) for one in nodes_in_order([node]) if isinstance(one, ast.Name) and one.id == name)


def _numbers_in(value: ast.expr) -> Iterator[str]:
    """The names that a size is computed from."""
    for node in _parts(value, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List)):
        if isinstance(node, ast.Name):
            yield node.id


def _decided_by(test: ast.expr) -> Iterator[str]:
    """The names by whose values a condition is decided."""
    for node in _parts(test, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        if isinstance(node, ast.Name):
            yield node.id


def _parts(value: ast.expr, through: Sequence[type]) -> Iterator[ast.expr]:
    stack = [value]
    while stack:
        node = stack.pop()
        yield node
        is_identity = isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
        if isinstance(node, tuple(through)) and not is_identity:
            stack.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
