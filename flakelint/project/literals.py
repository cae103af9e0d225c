# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What an expression holds, as far as the file spells it out."""

import ast
from collections.abc import Iterator, Sequence

_MAX_DEPTH = 20
_COPIES = ('list', 'tuple', 'set', 'sorted')


def binding(name: str, statements: Sequence[ast.stmt]) -> ast.expr | None:
    """The value of a name that a module binds exactly once, by a plain assignment at its top level."""
    values = [value for target, value in bindings(statements) if target == name]
    return values[0] if len(values) == 1 else None


def is_bound(name: str, statements: Sequence[ast.stmt]) -> bool:
    """Whether module-level code imports a name or assigns to it."""
    return any(target == name for target, _ in bindings(statements))


def literal_list(value: ast.expr, statements: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """The elements of a list, tuple or set, through names, copies and `+`; None where they are not all written out.

    Args:
        value (ast.expr):
            The expression.
        statements (Sequence[ast.stmt]):
            The statements of the module in which names are looked up.
    """
    found = list(elements(value, statements))
    return None if None in found else found


def elements(value: ast.expr, statements: Sequence[ast.stmt], depth: int = 0) -> Iterator[ast.expr | None]:
    """The elements that are written out, and None for each part that may hold others.

    A comprehension gives the expression that it repeats, a choice the elements of both sides.

    Args:
        value (ast.expr):
            The expression.
        statements (Sequence[ast.stmt]):
            The statements of the module in which names are looked up.
        depth (int, Optional):
            How many steps led here. Default: `0`.
    """
    if depth > _MAX_DEPTH:
        yield None
    elif isinstance(value, ast.List | ast.Tuple | ast.Set):
        for element in value.elts:
            if isinstance(element, ast.Starred):
                yield from elements(element.value, statements, depth + 1)
            else:
                yield element
    elif isinstance(value, ast.Constant) and value.value is None:
        pass
    elif isinstance(value, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        yield value.elt
        yield None
    else:
        parts = _parts(value, statements)
        for part in parts:
            yield from elements(part, statements, depth + 1)
        if not parts or isinstance(value, ast.IfExp):
            yield None


def _parts(value: ast.expr, statements: Sequence[ast.stmt]) -> list[ast.expr]:
    """The lists of which an expression makes a list."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return [value.left, value.right]
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _COPIES and len(value.args) == 1:
        return value.args
    bound = binding(value.id, statements) if isinstance(value, ast.Name) else None
    return [] if bound is None else [bound]


def bindings(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr | None]]:
    """Each name that module-level code binds or changes in place, with its value where that is plain."""
    top = set(statements)
    stack: list[ast.AST] = list(statements)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Assign):
            plain = node.value if node in top and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) else None
            yield from ((name, plain) for target in node.targets for name in _names(target))
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For):
            plain = node.value if isinstance(node, ast.AnnAssign) and node in top else None
            yield from ((name, plain) for name in _names(node.target))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name.partition('.')[0], None) for alias in node.names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            # a method such as `append` may change what the name holds
            yield from ((name, None) for name in _names(node.value.func.value))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stack.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt | ast.ExceptHandler))


def _names(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield node.id
