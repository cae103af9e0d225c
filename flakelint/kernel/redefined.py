# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Names that are declared as `tl.constexpr` where they exist already."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel.bindings import bound_in
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_STATIC_RANGES = frozenset({'triton.language.static_range', 'triton.language.core.static_range'})


def redefined(kernel: 'Kernel') -> Iterator[tuple[ast.AnnAssign, str]]:
    """The declarations of a kernel that Triton refuses, with the reason."""
    if not any(isinstance(node, ast.AnnAssign) for node in kernel.body):
        return
    names = {one.name: 'an argument' for one in kernel.parameters}
    yield from _Block(kernel).in_order(kernel.definition.body, names, '')


class _Block:
    """Goes through the statements of a kernel."""

    def __init__(self, kernel: 'Kernel') -> None:
        self._kernel = kernel

    def in_order(
        self, statements: list[ast.stmt], known: dict[str, str], again: str,
    ) -> Iterator[tuple[ast.AnnAssign, str]]:
        """The declarations in a block of names that exist on every way there, or that its own loop made."""
        names = dict(known)
        for statement in statements:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                if statement.value is not None and self._is_constexpr(statement):
                    how = f'is {names[name]} already' if name in names else again
                    if how:
                        text = f'`{name}` {how}: Triton refuses to declare a `tl.constexpr` twice; give it a name of its own'
                        yield statement, text
                if statement.value is not None:
                    names[name] = f'bound in line {statement.lineno}'
            elif isinstance(statement, ast.For) and self._is_static(statement):
                rounds = 'is declared in every round of the unrolled loop' if _repeats(statement.iter) else ''
                yield from self.in_order(statement.body, names, rounds)
            elif isinstance(statement, ast.For | ast.While | ast.If | ast.With):
                for block in (statement.body, getattr(statement, 'orelse', [])):
                    yield from self.in_order(block, names, '')
            elif isinstance(statement, ast.Assign | ast.AugAssign):
                names.update(dict.fromkeys(bound_in([statement]), f'bound in line {statement.lineno}'))

    def _is_constexpr(self, statement: ast.AnnAssign) -> bool:
        name = self._kernel.bindings.resolve(dotted(statement.annotation) or '')
        return name.startswith('triton.') and name.endswith('.constexpr')

    def _is_static(self, statement: ast.For) -> bool:
        call = statement.iter
        return isinstance(call, ast.Call) and self._kernel.bindings.resolve(dotted(call.func) or '') in _STATIC_RANGES


def _repeats(call: ast.Call) -> bool:
    """Whether a loop is certainly unrolled more than once."""
    numbers = [one.value for one in call.args if isinstance(one, ast.Constant) and type(one.value) is int]
    return len(numbers) == len(call.args) > 0 and len(range(*numbers)) > 1
