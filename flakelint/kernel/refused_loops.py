# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The loops and `with` statements that Triton refuses, whatever the values are."""

import ast
import builtins
from typing import TYPE_CHECKING

from flakelint.kernel.reached import LANGUAGE_RANGE, RANGE, STATIC_RANGE, range_of
from flakelint.kernel.refused_syntax import Found, Handler, Refused
from flakelint.project.imports import dotted
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_LANGUAGE = 'triton.language.'
# functions of the language that someone might go over; what else it has may be a range of a version to come
_NO_RANGES = frozenset({'arange', 'cdiv', 'full', 'load', 'num_programs', 'program_id', 'sum', 'zeros'})
_BOUNDS = ('start', 'end', 'stop')
_LONGEST = 60
_HOST_MODULES = ('contextlib', 'numpy', 'torch', 'warnings')


def _for(node: ast.For, kernel: 'Kernel') -> Found:
    yield from _iterator(node, kernel)
    if not isinstance(node.target, ast.Name):
        error = f"'{type(node.target).__name__}' object has no attribute 'id'"
        problem = f'`{ast.unparse(node.target)}` as the target of a loop is refused ("{error}")'
        yield Refused(node.target, f'{problem}: use one name')
    if node.orelse and range_of(node.iter, kernel) != STATIC_RANGE:
        yield _else(node, kernel)


def _iterator(node: ast.For, kernel: 'Kernel') -> Found:
    over = node.iter
    only = 'Triton goes over `range`, `tl.range` and `tl.static_range` only'
    if not isinstance(over, ast.Call):
        error = f"'{type(over).__name__}' object has no attribute 'func'"
        problem = f'a loop over `{written(over, _LONGEST)}` is refused ("{error}")'
        yield Refused(over, f'{problem}: {only}')
        return
    kind = range_of(over, kernel)
    if kind:
        yield from _arguments(over, kind)
        return
    name = kernel.bindings.resolve(dotted(over.func) or '')
    if hasattr(builtins, name) and name not in kernel.assigned:
        yield Refused(over, f'a loop over `{written(over, _LONGEST)}` is refused ("{name} is not defined"): {only}')
    elif name.startswith(_LANGUAGE) and name.removeprefix(_LANGUAGE) in _NO_RANGES:
        yield Refused(over, f'a loop over `{written(over, _LONGEST)}` is refused: {only}')


def _arguments(call: ast.Call, kind: str) -> Found:
    name = ast.unparse(call.func)
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            problem = f'`{ast.unparse(argument)}` in `{name}` is refused ("unsupported AST node type: Starred")'
            yield Refused(argument, f'{problem}: write the bounds out')
            return
    given = [keyword.arg for keyword in call.keywords if keyword.arg]
    if kind == RANGE and given and not call.args:
        problem = f'`{name}` without positional arguments is refused ("list index out of range")'
        yield Refused(call, f'{problem}: give the bounds by position')
        return
    wrong = _unexpected(given, kind)
    if wrong:
        instead = 'give the bounds by position' if wrong[0] in _BOUNDS else 'only `tl.range` takes it'
        yield Refused(call, f'`{name}` has no `{wrong[0]}` ("got an unexpected keyword argument \'{wrong[0]}\'"): {instead}')


def _unexpected(given: list[str], kind: str) -> list[str]:
    """The keywords that a range of the language has not in any version."""
    if kind == STATIC_RANGE:
        return [one for one in given if one not in ('arg1', 'arg2', 'step')]
    return [one for one in given if one in _BOUNDS] if kind == LANGUAGE_RANGE else []


def _while(node: ast.While, kernel: 'Kernel') -> Found:
    if _is_constant(node.test, kernel):
        error = "'constexpr' object has no attribute 'handle'"
        problem = f'`while {written(node.test, _LONGEST)}` is refused, since its condition is a constant ("{error}")'
        yield Refused(node.test, f'{problem}: compare what is computed at run time')
    if node.orelse:
        yield _else(node, kernel)


def _is_constant(test: ast.expr, kernel: 'Kernel') -> bool:
    """Whether a condition is a literal, or a compile-time parameter that the kernel does not bind anew."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_constant(test.operand, kernel)
    if isinstance(test, ast.Name):
        fixed = {parameter.name for parameter in kernel.parameters if parameter.is_constexpr}
        return test.id in fixed - kernel.assigned
    return isinstance(test, ast.Constant)


def _with(node: ast.With, kernel: 'Kernel') -> Found:
    for item in node.items:
        manager = item.context_expr
        name = kernel.bindings.resolve(dotted(manager.func) or '') if isinstance(manager, ast.Call) else ''
        if not isinstance(manager, ast.Call):
            error = f"'{type(manager).__name__}' object has no attribute 'func'"
            problem = f'`with {written(manager, _LONGEST)}` is refused ("{error}")'
        elif hasattr(builtins, name) and name not in kernel.assigned:
            problem = f'`with {name}(...)` is refused ("{name} is not defined")'
        elif name.partition('.')[0] in _HOST_MODULES and '.' in name:
            error = "got an unexpected keyword argument '_semantic'"
            problem = f'`with {ast.unparse(manager.func)}(...)` is refused ("{error}")'
        else:
            continue
        yield Refused(manager, f'{problem}: a kernel knows no context of the host')


def _else(node: ast.For | ast.While, kernel: 'Kernel') -> Refused:
    word = 'for' if isinstance(node, ast.For) else 'while'
    message = f'`else` behind a `{word}` is refused (with an AssertionError): put what it holds behind the loop'
    lines = kernel.module.file.lines
    for number in range(node.orelse[0].lineno, node.body[-1].end_lineno, -1):
        text = lines.line(number)
        if text.lstrip().startswith('else'):
            column = len(text) - len(text.lstrip())
            place = {'lineno': number, 'col_offset': column, 'end_lineno': number, 'end_col_offset': column + len('else')}
            return Refused(ast.Pass(**place), message)
    return Refused(node, message, word)


LOOPS: dict[type, Handler] = {ast.For: _for, ast.While: _while, ast.With: _with}
