# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What calls, signatures and expressions say by themselves, whatever their names mean."""

import ast


def defaults_of(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The defaults of a function's parameters, by their names."""
    plain = [*arguments.posonlyargs, *arguments.args]
    first = len(plain) - len(arguments.defaults)
    named = [*plain[first:], *arguments.kwonlyargs]
    values = [*arguments.defaults, *arguments.kw_defaults]
    return {one.arg: value for one, value in zip(named, values, strict=True) if value is not None}


def argument(node: ast.AST | None, name: str, position: int | None = None) -> ast.expr | None:
    """The expression of an argument of a call, be it given by its name or by its position."""
    if not isinstance(node, ast.Call):
        return None
    found = next((one.value for one in node.keywords if one.arg == name), None)
    if found is None and position is not None and 0 <= position < len(node.args):
        return node.args[position]
    return found


def whole_number(node: ast.expr | None) -> int | None:
    """The whole number that an expression spells."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        positive = whole_number(node.operand)
        return None if positive is None else -positive
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def is_power_of_2(number: int) -> bool:
    """Whether a number is a power of two, as lengths of blocks and numbers of warps are."""
    return number > 0 and not number & (number - 1)


def written(node: ast.AST, most: int = 80) -> str:
    """The source of an expression on one line, cut where it is long."""
    text = ast.unparse(node)
    return text if len(text) <= most else f'{text[:most]}...'
