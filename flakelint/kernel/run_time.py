# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which expressions of a kernel are known only when it runs, as far as that is evident without types."""

import ast
from functools import cached_property

from flakelint.kernel.kernels import Kernel
from flakelint.project.imports import dotted
from flakelint.project.meanings import target_names
from flakelint.source.expressions import defaults_of

_MAX_DEPTH = 8
# what is of the run time whatever it is given
_LOADED = frozenset({
    'triton.language.arange', 'triton.language.load', 'triton.language.num_programs', 'triton.language.program_id',
})


class RunTime:
    """Tells run-time values of a kernel from constants.

    Args:
        kernel (Kernel):
            The kernel.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        # a parameter with a default may be left to be a constant
        with_default = defaults_of(kernel.definition.args)
        self._parameters = {
            one.name for one in kernel.parameters if not one.is_constexpr and one.name not in with_default
        }

    def holds(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is certainly of the run time."""
        if depth > _MAX_DEPTH:
            return False
        if isinstance(node, ast.Name):
            values = self._values.get(node.id)
            if values is None:
                return node.id in self._parameters
            is_free = node.id in self._parameters or all(one.name != node.id for one in self._kernel.parameters)
            return is_free and None not in values and all(self.holds(value, depth + 1) for value in values)
        if isinstance(node, ast.BinOp):
            return self.holds(node.left, depth + 1) or self.holds(node.right, depth + 1)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == 'to':
                return self.holds(node.func.value, depth + 1)
            return self._kernel.bindings.resolve(dotted(node.func) or '') in _LOADED
        return False

    @cached_property
    def _values(self) -> dict[str, list[ast.expr | None]]:
        """What is bound to each local name; None for what is not a plain assignment."""
        found: dict[str, list[ast.expr | None]] = {}
        for node in self._kernel.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.NamedExpr):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for name in target_names(target):
                        found.setdefault(name, []).append(None)
        return found
