# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How many values a function returns, and which."""

import ast
from collections.abc import Iterator, Sequence

from flakelint.project.imports import Bindings, dotted
from flakelint.project.meanings import target_names
from flakelint.project.statements import scope_statements
from flakelint.source.syntax import nodes_in_order

_MAX_DEPTH = 6
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ('body', 'handlers', 'cases', 'orelse', 'finalbody')
# operators that no tuple has
_OF_NUMBERS = (ast.Sub, ast.Div, ast.FloorDiv, ast.MatMult, ast.Pow, ast.BitAnd, ast.BitOr)
# functions of torch, and methods of tensors, that give one tensor
_TENSORS = frozenset({
    'abs', 'add', 'arange', 'bfloat16', 'bmm', 'cat', 'clamp', 'clone', 'contiguous', 'conj', 'cos', 'cumsum', 'detach', 'div',
    'double', 'einsum', 'empty', 'empty_like', 'exp', 'expand', 'expand_as', 'flatten', 'flip', 'float', 'full', 'full_like',
    'gather', 'half', 'index_select', 'log', 'masked_fill', 'matmul', 'mean', 'mm', 'mul', 'narrow', 'neg', 'new_empty',
    'new_full', 'new_ones', 'new_zeros', 'ones', 'ones_like', 'permute', 'pow', 'repeat', 'reshape', 'rsqrt', 'scatter',
    'sigmoid', 'sign', 'sin', 'sqrt', 'square', 'squeeze', 'stack', 'sub', 'sum', 't', 'tanh', 'tensor', 'to', 'transpose',
    'tril', 'triu', 'type_as', 'unsqueeze', 'view', 'view_as', 'where', 'zeros', 'zeros_like',
})


class Returns:
    """The values that the returns of a function give.

    Args:
        function (ast.FunctionDef):
            The function.
        bindings (Bindings):
            What the imported names of its file mean.
    """

    def __init__(self, function: ast.FunctionDef, bindings: Bindings) -> None:
        self.nodes = list(_reached(function.body))
        self._bindings = bindings
        arguments = function.args
        self._parameters = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        self._bound = _bound(function)

    def values(self, node: ast.Return) -> list[ast.expr] | None:
        """The values that a return gives, one by one; None where it is not seen how many there are."""
        return [ast.Constant(None)] if node.value is None else self._values(node.value, 0)

    def is_value(self, node: ast.expr) -> bool:
        """Whether an expression surely gives something that is no None."""
        return not _is_none(node) and self._is_one(node, 0, may_be_none=False)

    def _values(self, node: ast.expr, depth: int) -> list[ast.expr] | None:
        if depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Tuple):
            return self._joined([self._element(one, depth) for one in node.elts])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self._tuple(node.left, depth), self._tuple(node.right, depth)]
            joined = self._joined(parts)
            if joined is not None:
                return joined
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            repeated = self._tuple(node.left, depth)
            if repeated is not None:
                return repeated * node.right.value if _is_count(node.right) else None
        if isinstance(node, ast.Name):
            bound = self._bound.get(node.id, ())
            if len(bound) == 1 and bound[0] is not None and node.id not in self._parameters:
                return self._values(bound[0], depth + 1)
        return [node] if self._is_one(node, depth) else None

    def _tuple(self, node: ast.expr, depth: int) -> list[ast.expr] | None:
        """The values of what is surely a tuple."""
        if isinstance(node, ast.Name):
            bound = self._bound.get(node.id, ())
            if len(bound) == 1 and bound[0] is not None and node.id not in self._parameters and depth < _MAX_DEPTH:
                return self._tuple(bound[0], depth + 1)
        is_written = isinstance(node, ast.Tuple) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult))
        if isinstance(node, ast.BinOp) and self._tuple(node.left, depth + 1) is None:
            return None
        return self._values(node, depth + 1) if is_written else None

    def _element(self, node: ast.expr, depth: int) -> list[ast.expr] | None:
        if not isinstance(node, ast.Starred):
            return [node]
        if isinstance(node.value, ast.List):
            return self._joined([self._element(one, depth) for one in node.value.elts])
        return self._tuple(node.value, depth)

    def _joined(self, parts: list[list[ast.expr] | None]) -> list[ast.expr] | None:
        return None if any(part is None for part in parts) else [value for part in parts for value in part]

    def _is_one(self, node: ast.expr, depth: int, may_be_none: bool = True) -> bool:
        """Whether an expression surely is no tuple."""
        if depth > _MAX_DEPTH:
            return False
        if isinstance(node, ast.Constant):
            return may_be_none or node.value is not None
        if isinstance(node, ast.Name):
            bound = self._bound.get(node.id, ())
            known = all(one is not None and self._is_one(one, depth + 1, may_be_none) for one in bound)
            return known and (bool(bound) or node.id in self._parameters)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, _OF_NUMBERS):
                return True
            if any(map(_holds_tuple, (node.left, node.right))):
                return False
            return any(self._is_one(one, depth + 1) and not _is_count(one) for one in (node.left, node.right))
        if isinstance(node, ast.UnaryOp | ast.Compare):
            return True
        return isinstance(node, ast.Call) and self._gives_tensor(node.func)

    def _gives_tensor(self, function: ast.expr) -> bool:
        if not isinstance(function, ast.Attribute) or function.attr not in _TENSORS:
            return False
        name = dotted(function) or ''
        head = name.partition('.')[0]
        full = self._bindings.resolve(name)
        # a method, or a function of torch; not one of another module
        return full.startswith('torch.') or full == name or head in self._bound


