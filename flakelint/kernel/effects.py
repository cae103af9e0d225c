# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Expressions of a kernel that do nothing but give a value."""

import ast
from typing import TYPE_CHECKING

from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_LANGUAGE = 'triton.language.'
# functions of the language without any effect; also methods, as far as `_METHODS` says so
_PURE = frozenset({
    'abs', 'arange', 'argmax', 'argmin', 'broadcast', 'broadcast_to', 'cast', 'cat', 'cdiv', 'ceil', 'clamp', 'cos', 'cumprod',
    'cumsum', 'div_rn', 'dot', 'dot_scaled', 'erf', 'exp', 'exp2', 'expand_dims', 'fdiv', 'flip', 'floor', 'fma', 'full',
    'gather', 'histogram', 'interleave', 'join', 'load', 'log', 'log2', 'max', 'maximum', 'min', 'minimum', 'num_programs',
    'permute', 'program_id', 'rand', 'randint', 'randn', 'ravel', 'reshape', 'rsqrt', 'sigmoid', 'sin', 'softmax', 'sort',
    'split', 'sqrt', 'sqrt_rn', 'sum', 'swizzle2d', 'trans', 'umulhi', 'view', 'where', 'xor_sum', 'zeros', 'zeros_like',
})
_METHODS = frozenset({
    'abs', 'argmax', 'argmin', 'broadcast_to', 'cast', 'ceil', 'cos', 'cumprod', 'cumsum', 'erf', 'exp', 'exp2', 'expand_dims',
    'flip', 'floor', 'log', 'log2', 'max', 'min', 'permute', 'ravel', 'reshape', 'rsqrt', 'sigmoid', 'sin', 'softmax', 'sqrt',
    'sum', 'to', 'trans', 'view',
})
# functions that are called for what they do
_EFFECTS = frozenset({
    'assume', 'atomic_add', 'atomic_cas', 'atomic_max', 'atomic_min', 'atomic_xchg', 'debug_barrier', 'device_assert',
    'device_print', 'static_assert', 'static_print', 'store',
})
_OPERATIONS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.Call)


def does_nothing(node: ast.expr, kernel: 'Kernel') -> bool:
    """Whether an expression computes a value, and certainly does nothing else."""
    if not isinstance(node, _OPERATIONS):
        return False
    parts = nodes_in_order([node])
    if any(isinstance(one, ast.NamedExpr | ast.Lambda | ast.Await | ast.Yield) for one in parts):
        return False
    return all(_is_pure(one, kernel) for one in parts if isinstance(one, ast.Call))


def uncalled(node: ast.expr, kernel: 'Kernel') -> str:
    """The full name of a function that an expression names, and that would have an effect if it were called; nothing for all else."""
    name = kernel.bindings.resolve(dotted(node) or '')
    return name if name.startswith(_LANGUAGE) and name.removeprefix(_LANGUAGE) in _EFFECTS else ''


def is_load(node: ast.expr, kernel: 'Kernel') -> bool:
    """Whether an expression is a call of `tl.load`."""
    return isinstance(node, ast.Call) and _language(node, kernel) == 'load'


def _is_pure(call: ast.Call, kernel: 'Kernel') -> bool:
    name = _language(call, kernel)
    if name == 'load':
        # a volatile load is not left out, and one with a policy warms a cache
        return not any(keyword.arg in (None, 'volatile', 'cache_modifier', 'eviction_policy') for keyword in call.keywords)
    if name:
        return name in _PURE
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _METHODS:
        return False
    return not _is_outside(call.func.value, kernel)


def _language(call: ast.Call, kernel: 'Kernel') -> str:
    """The function of the language that is called, without its module."""
    name = kernel.bindings.resolve(dotted(call.func) or '')
    return name.rpartition('.')[2] if name.startswith(_LANGUAGE) else ''


def _is_outside(owner: ast.expr, kernel: 'Kernel') -> bool:
    """Whether a method belongs to something outside the kernel, such as a module."""
    name = dotted(owner)
    if name is None:
        return False
    bound = kernel.assigned.union(parameter.name for parameter in kernel.parameters)
    return name.partition('.')[0] not in bound
