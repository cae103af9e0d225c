# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, unsafe
from flakelint.kernel.autograd import context_of, positional
from flakelint.kernel.launches import STRIDE, TENSOR, Passed
from flakelint.project.imports import dotted, last_name
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launch_calls import LaunchCall

# what a gradient is asked or told where its author thinks of its strides
_CARED_FOR = frozenset({
    'clone', 'contiguous', 'expand', 'flatten', 'is_contiguous', 'ndim', 'permute', 'reshape', 'squeeze', 'stride',
    'transpose', 'view',
})
_CHECKS = re.compile(r'(?i)contig|check|assert|valid|ensure|guard')
_STRIDES = re.compile(r'(?i)stride|(?:^|_)(?:ld|s)[a-z]{0,2}\d?$')
# decorators of `backward` that leave its arguments as they are
_HARMLESS = frozenset({'custom_bwd', 'once_differentiable', 'staticmethod'})
_STORES = re.compile(r'store|atomic_\w+')


class NoncontiguousArgument(Rule):
    """A tensor that need not be contiguous for a kernel that takes no strides of it.

    ## What it does
    Finds launches that pass no strides of a tensor

    - which is a gradient that `backward` of an autograd function was given, and which nothing in `backward` makes contiguous, asks for its layout, or guards;
    - or which the same function made with `transpose`, `permute`, `.T`, `expand`, or by cutting columns out of rows, where the launch takes no strides at all.

    ## Why is this bad?
    A kernel without strides reads memory as if the tensor were contiguous.
    Gradients often are not: that of `sum()` is expanded, with stride 0, and that of a transposed output is transposed.
    The result is wrong without an error, and an expanded tensor is read past its end.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def square_bwd_kernel(x, dy, dx, n, BLOCK: tl.constexpr):
        o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o, mask=o < n)
        b_dy = tl.load(dy + o, mask=o < n)
        tl.store(dx + o, 2 * b_x * b_dy, mask=o < n)


    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, dy):
            x, = ctx.saved_tensors
            dx = torch.empty_like(x)
            square_bwd_kernel[(triton.cdiv(x.numel(), 1024),)](x, dy, dx, x.numel(), BLOCK=1024)
            return dx
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def square_bwd_kernel(x, dy, dx, n, BLOCK: tl.constexpr):
        o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o, mask=o < n)
        b_dy = tl.load(dy + o, mask=o < n)
        tl.store(dx + o, 2 * b_x * b_dy, mask=o < n)


    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, dy):
            x, = ctx.saved_tensors
            dy = dy.contiguous()
            dx = torch.empty_like(x)
            square_bwd_kernel[(triton.cdiv(x.numel(), 1024),)](x, dy, dx, x.numel(), BLOCK=1024)
            return dx
    ```

    ## Fix safety
    Unsafe: a copy costs time and memory, and the kernel may be meant for the other order.
    There is no fix where the kernel writes to the tensor.

    ## Known limits
    - Gradients that `backward` hands to another function, which launches the kernel, are not followed.
    - Other parameters of functions may be anything, and are not reported.
    - A kernel that loads a single number from the tensor needs no strides.
    """

    code = 'TRI408'
    name = 'noncontiguous-argument'
    severity = 'warning'
    fix = 'unsafe'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at what the launches of a file pass."""
        calls = [call for call in file.launch_calls if call.choices == 1]
        gradients = dict(_gradients(file)) if calls and 'backward' in file.text else {}
        for call in calls:
            given = _given(call)
            for name, value in given.items():
                passed = call.launch.parameters.get(name)
                is_gradient = isinstance(value, ast.Name) and value.id in gradients.get(call.node, ())
                if is_gradient and not _has_strides(call, value.id):
                    reason = f'`{value.id}` is a gradient as `backward` was given it, which need not be contiguous'
                elif passed is not None and passed.kind == TENSOR and passed.contiguous is False and not _takes_strides(call):
                    reason = f'`{ast.unparse(value)}` is not contiguous'
                else:
                    continue
                if _is_walked(call.kernel, name):
                    yield self._finding(value, reason, call, name, file)

    def _finding(self, value: ast.expr, reason: str, call: 'LaunchCall', name: str, file: 'File') -> 'Finding':
        message = f'{reason}, and `{call.kernel.name}` takes no strides of it: it reads other elements than meant'
        fix = _contiguous(value, file) if not _is_written(call.kernel, name) else None
        return self.finding(file.range(value), message, fix)


def _gradients(file: 'File') -> Iterator[tuple[ast.AST, set[str]]]:
    """The nodes in each `backward`, with the gradients that it is given and of whose layout it takes no care."""
    for function in file.autograd_functions:
        backward = function.methods.get('backward')
        if backward is None or any(
            last_name(one.func if isinstance(one, ast.Call) else one) not in _HARMLESS for one in backward.decorator_list
        ):
            continue
        nodes = nodes_in_order(backward.body)
        names = {one.arg for one in positional(backward)} - {context_of(backward)}
        names -= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in _CARED_FOR:
                names.discard(dotted(node.value))
            elif isinstance(node, ast.Call) and _CHECKS.search(last_name(node.func)):
                names -= {one.id for one in node.args if isinstance(one, ast.Name)}
        if any(isinstance(node, ast.Attribute) and node.attr == 'is_contiguous' for node in nodes):
            # asked in a loop over several tensors
            continue
        yield from ((node, names) for node in nodes if isinstance(node, ast.Call))


def _given(call: 'LaunchCall') -> dict[str, ast.expr]:
    """The arguments of a launch by parameter, up to the first that may be several."""
    names = [one.name for one in call.kernel.parameters]
    found = {}
    for name, value in zip(names, call.node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        found[name] = value
    return found | {one.arg: one.value for one in call.node.keywords if one.arg in names}


def _is_walked(kernel: 'Kernel', name: str) -> bool:
    """Whether a kernel computes addresses from a pointer, and does not load a single number from it."""
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        and any(isinstance(side, ast.Name) and side.id == name for side in (node.left, node.right))
        for node in kernel.body
    )


def _is_written(kernel: 'Kernel', name: str) -> bool:
    """Whether a kernel may write through a pointer: it stores to it, or puts it under another name."""
    for node in kernel.body:
        if isinstance(node, ast.Call) and _STORES.fullmatch(last_name(node.func)):
            parts = node.args[:1]
        elif isinstance(node, ast.Assign | ast.AugAssign):
            parts = [] if isinstance(node.value, ast.Call) else [node.value]
        else:
            continue
        if any(isinstance(one, ast.Name) and one.id == name for one in nodes_in_order(parts)):
            return True
    return False


def _strides(passed: Passed) -> Iterator[str]:
    """The tensors whose strides something is made of."""
    if passed.kind == STRIDE:
        yield passed.tensor
    for one in passed.operands:
        yield from _strides(one)


def _has_strides(call: 'LaunchCall', name: str) -> bool:
    """Whether a launch passes a stride of a tensor."""
    return any(tensor == name for passed in call.launch.parameters.values() for tensor in _strides(passed))


def _takes_strides(call: 'LaunchCall') -> bool:
    """Whether a launch passes any stride, or may."""
    if call.site.spreads or call.site.is_open or any(_STRIDES.search(one.name) for one in call.kernel.parameters):
        return True
    return any(True for passed in call.launch.parameters.values() for _ in _strides(passed))


def _contiguous(value: ast.expr, file: 'File') -> 'Fix | None':
    end = file.range(value).end
    if not isinstance(value, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        return None
    return unsafe('Pass a contiguous copy', Edit(Range(end, end), '.contiguous()'))
