# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import types
from flakelint.kernel.floats import HALF, WIDE_ONLY, Floats, all_values, spelled
from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.rules.tri.places import beside, is_to_tell
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.graph import Cases
    from flakelint.kernel.kernels import Kernel

_SUMS = frozenset({'sum', 'cumsum'})
_BITS = {'fp16': 11, 'bf16': 8}
_CHOICES = frozenset({'eq', 'ne'})


class HalfPrecisionMath(Rule):
    """A sum, or a function such as `tl.exp`, of numbers of 16 bits.

    ## What it does
    Flags, where the kernel shows that a block is `float16` or `bfloat16` (a cast, `tl.zeros`, and what is computed of such),

    - `tl.sum` and `tl.cumsum` of it, without `dtype=tl.float32`;
    - an accumulator of that type to which a loop adds, or `tl.dot` in a loop;
    - `tl.exp`, `tl.log`, `tl.sqrt` and their like, which Triton refuses.

    ## Why is this bad?
    Triton adds in the type of the block, other than PyTorch, which sums halves in `float32`. A `float16` has 11 bits and a `bfloat16` has 8, so each addition drops what is small beside the sum so far: a sum of 4,096 ones in `bfloat16` may well stop at 256. `float16` overflows beyond 65,504 besides.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_fwd_kernel(x, y, D, BD: tl.constexpr):
        i_n = tl.program_id(0).to(tl.int64)
        b_s = tl.zeros((BD,), dtype=tl.bfloat16)
        for i_d in range(0, D, BD):
            o_d = i_d + tl.arange(0, BD)
            b_s += tl.load(x + i_n * D + o_d, mask=o_d < D, other=0).to(tl.bfloat16)
        tl.store(y + i_n, tl.sum(b_s, 0))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_fwd_kernel(x, y, D, BD: tl.constexpr):
        i_n = tl.program_id(0).to(tl.int64)
        b_s = tl.zeros((BD,), dtype=tl.float32)
        for i_d in range(0, D, BD):
            o_d = i_d + tl.arange(0, BD)
            b_s += tl.load(x + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        tl.store(y + i_n, tl.sum(b_s, 0).to(y.dtype.element_ty))
    ```

    ## Known limits
    - What is loaded has the type that the caller's tensor has. It is not guessed, so a load that is never cast is not flagged.
    - A sum that picks one element, because all others are replaced by 0 through `==`, is exact, and not flagged.
    - A maximum is exact in any type.
    """

    code = 'TRI601'
    name = 'half-precision-math'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the functions, sums and accumulators of a kernel that work in 16 bits."""
        if 'float16' not in file.text:
            return
        floats = Floats()
        found = [(value, *told) for value in all_values(file.model(kernel)) if (told := _told(value, floats))]
        for value, message, severity, node in sorted(found, key=lambda one: (one[3].lineno, one[3].col_offset)):
            if is_to_tell(self, node, value.frame, file):
                related = [] if node is value.node else beside(value, 'where it is added to', file)
                yield self.finding(file.range(node), message, related=related)._replace(severity=severity)


def _told(value: Value, floats: Floats) -> tuple[str, str, ast.AST] | None:
    """What is wrong with a value, how bad that is, and where it stands."""
    if value.node is None or value.frame is None:
        return None
    if value.op == 'call' and value.type == types.FLOAT and value.detail in WIDE_ONLY and value.operands:
        found = floats.of(value.operands[0])
        if found in HALF:
            name, what = ast.unparse(value.node.func), _shown(value.operands[0])
            text = f'`{name}` of {what}, which is {spelled(found)}: Triton refuses it, since it takes float32 and float64 only'
            return f'{text}; add `.to(tl.float32)`', 'error', value.node
    if value.op == 'reduce' and value.detail in _SUMS and not _picks_one(value.operands[0]):
        found = floats.of(value)
        if found in HALF and floats.of(value.operands[0]) == found:
            name, what = ast.unparse(value.node.func), _shown(value.operands[0])
            text = f'`{name}` adds up {what} in {spelled(found)}, which keeps {_BITS[found]} bits of each partial sum'
            return f'{text}: add `.to(tl.float32)` first', 'warning', value.node
    return _accumulated(value, floats) if value.op == 'phi' else None


def _accumulated(value: Value, floats: Floats) -> tuple[str, str, ast.AST] | None:
    """What is wrong with a block that a loop adds to."""
    start = value.operands[0]
    if not isinstance(value.node, ast.For | ast.While) or type(start) is not Value or not value.shape:
        return None
    found = floats.of(start)
    if found not in HALF or not isinstance(start.node, ast.expr):
        return None
    ends = [end for end in each_value(value.operands[1:]) if _adds(end, value) and floats.of(end) == found]
    if not ends:
        return None
    name = f'`{value.name}`' if value.name else 'what the loop carries'
    text = f'{name} is {spelled(found)}, and line {ends[0].node.lineno} adds to it round by round'
    advice = 'make it float32, and cast the result'
    return f'{text}: each sum is rounded to {_BITS[found]} bits; {advice}', 'warning', start.node


def _adds(end: Value, start: Value) -> bool:
    """Whether a value is the sum of what a loop carries and something else."""
    if end.op not in ('add', 'dot'):
        return False
    parts = reachable([end], lambda one: one.operands if one.op in ('add', 'dot', 'mul', 'cast', 'phi') else ())
    return any(one is start for one in parts)


def _picks_one(value: 'Value | Cases') -> bool:
    """Whether a block has one element that is not 0, which a comparison chose."""
    return any(
        one.op in _CHOICES
        for case in reachable([value], lambda one: one.operands if one.op in ('cast', 'assign') else ())
        if case.op in ('where', 'mul')
        for one in reachable([case, *([case.detail] if case.detail is not None else [])])
    )


def _shown(value: 'Value | Cases') -> str:
    case = next(each_value([value]))
    name = case.name or (written(case.node) if isinstance(case.node, ast.expr) else '')
    return f'`{name}`' if name else 'a block'
