# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Related
from flakelint.engine.rule import Rule, safe, unsafe
from flakelint.kernel.constant_uses import constant_uses, does_without, flags
from flakelint.kernel.launches import SIZE
from flakelint.rules.tri.places import takes_arguments
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Kernel, Parameter
    from flakelint.kernel.launches import Passed

_FLAG = re.compile(r'[A-Z][A-Z0-9]*_[A-Z0-9_]+|CAUSAL|REVERSE|TRAINING')
_COUNT = re.compile(r'(?i)(?:n|num|total)_(?:elements|tokens)|numel|n_elems?|seq_?len(?:gth)?s?|num_rows')


class MissingConstexpr(Rule):
    """A parameter that has to be a constant and is none, or the reverse.

    ## What it does
    Finds parameters of launched kernels that are not declared `tl.constexpr` although

    - they give the size of a block: in `tl.arange`, `tl.zeros`, `tl.full`, `tl.reshape`, `tl.broadcast_to`;
    - `tl.static_range` counts to them, or `tl.static_assert` asks for them;
    - they have the name of a flag, such as `HAS_BIAS`, and serve as conditions only.

    Also finds the number of elements or tokens declared `tl.constexpr`, where every launch passes the size of a tensor for it, and the kernel only compares with it.

    ## Why is this bad?
    A size that is known when the kernel runs is refused: "arange's arguments must be of type tl.constexpr".
    A flag that is none compiles: both branches are compiled in, and one is chosen at run time, so that registers and shared memory are needed for both, and a pointer that may be None is refused in the branch where it is not used.
    And a length that is a constant compiles the kernel anew for each length.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def add_bias_kernel(x, bias, y, n, BLOCK, HAS_BIAS):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + offsets, mask=offsets < n)
        if HAS_BIAS:
            b_x += tl.load(bias + offsets, mask=offsets < n)
        tl.store(y + offsets, b_x, mask=offsets < n)


    def add_bias(x: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        y = torch.empty_like(x)
        grid = (triton.cdiv(x.numel(), 1024),)
        add_bias_kernel[grid](x, bias, y, x.numel(), BLOCK=1024, HAS_BIAS=bias is not None)
        return y
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def add_bias_kernel(x, bias, y, n, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + offsets, mask=offsets < n)
        if HAS_BIAS:
            b_x += tl.load(bias + offsets, mask=offsets < n)
        tl.store(y + offsets, b_x, mask=offsets < n)


    def add_bias(x: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        y = torch.empty_like(x)
        grid = (triton.cdiv(x.numel(), 1024),)
        add_bias_kernel[grid](x, bias, y, x.numel(), BLOCK=1024, HAS_BIAS=bias is not None)
        return y
    ```

    ## Fix safety
    Safe where the kernel does not compile without it: the parameter is annotated.
    Unsafe for a flag, since the kernel is compiled once for each of its values from then on.
    There is no fix for a parameter that `do_not_specialize` names, and none that takes `tl.constexpr` away.

    ## Known limits
    - Functions that other kernels call are left alone: their arguments may be constants at every call. So are kernels of which nothing shows that they are launched.
    - Flags are known by their upper-case names with an underscore, such as `USE_BIAS`, and a few without one.
    - Of what is a constant without need, only numbers of elements and tokens are reported, and floats are not, which may be fixed for good.
    """

    code = 'TRI403'
    name = 'missing-constexpr'
    severity = 'error'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Compare how parameters are declared with how they are used."""
        parameters = {one.name: one for one in kernel.parameters if one.name not in kernel.assigned}
        variables = {name: one for name, one in parameters.items() if not one.is_constexpr}
        uses = {use.name: use for use in reversed(list(constant_uses(kernel))) if use.name in variables}
        conditions = {
            name: node for name, node in flags(kernel).items()
            if name in variables and name not in uses and _FLAG.fullmatch(name)
        }
        counts = [one for name, one in parameters.items() if one.is_constexpr and _COUNT.fullmatch(name)]
        if not (uses or conditions or counts) or not _is_launched(kernel, file):
            return
        constants = _constants_passed(kernel, file)
        for name, use in uses.items():
            if name not in constants:
                message = (
                    f'`{name}` of `{kernel.name}` is no `tl.constexpr`, and `{use.what}` takes only constants: '
                    'the kernel does not compile'
                )
                related = [Related(file.range(use.node), f'`{name}` is used here')]
                fix = self._declaring(variables[name], kernel, file, needed=True)
                yield self.finding(_name_of(variables[name], file), message, fix, related)
        for name, node in conditions.items():
            if name not in constants:
                message = (
                    f'the flag `{name}` of `{kernel.name}` is no `tl.constexpr`: it compiles, but with both branches in it, '
                    'of which one is chosen when the kernel runs'
                )
                related = [Related(file.range(node), 'it is asked for here')]
                fix = self._declaring(variables[name], kernel, file, needed=False)
                yield self.finding(_name_of(variables[name], file), message, fix, related)._replace(severity='warning')
        for parameter in counts:
            yield from self._needless(parameter, kernel, file)

    def _needless(self, parameter: 'Parameter', kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        passed = [launch.parameters.get(parameter.name) for launch in file.repository.launches(kernel)]
        if passed and all(one is not None and _is_count(one) for one in passed) and does_without(kernel, parameter.name):
            message = (
                f'`{parameter.name}` of `{kernel.name}` is a `tl.constexpr`, and launches pass `{passed[0].text}`: '
                'it compiles, but again for every value'
            )
            yield self.finding(_name_of(parameter, file), message)._replace(severity='warning')

    def _declaring(self, parameter: 'Parameter', kernel: 'Kernel', file: 'File', needed: bool) -> 'Fix | None':
        spelled = next((bound for bound, full in file.bindings.items() if full == 'triton.language'), '')
        if not spelled or parameter.name in kernel.do_not_specialize:
            return None
        place, written = file.range(parameter.node), f'{parameter.name}: {spelled}.constexpr'
        title = f'Declare `{parameter.name}` as `{spelled}.constexpr`'
        return safe(title, Edit(place, written)) if needed else unsafe(title, Edit(place, written))


def _is_launched(kernel: 'Kernel', file: 'File') -> bool:
    return takes_arguments(kernel, file) and not file.repository.is_called_by_kernels(kernel)


def _is_count(passed: 'Passed') -> bool:
    """Whether what is passed is the number of elements of a tensor, or one of its sizes but the last."""
    return passed.kind == SIZE and (passed.head == 'numel' or (passed.axis == 0 and passed.rank != 1))


def _constants_passed(kernel: 'Kernel', file: 'File') -> set[str]:
    """The parameters for which a launch in the file passes something that says itself that it is a constant."""
    named = {
        target.id for node in file.statements if isinstance(node, ast.Assign) and _is_constant(node.value, file)
        for target in node.targets if isinstance(target, ast.Name)
    }
    found = set()
    for call in file.launch_calls:
        if call.kernel.definition is not kernel.definition:
            continue
        names = [one.name for one in kernel.parameters]
        pairs = [*zip(names, call.node.args, strict=False), *((one.arg, one.value) for one in call.node.keywords if one.arg)]
        found.update(name for name, value in pairs if _is_constant(value, file) or getattr(value, 'id', '') in named)
    return found


def _is_constant(value: ast.expr, file: 'File') -> bool:
    return isinstance(value, ast.Call) and file.bindings.resolve(ast.unparse(value.func)) == 'triton.language.constexpr'


def _name_of(parameter: 'Parameter', file: 'File') -> Range:
    start = file.range(parameter.node).start
    return Range(start, Position(start.line, start.column + len(parameter.name)))
