# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Fix
from flakelint.engine.rule import Rule, safe
from flakelint.kernel.fills import Filled, misfilled
from flakelint.kernel.pads import Consumed, Pads
from flakelint.rules.tri.places import beside, is_to_tell
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

# what a consumer takes in without a trace, where it is the same for all types
_NEUTRAL = {'sum': '0', 'dot': '0'}
_LOWEST, _HIGHEST = 'the lowest value', 'the highest value'
_OTHERS = {**_NEUTRAL, 'max': _LOWEST, 'argmax': _LOWEST, 'min': _HIGHEST, 'argmin': _HIGHEST}


class MaskedLoadWithoutOther(Rule):
    """A masked load without `other` leaves lanes undefined, and a reduction or a `tl.dot` takes them in.

    ## What it does
    Follows the masked lanes of each load that has no `other`, dimension by dimension, through arithmetic, casts, helpers and what loops accumulate. Where they reach `tl.sum`, `tl.max`, `tl.min`, `tl.argmax` or `tl.argmin` along the masked dimension, or both sides of a `tl.dot` along the one that it contracts, the load is flagged. A `tl.where` with a condition on that dimension ends the way, and so does a mask that is multiplied or added.

    With `preview` on, loads are flagged as well whose `other` is not neutral where they go into a reduction as they are: anything but zero in a sum, zero in a minimum or in a maximum of floating-point numbers.

    ## Why is this bad?
    What a masked lane holds without `other` is not defined. One vendor's compiler fills in zeros and hides it, another one leaves what the register held: sums that change from run to run, a maximum that is none, NaN.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def row_sum_fwd_kernel(x, y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        o_n = tl.arange(0, BLOCK)
        b_x = tl.load(x + row * N + o_n, mask=o_n < N)
        tl.store(y + row, tl.sum(b_x, axis=0))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def row_sum_fwd_kernel(x, y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        o_n = tl.arange(0, BLOCK)
        b_x = tl.load(x + row * N + o_n, mask=o_n < N, other=0)
        tl.store(y + row, tl.sum(b_x, axis=0))
    ```

    ## Fix safety
    The fix adds `other=0` where the load goes into a sum or a `tl.dot` as it is; lanes that were undefined become neutral, and no other lane changes. For a maximum or a minimum, and where something is computed on the way, the value depends on it, and none is offered: mask again with `tl.where` before the reduction.

    ## Known limits
    - Work on each lane that is stored under the same mask needs no `other`, and is not flagged; nor are comparisons, scans and sorting.
    - A dimension whose length another dimension of the block has too is not told apart.
    """

    code = 'TRI204'
    name = 'masked-load-without-other'
    severity = 'warning'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the loads whose undefined lanes are taken in."""
        if file.repository.is_called_by_kernels(kernel):
            return
        consumed = Pads(file.tiles(kernel)).consumed()
        found: dict[ast.AST, list[Consumed]] = {}
        for one in sorted(consumed, key=lambda one: (one.access.node.lineno, one.consumer.node.lineno)):
            found.setdefault(one.access.node, []).append(one)
        for node, ways in found.items():
            first = ways[0]
            if not is_to_tell(self, node, first.access.frame, file):
                continue
            consumers = {one.consumer.detail or 'dot' for one in ways}
            is_direct = all(one.direct for one in ways)
            message, fix = _message(first, consumers, is_direct), _fix(first, consumers, is_direct, file)
            yield self.finding(file.range(node), message, fix, beside(first.consumer, 'here they are taken in', file))
        for one in misfilled(file.tiles(kernel)) if file.settings.preview else ():
            if is_to_tell(self, one.access.node, one.access.frame, file):
                yield self.finding(
                    file.range(one.access.node), _misfilled(one), None, beside(one.consumer, 'here they are taken in', file))


def _misfilled(found: Filled) -> str:
    name = found.consumer.detail
    advice = {'sum': '0'}.get(name, f'{_OTHERS[name]} of the type')
    line = found.consumer.node.lineno
    return f'`tl.{name}` in line {line} takes what `other` gives to masked lanes for elements: it should be {advice}'


def _message(found: Consumed, consumers: set[str], is_direct: bool) -> str:
    name = found.consumer.detail or 'dot'
    advised = {_OTHERS[one] for one in consumers}
    is_plain = is_direct and len(advised) == 1
    advice = f'`other` should be {advised.pop()}' if is_plain else 'mask them again with `tl.where` before'
    line = found.consumer.node.lineno
    return f'the masked lanes of this load are undefined, and `tl.{name}` in line {line} takes them in: {advice}'


def _fix(found: Consumed, consumers: set[str], is_direct: bool, file: 'File') -> Fix | None:
    neutral = {_NEUTRAL.get(name) for name in consumers}
    call = found.access.node
    if not is_direct or len(neutral) != 1 or None in neutral or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    value = neutral.pop()
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    last = max(given, key=lambda node: (node.end_lineno, node.end_col_offset))
    end: Position = file.range(last).end
    return safe(f'Add other={value}', Edit(Range(end, end), f', other={value}'))
