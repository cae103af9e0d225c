# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.kernels import AUTOTUNE, HEURISTICS, JIT
from flakelint.kernel.tuning import heuristics

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Decorator, Kernel


class DecoratorOrder(Rule):
    """Decorators of a kernel that stand in an order in which they do not work.

    ## What it does
    Finds, above one function,

    - `triton.jit` above `triton.autotune` or `triton.heuristics`;
    - `triton.heuristics` above `triton.autotune` that compute what the configurations set, or read it;
    - `triton.heuristics` below `triton.autotune` that compute what the configurations set.

    Either of the two may stand above the other otherwise. Heuristics above a tuner are computed once for a launch, and may be in its `key`; those below are computed for each configuration, and may read what it sets.

    ## Why is this bad?
    Decorators work from the bottom: a tuner that stands below `triton.jit` is given a plain function, and raises `AttributeError: 'function' object has no attribute 'arg_names'` when the module is imported. Heuristics above a tuner do not see what it sets (`KeyError` at the launch), and must not set it again (`ValueError: Conflicting meta-parameters`, or `TypeError` with one configuration). Heuristics below it win over the configurations in silence: all of them are measured with the same value.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    @triton.autotune(configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})], key=['n'])
    def copy_kernel(x, y, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x, mask=o_x < n), mask=o_x < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})], key=['n'])
    @triton.jit
    def copy_kernel(x, y, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x, mask=o_x < n), mask=o_x < n)
    ```

    ## Known limits
    - Decorators that wrap Triton's own are not looked at, unless the settings name them.
    - Heuristics whose functions hold more than one expression, and those whose dictionary is not seen, are not looked into.
    - A name in `key` that heuristics below the tuner compute is not told, although the tuner never sees it: mostly the key holds what they read.
    """

    code = 'TRI507'
    name = 'decorator-order'
    severity = 'error'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look at the order of a kernel's decorators."""
        own = [one for one in kernel.decorators if one.role and not one.wraps]
        for place, upper in enumerate(own):
            for lower in own[place + 1:]:
                if upper.role == JIT and lower.role != JIT:
                    yield self._above(upper, lower, kernel, file)
                elif (upper.role, lower.role) == (HEURISTICS, AUTOTUNE):
                    yield from self._computed_first(upper, lower, kernel, file)
                elif (upper.role, lower.role) == (AUTOTUNE, HEURISTICS):
                    yield from self._computed_last(upper, lower, kernel, file)

    def _above(self, jit: 'Decorator', lower: 'Decorator', kernel: 'Kernel', file: 'File') -> 'Finding':
        message = (
            f'`@{jit.name}` stands above `@{lower.name}`, which needs the compiled kernel below it: Triton raises '
            f'AttributeError (`arg_names`) at import; put `@{jit.name}` right above `def {kernel.name}`'
        )
        return self.finding(file.range(jit.node), message, related=[Related(file.range(lower.node), 'this needs the kernel')])

    def _computed_first(self, upper: 'Decorator', tuner: 'Decorator', kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        found = heuristics([upper], kernel.module.definitions)
        related = [Related(file.range(tuner.node), 'the configurations')]
        for name, body in found.items():
            if name in kernel.tuned.every:
                error = 'ValueError (conflicting meta-parameters)' if kernel.tuned.count > 1 else 'TypeError (multiple values)'
                message = (
                    f'the heuristics compute `{name}`, which the configurations below set, too: '
                    f'launching `{kernel.name}` raises {error}'
                )
                yield self.finding(file.range(upper.node), message, related=related)
                continue
            read = next((one for one in _reads(body) if one in kernel.tuned.every and one not in found), None)
            if read is not None:
                message = (
                    f'the heuristic for `{name}` reads `{read}`, which only the configurations below set: launching '
                    f'`{kernel.name}` raises KeyError; put `@{upper.name}` below `@{tuner.name}`'
                )
                yield self.finding(file.range(upper.node), message, related=related)

    def _computed_last(self, tuner: 'Decorator', lower: 'Decorator', kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        for name in heuristics([lower], kernel.module.definitions):
            if name in kernel.tuned.some:
                message = (
                    f'the heuristics compute `{name}`, and what the configurations above set it to is dropped in silence: '
                    f'take `{name}` out of one of them'
                )
                finding = self.finding(file.range(lower.node), message, related=[Related(file.range(tuner.node), 'the tuner')])
                yield finding._replace(severity='warning')


def _reads(body: ast.expr) -> Sequence[str]:
    """The names that a heuristic reads and does not ask for first."""
    nodes = list(ast.walk(body))
    if any(isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops) for node in nodes):
        return []
    read = (node.slice for node in nodes if isinstance(node, ast.Subscript))
    return [one.value for one in read if isinstance(one, ast.Constant) and isinstance(one.value, str)]
