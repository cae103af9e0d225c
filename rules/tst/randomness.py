# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What draws random numbers, and what seeds the generator from which they come."""

import ast
from typing import TYPE_CHECKING

from flakelint.rules.tst.suite import full_name

if TYPE_CHECKING:
    from flakelint.engine.context import File

_TORCH = frozenset({
    'bernoulli', 'multinomial', 'normal', 'poisson', 'rand', 'rand_like', 'randint', 'randint_like', 'randn', 'randn_like',
    'randperm',
})
_FLOATS = frozenset({'normal', 'rand', 'rand_like', 'randn', 'randn_like'})
_METHODS = frozenset({'bernoulli_', 'exponential_', 'log_normal_', 'normal_', 'random_', 'uniform_'})
_INIT = 'torch.nn.init.'
_INITS = ('kaiming_', 'normal_', 'orthogonal_', 'trunc_normal_', 'uniform_', 'xavier_')
_NUMPY = 'numpy.random.'
_NUMPY_GENERATORS = frozenset({
    'BitGenerator', 'Generator', 'MT19937', 'PCG64', 'Philox', 'RandomState', 'SeedSequence', 'default_rng', 'get_state',
    'seed', 'set_state',
})


def draw(node: ast.AST, file: 'File') -> str:
    """How a call that draws random numbers from the common generator is written; nothing for any other node."""
    if not isinstance(node, ast.Call) or any(one.arg == 'generator' or _is_meta(one) for one in node.keywords):
        return ''
    full = full_name(node.func, file)
    package, _, name = full.rpartition('.')
    if package == 'torch' and name in _TORCH:
        return full
    if full.startswith(_INIT):
        return full if name.startswith(_INITS) else ''
    if full.startswith(_NUMPY):
        return full if name not in _NUMPY_GENERATORS else ''
    is_method = isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
    return f'.{node.func.attr}' if is_method else ''


def _is_meta(keyword: ast.keyword) -> bool:
    """Whether an argument asks for a tensor without numbers."""
    return keyword.arg == 'device' and isinstance(keyword.value, ast.Constant) and keyword.value.value == 'meta'


def draws_floats(node: ast.AST, file: 'File') -> bool:
    """Whether a node is a call that makes random numbers with a fraction."""
    how = draw(node, file)
    package, _, name = how.rpartition('.')
    if package == 'torch':
        return name in _FLOATS
    return bool(how) and 'int' not in name and name not in ('permutation', 'random_')


def is_of_numpy(how: str) -> bool:
    """Whether what `draw` gave draws from numpy's generator."""
    return how.startswith(_NUMPY)
