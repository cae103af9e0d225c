# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.unmasked import behind, part_masked, plain
from flakelint.rules.tri.places import beside, is_to_tell

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.tiles import Bound, TiledAccess


class PartialMask(Rule):
    """A mask bounds a part of what its access reaches: the first round of a loop, or one dimension of a tile.

    ## What it does
    Compares what an address spans with what its mask bounds. Two things are flagged. In a loop that moves the pointer on, a mask that compares where the first round is with the whole size (`o_k < K` instead of `o_k < K - k * BK`) while the loop goes through that size. And a mask that bounds one vector of a tile, while another access of the same vectors bounds both, by an argument.

    ## Why is this bad?
    The mask looks right and passes every test whose sizes are multiples of the tile. With any other size the last tile reads or writes behind the end.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def row_dot_fwd_kernel(x, w, y, K, BK: tl.constexpr):
        o_k = tl.arange(0, BK)
        p_x, p_w = x + tl.program_id(0).to(tl.int64) * K + o_k, w + o_k
        b_y = 0.0
        for k in range(0, tl.cdiv(K, BK)):
            b_x = tl.load(p_x, mask=o_k < K, other=0.0)
            b_w = tl.load(p_w, mask=o_k < K - k * BK, other=0.0)
            b_y += tl.sum(b_x * b_w, axis=0)
            p_x += BK
            p_w += BK
        tl.store(y + tl.program_id(0), b_y)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def row_dot_fwd_kernel(x, w, y, K, BK: tl.constexpr):
        o_k = tl.arange(0, BK)
        p_x, p_w = x + tl.program_id(0).to(tl.int64) * K + o_k, w + o_k
        b_y = 0.0
        for k in range(0, tl.cdiv(K, BK)):
            b_x = tl.load(p_x, mask=o_k < K - k * BK, other=0.0)
            b_w = tl.load(p_w, mask=o_k < K - k * BK, other=0.0)
            b_y += tl.sum(b_x * b_w, axis=0)
            p_x += BK
            p_w += BK
        tl.store(y + tl.program_id(0), b_y)
    ```

    ## Known limits
    - A dimension that no other access bounds is not asked for.
    - What excuses an access without a mask (TRI202) excuses one with a part of it.
    """

    code = 'TRI203'
    name = 'partial-mask'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the masks that bound a part only."""
        if file.repository.is_called_by_kernels(kernel):
            return
        tiles = file.tiles(kernel)
        for access, bound in behind(tiles):
            compared = ast.unparse(bound.value.node)
            message = (
                f'`{compared}` bounds the first round only: the address moves on with the loop, which goes through '
                f'`{plain(bound.limit)}`, and the mask does not'
            )
            yield from self._found(file, access, bound, message, 'the index that stays where it is')
        for access, sibling, bound in part_masked(tiles):
            compared = ast.unparse(bound.value.node)
            line = sibling.access.node.lineno
            message = f'the mask leaves a dimension of the tile free that `{compared}` bounds in line {line}'
            yield from self._found(file, access, bound, message, 'the bound that is missing')

    def _found(self, file: 'File', access: 'TiledAccess', bound: 'Bound', message: str, note: str) -> 'Iterator[Finding]':
        if is_to_tell(self, access.access.node, access.access.frame, file):
            yield self.finding(file.range(access.access.node), message, related=beside(bound.value, note, file))
