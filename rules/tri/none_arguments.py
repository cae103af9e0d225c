# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Accesses that every variant of a kernel makes, so that no launch may pass `None` for their pointer."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel.exact import bases
from flakelint.kernel.graph import each_value
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel

_KINDS = ('load', 'store', 'atomic')


def unguarded(name: str, kernel: 'Kernel', file: 'File') -> 'Access | None':
    """The first access through a parameter that no flag, branch or early return keeps from being compiled."""
    if name in kernel.assigned or any(isinstance(node, ast.Return) and id(node) in kernel.branched for node in kernel.body):
        return None
    model = file.model(kernel)
    loops = [node for node in kernel.body if isinstance(node, ast.For | ast.While)]
    inner = kernel.branched.union(map(id, nodes_in_order(loops)))
    for access in model.accesses:
        is_plain = access.kind in _KINDS and access.frame is model.frame and not access.guard
        if is_plain and id(access.node) not in inner and {name} == _bases(access):
            return access
    return None


def _bases(access: 'Access') -> set[str]:
    return {one for address in each_value([access.address]) for one in bases(address)}
