# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.decisions import by_syntax
from flakelint.kernel.definedness import COUNTER, Flow

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class LoopVariableAfterLoop(Rule):
    """The counter of a loop is read behind the loop.

    ## What it does
    Flags a reading of the counter of a `for` over `range` or `tl.range` behind that loop, unless something was bound to the name in between.

    ## Why is this bad?
    In Python a counter keeps its last value. Triton compiles the kernel without a word, and the counter is poison behind the loop: the compiler may put any value in its place, and drop what depends on it. That holds even if the name had a value before the loop. Triton's interpreter does what Python does, so that nothing is seen there.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def last_fwd_kernel(x, y, n):
        total = 0.0
        for i in range(n):
            total += tl.load(x + i)
        tl.store(y + i, total)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def last_fwd_kernel(x, y, n):
        total = 0.0
        last = 0
        for i in range(n):
            total += tl.load(x + i)
            last = i
        tl.store(y + last, total)
    ```

    ## Known limits
    A loop over `tl.static_range` is unrolled, and its counter keeps its last value.
    Where a loop stands in one branch of a condition, and the name has a value in the other, nothing is said.
    """

    code = 'TRI306'
    name = 'loop-variable-after-loop'
    severity = 'warning'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the counters of a kernel's loops that are read behind their loops."""
        if not any(isinstance(node, ast.For) for node in kernel.body):
            return
        for reading in Flow(kernel, by_syntax(kernel)).run():
            if reading.loss.kind == COUNTER:
                name, line = reading.node.id, reading.loss.statement.lineno
                message = (
                    f'`{name}` is the counter of the loop in line {line} and poison behind it: Triton compiles it, and puts '
                    'any value there; in the loop, give its value to another name, which has one before the loop'
                )
                related = [Related(file.range(reading.loss.statement.target), f'`{name}` counts here')]
                yield self.finding(file.range(reading.node), message, related=related)
