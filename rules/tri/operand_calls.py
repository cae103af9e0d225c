# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The arguments of calls that read or write memory, and of `tl.dot`, as they are written."""

import ast
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.api.uses import is_chosen
from flakelint.kernel.exact_types import TOO_LARGE
from flakelint.kernel.reached import left_out
from flakelint.project.imports import dotted
from flakelint.source.expressions import whole_number, written

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_MODULES = ('triton.language.', 'triton.language.core.')


class _Function(NamedTuple):
    """What a function takes.

    Args:
        names (tuple[str, ...]):
            Its parameters, in order.
        required (int):
            How many of them have no default.
        positional (int):
            How many may be given without their name in Triton 3.9.
        older (frozenset[str]):
            The further keywords that a release or a vendor's branch has, or had.
    """

    names: tuple[str, ...]
    required: int
    positional: int
    older: frozenset[str] = frozenset()


_ATOMIC = _Function(('pointer', 'val', 'mask', 'sem', 'scope'), 2, 5)
_FUNCTIONS = {
    'load': _Function(
        ('pointer', 'mask', 'other', 'cache_modifier', 'eviction_policy', 'volatile'), 1, 3,
        frozenset({'boundary_check', 'padding_option', 'care_padding', 'cache_policy', 'flagtree_hints', 'latency'}),
    ),
    'store': _Function(
        ('pointer', 'value', 'mask', 'cache_modifier', 'eviction_policy'), 2, 3,
        frozenset({'boundary_check', 'cache_policy', 'flagtree_hints'}),
    ),
    'dot': _Function(
        ('input', 'other', 'acc', 'input_precision', 'allow_tf32', 'max_num_imprecise_acc', 'out_dtype'), 2, 7,
        frozenset({'trans_a', 'trans_b', 'hf32', 'sparse', 'metadata', 'inp_prec'}),
    ),
    'atomic_cas': _Function(('pointer', 'cmp', 'val', 'sem', 'scope'), 3, 5),
    **{f'atomic_{name}': _ATOMIC for name in ('add', 'and', 'max', 'min', 'or', 'xchg', 'xor')},
}
_INTERNAL = frozenset({'_builder', '_semantic', '_generator'})

_LOADS = frozenset({'', '.ca', '.cg', '.cs', '.cv'})
_STORES = frozenset({'', '.wb', '.cg', '.cs', '.wt'})
_CHOICES = {
    ('load', 'cache_modifier'): _LOADS,
    ('store', 'cache_modifier'): _STORES,
    ('', 'eviction_policy'): frozenset({'', 'evict_first', 'evict_last'}),
    ('', 'padding_option'): frozenset({'', 'zero', 'nan'}),
    ('', 'sem'): frozenset({'', 'acquire', 'release', 'acq_rel', 'relaxed'}),
    ('', 'scope'): frozenset({'', 'gpu', 'cta', 'sys'}),
    ('dot', 'input_precision'): frozenset({'tf32', 'tf32x3', 'ieee', 'bf16x3', 'bf16x6', 'hf32'}),
}
_CLOSE = 0.7


def problems(kernel: 'Kernel') -> Iterator[tuple[ast.AST, str]]:
    """What is wrong with the calls of a kernel, with the place."""
    for node in kernel.calls:
        full = kernel.bindings.resolve(dotted(node.func) or '')
        name = full.rpartition('.')[2]
        function = _FUNCTIONS.get(name)
        if function is None or full.removesuffix(name) not in _MODULES:
            continue
        found = next(_of_call(node, name, function), None)
        if found is not None and id(node) not in left_out(kernel) and not is_chosen(kernel, node):
            yield found


def _of_call(node: ast.Call, name: str, function: _Function) -> Iterator[tuple[ast.AST, str]]:
    yield from _keywords(node, name, function)
    is_open = any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords)
    if not is_open:
        yield from _counts(node, name, function)
        yield from _fill_without_mask(node, name)
    yield from _strings(node, name, function)
    yield from _numbers(node)
    yield from _precision(node, name)


