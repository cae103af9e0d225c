# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.host_statements import is_launch
from flakelint.kernel.kernels import AUTOTUNE
from flakelint.kernel.updates import operation, uninitialized
from flakelint.rules.tri.places import beside

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

# by these a tuner, or whoever launches, may give tensors their first values
_HOOKS = ('pre_hook', 'pre_run_hook', 'reset_to_zero', 'restore_value')


class UninitializedOutput(Rule):
    """A tensor without values is handed to a kernel that only updates it by atomic operations.

    ## What it does
    Follows, in the function that launches a kernel, each tensor that `torch.empty`, `torch.empty_like` or `new_empty` makes. Where nothing can have given it values before the launch, and the kernel changes it by atomic operations such as `tl.atomic_add` or `tl.atomic_max` but never stores to it, the argument of the launch is flagged, with the atomic operation as a related place.

    ## Why is this bad?
    An atomic operation combines what it is given with what is there. Memory that was just allocated holds whatever was there before, so the result is the right one plus garbage. Fresh memory of a young process often happens to hold zeros: tests pass, and training goes wrong.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def column_sum_kernel(x, total, D, BD: tl.constexpr):
        o_d = tl.arange(0, BD)
        b_x = tl.load(x + tl.program_id(0) * D + o_d, mask=o_d < D, other=0)
        tl.atomic_add(total + o_d, b_x, mask=o_d < D)


    def column_sum(x):
        total = torch.empty(x.shape[1], device=x.device)
        column_sum_kernel[(x.shape[0],)](x, total, x.shape[1], BD=triton.next_power_of_2(x.shape[1]))
        return total
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def column_sum_kernel(x, total, D, BD: tl.constexpr):
        o_d = tl.arange(0, BD)
        b_x = tl.load(x + tl.program_id(0) * D + o_d, mask=o_d < D, other=0)
        tl.atomic_add(total + o_d, b_x, mask=o_d < D)


    def column_sum(x):
        total = torch.zeros(x.shape[1], device=x.device)
        column_sum_kernel[(x.shape[0],)](x, total, x.shape[1], BD=triton.next_power_of_2(x.shape[1]))
        return total
    ```

    ## Known limits
    - Only launches in the file of the kernel are looked at.
    - Any use of the variable between, other than for its shape, type or device, counts as giving it values: another launch, a call, an assignment, another name for it.
    - Nothing is said where the tensor may be another one (parameters, branches), where a flag that is not written out at the launch decides whether the kernel updates it, and where a tuner has `reset_to_zero`, `restore_value` or a hook, or its configurations are not all seen.
    - Tensors that a kernel stores to on some paths only, or reads first, are not flagged.
    """

    code = 'TRI209'
    name = 'uninitialized-output'
    severity = 'warning'
    fix = 'none'
    file_words = ('atomic_', 'empty', 'pre_run_hook', *_HOOKS)

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the tensors that launches of a kernel pass without values, and that it only updates."""
        # runs over files without such operations and tensors do not load the model
        if 'atomic_' not in file.text or 'empty' not in file.text or _may_be_initialized(kernel, file):
            return
        if not any(launch.path == file.path for launch in file.repository.launches(kernel)):
            return
        model = file.model(kernel)
        for launch in model.facts.launches:
            for passed, access in uninitialized(model, launch) if launch.path == file.path else ():
                for node in _arguments(file, launch.line, passed.text):
                    where = file.range(node)
                    if not file.is_first(self.code, where):
                        continue
                    message = (
                        f'`{passed.text}` holds no values yet, and `{kernel.name}` only updates it by atomic operations: '
                        f'`{operation(access)}` combines its values with whatever was in that memory'
                    )
                    yield self.finding(where, message, related=beside(access, 'where it is updated', file))


def _may_be_initialized(kernel: 'Kernel', file: 'File') -> bool:
    """Whether a tuner or a hook may give tensors their first values."""
    if any(not one.role or one.wraps for one in kernel.decorators):
        return any(word in file.text for word in _HOOKS) or not kernel.tuned.is_complete
    if kernel.decorator(AUTOTUNE) is None:
        return 'pre_run_hook' in file.text
    return not kernel.tuned.is_complete or any(word in file.text for word in _HOOKS)


def _arguments(file: 'File', line: int, name: str) -> Iterator[ast.Name]:
    """The arguments of the launches on a line that are a variable."""
    for node in file.nodes:
        if is_launch(node) and node.lineno == line:
            for argument in (*node.args, *(one.value for one in node.keywords)):
                if isinstance(argument, ast.Name) and argument.id == name:
                    yield argument
