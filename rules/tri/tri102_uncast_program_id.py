# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Fix, Related
from flakelint.engine.rule import Rule, safe, unsafe
from flakelint.project.imports import Bindings, dotted
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.provenance import NarrowId, NarrowProduct

LANGUAGE = 'triton.language'
PROGRAM_ID = ('triton.language.program_id', 'triton.language.core.program_id')

# a constexpr with such a name is the length of a sequence or of a whole tensor, and bounds nothing that matters
_LENGTH = re.compile(r'\b(?:T|L|\w*(?:seq|len|ctx|token|numel|element|row)\w*)\b', re.IGNORECASE)


class UncastProgramId(Rule):
    """A program id reaches address arithmetic before it is cast to `tl.int64`.

    ## What it does
    Follows every `tl.program_id(...)`, on any axis, through the assignments of a kernel: tuples, `//`, `%`, `+`, `-`, `tl.cdiv`, minimum and maximum, loops that start or end there, branches, and helpers of the same module. Where the id, or what derives from it, is multiplied with a size, a stride or a block in 32 bits, and the product is part of the address of a load, a store or an atomic operation, the call of `tl.program_id` is flagged, once; the products are shown as related places.

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
    The fix adds `.to(tl.int64)` to the call, which changes no value that did not wrap. It is not offered where the kernel would no longer compile or would compute something else: where the id reaches the offsets of a descriptor or a block pointer, meets a 32-bit value in a run-time `if`, a conditional expression or a loop-carried variable, or is the counter of a random number generator; nor where a later cast to 32 bits would undo it. It is marked unsafe where the id also goes into a function that is not followed.

    ## Known limits
    - The rule is a policy and asks for no sizes: `i_h * K` is flagged though the product of a head and a head's width is small.
    - A tile that a comparison (or `%`, or `tl.minimum`) keeps below a compile-time constant, such as `i_v * BV + tl.arange(0, BV)` with `V: tl.constexpr`, is not flagged, unless it is multiplied with a run-time size or stride, or the constant is named like a length (`T`, `L`, `SEQ_LEN`, `N_CTX`).
    - A factor below 16 that is written as a number is the row of an index table (`chunk_indices + i_t * 2`) and no size.
    - Values loaded from memory are taken for 32-bit integers until they are cast, and arguments that are not annotated as `tl.int64` too.
    - Both sides of a branch on a compile-time condition count, but conditions are compared by their text. A branch that does nothing but widen (`if USE_INT64: pid = pid.to(tl.int64)`) is taken.
    - Helpers of other modules are not followed, nor is the program id that a helper returns; what they return is never reported.
    - `tl.num_programs(...)` is no program id.
    """

    code = 'TRI102'
    name = 'uncast-program-id'
    severity = 'warning'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the program ids that reach an address through a 32-bit product."""
        if not _asks_for_uncast_id(kernel):
            return
        from flakelint.kernel.provenance import analyse

        for narrow in analyse(kernel, file.kernels).narrow_ids:
            products = _outermost([product for product in narrow.products if not _is_feature(product)])
            if products:
                yield self._report(kernel, narrow, products)

    def _report(self, kernel: 'Kernel', narrow: 'NarrowId', products: 'list[tuple[Range, NarrowProduct]]') -> 'Finding':
        place = kernel.unit.range(narrow.node)
        call = kernel.unit.source(narrow.node)
        product = products[0][1]
        text = ' '.join(product.kernel.unit.source(product.node).split())
        wide = f'{_language(kernel) or "tl"}.int64'
        known = narrow.name and product.kernel is kernel
        if known and re.search(rf'\b{narrow.name}\b', text):
            why = f'`{narrow.name}` is `{call}`, never cast to `{wide}`'
        elif call in text:
            why = f'`{call}` is not cast to `{wide}`'
        else:
            source = f'`{narrow.name}`, which is `{call}`' if narrow.name else f'`{call}`'
            why = f'it derives from {source}, never cast to `{wide}`'
        related = [Related(where, f'`{one.kernel.unit.source(one.node)}` is computed in 32 bits') for where, one in products]
        message = f'`{text}` is computed in int32{_condition(product)}: {why}'
        return self.finding(place, message, _widen(kernel, narrow, place), related)


def _asks_for_uncast_id(kernel: 'Kernel') -> bool:
    """Whether a kernel has a program id without a cast right behind it; asked of the syntax tree, which is at hand."""
    cast = set()
    for node in kernel.calls:
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr == 'to'
        inner = node.func.value if is_method else node.args[0] if len(node.args) > 1 else None
        if isinstance(inner, ast.Call) and any(_is_int64(argument, kernel.bindings) for argument in node.args):
            cast.add(inner)
    return any(kernel.bindings.resolve(dotted(node.func) or '') in PROGRAM_ID and node not in cast for node in kernel.calls)


def _is_int64(node: ast.expr, bindings: Bindings) -> bool:
    return bindings.resolve(dotted(node) or '') == f'{LANGUAGE}.int64'


def _is_feature(product: 'NarrowProduct') -> bool:
    return any(not _LENGTH.search(limit) for limit in product.limits)


def _outer_first(item: 'tuple[Range, NarrowProduct]') -> tuple:
    place, product = item
    return (place.start, (-place.end.line, -place.end.column), len(product.conditions), product.assumed)


def _outermost(products: 'list[NarrowProduct]') -> 'list[tuple[Range, NarrowProduct]]':
    """The products that are no part of another, with their places, in source order."""
    placed = [(product.kernel.unit.range(product.node), product) for product in products]
    placed.sort(key=_outer_first)
    outer: list[tuple[Range, NarrowProduct]] = []
    for where, product in placed:
        if not outer or where.end > outer[-1][0].end:
            outer.append((where, product))
    return outer


def _condition(product: 'NarrowProduct') -> str:
    parts = [f'`{text}` is {str(truth).lower()}' for text, truth in sorted(product.conditions) if '@' not in text]
    if product.assumed:
        parts.append('the loaded value is int32')
    return f' where {" and ".join(parts)}' if parts else ''


def _widen(kernel: 'Kernel', narrow: 'NarrowId', place: Range) -> Fix | None:
    from flakelint.kernel.provenance import SAFE, UNSURE

    language = _language(kernel)
    if language is None or narrow.widening not in (SAFE, UNSURE):
        return None
    edit = Edit(Range(place.end, place.end), f'.to({language}.int64)')
    title = f'Cast {narrow.name or "the program id"} to 64 bits'
    return (safe if narrow.widening == SAFE else unsafe)(title, edit)


def _language(kernel: 'Kernel') -> str | None:
    """How the module spells `triton.language`."""
    names = dict(kernel.bindings.items())
    direct = sorted((name for name, full in names.items() if full == LANGUAGE), key=lambda name: (name != 'tl', name))
    if direct:
        return direct[0]
    return next((f'{name}.language' for name, full in names.items() if full == 'triton'), None)
