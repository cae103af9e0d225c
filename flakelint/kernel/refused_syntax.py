# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The syntax that Triton refuses in a kernel, whatever the values are; loops stand in a module of their own."""

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.reached import left_out, range_of
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel


class Refused(NamedTuple):
    """Something that Triton refuses.

    Args:
        node (ast.AST):
            What is shown.
        message (str):
            What Triton does, and what to write instead.
        word (str, Optional):
            The keyword at the start of a long statement that is shown in its stead. Default: none.
    """

    node: ast.AST
    message: str
    word: str = ''


Found = Iterator[Refused]
Handler = Callable[[ast.AST, 'Kernel'], Found]

EMPTY_CONSTEXPR = '`constexpr()` lacks a value, which raises a TypeError: write the annotation without the parentheses'
# text that is repeated in a message is no longer than this
_SHORT = 30
_TOP = 'at the top of the module'
# how the syntax is called, the keyword that is shown in its stead, and what to write instead
_UNSUPPORTED = {
    'Break': ('`break`', '', 'put the condition into the head of a `while`, or the rest of the body under an `if`'),
    'Continue': ('`continue`', '', 'put the rest of the body under an `if`'),
    'Lambda': ('a `lambda`', 'lambda', f'write a function {_TOP}, with `@triton.jit`'),
    'Dict': ('a dictionary', '', 'use names of their own, or a tuple'),
    'Set': ('a set', '', 'use a tuple'),
    'DictComp': ('a comprehension that makes a dictionary', '', 'use names of their own, or a tuple'),
    'SetComp': ('a comprehension that makes a set', '', 'use a list comprehension over a tuple'),
    'GeneratorExp': ('a generator', '', 'use a list comprehension over a tuple, or a loop over `tl.static_range`'),
    'Try': ('`try`', 'try', 'nothing can be caught on a GPU, so check on the host'),
    'TryStar': ('`try`', 'try', 'nothing can be caught on a GPU, so check on the host'),
    'Delete': ('`del`', '', 'leave it out, no name needs to be given up'),
    'Import': ('an `import`', '', f'import {_TOP}'),
    'ImportFrom': ('an `import`', '', f'import {_TOP}'),
    'Global': ('`global`', '', f'pass the value as an argument, or bind a `tl.constexpr(...)` {_TOP}'),
    'Nonlocal': ('`nonlocal`', '', 'pass the value as an argument'),
    'ClassDef': ('a class', 'class', f'define it {_TOP}'),
    'Match': ('`match`', 'match', 'use `if` and `elif`'),
    'Yield': ('`yield`', '', 'store what the host is to read'),
    'YieldFrom': ('`yield`', '', 'store what the host is to read'),
    'Await': ('`await`', '', 'there is nothing to wait for'),
    'AsyncFunctionDef': ('an `async def`', 'async def', f'write a function {_TOP}, with `@triton.jit`'),
}


def refused_syntax(kernel: 'Kernel', handlers: dict[type, Handler]) -> Found:
    """What of the body of a kernel these handlers say to be refused, where Triton gets to it."""
    skipped: frozenset[int] | None = None
    for node in kernel.body:
        handler = handlers.get(type(node))
        for found in handler(node, kernel) if handler is not None else ():
            skipped = left_out(kernel) if skipped is None else skipped
            if id(node) not in skipped:
                yield found


def is_empty_constexpr(annotation: ast.expr | None, kernel: 'Kernel') -> bool:
    """Whether an annotation calls `tl.constexpr` without a value."""
    if not isinstance(annotation, ast.Call) or annotation.args or annotation.keywords:
        return False
    name = kernel.bindings.resolve(dotted(annotation.func) or '')
    return name in ('triton.language.constexpr', 'triton.language.core.constexpr')


def _unsupported(node: ast.AST, kernel: 'Kernel') -> Found:
    name = type(node).__name__
    what, word, instead = _UNSUPPORTED[name]
    yield Refused(node, f'{what} in a kernel is refused ("unsupported AST node type: {name}"): {instead}', word)


def _function(node: ast.FunctionDef, kernel: 'Kernel') -> Found:
    problem = f'`{node.name}` is defined in a kernel, which is refused ("nested function definitions are not allowed")'
    yield Refused(node, f'{problem}: define it {_TOP}, with `@triton.jit`', 'def')


