# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which kernels of a file are launched, and which are helpers that other kernels call."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from flakelint.kernel.kernels import AUTOTUNE, HEURISTICS, Kernel
from flakelint.source.syntax import nodes_in_order

_RUN_METHODS = frozenset({'run', 'warmup'})
_STORE = re.compile(r'store|atomic_[a-z]+')


class Launches:
    """How a file uses the functions that Triton compiles.

    Args:
        statements (Iterable[ast.stmt]):
            The statements of the file.
        kernels (Sequence[Kernel]):
            Its kernels.
    """

    def __init__(self, statements: Iterable[ast.stmt], kernels: Sequence[Kernel]) -> None:
        names = {kernel.name for kernel in kernels}
        self._launched: set[str] = set()
        self._used_in_kernels: set[str] = set()
        self._entry_points: set[ast.FunctionDef] = set()
        for kernel in kernels:
            words = set(_names_in(kernel))
            self._used_in_kernels.update(words & names - {kernel.name})
            has_constants = any(parameter.is_constexpr for parameter in kernel.parameters)
            if has_constants and 'program_id' in words and any(map(_STORE.fullmatch, words)):
                self._entry_points.add(kernel.definition)
        self._launched.update(name for name in map(_launched_name, nodes_in_order(statements)) if name in names)

    def is_launched(self, kernel: Kernel) -> bool:
        """Whether a kernel is evidently launched from the host; a helper is not, nor is one of which nothing is known.

        The evidence is a launch in the file, a tuner, or a constant, a program id and a store in a kernel that no other one uses.
        """
        if kernel.name in self._launched or kernel.decorator(AUTOTUNE) or kernel.decorator(HEURISTICS):
            return True
        return kernel.definition in self._entry_points and kernel.name not in self._used_in_kernels


def _names_in(kernel: Kernel) -> Iterator[str]:
    """The names and attributes that the body of a function mentions."""
    for node in kernel.body:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _launched_name(node: ast.AST) -> str | None:
    """The name that `name[grid](...)`, `name.run(...)` or `name.warmup(...)` launches."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Subscript):
        target = node.func.value
        # a wrapper such as `wrap_triton(name)[grid](...)`
        if isinstance(target, ast.Call) and len(target.args) == 1:
            target = target.args[0]
    elif isinstance(node.func, ast.Attribute) and node.func.attr in _RUN_METHODS:
        target = node.func.value
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None
