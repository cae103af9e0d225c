# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Types that a kernel names as PyTorch does."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.reached import left_out
from flakelint.project.imports import dotted
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_LANGUAGE = 'triton.language.'
_METHODS = frozenset({'cast', 'to'})
_KEYWORDS = frozenset({'dtype', 'out_dtype'})
# where a dtype stands among the arguments
_PLACES = {'cast': 1, 'full': 2, 'zeros': 1}


def foreign_dtypes(kernel: 'Kernel') -> Iterator[tuple[ast.expr, str]]:
    """The dtypes of PyTorch, and the names of some, that are given to functions of the language, with what Triton does."""
    skipped = None
    for call in kernel.calls:
        for node in _given(call, kernel):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            name = node.value if is_text else kernel.bindings.resolve(dotted(node) or '')
            if not is_text and not name.startswith('torch.'):
                continue
            skipped = left_out(kernel) if skipped is None else skipped
            if id(node) not in skipped:
                name = name.removeprefix('torch.')
                known = f': write `tl.{name}`' if name in types.LANGUAGE_TYPES else ''
                yield node, f'`{written(node)}` is no dtype in a kernel, and Triton raises AttributeError{known}'


def _given(call: ast.Call, kernel: 'Kernel') -> Iterator[ast.expr]:
    """What is given for a dtype."""
    full = kernel.bindings.resolve(dotted(call.func) or '')
    place = _PLACES.get(full.removeprefix(_LANGUAGE)) if full.startswith(_LANGUAGE) else None
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS and not full.startswith('triton.')
    place = 0 if is_method else place
    if place is None and not full.startswith(_LANGUAGE):
        return
    before = call.args[:place + 1] if place is not None else []
    if place is not None and place < len(call.args) and not any(isinstance(one, ast.Starred) for one in before):
        yield call.args[place]
    yield from (one.value for one in call.keywords if one.arg in _KEYWORDS)
