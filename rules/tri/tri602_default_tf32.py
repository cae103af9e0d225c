# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.api.uses import is_for_vendor
from flakelint.kernel.floats import FP32, Floats, all_values
from flakelint.kernel.graph import Value, each_value
from flakelint.project.imports import dotted
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.graph import Cases
    from flakelint.kernel.kernels import Kernel

_OTHERS = re.compile(r'(?i)(?:^|[/_])(?:amd|hip|rocm|xpu)(?=[/_.])')
_PRECISIONS = frozenset({'input_precision', 'allow_tf32'})
# the accumulator is the last argument that stands before them
_BEFORE = 3
_SAME = frozenset({'view', 'trans', 'assign'})


class DefaultTf32(Rule):
    """A `tl.dot` of `float32` blocks that does not say in which precision.

    ## What it does
    Flags `tl.dot` without `input_precision` and `allow_tf32` where the kernel shows that both operands are `float32`, and that one of them at least was computed in it.

    ## Why is this bad?
    On NVIDIA GPUs `tl.dot` rounds `float32` operands to TF32, which has 11 bits where `float32` has 24, unless it is told otherwise. The cast to `float32` says that the numbers matter; the product has the precision of `float16` all the same. PyTorch multiplies in full precision unless it is asked for TF32.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def attn_fwd_kernel(q, k, o, scale, T, D: tl.constexpr, BT: tl.constexpr):
        o_t, o_d = tl.arange(0, BT), tl.arange(0, D)
        p = o_t[:, None] * D + o_d[None, :]
        mask = (o_t < T)[:, None]
        b_q = tl.load(q + p, mask=mask, other=0).to(tl.float32) * scale
        b_k = tl.load(k + p, mask=mask, other=0).to(tl.float32)
        b_s = tl.dot(b_q, tl.trans(b_k))
        tl.store(o + o_t[:, None] * BT + o_t[None, :], b_s, mask=mask)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def attn_fwd_kernel(q, k, o, scale, T, D: tl.constexpr, BT: tl.constexpr):
        o_t, o_d = tl.arange(0, BT), tl.arange(0, D)
        p = o_t[:, None] * D + o_d[None, :]
        mask = (o_t < T)[:, None]
        b_q = tl.load(q + p, mask=mask, other=0).to(tl.float32) * scale
        b_k = tl.load(k + p, mask=mask, other=0).to(tl.float32)
        b_s = tl.dot(b_q, tl.trans(b_k), input_precision='ieee')
        tl.store(o + o_t[:, None] * BT + o_t[None, :], b_s, mask=mask)
    ```

    ## Known limits
    - Where both operands are loads that were only cast, they may come from `float16` or `bfloat16`, and fit into TF32 then. Nothing is said.
    - Operands whose type the caller decides are not guessed.
    - A function in which another `tl.dot` says its precision is taken to have chosen for all of them.
    - Of several such products in one function the first is flagged, and the others are shown with it.
    - AMD GPUs multiply `float32` in full precision by default. Files that are for them, or for another vendor's GPUs, by the names of their folders are left out.
    """

    code = 'TRI602'
    name = 'default-tf32'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the products of a kernel that lose bits of their operands without a word."""
        if 'float32' not in file.text or '.dot(' not in file.text or _is_for_others(kernel.path):
            return
        floats, found = Floats(), {}
        for value in all_values(file.model(kernel)):
            if _is_default(value) and _loses(value, floats) and value.frame.kernel.path == file.path:
                found.setdefault(value.frame.kernel, {})[value.node] = value
        for function, dots in found.items():
            if any(map(_says_precision, function.calls)):
                continue
            first, *others = sorted(dots, key=lambda node: (node.lineno, node.col_offset))
            if file.is_first(self.code, file.range(first)):
                related = [Related(file.range(node), 'and so does this') for node in others]
                yield self._finding(first, related, file)

    def _finding(self, node: ast.Call, related: list[Related], file: 'File') -> 'Finding':
        what = ' and '.join(f'`{written(one)}`' for one in node.args[:2]) or 'its operands'
        message = (
            f'compiles, but rounds {what}, which are float32, to the 11 bits of TF32 on NVIDIA GPUs: '
            "write `input_precision='ieee'`, or `'tf32'` where that is enough"
        )
        return self.finding(file.range(node), message, related=related)


def _is_for_others(path: str) -> bool:
    """Whether a file holds kernels for GPUs that have no TF32, by the names of its folders."""
    return is_for_vendor(path) or _OTHERS.search(path) is not None


def _loses(value: Value, floats: Floats) -> bool:
    """Whether a product is one of `float32` blocks, and TF32 may not hold them."""
    operands = value.operands[:2]
    return all(floats.of(one) == FP32 for one in operands) and not all(_may_fit(one, floats) for one in operands)


def _says_precision(node: ast.Call) -> bool:
    """Whether a call says in which precision it multiplies."""
    return any(one.arg in _PRECISIONS for one in node.keywords)


def _is_default(value: Value) -> bool:
    """Whether a value is a product for which no precision is given."""
    node = value.node
    if value.op != 'dot' or not isinstance(node, ast.Call) or len(node.args) > _BEFORE or len(value.operands) < 2:
        return False
    if _says_precision(node) or any(one.arg is None for one in node.keywords):
        return False
    return value.frame.kernel.bindings.resolve(dotted(node.func) or '') == 'triton.language.dot'


def _may_fit(value: 'Value | Cases', floats: Floats) -> bool:
    """Whether TF32 may hold a block as it is: numbers of another type that were cast, or a literal."""
    return all(_fits(case, floats) for case in each_value([value]))


def _fits(value: Value, floats: Floats) -> bool:
    if value.op in _SAME:
        return _may_fit(value.operands[0], floats)
    if value.op == 'cast':
        return floats.of(value.operands[0]) != FP32 or _may_fit(value.operands[0], floats)
    if value.op == 'where':
        return all(_may_fit(one, floats) for one in value.operands)
    return value.op in ('fill', 'constant')
