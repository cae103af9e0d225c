# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import sizes
from flakelint.kernel.launches import EITHER, NUMBER, PARAMETER, SIZE, UNKNOWN, Passed
from flakelint.kernel.names import role_of_name

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.launch_calls import LaunchCall
    from flakelint.kernel.sizes import Assumed

# a launch that passes the limit of 65,535 by little is rare
_FAR = 1 << 18
# more elements than this are rare, too
_MANY = 1 << 28
_LENGTH = re.compile(r'T|(?:num|n|total)_tokens|(?:max_)?seq_?len(?:s|gth)?(?:_[qk]v?)?')
# matrices whose rows are no tokens, and kernels for few of them
_OTHER_ROWS = re.compile(r'(?:^|[._])(?:w|weights?|filters?|\w*(?:tables?|caches?|lens|offsets?))\d?$', re.IGNORECASE)
_FOR_FEW = re.compile(r'(?i)short|small|decod|tiny')
_OTHER_ROLES = frozenset({sizes.BATCH, sizes.EXPERTS, sizes.HEADS})
_DIVISIONS = frozenset({'cdiv', '//'})
# what is no smaller than each of the lengths in it
_GROWS = frozenset({'*', '+', 'max', 'next_power_of_2'})


class GridAxisLimit(Rule):
    """A size without a limit on an axis of the grid that has one.

    ## What it does
    Finds launches whose grid has tokens, rows of a matrix, the length of a sequence, or all elements of a tensor on its second or third axis, one program each, or up to four in a block: `cdiv(T, 4)` passes the limit at a length of 262,144, while `cdiv(T, 64)` takes one of 4,194,304.
    How large lengths commonly are is a setting, as for TRI101.

    ## Why is this bad?
    CUDA takes 65,535 programs at most on these axes, and 2,147,483,647 on the first.
    A launch with more fails with "invalid argument", for the first time when somebody has a longer sequence.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def norm_kernel(x, y, H, D, BD: tl.constexpr):
        i_h, i_t = tl.program_id(0), tl.program_id(1)
        o_d = tl.arange(0, BD)
        b_x = tl.load(x + (i_t.to(tl.int64) * H + i_h) * D + o_d, mask=o_d < D, other=0)
        tl.store(y + (i_t.to(tl.int64) * H + i_h) * D + o_d, b_x / tl.sqrt(tl.sum(b_x * b_x)), mask=o_d < D)


    def norm(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        num_tokens, H, D = x.shape
        norm_kernel[(H, num_tokens)](x, y, H, D, BD=triton.next_power_of_2(D))
        return y
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def norm_kernel(x, y, H, D, BD: tl.constexpr):
        i_t, i_h = tl.program_id(0), tl.program_id(1)
        o_d = tl.arange(0, BD)
        b_x = tl.load(x + (i_t.to(tl.int64) * H + i_h) * D + o_d, mask=o_d < D, other=0)
        tl.store(y + (i_t.to(tl.int64) * H + i_h) * D + o_d, b_x / tl.sqrt(tl.sum(b_x * b_x)), mask=o_d < D)


    def norm(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        num_tokens, H, D = x.shape
        norm_kernel[(num_tokens, H)](x, y, H, D, BD=triton.next_power_of_2(D))
        return y
    ```

    ## Known limits
    - Batches, and heads of all batches, rarely pass the limit and are left alone.
    - A kernel whose name, or that of its file, says that it is for short or few sequences, such as `_decode`, is left alone.
    - A length that is divided by a block whose size is not seen counts as short enough.
    - Limits are seen where an assertion or a condition around the launch sets them.
    """

    code = 'TRI404'
    name = 'grid-axis-limit'
    severity = 'warning'
    fix = 'none'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at the grids of the launches in a file."""
        for call in file.launch_calls:
            if _FOR_FEW.search(call.kernel.name) or _FOR_FEW.search(call.kernel.path.rpartition('/')[2]):
                continue
            lengths = _Lengths(call, file.settings.assume.sizes)
            for axis, programs in list(enumerate(call.launch.grid or ()))[1:3]:
                count = lengths.common(programs)
                if count is not None and count >= _FAR:
                    message = (
                        f'axis {axis} of the grid of `{call.kernel.name}` is `{programs.text}`, {count:,} programs for common '
                        'sizes: a launch with more than 65,535 there fails; only axis 0 takes more'
                    )
                    yield self.finding(file.range(_place(call, axis)), message)


class _Lengths:
    """How large lengths commonly are, and what is made of them."""

    def __init__(self, call: 'LaunchCall', assumed: 'Assumed') -> None:
        self._blocks = call.kernel.block_sizes
        limited = [one.identity for one, _ in call.launch.limits]
        # what a block is as long as is no longer than a block can be
        limited.extend(one.identity for passed in call.launch.parameters.values() for one in _rounded(passed))
        self._limited = limited
        self._assumed = assumed

    def common(self, passed: Passed, is_divided: bool = False) -> int | None:
        """A size that is common for a number of programs; None where it is no length, or where something keeps it small.

        Nobody has a program for each element, so that a number of elements counts only where it is divided.
        """
        if passed.identity in self._limited:
            return None
        if passed.kind in (SIZE, UNKNOWN):
            role = _role(passed) if passed.head != 'numel' or is_divided else ''
            return min(self._assumed.of_role(role).tight, _MANY) if role else None
        is_divided = is_divided or passed.head in _DIVISIONS
        known = [self.common(one, is_divided) for one in passed.operands]
        lengths = [one for one in known if one is not None]
        if not lengths:
            return None
        if passed.head in _DIVISIONS and len(known) == 2:
            divisor = self._divisor(passed.operands[1])
            return known[0] // divisor if known[0] is not None and divisor else None
        if passed.head == EITHER:
            return min(lengths) if len(lengths) == len(known) else None
        return max(lengths) if passed.head in _GROWS else None

    def _divisor(self, passed: Passed) -> int | None:
        """The largest number that is known to divide a length."""
        if passed.kind == NUMBER and type(passed.value) is int:
            return passed.value
        sizes_tried = self._blocks.get(passed.text, ()) if passed.head == PARAMETER else ()
        return max(sizes_tried, default=None)


def _rounded(passed: Passed) -> Iterator[Passed]:
    """The numbers that something rounds up to a power of two."""
    if passed.head == 'next_power_of_2':
        yield from passed.operands
    for one in passed.operands:
        yield from _rounded(one)


def _role(passed: Passed) -> str:
    """What a size is, if it is a length: the elements of a tensor, rows of a matrix, or tokens by their name."""
    if role_of_name(passed.text.rpartition('.')[2], constant=False) in _OTHER_ROLES:
        return ''
    if passed.head == 'numel':
        return sizes.ELEMENTS
    is_named = _LENGTH.fullmatch(passed.text.rpartition('.')[2]) is not None
    if passed.kind == UNKNOWN:
        return sizes.LENGTH if is_named else ''
    is_middle = passed.axis is not None and passed.axis > 0 and passed.axis != (passed.rank or 0) - 1
    is_rows = passed.axis == 0 and passed.rank == 2 and not _OTHER_ROWS.search(passed.tensor)
    return sizes.LENGTH if is_rows or is_named or (is_middle and passed.text == 'L') else ''


def _place(call: 'LaunchCall', axis: int) -> ast.expr:
    """The expression of an axis, if the grid is written out in the launch; else the grid."""
    grid = call.grid
    value = grid.body if isinstance(grid, ast.Lambda) else grid
    if isinstance(value, ast.Tuple | ast.List) and not any(isinstance(one, ast.Starred) for one in value.elts):
        return value.elts[axis]
    return grid if grid is not None else call.node
