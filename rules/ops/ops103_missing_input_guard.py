# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.autograd import AutogradFunction
from flakelint.project.statements import FUNCTIONS
from flakelint.rules.ops.methods import has_decorator, launching

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        guards (tuple[str, ...]):
            The decorators that count, by their full names or only the last part; the first is the one to write.
    """

    guards: tuple[str, ...] = ('input_guard', 'contiguous', 'ensure_contiguous')


class MissingInputGuard(Rule):
    """An autograd function that launches kernels without a guard of its inputs.

    ## What it does
    Finds the `forward` and the `backward` of a `torch.autograd.Function` that launch Triton kernels,
    by themselves or through functions of the repository, and do not carry `@input_guard`.
    A `forward` is fine without, where all calls of `apply` stand in functions of its file that carry the guard.

    ## Why is this bad?
    Kernels compute addresses from shapes, and read a tensor that is not contiguous in the wrong order.
    They are launched on the current device, which may be another one than that of the inputs.
    The guard makes each tensor contiguous and sets the device.
    The gradients that `backward` is given are often not contiguous, whatever the inputs were.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl

    from fla.utils import autocast_custom_bwd, autocast_custom_fwd


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        o_t = tl.program_id(0).to(tl.int64) * BT + tl.arange(0, BT)
        m_t = o_t < T
        tl.store(y + o_t, tl.load(x + o_t, mask=m_t) * scale, mask=m_t)


    class ScaleFunction(torch.autograd.Function):

        @staticmethod
        @autocast_custom_fwd
        def forward(ctx, x, scale):
            ctx.scale = scale
            y = torch.empty_like(x)
            scale_fwd_kernel[(triton.cdiv(x.numel(), 128),)](x, y, scale, x.numel(), BT=128)
            return y

        @staticmethod
        @autocast_custom_bwd
        def backward(ctx, dy):
            return dy * ctx.scale, None
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl

    from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        o_t = tl.program_id(0).to(tl.int64) * BT + tl.arange(0, BT)
        m_t = o_t < T
        tl.store(y + o_t, tl.load(x + o_t, mask=m_t) * scale, mask=m_t)


    class ScaleFunction(torch.autograd.Function):

        @staticmethod
        @input_guard
        @autocast_custom_fwd
        def forward(ctx, x, scale):
            ctx.scale = scale
            y = torch.empty_like(x)
            scale_fwd_kernel[(triton.cdiv(x.numel(), 128),)](x, y, scale, x.numel(), BT=128)
            return y

        @staticmethod
        @input_guard
        @autocast_custom_bwd
        def backward(ctx, dy):
            return dy * ctx.scale, None
    ```

    ## Known limits
    Kernels are seen where they are launched by name, and calls where they call a function of the repository by name.

    ## Options
    - `guards`: the decorators that count, by their full names or only the last part; the first is the one to write. Default: `["input_guard", "contiguous", "ensure_contiguous"]`.
    """

    code = 'OPS103'
    name = 'missing-input-guard'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look for the guard on what launches kernels."""
        for function, names in launching(file):
            for name in names:
                method = function.methods[name]
                if has_decorator(method, self.options.guards, file):
                    continue
                if name == 'forward' and self._is_guarded_outside(function, file):
                    continue
                what = f'`{function.definition.name}.{name}` launches kernels, but does not carry `@{self.options.guards[0]}`'
                why = 'they read a tensor that is not contiguous in the wrong order, and run on the current device'
                yield self.finding(file.name_range(method), f'{what}: {why}; decorate it')

    def _is_guarded_outside(self, function: AutogradFunction, file: 'File') -> bool:
        uses = file.repository.host(file.module).applications(function.name)
        around = [node for node in file.statements if isinstance(node, FUNCTIONS)]
        return bool(uses) and all(
            path == file.path and any(self._guards(node, use.line, file) for node in around) for path, use in uses
        )

    def _guards(self, node: ast.FunctionDef | ast.AsyncFunctionDef, line: int, file: 'File') -> bool:
        return node.lineno <= line <= node.end_lineno and has_decorator(node, self.options.guards, file)
