# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.forwarding import Dropped, Forwarding, Swapped
from flakelint.kernel.host_functions import imports_in
from flakelint.project.imports import last_name

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

# decorators that are not put on a function because of its signature
_PLAIN = frozenset({
    'checkpoint', 'compile', 'contiguous', 'deprecate_kwarg', 'disable', 'dispatch', 'ensure_contiguous', 'input_guard',
    'lru_cache', 'no_grad', 'require_version', 'tensor_cache',
})


class WrapperForwarding(Rule):
    """A function that does not hand a parameter on, or hands parameters on in another order.

    ## What it does
    Looks at functions that call other functions of the repository, or `apply` of its autograd functions, and finds

    - a parameter that is never read, while a function that is called takes one of the same name and is left with its default;
    - parameters handed on by their place that stand in each other's places, by the names in the signature of what is called.

    A parameter that is read only to give it a value, as in `if scale is None: scale = 1.0`, or to check it, counts as never read.

    ## Why is this bad?
    Whatever a caller passes is ignored in silence, or taken for something else.
    It happens where a parameter is added, moved or renamed, and not all call sites are swept.

    ## Example
    ```python
    def decay_fwd(q, k, v, scale=1.0, reverse=False):
        return (q @ k.transpose(-1, -2)) @ v * scale


    def decay(q, k, v, scale=None, reverse=False):
        if scale is None:
            scale = k.shape[-1] ** -0.5
        return decay_fwd(q, v, k, reverse=reverse)
    ```

    ## Use instead
    ```python
    def decay_fwd(q, k, v, scale=1.0, reverse=False):
        return (q @ k.transpose(-1, -2)) @ v * scale


    def decay(q, k, v, scale=None, reverse=False):
        if scale is None:
            scale = k.shape[-1] ** -0.5
        return decay_fwd(q, k, v, scale=scale, reverse=reverse)
    ```

    ## Known limits
    Only functions at the top of a module are looked at: methods may have to take what others need.
    Functions that a decorator registers, and those with more than two parameters that they do not use, have the signature that others ask for.
    Parameters that are read, but not handed on, are left alone, as are arguments by keyword: `f(q=k, k=q)` says what it does.
    """

    code = 'OPS107'
    name = 'wrapper-forwarding'
    severity = 'warning'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Compare the parameters of functions with those of what they call."""
        compiled = {kernel.definition for kernel in file.kernels}
        for node in file.statements:
            if isinstance(node, ast.FunctionDef) and node not in compiled and all(map(_keeps_signature, node.decorator_list)):
                host = file.repository.host(file.module)
                forwarding = Forwarding(node, host, imports_in(node.body, host.names))
                yield from (self._dropped(one, node, file) for one in forwarding.dropped())
                yield from (self._swapped(one, node, file) for one in forwarding.swapped())

    def _dropped(self, dropped: Dropped, node: ast.FunctionDef, file: 'File') -> 'Finding':
        name = dropped.parameter.arg
        what = f'`{node.name}` takes `{name}` and never uses it'
        why = f'`{dropped.callee.name}`, called on line {dropped.call.lineno}, takes it too and is left with its default'
        message = f'{what}, but {why}: what a caller passes is ignored; hand `{name}` on, or remove it'
        return self.finding(file.range(dropped.parameter), message)

    def _swapped(self, swapped: Swapped, node: ast.FunctionDef, file: 'File') -> 'Finding':
        given = ', '.join(f'`{name}` to `{parameter}`' for name, parameter in swapped.pairs)
        what = f'`{node.name}` hands {given} of `{swapped.callee.name}`, by their place'
        message = f'{what}: the signature has them in another order; follow it, or write `name=` where it is meant so'
        return self.finding(file.range(swapped.call), message)


def _keeps_signature(decorator: ast.expr) -> bool:
    """Whether a decorator does not ask for certain parameters, as those do that register an operator."""
    return last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) in _PLAIN
