# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where a kernel uses a name of Triton's language, and whether it only does so for some releases."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.api import LANGUAGE, Api
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

# what a condition says that chooses by the release or by the backend
_CHOOSES = re.compile(
    r'(?i)hasattr|getattr|version|triton|is_\w*available|support|(?:^|[^a-z])(?:hip|amd|rocm|xpu|npu|cuda|nvidia)',
)
# what folders are called whose kernels are for the Triton of another vendor, which is older or has names of its own
_VENDORS = frozenset({
    'ascend', 'biren', 'camb', 'cambricon', 'cann', 'enflame', 'gcu', 'hcu', 'hygon', 'iluvatar', 'ixformer', 'kunlunxin',
    'maca', 'metax', 'mlu', 'mthreads', 'musa', 'npu', 'spacemit', 'sunrise', 'tsingmicro', 'xpu',
})


class Use(NamedTuple):
    """A name of a module of Triton's that a kernel uses.

    Args:
        node (ast.expr):
            The name, from its first part up to the name in the module.
        module (str):
            The module.
        name (str):
            Its name there.
        call (ast.Call | None):
            The call, where it is called.
    """

    node: ast.expr
    module: str
    name: str
    call: ast.Call | None


def uses(kernel: 'Kernel', api: Api) -> Iterator[Use]:
    """The public names of Triton's language that a kernel uses."""
    calls = {id(call.func): call for call in kernel.calls}
    bound = kernel.assigned.union(parameter.name for parameter in kernel.parameters)
    for node in kernel.body:
        name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if name is None or name.partition('.')[0] in bound:
            continue
        module, _, last = kernel.bindings.resolve(name).rpartition('.')
        # a prefix such as `tl.math` of `tl.math.exp` is a name too
        if api.knows(module) and (module == LANGUAGE or not last.startswith('_')) and not last.startswith('__'):
            yield Use(node, module, last, calls.get(id(node)))


def is_chosen(kernel: 'Kernel', node: ast.AST) -> bool:
    """Whether a kernel, or an expression in it, is one side of a choice between releases or backends, as far as that is written in its file or its path."""
    if is_for_vendor(kernel.path):
        return True
    if isinstance(node, ast.Attribute) and re.search(rf'hasattr\(.*?,\s*[\'"]{node.attr}[\'"]', kernel.module.file.text):
        return True
    tests = [*_tests_around(list(kernel.unit.nodes), kernel.definition), *_tests_around(kernel.definition.body, node)]
    return any(_CHOOSES.search(ast.unparse(test)) for test in tests)


def is_for_vendor(path: str) -> bool:
    """Whether a file holds kernels for the Triton of another vendor, by the names of its folders."""
    return not _VENDORS.isdisjoint(re.split(r'[/_.]', path.lower()))


def _tests_around(statements: list[ast.AST], node: ast.AST) -> Iterator[ast.expr]:
    """The conditions of the branches in which a node stands."""
    below: ast.AST | None = next((one for one in statements if _holds(one, node)), None)
    while below is not None and below is not node:
        if isinstance(below, ast.If | ast.IfExp) and not _holds(below.test, node):
            yield below.test
        elif isinstance(below, ast.BoolOp):
            yield from (value for value in below.values if not _holds(value, node))
        below = next((one for one in ast.iter_child_nodes(below) if _holds(one, node)), None)


def _holds(outer: ast.AST, node: ast.AST) -> bool:
    return any(one is node for one in ast.walk(outer))
