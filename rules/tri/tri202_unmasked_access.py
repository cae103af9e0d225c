# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.unmasked import plain, unmasked
from flakelint.rules.tri.mask_fixes import mask_of, with_mask
from flakelint.rules.tri.places import beside, is_to_tell
from flakelint.source.expressions import argument

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.tiles import TiledAccess


class UnmaskedAccess(Rule):
    """A load, store or atomic operation has no mask over a vector that the same kernel bounds elsewhere.

    ## What it does
    Compares the accesses of a kernel with each other. Each vector of indices that an address spans (an arange, with the program ids and loop rounds that lead to its tile) is looked up in the masks of the other accesses. Where one of them keeps the same vector below an argument, and this access has no mask at all, it is flagged, with the comparison as a related place. Either the mask stood at hand, or the access that has it is a store or an atomic operation; with `preview` on, the mask of any load will do.

    ## Why is this bad?
    The last tile is seldom full. An access without a mask reads or writes behind the end of the tensor there: wrong numbers, a fault, or another tensor that changes.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, w, y, N, BLOCK: tl.constexpr):
        o_n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m_n = o_n < N
        b_x = tl.load(x + o_n, mask=m_n)
        b_w = tl.load(w + o_n)
        tl.store(y + o_n, b_x * b_w, mask=m_n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, w, y, N, BLOCK: tl.constexpr):
        o_n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m_n = o_n < N
        b_x = tl.load(x + o_n, mask=m_n)
        b_w = tl.load(w + o_n, mask=m_n)
        tl.store(y + o_n, b_x * b_w, mask=m_n)
    ```

    ## Fix safety
    The fix gives the access the mask of the other one, where that stands in the same function, has the shape of the pointer and bounds nothing else, as the model finds it in the mended text; a constant `other` comes with it. It is unsafe, as the tensor may have room for whole tiles.

    ## Known limits
    - An access without a mask is not flagged for that alone: what no other access bounds may be bounded by the host.
    - Nothing is said where the index is wrapped or clamped, where a flag such as `EVEN_N` or a run-time condition decides, where the same access stands on another path with a mask, where the tile is as long as the dimension, and where the grid has whole tiles only.
    - One finding is given for a vector of a kernel, at its first access without a mask.
    """

    code = 'TRI202'
    name = 'unmasked-access'
    severity = 'warning'
    fix = 'unsafe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the accesses that lack the mask that another access of the vector has."""
        if file.repository.is_called_by_kernels(kernel):
            return
        for access, sibling, bound in unmasked(file.tiles(kernel), file.settings.preview):
            if not is_to_tell(self, access.access.node, access.access.frame, file):
                continue
            compared = ast.unparse(bound.value.node)
            kind = {'load': 'reads', 'store': 'writes', 'atomic': 'changes'}[access.access.kind]
            line = sibling.access.node.lineno
            message = (
                f'no mask, although `{compared}` bounds the same vector in the {_NAMES[sibling.access.kind]} of line {line}: '
                f'where `{plain(bound.limit)}` is no multiple of the tile, this {kind} behind the end'
            )
            related = beside(bound.value, 'the bound that is missing', file)
            yield self.finding(file.range(access.access.node), message, _fix(access, sibling, kernel, file), related)


def _fix(access: 'TiledAccess', sibling: 'TiledAccess', kernel: 'Kernel', file: 'File') -> 'Fix | None':
    """The mask of the other access, where it stands in the same function."""
    mask = mask_of(sibling.access.node, sibling.access.kind)
    if mask is None or sibling.access.frame is not access.access.frame:
        return None
    other = argument(sibling.access.node, 'other')
    limits = {plain(bound.limit) for bound in sibling.bounds}
    filled = ast.unparse(other) if isinstance(other, ast.Constant) else ''
    return with_mask([access.access], ast.unparse(mask), limits, kernel, file, filled)


_NAMES = {'load': 'load', 'store': 'store', 'atomic': 'atomic operation'}
