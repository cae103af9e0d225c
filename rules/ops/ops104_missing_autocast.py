# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.rules.ops.methods import DIRECTIONS, has_decorator, launching

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        forward (tuple[str, ...]):
            The decorators of `forward` that count, by their full names or only the last part; the first is the one to write.
        backward (tuple[str, ...]):
            The same for `backward`.
    """

    forward: tuple[str, ...] = ('autocast_custom_fwd', 'custom_fwd')
    backward: tuple[str, ...] = ('autocast_custom_bwd', 'custom_bwd')


class MissingAutocast(Rule):
    """An autograd function that launches kernels and does not take care of autocast.

    ## What it does
    Finds the `forward` and the `backward` of a `torch.autograd.Function` that launch Triton kernels,
    by themselves or through functions of the repository,
    and do not carry `@autocast_custom_fwd` and `@autocast_custom_bwd`, or those of PyTorch.
    Where one of the two carries its decorator, the other one has to, whether it launches anything or not.

    ## Why is this bad?
    The backward pass does not run under the autocast of the forward pass by itself:
    what both compute with PyTorch, besides the kernels, is then computed in different types.
    `custom_bwd` without `custom_fwd` fails: it restores what the other one has left in the context.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl

    from fla.utils import input_guard


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        o_t = tl.program_id(0).to(tl.int64) * BT + tl.arange(0, BT)
        m_t = o_t < T
        tl.store(y + o_t, tl.load(x + o_t, mask=m_t) * scale, mask=m_t)


    class ScaleFunction(torch.autograd.Function):

        @staticmethod
        @input_guard
        def forward(ctx, x, scale):
            ctx.scale = scale
            y = torch.empty_like(x)
            scale_fwd_kernel[(triton.cdiv(x.numel(), 128),)](x, y, scale, x.numel(), BT=128)
            return y

        @staticmethod
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
        @autocast_custom_bwd
        def backward(ctx, dy):
            return dy * ctx.scale, None
    ```

    ## Known limits
    Kernels are seen where they are launched by name, and calls where they call a function of the repository by name.

    ## Options
    - `forward`: the decorators of `forward` that count, by their full names or only the last part; the first is the one to write. Default: `["autocast_custom_fwd", "custom_fwd"]`.
    - `backward`: the same for `backward`. Default: `["autocast_custom_bwd", "custom_bwd"]`.
    """

    code = 'OPS104'
    name = 'missing-autocast'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look for the decorators on what launches kernels."""
        names = dict(zip(DIRECTIONS, (self.options.forward, self.options.backward), strict=True))
        for function, launches in launching(file):
            methods = {
                name: function.methods[name] for name in DIRECTIONS
                if name in function.methods and not _only_raises(function.methods[name])
            }
            lacking = [name for name, method in methods.items() if not has_decorator(method, names[name], file)]
            own = function.definition.name
            if len(lacking) == len(methods) and launches:
                wanted = ' and '.join(f'`@{names[name][0]}` on `{name}`' for name in lacking)
                message = f'`{own}` launches kernels, but lacks {wanted}: {_REASONS["forward"]}; decorate what lacks it'
                yield self.finding(file.name_range(methods[launches[0]]), message)
            elif len(lacking) == 1 < len(methods):
                (name,) = lacking
                (other,) = methods.keys() - {name}
                what = f'`{own}.{name}` does not carry `@{names[name][0]}`, but `{other}` carries its counterpart'
                yield self.finding(file.name_range(methods[name]), f'{what}: {_REASONS[other]}; decorate it')


# what is wrong where only one of the two is decorated
_REASONS = {
    'forward': 'autocast is not the same in the forward and the backward pass',
    'backward': 'PyTorch raises AttributeError, since only the forward one leaves in the context what that restores',
}


def _only_raises(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a direction is not there, and says so."""
    body = [one for one in method.body if not isinstance(one, ast.Expr)]
    return len(body) == 1 and isinstance(body[0], ast.Raise)
