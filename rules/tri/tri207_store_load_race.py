# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.collisions import early, lost
from flakelint.kernel.races import Programs
from flakelint.rules.tri.places import beside, is_to_tell

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Access
    from flakelint.kernel.graph import Value
    from flakelint.kernel.kernels import Kernel


class StoreLoadRace(Rule):
    """Programs or threads of a kernel get in each other's way: what is stored or loaded depends on which of them is first.

    ## What it does
    Flags three kinds of races that show in the kernel itself:

    - A `tl.store` of a value that was loaded or computed through `tl.program_id(axis)`, to an address that has nothing to do with that axis: all programs along the axis write one place.
    - An update of a tensor by `tl.load`, an operation and `tl.store` through a vector of indices of which several may be the same, because `//`, `>>`, `&` or a cast to an integer makes them of loaded values, as in a histogram.
    - A `tl.load` behind a `tl.store` to the same tile of a tensor, at which a lane reads what another lane stored: shifted by less than the tile, mirrored, or paired by `^`, with no `tl.debug_barrier()` between.

    ## Why is this bad?
    Of programs that write one place the last one wins, and the results of the others are lost. Of two lanes with the same index one update is lost. Threads do not wait for each other between a store and a load, so that a load may find what was there before the store. The numbers are wrong now and then, on some devices, for some sizes.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def column_sum_kernel(x, total, T, D, BT: tl.constexpr, BD: tl.constexpr):
        i_d, i_t = tl.program_id(0), tl.program_id(1)
        o_d = i_d * BD + tl.arange(0, BD)
        o_t = i_t * BT + tl.arange(0, BT)
        mask = (o_t < T)[:, None] & (o_d < D)[None, :]
        b_x = tl.load(x + o_t[:, None] * D + o_d[None, :], mask=mask, other=0)
        tl.store(total + o_d, tl.sum(b_x, 0), mask=o_d < D)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def column_sum_kernel(x, total, T, D, BT: tl.constexpr, BD: tl.constexpr):
        i_d, i_t = tl.program_id(0), tl.program_id(1)
        o_d = i_d * BD + tl.arange(0, BD)
        o_t = i_t * BT + tl.arange(0, BT)
        mask = (o_t < T)[:, None] & (o_d < D)[None, :]
        b_x = tl.load(x + o_t[:, None] * D + o_d[None, :], mask=mask, other=0)
        tl.atomic_add(total + o_d, tl.sum(b_x, 0), mask=o_d < D)
    ```

    ## Known limits
    - Of a store nothing is said where the address depends on the axis in any way, be it through a loaded index or a part of the program id, or where it holds anything that is not followed; where a mask, a condition or a loop on the way depends on the axis; and where the pointer is not a parameter. Stores through tensor descriptors are not looked at.
    - Nothing is said where every launch that is seen has one program along the axis, or where a flag on the way may say so, such as `SPLIT_K == 1`.
    - Kernels in which programs wait for each other, by `tl.atomic_cas`, `tl.atomic_xchg` or a loop that loads, are taken to know what they do; the third kind is looked for there, too.
    - An index that is loaded as it is may be different in each lane, and is taken to be. A remainder may only bring an index within bounds.
    - A load is compared with stores of the same function that stand before it. What the next round of a loop reads, and transposed tiles, are not seen.
    """

    code = 'TRI207'
    name = 'store-load-race'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the stores and loads that race."""
        if file.repository.is_called_by_kernels(kernel):
            return
        tiles = file.tiles(kernel)
        for found in Programs(tiles.model).overwritten():
            message = (
                f'all programs along axis {found.axis} of the grid write one place, although what they write depends on '
                f'`tl.program_id({found.axis})`: the last one wins'
            )
            yield from self._told(found.access, message, found.source, 'which program it is', file)
        for update in lost(tiles.model):
            message = (
                f'lanes lose updates of each other: `{ast.unparse(update.merge.node)}` gives several of them the same index, '
                f'and `tl.load` and `tl.store` are no atomic operation'
            )
            yield from self._told(update.access, message, update.merge, 'what gives lanes the same index', file)
        for load, store in early(tiles):
            message = (
                f'reads what other threads of the program stored in line {store.node.lineno}, with no `tl.debug_barrier()` '
                f'between: it may find what was there before'
            )
            yield from self._told(load, message, store, 'the store', file)

    def _told(
        self, access: 'Access', message: str, cause: 'Access | Value', note: str, file: 'File',
    ) -> 'Iterator[Finding]':
        if is_to_tell(self, access.node, access.frame, file):
            yield self.finding(file.range(access.node), message, related=beside(cause, note, file))
