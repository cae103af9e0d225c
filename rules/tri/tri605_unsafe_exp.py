# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.floats import all_values
from flakelint.kernel.gates import masked_too_late
from flakelint.rules.tri.places import beside, is_to_tell
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class UnsafeExp(Rule):
    """An exponential that may be infinite where it is multiplied by 0.

    ## What it does
    Flags `tl.exp` and `tl.exp2` of the outer difference of a vector with itself, such as `b_g[:, None] - b_g[None, :]`, where the product with a mask, or with a block that a mask has made 0 on one side of the diagonal, is all that removes that side.

    ## Why is this bad?
    The difference has one sign below the diagonal and the other one above it. Of gates, which add up to ever smaller logarithms, the masked side is the one that grows: beyond 88 `tl.exp` of a `float32` is infinite, and 0 times infinity is NaN. It shows only with strong decay or long chunks, and one NaN spreads over the whole sum.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def gate_fwd_kernel(s, g, o, BT: tl.constexpr):
        o_i = tl.arange(0, BT)
        p_s = s + o_i[:, None] * BT + o_i[None, :]
        b_g = tl.load(g + o_i)
        b_s = tl.where(o_i[:, None] >= o_i[None, :], tl.load(p_s), 0)
        b_s *= tl.exp(b_g[:, None] - b_g[None, :])
        tl.store(o + o_i[:, None] * BT + o_i[None, :], b_s)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def gate_fwd_kernel(s, g, o, BT: tl.constexpr):
        o_i = tl.arange(0, BT)
        p_s = s + o_i[:, None] * BT + o_i[None, :]
        b_g = tl.load(g + o_i)
        b_s = tl.load(p_s) * tl.exp(b_g[:, None] - b_g[None, :])
        b_s = tl.where(o_i[:, None] >= o_i[None, :], b_s, 0)
        tl.store(o + o_i[:, None] * BT + o_i[None, :], b_s)
    ```

    ## Known limits
    - Differences of two vectors, or of one with a reference, are not looked at: what bounds them is not seen.
    - A `tl.where` behind the product removes infinities and NaN alike, and so does one around the difference; both are sound.
    - A vector that is short or changes little never overflows. The kernel does not say so, and the finding can be ignored.
    """

    code = 'TRI605'
    name = 'unsafe-exp'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the exponentials of a kernel that overflow where a product with 0 is to remove them."""
        if 'exp' not in file.text:
            return
        found = masked_too_late(list(all_values(file.model(kernel))))
        for one in sorted(found, key=lambda one: (one.exp.node.lineno, one.exp.node.col_offset)):
            if not is_to_tell(self, one.exp.node, one.exp.frame, file):
                continue
            name = f'`{one.vector.name}`' if one.vector.name else 'the vector'
            message = (
                f'compiles, but `{written(one.exp.node)}` is infinite on one side of the diagonal where {name} changes '
                f'by more than 88, and line {one.product.node.lineno} multiplies it there by 0, which is NaN: '
                'use `tl.where` on the difference or on the product'
            )
            yield self.finding(file.range(one.exp.node), message, related=beside(one.product, 'the product', file))
