# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import operator
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Fix
from flakelint.engine.rule import Rule, safe
from flakelint.kernel import sizes, types
from flakelint.kernel.constants import may_be_constant
from flakelint.kernel.graph import Guard
from flakelint.kernel.names import role_of_name
from flakelint.kernel.reached import range_of
from flakelint.project.imports import dotted
from flakelint.rules.tri.address_findings import arguments
from flakelint.rules.tri.places import may_be_launched
from flakelint.rules.tri.widening import language_name
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Method
    from flakelint.kernel.kernels import Kernel

# what a pointer has as well
_OF_POINTERS = frozenset({'dtype', 'type'})
# what a constant has as well
_HARMLESS = frozenset({'value', 'T'})
_CASTS = frozenset({'to', 'cast'})
_ORDERS = {'==': operator.eq, '<': operator.lt, '<=': operator.le}


class CastOnSpecializedArgument(Rule):
    """A method or attribute of a scalar argument that comes as a compile-time constant when it is 1.

    ## What it does
    Flags `.to(...)`, `.cast(...)`, `.dtype` and every other attribute of a scalar argument of a kernel, or of what is computed from such arguments and constants alone, where the argument has no type annotation that Triton reads (`: tl.int64`) and is not in `do_not_specialize`. Helpers get what their callers got, so attributes in helpers count as well.

    ## Why is this bad?
    Triton makes a constant of every integer argument that is 1. A constant is a plain `int`, and has no `.to`: the kernel works until someone passes a tensor with one column, one head or one row, and then fails to compile with `AttributeError: 'int' object has no attribute 'to'`.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_rows_fwd_kernel(x, y, stride_x, stride_y, D: tl.constexpr):
        row = tl.program_id(0)
        o_d = tl.arange(0, D)
        value = tl.load(x + row * stride_x.to(tl.int64) + o_d)
        tl.store(y + row * stride_y.to(tl.int64) + o_d, value)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_rows_fwd_kernel(x, y, stride_x, stride_y, D: tl.constexpr):
        row = tl.program_id(0)
        o_d = tl.arange(0, D)
        value = tl.load(x + row * tl.cast(stride_x, tl.int64) + o_d)
        tl.store(y + row * tl.cast(stride_y, tl.int64) + o_d, value)
    ```

    ## Fix safety
    The fix writes `tl.cast(argument, type)`, which takes constants and tensors alike and gives the same value. Attributes other than casts are not fixed.

    ## Known limits
    - A plain assignment (`step = stride`) makes a run-time value of a constant, so attributes of `step` are not flagged.
    - An argument that is cast to a float type, or asked for its type and computed with nowhere, is flagged only if it is named like a size: floats and pointers are not made constants.
    - `None` is a constant too, but is no case of this rule.

    ## References
    - [The argument that is 1](https://github.com/triton-lang/triton/issues/2939)
    """

    code = 'TRI104'
    name = 'cast-on-specialized-argument'
    severity = 'error'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the attributes of arguments that may be constants."""
        if file.repository.is_called_by_kernels(kernel) or not may_be_launched(kernel, file):
            return
        for method in file.model(kernel).methods:
            if method.frame.kernel.path != file.path or not _is_specialized(method, kernel):
                continue
            where = file.range(method.node)
            if file.is_first(self.code, where):
                yield self.finding(where, _message(method.node, arguments(method.owner)), _fix(method, kernel, file))


def _is_specialized(method: 'Method', kernel: 'Kernel') -> bool:
    if method.node.attr in _HARMLESS or not may_be_constant(method.owner):
        return False
    names = arguments(method.owner)
    if any(_excludes_one(method.guard, name) for name in names):
        return False
    given = _given(method)
    if isinstance(given, ast.Call):
        # an address that comes as a number is not 1
        return False
    is_doubtful = _is_float_cast(method) or (method.node.attr in _OF_POINTERS and not _are_numbers(names, kernel))
    return not is_doubtful or any(map(_is_size, names))


def _are_numbers(names: list[str], kernel: 'Kernel') -> bool:
    """Whether a kernel computes with an argument, or counts to it; what is asked only for its type may be a pointer."""
    used = (node for node in kernel.body if isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp) or range_of(node, kernel))
    return any(isinstance(part, ast.Name) and part.id in names for node in used for part in ast.iter_child_nodes(node))


def _given(method: 'Method') -> ast.expr | None:
    """The type to which a value is cast."""
    if method.node.attr not in _CASTS or method.call is None:
        return None
    return next(iter([*method.call.args, *(keyword.value for keyword in method.call.keywords)]), None)


def _excludes_one(guard: Guard, name: str) -> bool:
    """Whether a branch is not compiled where an argument is 1."""
    for text, truth in guard:
        match = re.fullmatch(rf'{name}(==|<|<=)(\d+)|(\d+)(==|<|<=){name}', text)
        if match is None:
            continue
        left, order, right = (1, match[1], int(match[2])) if match[1] else (int(match[3]), match[4], 1)
        if _ORDERS[order](left, right) != truth:
            return True
    return False


def _is_float_cast(method: 'Method') -> bool:
    """Whether a value is cast to a float, as an argument may be that is one."""
    given = _given(method)
    name = method.frame.kernel.bindings.resolve(dotted(given) or '') if given is not None else ''
    return types.LANGUAGE_TYPES.get(name.rpartition('.')[2]) == types.FLOAT


def _is_size(name: str) -> bool:
    return role_of_name(name, constant=False) != sizes.NUMBER


def _message(node: ast.Attribute, names: list[str]) -> str:
    what = f'`{written(node)}`'
    if len(names) == 1 and names[0] == ast.unparse(node.value):
        return f'{what} fails to compile where `{names[0]}` is 1: it comes as a constant then, and has no `.{node.attr}`'
    listed = ' and '.join(f'`{name}`' for name in names)
    verb = 'is' if len(names) == 1 else 'are'
    why = f'`{written(node.value)}` is a constant then, and has no `.{node.attr}`'
    return f'{what} fails to compile where {listed} {verb} 1: {why}'


def _fix(method: 'Method', kernel: 'Kernel', file: 'File') -> Fix | None:
    language, call = language_name(kernel), method.call
    if method.node.attr not in _CASTS or language is None or call is None or len(call.args) + len(call.keywords) != 1:
        return None
    given = ast.unparse(call.args[0]) if call.args else f'{call.keywords[0].arg}={ast.unparse(call.keywords[0].value)}'
    text = f'{language}.cast({ast.unparse(method.node.value)}, {given})'
    return safe(f'Use `{language}.cast`', Edit(file.range(call), text))
