# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.addresses import NARROW
from flakelint.rules.tri.address_findings import report

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class NarrowAddress(Rule):
    """The arithmetic of an address wraps in 32 bits at sizes that common launches reach.

    ## What it does
    Follows every index of a kernel (program ids, loaded indices, loop counters) to the addresses of its loads, stores, atomic operations, block pointers and descriptors, through assignments, branches, loops and helpers, with the integer widths that Triton gives to each operation. Where an index is multiplied in 32 bits or fewer, and the product passes the largest integer of its type under the *tight* sizes of `[tool.flakelint.assume]`, the place where the index comes from is flagged, once, with the products as related places. A cast of the product (`(i * T).to(tl.int64)`) comes too late, and a cast to `tl.uint32` widens nothing. A 32-bit limit with which a mask compares a 64-bit offset counts as well.

    How large an argument becomes is read from the launches of the repository first (which axis of a tensor a stride or size belongs to, what the grid is), then from what the kernel does with it (masks, tiles, quotients, the order of strides), and from its name last. The message names sizes at which the product wraps.

    Sizes are assumptions, and a kernel that reads one weight looks like one that reads a tensor of activations. So the kernel or its launches have to speak for many rows, and for wide ones.

    There are many rows where gradients are computed beside the kernel or where it is launched (an autograd function, a kernel named after the backward pass), since a training step holds the activations of a whole batch; where the index is the number of a tile of a matrix that the kernel multiplies; where there are as many rows as a row has elements; where the index was loaded, as a page, a slot of a cache or the token of an expert are, unless it is the beginning of a sequence: tokens that are served at once are few, those of a training step are not. The number of a sequence with the outermost stride counts in training only, and only if the grid tells sequences, or sequences and heads, apart.

    Rows are wide where results are written at what wraps, by rows that are as wide as a model or a run-time size, or in three tensors or more that are addressed alike; and where rows of that width are read tile by tile. What nothing speaks for is left to `possible-narrow-address`.

    So is what the kernel or its launch shows to be small: what is only written and not gone through (the parts of a sum, choices, tables), one number for each token or each head, the tokens of a sequence where sequences have a stride of their own, a loaded index within what a 64-bit offset leads to, the length between two loaded numbers, what one program counts by itself, a row that one block holds whole beside other rows (registers and shared memory bound it), what an unrolled loop counts, the parts that a few programs leave to be added up, a width that the host checks and that only just reaches the limit, the scores of pairs with a program each, the scales of numbers, a single weight that is unpacked or scaled, images without frames, what a kernel works on that is for decoding or for a draft by its name or by a flag, the experts that a router chooses for each token, the rows of one sequence in attention where sequences and heads are counted in 64 bits. Where a flag would make the index 64-bit, not to set it is the caller's choice. A condition around a launch counts, and so does one around the only call of the private function that launches.

    ## Why is this bad?
    Program ids, loop counters and most arguments are 32-bit integers. A product past 2**31 - 1 wraps without a word, and the kernel reads or writes somewhere else: wrong numbers, or a fault in a later kernel.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_rows_bwd_kernel(x, y, scale, row_stride, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        for start in range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            mask = cols < n_cols
            value = tl.load(x + row * row_stride + cols, mask=mask)
            tl.store(y + row * row_stride + cols, value * scale, mask=mask)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_rows_bwd_kernel(x, y, scale, row_stride, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        for start in range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            mask = cols < n_cols
            value = tl.load(x + row * row_stride + cols, mask=mask)
            tl.store(y + row * row_stride + cols, value * scale, mask=mask)
    ```

    ## Fix safety
    The fix casts the index where it comes from (a loop counter where it is multiplied), never the product. It is offered only if the model, run on the mended text, finds the fault gone and nothing new: no loop-carried value, run-time branch or conditional expression that would meet two widths, no 64-bit offset of a descriptor or a block pointer. It is marked unsafe where the index also goes into a function that is not followed.

    ## Known limits
    - A size is what the profile says of its role, unless a launch shows it; set the sizes of your project in `[tool.flakelint.assume]`.
    - Where nothing speaks for many rows, as in a kernel for inference whose launch counts them one by one, or one that nothing is seen to launch, `possible-narrow-address` alone reports.
    - Loaded indices are taken for 32-bit integers unless a launch shows the type of the tensor; the message says so.
    - One range of rows is taken to be below 2**22, so a flat kernel over one dimension (`pid * BLOCK` with stride 1) is not flagged.
    - What a function gives that is not found in the repository is unknown, and never reported.

    ## References
    - [What a 32-bit offset does](https://github.com/triton-lang/triton/issues/1058)
    """

    code = 'TRI101'
    name = 'narrow-address'
    severity = 'error'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the indices that make an address wrap under the tight sizes."""
        yield from report(self, NARROW, kernel, file)
