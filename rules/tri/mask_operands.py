# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the operands of masks are: blocks or scalars, booleans or numbers, constants or not."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.constants import COMPILE_TIME
from flakelint.kernel.decorators import AUTOTUNE, HEURISTICS
from flakelint.kernel.graph import Value, each_value
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel

_ARITHMETIC = frozenset({'add', 'sub', 'mul', 'floordiv', 'mod', 'and', 'or', 'xor', 'shl', 'shr', 'min', 'max'})
_COUNTS = frozenset({'arange', 'program_id', 'num_programs'})
_MARKS = frozenset({'assign', 'view', 'neg', 'invert', 'trans'})


class Logical(NamedTuple):
    """An `and`, `or` or `not` of blocks.

    Args:
        node (ast.BoolOp | ast.UnaryOp):
            The outermost such operation.
        word (str):
            What it is.
        is_fixable (bool):
            Whether the operators of blocks mean the same.
    """

    node: ast.BoolOp | ast.UnaryOp
    word: str
    is_fixable: bool


def constants(kernel: 'Kernel') -> frozenset[str]:
    """The names that a kernel binds to compile-time constants; what it does not bind at all comes on top of them."""
    found = {parameter.name for parameter in kernel.parameters if parameter.is_constexpr}
    bound = {parameter.name for parameter in kernel.parameters} - found
    annotated = [node.target for node in kernel.body if isinstance(node, ast.AnnAssign)]
    declared = {target.id for target in annotated if isinstance(target, ast.Name)}
    names = [node for node in kernel.body if isinstance(node, ast.Name)]
    bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)} - declared
    return frozenset({node.id for node in names} - bound | declared)


def is_constant(node: ast.expr, fixed: frozenset[str]) -> bool:
    """Whether an expression is made of literals and of such names only."""
    parts = nodes_in_order([node])
    return all(part.id in fixed for part in parts if isinstance(part, ast.Name)) and not any(
        isinstance(part, ast.Call) for part in parts
    )


def is_number(value: Value) -> bool:
    """Whether a value is certainly no boolean, whatever the arguments of the kernel are."""
    if value.op in _COUNTS:
        return True
    if value.op == 'cast':
        return value.type not in (types.BOOL, types.UNKNOWN) and '?' not in value.type
    parts = [list(each_value([operand])) for operand in value.operands]
    if value.op == 'where':
        return all(map(is_number, (case for part in parts for case in part)))
    if value.op in _ARITHMETIC or value.op in _MARKS:
        # a number makes a number of whatever it meets
        return any(part and all(map(is_number, part)) for part in parts)
    return False


def takes_scalars(kernel: 'Kernel', file: 'File') -> bool:
    """Whether a function is certainly launched, so that its parameters are no blocks."""
    if kernel.decorator(AUTOTUNE) or kernel.decorator(HEURISTICS):
        return True
    names = (ast.unparse(call.func) for call in kernel.calls)
    if any(name.endswith('program_id') for name in names):
        return True
    return bool(file.model(kernel).facts.launches)


def logical(kernel: 'Kernel', file: 'File') -> Iterator[Logical]:
    """The outermost `and`, `or` and `not` of a kernel of which an operand is a block."""
    nodes = _conditions(kernel)
    if not nodes:
        return
    values = _values(nodes, kernel, file)
    for node in nodes:
        word = _word(node, values)
        if word:
            leaves = [values.get(id(one), []) for one in _nested(node) if not _parts(one)]
            yield Logical(node, word, all(cases and not any(map(_is_in_the_way, cases)) for cases in leaves))


def _is_in_the_way(value: Value) -> bool:
    """Whether a value makes something else of `&` than of `and`: a constant, or a number."""
    return value.type in COMPILE_TIME or value.type not in (types.BOOL, types.UNKNOWN, types.LOADED)


def _word(node: ast.expr, values: dict[int, list[Value]]) -> str:
    """The first operator of an expression that has a block as an operand, and does not vanish at compile time."""
    parts = _parts(node)
    is_not = isinstance(node, ast.UnaryOp)
    running = [one for one in parts if any(case.type not in COMPILE_TIME for case in values.get(id(one), ()))]
    if (is_not or len(running) > 1) and any(_is_block(one, values) for one in running):
        return 'not' if is_not else 'and' if isinstance(node.op, ast.And) else 'or'
    return next((word for one in parts if (word := _word(one, values))), '')


def _is_block(node: ast.expr, values: dict[int, list[Value]]) -> bool:
    parts = _parts(node)
    if parts:
        return any(_is_block(one, values) for one in parts)
    return any(case.shape and case.type not in COMPILE_TIME for case in values.get(id(node), ()))


def _parts(node: ast.AST) -> list[ast.expr]:
    """The operands of an `and`, `or` or `not`."""
    if isinstance(node, ast.BoolOp):
        return node.values
    return [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else []


def _nested(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and all that `and`, `or` and `not` join in it."""
    yield node
    for part in _parts(node):
        yield from _nested(part)


def _conditions(kernel: 'Kernel') -> list[ast.expr]:
    """The outermost `and`, `or` and `not` of a kernel that are no condition of a branch, and not of constants alone."""
    found, inner = [], set()
    fixed: frozenset[str] | None = None
    for node in kernel.body:
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            # a block is no condition at all
            inner.update(map(id, _nested(node.test)))
        elif _parts(node) and id(node) not in inner:
            inner.update(map(id, _nested(node)))
            fixed = constants(kernel) if fixed is None else fixed
            if not is_constant(node, fixed):
                found.append(node)
    return found


def _values(nodes: list[ast.expr], kernel: 'Kernel', file: 'File') -> dict[int, list[Value]]:
    """What expressions of a kernel are, by the expression; of a helper, for all of its calls in the file."""
    wanted = {id(part) for node in nodes for part in _nested(node)}
    found = _recorded(wanted, callers_of(kernel, file), file)
    return found or _recorded(wanted, [kernel], file)


def callers_of(kernel: 'Kernel', file: 'File') -> list['Kernel']:
    """The kernels of a file that may call a helper; none for what is no helper."""
    called = file.repository.is_called_by_kernels
    return [one for one in file.kernels if not called(one)] if called(kernel) else []


def _recorded(wanted: set[int], kernels: list['Kernel'], file: 'File') -> dict[int, list[Value]]:
    found: dict[int, list[Value]] = {}
    for kernel in kernels:
        for node, _, value in file.model(kernel).record:
            if id(node) in wanted:
                found.setdefault(id(node), []).extend(each_value([value]))
    return found
