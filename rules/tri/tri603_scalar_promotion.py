# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import types
from flakelint.kernel.floats import Floats, all_values, spelled
from flakelint.kernel.lossy import cut_stores, is_sum_of_booleans, lost_by_shift, widened_by_literal
from flakelint.kernel.truncated import CEILING, Negative, negative_divisions
from flakelint.rules.tri.places import is_to_tell
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.graph import Value
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model

Told = tuple['ast.AST', 'Frame', str]


class ScalarPromotion(Rule):
    """Arithmetic that gives another number, or another type, than the same line of Python or PyTorch.

    ## What it does
    Flags in functions that Triton compiles

    - `//` and `%` of an integer that is certainly negative somewhere: `(i - 1) % n` where `i` counts from 0, `-n // d`, `(o[:, None] - o[None, :]) // 2`;
    - `+` of two blocks of booleans;
    - a shift to the left in a type that is too narrow for it: `x.to(tl.uint8) << 8`, and `(x.to(tl.int32) << 16).to(tl.int64)`, which widens too late;
    - a number such as `0.1` that is bound to a name and then meets a block that the kernel shows to be `float16` or `bfloat16`;
    - a `tl.store` of a fraction to a tensor of integers, which the launch has just made.

    ## Why is this bad?
    All of it compiles.

    - Triton divides as C does, towards zero: `(0 - 1) // 2` is 0 and `(0 - 1) % n` is -1, an index before the tensor.
    - The sum of two booleans is a boolean, and `True + True` is `False`.
    - A shift has the type of what is shifted, and drops the bits that do not fit.
    - `b_x * 0.1` has the type of `b_x`, but `s = 0.1` makes a `float32` of the number, and `b_x * s` is `float32`.
    - A store casts to the type of the pointer, and cuts what is behind the point.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def shift_fwd_kernel(x, y, n, D: tl.constexpr):
        i_n = tl.program_id(0)
        i_p = (i_n - 1) % n
        o_d = tl.arange(0, D)
        tl.store(y + i_n * D + o_d, tl.load(x + i_p * D + o_d))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def shift_fwd_kernel(x, y, n, D: tl.constexpr):
        i_n = tl.program_id(0)
        i_p = (i_n - 1 + n) % n
        o_d = tl.arange(0, D)
        tl.store(y + i_n * D + o_d, tl.load(x + i_p * D + o_d))
    ```

    ## Known limits
    - Where the kernel compares the number, or what it is made of, with a constant, it is taken to keep the negative ones out.
    - Differences of loaded values, of arguments and with compile-time constants of which the value is not written out may be negative too, and are not flagged.
    - `tl.sum` of booleans and of `int8` adds in 32 bits since Triton 3.3, and is not flagged.
    - A float that is rounded, clamped or chosen before it is stored to integers is cut on purpose.
    """

    code = 'TRI603'
    name = 'scalar-promotion'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the arithmetic of a kernel that gives another number, or another type, than it looks like."""
        found = sorted(_told(file.model(kernel)), key=lambda one: (one[0].lineno, one[0].col_offset))
        for node, frame, message in found:
            if is_to_tell(self, node, frame, file):
                yield self.finding(file.range(node), f'compiles, but {message}')


def _told(model: 'Model') -> Iterator[Told]:
    values = [value for value in all_values(model) if value.frame is not None and isinstance(value.node, ast.expr | ast.stmt)]
    for found in negative_divisions(model, values):
        yield found.value.node, found.value.frame, _rounded(found)
    floats = Floats()
    for value in values:
        message = _about(value, floats)
        if message:
            yield value.node, value.frame, message
    for access, kind in cut_stores(model):
        text = f'cuts what is behind the point of `{written(access.node.args[1])}`' if len(access.node.args) > 1 else 'cuts it'
        advice = 'round or cast it, or divide with `//`'
        yield access.node, access.frame, f'{text}, a float, since the tensor holds {types.spelled(kind)}: {advice}'


def _about(value: 'Value', floats: Floats) -> str:
    """What is to be said of a sum, a shift or an operation with a named number."""
    if is_sum_of_booleans(value):
        text = f'`{written(value.node)}` of booleans is a boolean'
        return f'{text}, in which True + True is False: use `|`, or cast to tl.int32 first'
    lost = lost_by_shift(value)
    if lost:
        text = f'`{written(value.node)}` shifts in {lost}'
        return f'{text}, which drops the bits that do not fit: cast before the shift'
    widened = widened_by_literal(value, floats)
    if widened is None:
        return ''
    half, literal = widened
    text = f'`{written(value.node)}` is float32 although the block is {spelled(floats.of(half))}'
    return (
        f'{text}, since `{literal.name}` holds {literal.literal} as a float32: '
        f'write the number in its place, or declare `{literal.name}: tl.constexpr`'
    )


def _rounded(found: Negative) -> str:
    text = f'`{written(found.value.node)}` rounds towards zero, and {found.why}'
    if found.value.op == 'mod':
        return f'{text}: the remainder is negative or 0 there; add the divisor before `%`'
    if found.kind == CEILING:
        return f'{text}: this does not round up as in Python; use `tl.cdiv`'
    return f'{text}: -1 // 2 is 0, other than in Python; keep the dividend from being negative'