def _reached(statements: Sequence[ast.AST]) -> Iterator[ast.Return]:
    """The returns among statements, but for those behind a statement that leaves."""
    for node in statements:
        if isinstance(node, ast.Return):
            yield node
        if not isinstance(node, _SCOPES):
            for name in _BLOCKS:
                yield from _reached(getattr(node, name, ()))
        if _leaves(node):
            return


def _leaves(node: ast.AST) -> bool:
    """Whether what stands behind a statement is never reached."""
    if isinstance(node, ast.If):
        return all(any(map(_leaves, block)) for block in (node.body, node.orelse))
    if isinstance(node, ast.With):
        return any(map(_leaves, node.body))
    return isinstance(node, _LEAVES)


def _holds_tuple(node: ast.expr) -> bool:
    """Whether a sum or a product has a tuple or a list in it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return _holds_tuple(node.left) or _holds_tuple(node.right)
    return isinstance(node, ast.Tuple | ast.List)


def _bound(function: ast.FunctionDef) -> dict[str, list[ast.expr | None]]:
    """The names that a function binds, each with the values; None for a value that is not seen."""
    found: dict[str, list[ast.expr | None]] = {}
    for node in scope_statements(function.body):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).extend([node.value] if node.value is not None else [])
                else:
                    _bind_pairs(target, node.value, found)
        elif isinstance(node, _SCOPES):
            found.setdefault(node.name, []).append(None)
        else:
            targets = [getattr(node, 'target', None), *(item.optional_vars for item in getattr(node, 'items', ()))]
            for name in (name for target in targets if target is not None for name in target_names(target)):
                found.setdefault(name, []).append(None)
    for node in nodes_in_order(function.body):
        if isinstance(node, ast.NamedExpr):
            found.setdefault(node.target.id, []).append(node.value)
    return found


def _bind_pairs(target: ast.expr, value: ast.expr | None, found: dict[str, list[ast.expr | None]]) -> None:
    is_parallel = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
    pairs = zip(target.elts, value.elts, strict=True) if is_parallel else [(target, None)]
    for one, part in pairs:
        is_plain = isinstance(one, ast.Name) and not isinstance(part, ast.Starred)
        for name in target_names(one):
            found.setdefault(name, []).append(part if is_plain else None)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_count(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int
