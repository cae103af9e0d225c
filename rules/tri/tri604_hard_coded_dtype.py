# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.element_types import allocation, element_types_named
from flakelint.kernel.floats import HALF, argument, named, spelled
from flakelint.kernel.origins import base_of
from flakelint.rules.tri.places import is_to_tell

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.element_types import Allocation
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel

# a kernel that is made for one type says so in its name
_TYPED_NAME = re.compile(r'(?i)fp\d|bf16|half|float\d|int\d|quant|w\d+a\d+|cast|convert')


class HardCodedDtype(Rule):
    """A store that casts to `float16` or `bfloat16` where the output has the type of the caller's tensor.

    ## What it does
    Flags `tl.store(p, value.to(tl.float16))`, and the same with `bfloat16`, where

    - every launch that is seen hands over a tensor that the host function made with the element type of one of its parameters: `torch.empty_like(x)`, `torch.empty(..., dtype=x.dtype)`, `x.new_empty(...)`;
    - the host function says nothing of `float16` or `bfloat16`;
    - and another store of the kernel casts to the element type of its pointer, so that the kernel is meant for any type.

    ## Why is this bad?
    `tl.store` casts to the type of the pointer by itself. The cast in between rounds a result for a `float32` tensor to 11 or 8 bits, and makes infinity of what is above 65,504 in a `bfloat16` tensor, without an error.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def norm_fwd_kernel(x, y, residual, D, BD: tl.constexpr):
        i_n = tl.program_id(0).to(tl.int64)
        o_d = tl.arange(0, BD)
        b_x = tl.load(x + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        b_r = tl.rsqrt(tl.sum(b_x * b_x, 0) / D + 1e-6)
        tl.store(residual + i_n * D + o_d, b_x.to(residual.dtype.element_ty), mask=o_d < D)
        tl.store(y + i_n * D + o_d, (b_x * b_r).to(tl.float16), mask=o_d < D)


    def norm_fwd(x):
        y = torch.empty_like(x)
        residual = torch.empty_like(x)
        norm_fwd_kernel[(x.shape[0],)](x, y, residual, x.shape[1], BD=triton.next_power_of_2(x.shape[1]))
        return y, residual
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def norm_fwd_kernel(x, y, residual, D, BD: tl.constexpr):
        i_n = tl.program_id(0).to(tl.int64)
        o_d = tl.arange(0, BD)
        b_x = tl.load(x + i_n * D + o_d, mask=o_d < D, other=0).to(tl.float32)
        b_r = tl.rsqrt(tl.sum(b_x * b_x, 0) / D + 1e-6)
        tl.store(residual + i_n * D + o_d, b_x.to(residual.dtype.element_ty), mask=o_d < D)
        tl.store(y + i_n * D + o_d, (b_x * b_r).to(y.dtype.element_ty), mask=o_d < D)


    def norm_fwd(x):
        y = torch.empty_like(x)
        residual = torch.empty_like(x)
        norm_fwd_kernel[(x.shape[0],)](x, y, residual, x.shape[1], BD=triton.next_power_of_2(x.shape[1]))
        return y, residual
    ```

    ## Known limits
    - Only launches in the file of the kernel are looked at.
    - A kernel that names a type, such as `rms_norm_fp16_kernel`, or that quantises or casts, is made for it.
    - A store under a flag may be the branch for that type.
    - A kernel in which each store casts to the same literal type may be made for it, and is not flagged.
    """

    code = 'TRI604'
    name = 'hard-coded-dtype'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the stores of a kernel that cast to a type which the caller's tensor need not have."""
        if 'float16' not in file.text or 'empty' not in file.text or _TYPED_NAME.search(kernel.name):
            return
        generic = next(element_types_named(kernel.body), None)
        launches = file.repository.launches(kernel) if generic is not None and _casts(kernel) else ()
        if not launches or any(launch.path != file.path for launch in launches):
            return
        for access in file.model(kernel).accesses:
            found = _literal_cast(access)
            if found is None or access.guard or access.frame.kernel is not kernel:
                continue
            bases = {value.name for value in base_of(access.address)}
            passed = [launch.parameters.get(name) for launch in launches for name in bases]
            if len(bases) != 1 or None in passed:
                continue
            made = [allocation(file.statements, launch.line, one.text) for launch, one in zip(launches, passed, strict=True)]
            if None not in made and is_to_tell(self, found[1], access.frame, file):
                yield self._finding(*found, bases.pop(), made[0], generic, file)

    def _finding(
        self, dtype: str, node: ast.expr, name: str, made: 'Allocation', generic: ast.Attribute, file: 'File',
    ) -> 'Finding':
        message = (
            f'compiles, but rounds to {dtype} whatever `{name}` holds: `{made.function}` makes it with the type of '
            f'`{made.source}` in line {made.node.lineno}; write `{name}.dtype.element_ty`, as line {generic.lineno} does'
        )
        return self.finding(file.range(node), message)


def _casts(kernel: 'Kernel') -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in ('float16', 'bfloat16') for node in kernel.body)


def _literal_cast(access: 'Access') -> tuple[str, ast.expr] | None:
    """The half type to which a store casts its value, and where it says so."""
    value = argument(access.node, 'value', 1) if access.kind == 'store' else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr != 'to':
        return None
    target = argument(value, 'dtype', 0)
    found = named(target, access.frame)
    return (spelled(found), target) if found in HALF else None
