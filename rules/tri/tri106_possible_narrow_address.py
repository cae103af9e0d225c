# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.addresses import POSSIBLE
from flakelint.rules.tri.address_findings import report

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class PossibleNarrowAddress(Rule):
    """The arithmetic of an address wraps in 32 bits, at sizes that few launches reach or that nothing else in the kernel speaks for.

    ## What it does
    As `narrow-address`, with the *possible* sizes of `[tool.flakelint.assume]` in place of the tight ones, with products in which there is no index (`B * T` as the stride of a split), and with indices that wrap under the tight sizes where neither the kernel nor its launches speak for them: the rows of a kernel for inference alone or of one that nothing launches, an expert, a slot or a group with the stride of an outer dimension, a tensor that is only written, what one program counts by itself. What `narrow-address` reports is not reported again. Masks are not trusted to keep an index small here.

    ## Why is this bad?
    See `narrow-address`. The rule is off by default: about half of what it finds cannot happen with the sizes that a project has. It is there for a review before sizes grow, and for repositories that cast every index.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_splits_fwd_kernel(partial, out, B, T, n_splits, D: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        o_d = tl.arange(0, D)
        p_split = partial + row * D + o_d
        total = tl.zeros([D], dtype=tl.float32)
        for _ in range(n_splits):
            total += tl.load(p_split)
            p_split += B * T * D
        tl.store(out + row * D + o_d, total)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_splits_fwd_kernel(partial, out, B, T, n_splits, D: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        o_d = tl.arange(0, D)
        p_split = partial + row * D + o_d
        total = tl.zeros([D], dtype=tl.float32)
        for _ in range(n_splits):
            total += tl.load(p_split)
            p_split += tl.cast(B, tl.int64) * T * D
        tl.store(out + row * D + o_d, total)
    ```

    ## Fix safety
    As for `narrow-address`. An argument is cast with `tl.cast`, since an argument that is 1 has no methods.

    ## Known limits
    Those of `narrow-address`.
    """

    code = 'TRI106'
    name = 'possible-narrow-address'
    severity = 'info'
    fix = 'unsafe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag what makes an address wrap under the possible sizes only."""
        yield from report(self, POSSIBLE, kernel, file)
