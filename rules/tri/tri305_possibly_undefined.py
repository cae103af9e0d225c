# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.conditions import in_words
from flakelint.kernel.decisions import by_model, by_syntax
from flakelint.kernel.definedness import ANNOTATED, BRANCH, COUNTER, FLAG, LATER, LOOP, Flow
from flakelint.project.imports import last_name
from flakelint.rules.tri.places import takes_arguments

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.definedness import Reading
    from flakelint.kernel.kernels import Kernel

_REASONS = {
    BRANCH: 'is bound in one branch alone of the condition in line {line}, which is decided at run time, and is gone behind '
            'it: bind it in both branches, or before',
    ANNOTATED: 'is a `tl.constexpr` of a branch of the condition in line {line}, which is decided at run time, and is gone '
               'behind it: bind it in both branches without the annotation',
    LOOP: 'is bound for the first time in the loop in line {line}, and is gone behind it: bind it before the loop',
    LATER: 'is read before anything is bound to it, which line {line} does first',
}


class PossiblyUndefined(Rule):
    """A name that is read where Triton knows no value for it.

    ## What it does
    Follows the names of a kernel as Triton does, and flags the first reading of one that is bound

    - in one branch of an `if` that is decided at run time, and read behind it;
    - for the first time in a `for` or `while`, and read behind it;
    - only below, as in a loop that reads what its previous round has left;
    - only where a compile-time flag is set, and read where it need not be.

    ## Why is this bad?
    The kernel does not compile: `NameError: y is not defined`. Triton compiles both branches of a condition of the run time, whatever its value will be, and keeps behind it only the names that both of them bind; a second `if` with the same condition does not help. Where a flag decides, the kernel compiles until someone launches it without the flag. Triton's interpreter does what Python does, and accepts all of these.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def mean_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        if n > 1:
            scale = 1.0 / n
        tl.store(y + o, b_x * scale, mask=o < n)
    ```

    What a loop binds is gone behind it:

    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def last_fwd_kernel(x, y, n):
        for i in range(n):
            v = tl.load(x + i)
        tl.store(y, v)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def mean_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        scale = 1.0
        if n > 1:
            scale = 1.0 / n
        tl.store(y + o, b_x * scale, mask=o < n)
    ```

    ## Known limits
    - Where it is not certain that a condition is decided at run time, nothing is said of it: one on an argument of a helper, which may be a constant, or on what a function gives that is not followed.
    - Of flags only the plain case is told: a name that is bound under one flag, and read where no other condition stands in the way. What is bound under one of several conditions may be bound under all that occur.
    - A name that is declared without a value, as in `acc: tl.tensor`, may get one from whoever reads the source first, and is taken to have one.
    - A name that the module binds too, or that is a built-in one, is another value instead, and not flagged.
    """

    code = 'TRI305'
    name = 'possibly-undefined'
    severity = 'error'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the names of a kernel that hold nothing where they are read."""
        # most kernels need no model for that
        if not any(_is_to_tell(reading, kernel) for reading in Flow(kernel, by_syntax(kernel)).run()):
            return
        decide = by_model(kernel, file.model(kernel), takes_arguments(kernel, file))
        asserted = _asserted(kernel)
        for reading in Flow(kernel, decide).run():
            if _is_to_tell(reading, kernel) and not any(_flag(text) in asserted for text, _ in reading.missing):
                yield self._finding(reading, file)

    def _finding(self, reading: 'Reading', file: 'File') -> 'Finding':
        loss, name = reading.loss, reading.node.id
        reason = _without_flag(reading) if loss.kind == FLAG else _REASONS[loss.kind].format(line=loss.statement.lineno)
        related = [Related(file.range(loss.binding), f'`{name}` is bound here')]
        return self.finding(file.range(reading.node), f'Triton raises NameError: `{name}` {reason}', related=related)


def _without_flag(reading: 'Reading') -> str:
    words = ' and '.join(in_words(reading.missing))
    return (
        f'is bound in line {reading.loss.binding.lineno} only where {words}, and is read where it is not: '
        'bind it in the other case, or ask for the flag here too'
    )


def _is_to_tell(reading: 'Reading', kernel: 'Kernel') -> bool:
    name = reading.node.id
    if reading.loss.kind == COUNTER or hasattr(builtins, name) or _is_outside(name, kernel):
        return False
    missing = [_flag(text) for text, _ in reading.missing]
    return reading.loss.kind != FLAG or (bool(missing) and all(map(str.isidentifier, missing)))


def _is_outside(name: str, kernel: 'Kernel') -> bool:
    """Whether a name means something outside the kernel as well."""
    definitions = kernel.module.definitions
    return kernel.bindings.resolve(name) != name or name in definitions.values or name in definitions.functions


def _flag(text: str) -> str:
    """The name of a plain flag, which is there to be either, in a condition; that something is None is one as well."""
    return text.removesuffix(' is None')


def _asserted(kernel: 'Kernel') -> set[str]:
    """The names in the static assertions of a kernel."""
    calls = (call for call in kernel.calls if last_name(call.func) == 'static_assert')
    return {node.id for call in calls for node in ast.walk(call) if isinstance(node, ast.Name)}
