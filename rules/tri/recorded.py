# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the expressions of a function are, over all ways in which the kernels of its file come to it."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from flakelint.kernel.graph import each_value
from flakelint.kernel.tensors import is_decided_late, is_tensor
from flakelint.rules.tri.mask_operands import callers_of, takes_scalars

if TYPE_CHECKING:
    import ast

    from flakelint.engine.context import File
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.graph import Cases, Value
    from flakelint.kernel.kernels import Kernel

Seen = dict[int, 'list[tuple[Frame, Value | Cases]]']


def values_of(nodes: 'Collection[ast.AST]', kernel: 'Kernel', file: 'File') -> Seen:
    """The values of some expressions of a function, by the identity of the expression.

    A helper is looked at as the kernels of the file call it, and by itself where none comes to an expression.

    Args:
        nodes (Collection[ast.AST]):
            The expressions; nothing is worked out where there are none.
        kernel (Kernel):
            The function in which they stand.
        file (File):
            Its file.
    """
    if not nodes:
        return {}
    wanted = {id(node) for node in nodes}
    found = _values(wanted, callers_of(kernel, file), file)
    left = wanted - found.keys()
    return found | _values(left, [kernel], file) if left else found


def is_late(node: 'ast.expr', seen: Seen, file: 'File') -> bool:
    """Whether a condition is one of the run time, wherever it is asked."""
    found = [(frame, one) for frame, value in seen.get(id(node), ()) for one in each_value([value])]
    return bool(found) and all(is_tensor(one) or (is_decided_late(one) and is_launched(frame, file)) for frame, one in found)


def is_launched(frame: 'Frame', file: 'File') -> bool:
    """Whether what calls a function in the end is a kernel, whose arguments are no blocks."""
    while frame.caller is not None:
        frame = frame.caller
    return takes_scalars(frame.kernel, file)


def _values(wanted: set[int], kernels: 'list[Kernel]', file: 'File') -> Seen:
    found: Seen = {}
    for kernel in kernels:
        for node, frame, value in file.model(kernel).record:
            if id(node) in wanted:
                found.setdefault(id(node), []).append((frame, value))
    return found
