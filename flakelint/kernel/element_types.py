# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Outputs that host code allocates with the element type of what it was given."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakelint.project.imports import dotted, last_name
from flakelint.project.statements import FUNCTIONS
from flakelint.source.syntax import nodes_in_order

# a function that speaks of these may have made sure of the element type
_DTYPES = frozenset({'bfloat16', 'float16', 'half'})
_LIKE = frozenset({'empty_like', 'zeros_like'})
_NEW = frozenset({'new_empty', 'new_zeros'})
_SIZED = frozenset({'empty', 'zeros'})


class Allocation(NamedTuple):
    """A tensor that has the element type of a parameter of the host function.

    Args:
        node (ast.Assign):
            Where it is made.
        function (str):
            The host function.
        source (str):
            The parameter.
    """

    node: ast.Assign
    function: str
    source: str


def allocation(statements: Sequence[ast.stmt], line: int, name: str) -> Allocation | None:
    """How a variable that a launch on some line takes was made, if it takes its element type from a parameter whose own is not looked at."""
    function = _innermost(statements, line)
    if function is None:
        return None
    nodes = nodes_in_order(function.body)
    if any(isinstance(node, ast.Attribute) and node.attr in _DTYPES for node in nodes):
        return None
    parameters = {one.arg for one in nodes_in_order([function.args]) if isinstance(one, ast.arg)}
    made = [node for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)]
    assigned = [
        node for node in nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and node.targets[0] in made and node.lineno <= line
    ]
    if name in parameters or len(made) != 1 or len(assigned) != 1:
        return None
    source = _typed_like(assigned[0].value)
    return Allocation(assigned[0], function.name, source) if source in parameters else None


def _innermost(statements: Sequence[ast.stmt], line: int) -> ast.FunctionDef | None:
    """The function whose own statements hold a line."""
    found = None
    for node in nodes_in_order(statements):
        if isinstance(node, FUNCTIONS) and node.lineno <= line <= node.end_lineno:
            found = node
    return found if isinstance(found, ast.FunctionDef) else None


def _typed_like(node: ast.expr) -> str:
    """The name of the tensor that gives another one its element type: `x` of `torch.empty_like(x)`."""
    if not isinstance(node, ast.Call):
        return ''
    name = last_name(node.func)
    given = next((one.value for one in node.keywords if one.arg == 'dtype'), None)
    if given is not None:
        is_of_tensor = isinstance(given, ast.Attribute) and given.attr == 'dtype'
        return dotted(given.value) or '' if is_of_tensor and name in (*_LIKE, *_NEW, *_SIZED) else ''
    if name in _LIKE and node.args:
        return dotted(node.args[0]) or ''
    if name in _NEW and isinstance(node.func, ast.Attribute):
        return dotted(node.func.value) or ''
    return ''


def element_types_named(nodes: Sequence[ast.AST]) -> Iterator[ast.Attribute]:
    """The places that ask a pointer for its element type: `p.dtype.element_ty`."""
    return (node for node in nodes if isinstance(node, ast.Attribute) and node.attr == 'element_ty')
