# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.graph import Value
from flakelint.kernel.strides import Step, Strides
from flakelint.rules.tri.places import beside, is_to_tell
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.kernels import Kernel

_INDICES = ('program_id', 'load', 'floordiv', 'mod', 'counter')


class WrongStride(Rule):
    """A tensor is addressed with the stride of another one, or an index is added without its stride.

    ## What it does
    Finds out which tensor each stride of a kernel belongs to: from the launches (`k.stride(0)` is passed beside `k`), or else from its name. Flags

    - an address of a tensor that takes the stride of another tensor, where the tensor has a stride of its own for that dimension, or one that nothing uses;
    - an index that an address adds as it is, where other tensors add the same index with their strides, and the tensor has a stride that nothing uses.

    ## Why is this bad?
    It works as long as both tensors have the same layout, as in most tests, and reads somewhere else once one of them is a view, padded, or of another head count.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def add_fwd_kernel(x, y, out, stride_x, stride_y, stride_out, D: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        o_d = tl.arange(0, D)
        b_x = tl.load(x + row * stride_x + o_d)
        b_y = tl.load(y + row * stride_x + o_d)
        tl.store(out + row * stride_out + o_d, b_x + b_y)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def add_fwd_kernel(x, y, out, stride_x, stride_y, stride_out, D: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        o_d = tl.arange(0, D)
        b_x = tl.load(x + row * stride_x + o_d)
        b_y = tl.load(y + row * stride_y + o_d)
        tl.store(out + row * stride_out + o_d, b_x + b_y)
    ```

    ## Known limits
    - A tensor without a stride of its own may share that of another by construction, and is not flagged.
    - A name that fits several tensors (`stride_qk` with `q` and `qk`) tells nothing.
    """

    code = 'TRI105'
    name = 'wrong-stride'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the addresses that take the stride of another tensor, or none."""
        if file.repository.is_called_by_kernels(kernel):
            return
        strides = Strides(file.model(kernel))
        for pointer in strides.layouts:
            for node, frame, message, sibling in (*_foreign(strides, pointer), *_missing(strides, pointer)):
                if is_to_tell(self, node, frame, file):
                    related = beside(sibling, 'here the index has its stride', file) if sibling is not None else []
                    yield self.finding(file.range(node), message, related=related)


_Fault = tuple[ast.AST, 'Frame', str, Value | None]


def _foreign(strides: Strides, pointer: str) -> Iterator[_Fault]:
    own, used = strides.own(pointer), strides.used()
    for step in strides.layouts[pointer].steps:
        owners = strides.owners[step.stride]
        if not owners or pointer in owners:
            continue
        alike = [name for name in own if strides.same_dimension(name, step.stride)]
        mine = alike or [name for name in own if name not in used]
        if mine:
            mine.sort(key=lambda name: name[-1] != step.stride[-1])
            if strides.is_contiguous(mine[0]) and strides.is_contiguous(step.stride):
                # of tensors of one shape both are the same
                continue
            owner = ' or '.join(f'`{name}`' for name in sorted(owners))
            message = f'`{pointer}` is addressed with `{step.stride}`, the stride of {owner}; its own is `{mine[0]}`'
            yield *_in_kernel(step), message, None


def _in_kernel(step: Step) -> tuple[ast.AST, 'Frame']:
    """Where the kernel itself puts tensor and stride together: a helper takes what it is given."""
    node, frame = step.product.node, step.product.frame
    while frame.caller is not None and frame.call is not None:
        given = [*frame.call.args, *(keyword.value for keyword in frame.call.keywords)]
        node = next((one for one in given if isinstance(one, ast.Name) and one.id == step.stride), frame.call)
        frame = frame.caller
    return node, frame


def _missing(strides: Strides, pointer: str) -> Iterator[_Fault]:
    unused = [name for name in strides.own(pointer) if name not in strides.used()]
    for index, node, frame in strides.layouts[pointer].bare if unused else ():
        sibling = _sibling(strides, pointer, index) if index.op in _INDICES else None
        if sibling is not None:
            message = f'`{pointer}` adds `{written(node)}` without a stride; `{unused[0]}` is its own, and unused'
            yield node, frame, message, sibling.product


def _sibling(strides: Strides, pointer: str, index: Value) -> Step | None:
    """Where another tensor adds the same index with a stride."""
    for other, layout in strides.layouts.items():
        for step in layout.steps:
            if other != pointer and step.index is index:
                return step
    return None
