# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The attention mask of packed documents. `store_fixed.py` is what `flakelint check --fix` makes of `store.py`."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=['T'])
def document_mask_fwd_kernel(documents, mask, stride_t, T, BS: tl.constexpr):
    i_t = tl.program_id(0)
    b_t = tl.load(documents + i_t)
    for i_s in range(tl.cdiv(T, BS)):
        o_s = i_s * BS + tl.arange(0, BS)
        m_s = o_s < T
        b_s = tl.load(documents + o_s, mask=m_s, other=-1)
        b_m = (b_s == b_t) & (o_s <= i_t)
        tl.store(mask + i_t * stride_t + o_s, b_m.to(tl.int8), mask=m_s)


def document_mask(documents: torch.Tensor, mask: torch.Tensor) -> None:
    """Fill a mask with 1 where a token may look at another: at itself and at earlier ones of its own document.

    Args:
        documents (torch.Tensor):
            The number of each token's document, `[T]`, of type int32.
        mask (torch.Tensor):
            The mask to fill, `[T, T]`, of type int8.
    """
    T = len(documents)
    document_mask_fwd_kernel[(T,)](documents, mask, mask.stride(0), T, BS=1024)