def _items(node: ast.Tuple | ast.List, kernel: 'Kernel') -> Found:
    for element in node.elts if isinstance(node.ctx, ast.Load) else ():
        if isinstance(element, ast.Starred):
            problem = f'`{ast.unparse(element)}` in a tuple is refused ("unsupported AST node type: Starred")'
            yield Refused(element, f'{problem}: name the items, or join tuples with `+`')


def _comprehension(node: ast.ListComp, kernel: 'Kernel') -> Found:
    over = node.generators[0].iter
    if len(node.generators) > 1:
        message = 'a comprehension with two `for` is refused ("nested comprehensions are not supported"): nest two lists'
        yield Refused(node, message)
    elif range_of(over, kernel):
        problem = f'a comprehension over `{ast.unparse(over.func)}` is refused ("only tuple comprehensions are supported")'
        yield Refused(over, f'{problem}: write the tuple out, or loop over `tl.static_range`')


def _assignment(node: ast.Assign, kernel: 'Kernel') -> Found:
    if len(node.targets) > 1:
        names = ' = '.join(ast.unparse(target) for target in node.targets)
        problem = f'`{names} = ...` is refused ("Simultaneous multiple assignment is not supported")'
        yield Refused(node, f'{problem}: write one assignment for each target')
        return
    yield from _target(node.targets[0])
    yield from _counts(node.targets[0], node.value)


def _target(target: ast.expr) -> Found:
    if isinstance(target, ast.List):
        items = ast.unparse(target)[1:-1]
        yield Refused(target, f'a list as a target is refused (with a bare AssertionError): write `{items} = ...`')
    for element in target.elts if isinstance(target, ast.Tuple) else ():
        if isinstance(element, ast.Starred):
            problem = f'`{ast.unparse(element)}` as a target is refused ("starred assignment targets are not supported")'
            yield Refused(element, f'{problem}: name each item')
        else:
            yield from _target(element)


def _counts(target: ast.expr, value: ast.expr) -> Found:
    """Targets and values, written out side by side, that are not equally many."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple | ast.List):
        return
    if any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts)):
        return
    wanted, given = len(target.elts), len(value.elts)
    if wanted != given:
        problem = 'too many' if given > wanted else 'not enough'
        yield Refused(target, f'{wanted} targets for {given} values are refused ("{problem} values to unpack")')
        return
    for one, other in zip(target.elts, value.elts, strict=True):
        yield from _counts(one, other)


def _annotated(node: ast.AnnAssign, kernel: 'Kernel') -> Found:
    if is_empty_constexpr(node.annotation, kernel):
        yield Refused(node.annotation, EMPTY_CONSTEXPR)


def _comparison(node: ast.Compare, kernel: 'Kernel') -> Found:
    op = next((one for one in node.ops if isinstance(one, ast.In | ast.NotIn)), None)
    if op is None:
        return
    word, joint, equal = ('in', 'or', '==') if isinstance(op, ast.In) else ('not in', 'and', '!=')
    left = ast.unparse(node.left)
    short = len(left) <= _SHORT and len(node.ops) == 1
    instead = f'`{left} {equal} ... {joint} {left} {equal} ...`' if short else f'comparisons joined with `{joint}`'
    problem = f'`{word}` is refused, of constants as well ("operator \'{type(op).__name__}\' is not (currently) implemented")'
    yield Refused(node, f'{problem}: write {instead}')


def _operation(node: ast.BinOp | ast.AugAssign, kernel: 'Kernel') -> Found:
    if isinstance(node.op, ast.MatMult):
        yield Refused(node, '`@` is refused ("operator \'MatMult\' is not (currently) implemented"): use `tl.dot`')


def _call(node: ast.Call, kernel: 'Kernel') -> Found:
    for keyword in node.keywords:
        # a dictionary that is written out is refused by itself
        if keyword.arg is None and not isinstance(keyword.value, ast.Dict | ast.DictComp):
            problem = f'`**{ast.unparse(keyword.value)}` in a call is refused ("keywords must be strings")'
            yield Refused(keyword.value, f'{problem}: write the arguments out')


SYNTAX: dict[type, Handler] = {
    **{getattr(ast, name): _unsupported for name in _UNSUPPORTED if hasattr(ast, name)},
    ast.FunctionDef: _function,
    ast.Tuple: _items,
    ast.List: _items,
    ast.ListComp: _comprehension,
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.Compare: _comparison,
    ast.BinOp: _operation,
    ast.AugAssign: _operation,
    ast.Call: _call,
}
