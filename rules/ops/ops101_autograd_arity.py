# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.arity import Mismatch, mismatches
from flakelint.kernel.autograd import AutogradFunction
from flakelint.kernel.returned import Returns

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_MAX_NAMED = 8


class AutogradArity(Rule):
    """A backward that does not return one gradient for each argument of `apply`.

    ## What it does
    Counts the values that `backward` of a `torch.autograd.Function` returns, at each of its returns,
    and compares them with the arguments that `apply` is given where the repository calls it.
    An argument that a call leaves to the default of `forward` gets no gradient, and is not counted.
    Where no call is seen, `forward` says how many arguments there are at least and at most.

    Surplus values are fine where they are `None`: PyTorch drops them.

    ## Why is this bad?
    PyTorch raises `RuntimeError`, "returned an incorrect number of gradients",
    and only when the backward pass runs: a parameter that was added to `forward`, but not to the end of `backward`,
    goes unnoticed as long as nobody trains.

    ## Example
    ```python
    import torch


    class Scale(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x, scale, inplace):
            ctx.scale = scale
            return x * scale

        @staticmethod
        def backward(ctx, dy):
            return dy * ctx.scale, None


    def scale(x, scale=2.0):
        return Scale.apply(x, scale, False)
    ```

    ## Use instead
    ```python
    import torch


    class Scale(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x, scale, inplace):
            ctx.scale = scale
            return x * scale

        @staticmethod
        def backward(ctx, dy):
            return dy * ctx.scale, None, None


    def scale(x, scale=2.0):
        return Scale.apply(x, scale, False)
    ```

    ## Known limits
    Only classes that derive directly from `torch.autograd.Function` are looked at, and only returns that show how many values they give:
    a tuple that is computed, or the outcome of a function, is not counted.
    Calls with `*` or with keywords do not show how many arguments there are,
    and neither do calls through `apply` under a name that another file gave it.
    """

    code = 'OPS101'
    name = 'autograd-arity'
    severity = 'error'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Count what the autograd functions of a file return."""
        if 'Function' not in file.text or 'backward' not in file.text:
            return
        for function in file.autograd_functions:
            if {'forward', 'backward'} <= function.methods.keys() and not function.is_abstract:
                yield from self._check(function, file)

    def _check(self, function: AutogradFunction, file: 'File') -> 'Iterator[Finding]':
        returns = Returns(function.methods['backward'], file.bindings)
        uses = file.repository.host(file.module).applications(function.name)
        for mismatch in mismatches(function, returns, uses):
            yield self._finding(mismatch, function, file)

    def _finding(self, mismatch: Mismatch, function: AutogradFunction, file: 'File') -> 'Finding':
        name = function.definition.name
        what = f'`{name}.backward` returns {_counted(mismatch.count, "value")}'
        if mismatch.line:
            place = f'line {mismatch.line}' if mismatch.path == file.path else f'{mismatch.path}:{mismatch.line}'
            why = f'`apply` is given {_counted(mismatch.expected, "argument")} ({place})'
        else:
            bound = 'at least' if mismatch.count < mismatch.expected else 'at most'
            why = f'`forward` takes {bound} {_counted(mismatch.expected, "argument")} besides the context'
        names = [one.arg for one in function.arguments[:mismatch.expected]]
        each = f'each of `{", ".join(names)}`' if len(names) <= _MAX_NAMED else 'each argument'
        counts = f'expected {mismatch.expected}, got {mismatch.count}'
        error = f'PyTorch raises RuntimeError, "incorrect number of gradients ({counts})"'
        advice = f'return one value for {each}, `None` where there is no gradient'
        forward = function.methods['forward']
        parameter = (function.arguments or [forward])[0]
        related = [Related(file.range(parameter), 'the arguments of `apply`')]
        return self.finding(file.range(mismatch.node), f'{what}, but {why}: {error}; {advice}', related=related)


def _counted(count: int, word: str) -> str:
    return f'{count} {word}{"" if count == 1 else "s"}'
