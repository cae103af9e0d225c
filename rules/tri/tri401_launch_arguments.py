# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.decorators import may_make_kernel
from flakelint.kernel.launch_calls import LaunchCall, filled_by_decorators
from flakelint.kernel.launch_options import LAUNCH_OPTIONS
from flakelint.kernel.launch_sites import may_launch
from flakelint.project.calls import NamedCall
from flakelint.project.imports import dotted
from flakelint.rules.tri.launch_problems import LaunchProblems, Problem
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_LANGUAGE = 'triton.language'
_EXPERIMENTAL = 'triton.experimental'


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        launch_options (tuple[str, ...]):
            Further names that the backend takes at a launch.
    """

    launch_options: tuple[str, ...] = ()


class LaunchArguments(Rule):
    """A launch whose arguments do not fit the kernel, or the grid.

    ## What it does
    Compares each launch with the kernel that it launches, in whatever module that is defined:

    - parameters that get nothing: no argument, no default, no configuration, no heuristic;
    - keyword arguments that are neither parameters nor options of a launch, arguments given twice, and positional arguments that are too many;
    - parameters that `triton.autotune` or `triton.heuristics` sets and the launch passes again, `num_warps`, `num_stages` and `num_ctas` of a tuned kernel among them;
    - a string, a list, a dictionary or a type for a parameter that is no `tl.constexpr`;
    - `None` for a pointer that every variant of the kernel reads or writes;
    - a grid that is a number instead of a tuple, whether it is written out or given by a function;
    - `num_warps` that is no power of two, or more than 32;
    - `grid` and `warmup`, which belong to the launch and cannot be passed by keyword;
    - a kernel that host code calls without a grid.

    ## Why is this bad?
    Each of these raises an exception when the launch is reached, and nothing before that; unknown keywords are taken by the interpreter even then.
    What a heuristic computes replaces what is passed without a word.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def scale_kernel(x, y, n, scale, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(y + offsets, tl.load(x + offsets, mask=mask) * scale, mask=mask)


    def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
        y = torch.empty_like(x)
        scale_kernel[triton.cdiv(x.numel(), 1024)](x, y, x.numel(), BLOCK_SIZE=1024)
        return y
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def scale_kernel(x, y, n, scale, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(y + offsets, tl.load(x + offsets, mask=mask) * scale, mask=mask)


    def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
        y = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), factor, BLOCK=1024)
        return y
    ```

    ## Fix safety
    Unsafe: which name is meant, and which of two values, only the author knows.
    A missing argument is not made up.

    ## Known limits
    - A launch is left alone where it is not certain which kernel it launches, or where a decorator of the kernel is not Triton's own.
    - What `*args` and `**kwargs` pass is not seen, so that nothing counts as missing beside them.
    - A keyword that begins with a small letter may be an option of another vendor's backend: it is reported where it is spelled almost like a parameter that is missing or like a known option, or where it passes a tensor, a size or a stride.
    - A kernel that is called without a grid is found where the name is defined in the file, or imported by itself.

    ## Options
    - `launch-options`: further names that the backend takes at a launch. Default: `[]`.
    """

    code = 'TRI401'
    name = 'launch-arguments'
    severity = 'error'
    fix = 'unsafe'
    Options = Options

    def check_launch(self, calls: list[LaunchCall], file: 'File') -> 'Iterator[Finding]':
        """Compare a launch with its kernel."""
        options = LAUNCH_OPTIONS.union(self.options.launch_options)
        for problem in _common([_problems(call, options, file) for call in calls]):
            found = self.finding(problem.place, problem.message, problem.fix)
            yield found._replace(severity='warning') if problem.is_silent else found

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag calls of kernels that launch nothing."""
        if 'triton' in file.text or 'jit' in file.text or may_launch(file.text):
            yield from self._called(file)

    def _called(self, file: 'File') -> 'Iterator[Finding]':
        """Kernels that host code calls as if they were functions."""
        are_kernels: dict[str, bool] = {}
        for call in file.named_calls:
            if call.may_fail or call.name not in file.own_functions:
                continue
            if call.name not in are_kernels:
                kernel = file.repository.function(file.module, call.name)
                are_kernels[call.name] = kernel is not None and filled_by_decorators(kernel) is not None
            if not are_kernels[call.name] or not _is_host(call, file):
                continue
            message = (
                f'`{call.name}` is called without a grid: Triton raises RuntimeError '
                f"(Cannot call @triton.jit'd outside of the scope of a kernel); write `{call.name}[grid](...)`"
            )
            yield self.finding(file.range(call.node.func), message)


def _problems(call: LaunchCall, options: frozenset[str], file: 'File') -> list[Problem]:
    filled = filled_by_decorators(call.kernel, call.site.unwrapped)
    return [] if filled is None else list(LaunchProblems(call, filled, options, file).all())


def _common(problems: Sequence[list[Problem]]) -> list[Problem]:
    """The problems of the first of several kernels that all others have at the same place."""
    shared = [{one.place for one in others} for others in problems[1:]]
    return [one for one in problems[0] if all(one.place in places for places in shared)]


def _is_host(call: NamedCall, file: 'File') -> bool:
    """Whether a call stands in code that Triton certainly does not compile."""
    owner = call.owner
    if owner is None:
        return True
    decorators = (dotted(one.func if isinstance(one, ast.Call) else one) or '' for one in owner.decorator_list)
    if any(may_make_kernel(file.bindings.resolve(name)) for name in decorators) or f'jit({owner.name}' in file.text:
        return False
    names = {file.bindings.resolve(node.id) for node in nodes_in_order(owner.body) if isinstance(node, ast.Name)}
    return not any(name.startswith((_LANGUAGE, _EXPERIMENTAL)) for name in names)
