# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Calls that compare tensors within a tolerance."""

import ast
from typing import TYPE_CHECKING

from flakelint.project.imports import last_name
from flakelint.rules.tst.suite import full_name

if TYPE_CHECKING:
    from flakelint.engine.context import File

_CLOSE = frozenset({
    'allclose', 'assertAllClose', 'assert_all_close', 'assert_allclose', 'assert_almost_equal', 'assert_array_almost_equal',
    'assert_close', 'isclose',
})
_SCALARS = ('math.', 'cmath.')


def is_exact(call: ast.Call) -> bool:
    """Whether both tolerances of a comparison are zero."""
    given = {one.arg: getattr(one.value, 'value', None) for one in call.keywords}
    return given.get('rtol') == 0 and given.get('atol') == 0


def is_comparison(node: ast.AST, file: 'File') -> bool:
    """Whether a node is a call that compares tensors within a tolerance."""
    if not isinstance(node, ast.Call):
        return False
    full = full_name(node.func, file) or last_name(node.func)
    return full.rpartition('.')[2] in _CLOSE and not full.startswith(_SCALARS) and not is_exact(node)
