# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.addresses import NARROWING
from flakelint.rules.tri.address_findings import report

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class NarrowingOffset(Rule):
    """A cast to fewer than 64 bits cuts an index that an address is then made of.

    ## What it does
    Flags a cast such as `.to(tl.int32)` of a loaded or a 64-bit integer whose result is multiplied in 32 bits on the way to an address, or is an address's offset itself, where that passes 2**31 - 1 under the sizes of `[tool.flakelint.assume]`. The products are shown as related places.

    ## Why is this bad?
    Tables of sequence starts, pages and experts often hold 64-bit integers. Once they are cut to 32 bits, everything computed from them wraps, as in `narrow-address`; without the cast it would not.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['n_seqs'])
    def pack_fwd_kernel(x, y, cu_seqlens, n_seqs, H: tl.constexpr, D: tl.constexpr, BT: tl.constexpr):
        i_t, i_n = tl.program_id(0), tl.program_id(1)
        bos = tl.load(cu_seqlens + i_n).to(tl.int32)
        eos = tl.load(cu_seqlens + i_n + 1).to(tl.int32)
        o_t = i_t * BT + tl.arange(0, BT)
        o_d = tl.arange(0, D)
        p_x = x + bos * H * D + o_t[:, None].to(tl.int64) * D + o_d[None, :]
        p_y = y + bos * H * D + o_t[:, None].to(tl.int64) * D + o_d[None, :]
        m_t = (o_t < eos - bos)[:, None]
        tl.store(p_y, tl.load(p_x, mask=m_t), mask=m_t)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['n_seqs'])
    def pack_fwd_kernel(x, y, cu_seqlens, n_seqs, H: tl.constexpr, D: tl.constexpr, BT: tl.constexpr):
        i_t, i_n = tl.program_id(0), tl.program_id(1)
        bos = tl.load(cu_seqlens + i_n).to(tl.int64)
        eos = tl.load(cu_seqlens + i_n + 1).to(tl.int64)
        o_t = i_t * BT + tl.arange(0, BT)
        o_d = tl.arange(0, D)
        p_x = x + bos * H * D + o_t[:, None].to(tl.int64) * D + o_d[None, :]
        p_y = y + bos * H * D + o_t[:, None].to(tl.int64) * D + o_d[None, :]
        m_t = (o_t < eos - bos)[:, None]
        tl.store(p_y, tl.load(p_x, mask=m_t), mask=m_t)
    ```

    ## Fix safety
    The fix casts to `tl.int64` instead, under the conditions of `narrow-address`.

    ## Known limits
    - A narrowed value that only bounds a loop or a mask is not flagged: lengths and chunk counts may stay in 32 bits.
    - The sizes are assumed as for `narrow-address`; those that are possible suffice here, since the cast is there to be taken out.
    """

    code = 'TRI103'
    name = 'narrowing-offset'
    severity = 'error'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the casts that take bits away from what an address is made of."""
        yield from report(self, NARROWING, kernel, file)
