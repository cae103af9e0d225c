# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.unmasked import misplaced
from flakelint.rules.tri.places import beside, is_to_tell

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class MaskIndexMismatch(Rule):
    """A mask compares the tile of one program axis while the address goes to that of another.

    ## What it does
    Resolves the vectors that an address spans and those that its mask bounds. Where both are tiles of the same length, each led to by program ids, and the axes of the grid differ, the access is flagged: the mask speaks of another tile than the one that is read or written.

    ## Why is this bad?
    Rows and columns were swapped, or a line was copied. Where the two sizes agree nothing shows; where they do not, lanes within the tensor are masked away, and lanes behind its end are not.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, M, N, BLOCK: tl.constexpr):
        o_m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        o_n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_m, tl.load(x + o_m, mask=o_n < N), mask=o_m < M)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, M, N, BLOCK: tl.constexpr):
        o_m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_m, tl.load(x + o_m, mask=o_m < M), mask=o_m < M)
    ```

    ## Known limits
    - Nothing is said where one of the two tiles begins at no program id, such as a tile of a workspace, or where an index is wrapped.
    - Two dimensions of a block that are tiles of the same length are not told apart.
    """

    code = 'TRI210'
    name = 'mask-index-mismatch'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the masks that bound another tile than that of the address."""
        if file.repository.is_called_by_kernels(kernel):
            return
        for access, bound in misplaced(file.tiles(kernel)):
            if is_to_tell(self, access.access.node, access.access.frame, file):
                message = f'`{ast.unparse(bound.value.node)}` bounds the tile of another program axis than the address goes to'
                related = beside(bound.value, 'this bounds the tile of another axis', file)
                yield self.finding(file.range(access.access.node), message, related=related)
