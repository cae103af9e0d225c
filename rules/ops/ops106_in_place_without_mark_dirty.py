# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.autograd import AutogradFunction, context_of, passes_on
from flakelint.kernel.returned import Returns
from flakelint.source.syntax import nodes_in_order
from flakelint.source.unit import TooDeepError

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.input_changes import Change, Inputs
    from flakelint.kernel.launch_calls import LaunchCall


class InPlaceWithoutMarkDirty(Rule):
    """A forward that changes one of its inputs and does not say so.

    ## What it does
    Finds the `forward` of a `torch.autograd.Function` that changes an input in place (`x.add_()`, `x[...] = ...`, `x += ...`, `out=x`, a kernel that stores to it,
    or a function of the same file that does one of these) and never calls `ctx.mark_dirty(x)`.
    Only inputs for which `backward` returns a gradient are looked at: others, such as buffers to write to, are none of autograd's business.

    ## Why is this bad?
    Whatever computed `x` may have saved it for its own backward, and computes its gradient from the new values.
    An operation of PyTorch that changes `x` is at least counted, so that the backward pass fails with an error.
    What a kernel writes is not: the gradients are wrong in silence.
    `mark_dirty` counts the change, and gives the result a place of its own in the graph; it asks that `forward` returns `x`.

    ## Example
    ```python
    import torch


    class ScaleInPlace(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x, scale):
            ctx.scale = scale
            x.mul_(scale)
            return x

        @staticmethod
        def backward(ctx, dx):
            return dx * ctx.scale, None
    ```

    ## Use instead
    ```python
    import torch


    class ScaleInPlace(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x, scale):
            ctx.scale = scale
            x.mul_(scale)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, dx):
            return dx * ctx.scale, None
    ```

    ## Known limits
    Functions of other files are not followed, nor are stores of a kernel under a compile-time flag that the launch does not write out.
    Where `backward` does not show which gradients it returns, nothing is reported.
    """

    code = 'OPS106'
    name = 'in-place-without-mark-dirty'
    severity = 'warning'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look for inputs that the autograd functions of a file change."""
        if 'Function' not in file.text or 'backward' not in file.text:
            return
        around = _Around(file)
        for function in file.autograd_functions:
            if {'forward', 'backward'} <= function.methods.keys() and not function.is_abstract:
                yield from self._check(function, around, file)

    def _check(self, function: AutogradFunction, around: '_Around', file: 'File') -> 'Iterator[Finding]':
        from flakelint.kernel.input_changes import Inputs

        inputs = Inputs(function.methods['forward'], around)
        if not inputs.changes:
            return
        marked = _marked(function, inputs)
        gradients = _with_gradient(function, file)
        seen = set() if marked is None else marked
        groups: dict[int, list[Change]] = {}
        for change in inputs.changes if marked is not None else ():
            if change.parameter in gradients - seen:
                seen.add(change.parameter)
                groups.setdefault(id(change.node), []).append(change)
        for changes in groups.values():
            is_returned = all(change.parameter in inputs.returned for change in changes)
            yield self._finding(changes, function, is_returned, file)

    def _finding(self, changes: 'list[Change]', function: AutogradFunction, is_returned: bool, file: 'File') -> 'Finding':
        names = [change.parameter for change in changes]
        inputs = ' and '.join(f'`{name}`' for name in names)
        call = f'`ctx.mark_dirty({", ".join(names)})`'
        one, them = ('input', 'it') if len(names) == 1 else ('inputs', 'them')
        what = f'`{function.definition.name}.forward` changes its {one} {inputs} in place ({changes[0].how}) without {call}'
        why = f'what saved {them} before computes its gradient from the new values'
        advice = f'call {call}' if is_returned else f'work on a copy, or call {call} and return {them}'
        return self.finding(file.range(changes[0].node), f'{what}: {why}; {advice}')


class _Around:
    """The file in which an autograd function stands."""

    def __init__(self, file: 'File') -> None:
        self._file = file

    def launched(self, call: ast.Call) -> 'LaunchCall | None':
        """The launch that a call is."""
        return self._launches.get(id(call))

    def called(self, call: ast.Call) -> ast.FunctionDef | None:
        """The plain function of the file that a call calls."""
        return self._functions.get(getattr(call.func, 'id', ''))

    def stored(self, launch: 'LaunchCall') -> set[str]:
        """The parameters of its kernel to which a launch stores."""
        from flakelint.kernel.input_changes import stored_parameters

        try:
            return stored_parameters(self._file.model(launch.kernel).accesses, launch.launch)
        except TooDeepError:
            return set()

    @cached_property
    def _launches(self) -> 'dict[int, LaunchCall]':
        return {id(one.node): one for one in self._file.launch_calls}

    @cached_property
    def _functions(self) -> dict[str, ast.FunctionDef]:
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in self._file.statements:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
        return {name: nodes[0] for name, nodes in found.items() if len(nodes) == 1}


def _marked(function: AutogradFunction, inputs: 'Inputs') -> set[str] | None:
    """The inputs that are marked; None where that is not seen."""
    found: set[str] = set()
    for method in (function.methods[name] for name in ('forward', 'setup_context') if name in function.methods):
        for node in nodes_in_order(method.body):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'mark_dirty':
                if method.name != 'forward' or any(isinstance(one, ast.Starred) for one in node.args):
                    return None
                found |= {one.id for one in node.args if isinstance(one, ast.Name)} | {inputs.root(one) for one in node.args}
        if passes_on(method, context_of(method)):
            return None
    return found


def _with_gradient(function: AutogradFunction, file: 'File') -> set[str]:
    """The inputs for which `backward` returns something other than None."""
    returns = Returns(function.methods['backward'], file.bindings)
    found = set()
    for values in filter(None, map(returns.values, returns.nodes)):
        for parameter, value in zip(function.arguments, values, strict=False):
            if not (isinstance(value, ast.Constant) and value.value is None):
                found.add(parameter.arg)
    return found
