# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.addresses import NARROW
from flakelint.kernel.graph import Value
from flakelint.kernel.uncast import UncastIds, UncastProduct
from flakelint.rules.tri.address_findings import circumstances, computed, origin_node, place
from flakelint.rules.tri.widening import Gone, widen_program_id
from flakelint.source.expressions import written
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

# a constexpr with such a name is the length of a sequence or of a whole tensor, and bounds nothing that matters
_LENGTH = re.compile(r'\b(?:T|L|\w*(?:seq|len|ctx|token|numel|element|row)\w*)\b', re.IGNORECASE)


class UncastProgramId(Rule):
    """A program id reaches address arithmetic before it is cast to `tl.int64`.

    ## What it does
    Follows every `tl.program_id(...)`, on any axis, through the assignments of a kernel: tuples, `//`, `%`, `+`, `-`, `tl.cdiv`, minimum and maximum, loops that start or end there, branches, and helpers, in other modules too. Where the id, or what derives from it, is multiplied with a size, a stride or a block in 32 bits, and the product is part of the address of a load, a store or an atomic operation, the call of `tl.program_id` is flagged, once; the products are shown as related places. What `narrow-address` reports is not reported again.

    ## Why is this bad?
    Program ids are 32-bit integers, and so is what is computed from them, until something 64-bit takes part. A product that passes 2**31 - 1 wraps without a word: the kernel then reads or writes elsewhere. A cast after the multiplication comes too late. How large the sizes become is known to nobody who reads the kernel, so a repository that follows this policy casts every program id where it is asked for.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel_rows(x, y, scale, T, H: tl.constexpr, D: tl.constexpr):
        i_t, i_bh = tl.program_id(0), tl.program_id(1)
        i_b, i_h = i_bh // H, i_bh % H
        o_d = tl.arange(0, D)
        p_x = x + ((i_b * T + i_t) * H + i_h) * D + o_d
        b_x = tl.load(p_x)
        tl.store(y + ((i_b * T + i_t) * H + i_h) * D + o_d, b_x * scale)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel_rows(x, y, scale, T, H: tl.constexpr, D: tl.constexpr):
        i_t, i_bh = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
        i_b, i_h = i_bh // H, i_bh % H
        o_d = tl.arange(0, D)
        p_x = x + ((i_b * T + i_t) * H + i_h) * D + o_d
        b_x = tl.load(p_x)
        tl.store(y + ((i_b * T + i_t) * H + i_h) * D + o_d, b_x * scale)
    ```

    ## Fix safety
    The fix adds `.to(tl.int64)` to the call, which changes no value that did not wrap. It is not offered where the kernel would no longer compile or would compute something else: as the model, run on the mended text, finds: where the id reaches the offsets of a descriptor or a block pointer, meets a 32-bit value in a run-time `if`, a conditional expression or a loop-carried variable, or is the counter of a random number generator; nor where a later cast to 32 bits would undo it. It is marked unsafe where the id also goes into a function that is not followed.

    ## Known limits
    - The rule is a policy and asks for no sizes: `i_h * K` is flagged though the product of a head and a head's width is small.
    - A tile that a comparison (or `%`, or `tl.minimum`) keeps below a compile-time constant, such as `i_v * BV + tl.arange(0, BV)` with `V: tl.constexpr`, is not flagged, unless it is multiplied with a run-time size or stride, or the constant is named like a length (`T`, `L`, `SEQ_LEN`, `N_CTX`).
    - A factor below 16 that is written as a number is the row of an index table (`chunk_indices + i_t * 2`) and no size.
    - Values loaded from memory are taken for 32-bit integers until they are cast, and arguments that are not annotated as `tl.int64` too.
    - Both sides of a branch on a compile-time condition count, but conditions are compared by their text. A branch that does nothing but widen (`if USE_INT64: pid = pid.to(tl.int64)`) is taken.
    - What a function gives that is not found in the repository is unknown, and never reported.
    - `tl.num_programs(...)` is no program id.
    """

    code = 'TRI102'
    name = 'uncast-program-id'
    severity = 'warning'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the program ids that reach an address through a 32-bit product."""
        if file.repository.is_called_by_kernels(kernel):
            return
        found = file.addresses(kernel)
        faults = found.faults() if 'TRI101' in file.enabled else []
        reported = {id(fault.origin) for fault in faults if fault.kind == NARROW}
        for origin, products in UncastIds(found.model).found.items():
            sized = _outermost([product for product in products.values() if not _is_feature(product)], file)
            where = file.range(origin_node(origin, file))
            if sized and id(origin) not in reported and file.is_first(self.code, where):
                yield self._report(origin, where, sized, list(products), kernel, file)

    def _report(
        self, origin: Value, where: Range, products: list[UncastProduct], narrow: list[Value], kernel: 'Kernel', file: 'File',
    ) -> 'Finding':
        product = products[0].value
        text, call = written(product.node), written(origin.node)
        if origin.name and product.frame is origin.frame and re.search(rf'\b{origin.name}\b', text):
            why = f'`{origin.name}` is `{call}`, never cast to `tl.int64`'
        elif call in text:
            why = f'`{call}` is not cast to `tl.int64`'
        else:
            source = f'`{origin.name}`, which is `{call}`' if origin.name else f'`{call}`'
            why = f'it derives from {source}, never cast to `tl.int64`'
        related = [Related(*place(one.value, file)) for one in products]
        fix = widen_program_id(origin, kernel, file, Gone(origin, narrow))
        return self.finding(where, f'{computed(product)}{circumstances(product)}: {why}', fix, related)


def _is_feature(product: UncastProduct) -> bool:
    return any(not _LENGTH.search(limit) for limit in product.limits)


def _outermost(products: list[UncastProduct], file: 'File') -> list[UncastProduct]:
    """The products that are no part of another, in the order of the source."""

    def outer_first(product: UncastProduct) -> tuple:
        where, _, path = place(product.value, file)
        return (path, where.start, (-where.end.line, -where.end.column), len(product.value.guard))

    outer: list[UncastProduct] = []
    last: tuple[str, Range] | None = None
    for product in sorted(products, key=outer_first):
        where, _, path = place(product.value, file)
        if last is None or path != last[0] or where.end > last[1].end:
            outer.append(product)
            last = (path, where)
    return outer