def _keywords(node: ast.Call, name: str, function: _Function) -> Iterator[tuple[ast.AST, str]]:
    given = function.names[:len(node.args)] if not any(isinstance(one, ast.Starred) for one in node.args) else ()
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in _INTERNAL or keyword.arg in function.older:
            continue
        if keyword.arg in given:
            yield keyword.value, f'`tl.{name}` is given `{keyword.arg}` twice, by position and by name: Triton refuses it'
        elif keyword.arg not in function.names:
            close = get_close_matches(keyword.arg, function.names, 1, _CLOSE)
            hint = f'did you mean `{close[0]}`?' if close else f'it takes {_listed(function.names)}'
            yield keyword.value, f'`tl.{name}` has no argument `{keyword.arg}`: Triton refuses it; {hint}'


def _counts(node: ast.Call, name: str, function: _Function) -> Iterator[tuple[ast.AST, str]]:
    given = {*function.names[:len(node.args)], *(one.arg for one in node.keywords)}
    missing = [one for one in function.names[:function.required] if one not in given]
    if missing:
        yield node, f'`{written(node)}` lacks `{missing[0]}`: Triton refuses it'
    if len(node.args) > function.positional:
        extra = node.args[function.positional]
        text = f'`tl.{name}` is given `{written(extra)}` by position'
        if name in ('load', 'store'):
            yield extra, f'{text}, and takes {function.positional} so: Triton 3.9 refuses more; name the argument'
        else:
            yield extra, f'{text}, and has {function.positional} arguments only: Triton refuses it'


def _fill_without_mask(node: ast.Call, name: str) -> Iterator[tuple[ast.AST, str]]:
    if name != 'load':
        return
    mask, other = _argument(node, 'mask', 1), _argument(node, 'other', 2)
    is_absent = mask is None or (isinstance(mask, ast.Constant) and mask.value is None)
    if is_absent and other is not None and _is_number(other):
        text = f'`other` is given to `{written(node)}` without a mask'
        yield other, f'{text}: Triton refuses it; add the mask, or leave `other` out'


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == 'float'
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _strings(node: ast.Call, name: str, function: _Function) -> Iterator[tuple[ast.AST, str]]:
    """Options that are strings, and not among those that there are."""
    for keyword in (*function.names, 'padding_option'):
        position = function.names.index(keyword) if keyword in function.names else None
        if position is not None and position >= function.positional:
            position = None
        value = _argument(node, keyword, position)
        choices = _CHOICES.get((name, keyword)) or _CHOICES.get(('', keyword))
        if choices is None or not isinstance(value, ast.Constant) or not isinstance(value.value, str):
            continue
        text = value.value.lower() if keyword == 'input_precision' else value.value
        # Triton 3.9 takes cache modifiers without their dot, too
        if text not in choices and f'.{text}' not in choices:
            listed = _listed(sorted(choices - {''}))
            yield value, f'`{keyword}` of `tl.{name}` is `{value.value}`: Triton refuses it; it takes {listed}'


def _numbers(node: ast.Call) -> Iterator[tuple[ast.AST, str]]:
    for value in (*node.args, *(one.value for one in node.keywords)):
        if (whole_number(value) or 0) >= TOO_LARGE:
            yield value, f'{written(value)} is more than 64 bits hold: Triton refuses it'


def _precision(node: ast.Call, name: str) -> Iterator[tuple[ast.AST, str]]:
    if name != 'dot':
        return
    both = [_argument(node, 'input_precision', 3), _argument(node, 'allow_tf32', 4)]
    if all(isinstance(one, ast.Constant) and one.value is not None for one in both):
        text = '`tl.dot` is given `allow_tf32` and `input_precision`'
        yield both[1], f'{text}: Triton refuses both together; leave `allow_tf32` out'


def _listed(names: Iterable[str]) -> str:
    return ', '.join(f'`{one}`' for one in names)


def _argument(node: ast.Call, name: str, position: int | None) -> ast.expr | None:
    found = next((one.value for one in node.keywords if one.arg == name), None)
    if found is None and position is not None and position < len(node.args):
        return None if any(isinstance(one, ast.Starred) for one in node.args[:position + 1]) else node.args[position]
    return found
