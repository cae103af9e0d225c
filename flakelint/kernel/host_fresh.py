# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which tensors of host code hold no values yet.

A tensor that was made without values counts as fresh until its variable is used for anything but its shape, its kind or its place. Whatever that use is, it may give the tensor values, or another name under which it gets them.
"""

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from flakelint.kernel.host_values import Value

# what a tensor tells without its values, and without giving away its memory
_FACTS = frozenset({
    'device', 'dim', 'dtype', 'element_size', 'is_contiguous', 'is_cuda', 'layout', 'ndim', 'ndimension', 'nelement', 'numel',
    'shape', 'size', 'stride',
})


def spoil(node: ast.AST, env: Mapping[str, Value], times: int = 1) -> None:
    """Take it that the fresh tensors whose variables some code uses, so many times at least, hold values from there on."""
    fresh = {name: value.tensor for name, value in env.items() if value.may_be_tensor and value.tensor.is_fresh}
    for name, count in _uses(node).items() if fresh else ():
        if name in fresh and count >= times:
            fresh[name].is_fresh = False


def as_taken(value: Value, expression: ast.AST) -> Value:
    """A value as a launch in an expression takes it: fresh if it is a fresh tensor that the expression uses for nothing else."""
    if not (value.may_be_tensor and value.tensor.is_fresh):
        return value
    return replace(value, fresh=_uses(expression)[value.tensor.name] == 1)


def _uses(node: ast.AST) -> Counter[str]:
    """How often some code uses each variable for more than facts that have nothing to do with its values."""
    found: Counter[str] = Counter()
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Name):
            found[one.id] += 1
        elif not (isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.attr in _FACTS):
            stack.extend(ast.iter_child_nodes(one))
    return found
