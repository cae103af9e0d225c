# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.kernel.decorators import may_make_kernel
from flakelint.kernel.run_time import RunTime
from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Kernel
    from flakelint.project.calls import NamedCall

_LANGUAGE = 'triton.language'
# the functions of Triton's language that are compiled themselves, and those that are built in
_COMPILED = frozenset({
    'argmax', 'argmin', 'cdiv', 'cumprod', 'cumsum', 'flip', 'interleave', 'max', 'min', 'rand', 'randint', 'randn', 'ravel',
    'sigmoid', 'softmax', 'sort', 'squeeze', 'sum', 'swizzle2d', 'topk', 'unsqueeze', 'xor_sum', 'zeros', 'zeros_like',
})
_BUILT_IN = frozenset({
    'abs', 'arange', 'associative_scan', 'assume', 'broadcast', 'broadcast_to', 'cast', 'cat', 'ceil', 'clamp', 'cos',
    'debug_barrier', 'device_assert', 'device_print', 'div_rn', 'dot', 'erf', 'exp', 'exp2', 'expand_dims', 'fdiv', 'floor',
    'fma', 'full', 'gather', 'histogram', 'join', 'log', 'log2', 'max_contiguous', 'maximum', 'minimum', 'multiple_of',
    'permute', 'reduce', 'reshape', 'rsqrt', 'sin', 'split', 'sqrt', 'sqrt_rn', 'static_assert', 'static_print', 'trans',
    'umulhi', 'view', 'where',
})
# only a kernel has these: a function that calls one is compiled somewhere
_OF_KERNELS = frozenset({
    'atomic_add', 'atomic_cas', 'atomic_max', 'atomic_min', 'atomic_xchg', 'load', 'make_block_ptr', 'make_tensor_descriptor',
    'num_programs', 'program_id', 'store',
})
_OF_HOST = frozenset({'triton.cdiv', 'triton.next_power_of_2'})


class DeviceCallOnHost(Rule):
    """A function for kernels that host code calls, or the other way round.

    ## What it does
    Finds

    - calls of functions of `triton.language`, such as `tl.cdiv` and `tl.arange`, in host code: at the top of a module, in decorators, in grids and configurations, and in functions that use torch or launch kernels;
    - `triton.cdiv` and `triton.next_power_of_2` in a kernel on values that are known only when it runs.

    ## Why is this bad?
    On the host Triton raises "Did you forget to add @triton.jit?" or "Cannot call @triton.jit'd outside of the scope of a kernel".
    In a kernel the functions of the host compute on constants alone, and raise the same misleading error for anything else.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def sum_kernel(x, y, n, BLOCK: tl.constexpr):
        acc = 0.0
        for i in range(triton.cdiv(n, BLOCK)):
            o = i * BLOCK + tl.arange(0, BLOCK)
            acc += tl.sum(tl.load(x + o, mask=o < n, other=0))
        tl.atomic_add(y, acc)


    def total(x: torch.Tensor) -> torch.Tensor:
        y = torch.zeros(1, device=x.device)
        sum_kernel[(tl.cdiv(x.numel(), 1 << 20),)](x, y, x.numel(), BLOCK=1024)
        return y
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def sum_kernel(x, y, n, BLOCK: tl.constexpr):
        acc = 0.0
        for i in range(tl.cdiv(n, BLOCK)):
            o = i * BLOCK + tl.arange(0, BLOCK)
            acc += tl.sum(tl.load(x + o, mask=o < n, other=0))
        tl.atomic_add(y, acc)


    def total(x: torch.Tensor) -> torch.Tensor:
        y = torch.zeros(1, device=x.device)
        sum_kernel[(triton.cdiv(x.numel(), 1 << 20),)](x, y, x.numel(), BLOCK=1024)
        return y
    ```

    ## Fix safety
    Safe: `tl.cdiv` and `triton.cdiv` round up the same quotient, and only one of them works where the call stands.
    There is no fix for the other functions, nor where the module has no name for the right one.

    ## Known limits
    - A function without a decorator that neither uses torch nor launches anything may be compiled by another module, and is left alone.
    - Helpers that kernels call may get constants only, so that their parameters count as known.
    """

    code = 'TRI407'
    name = 'device-call-on-host'
    severity = 'error'
    fix = 'safe'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at the calls in host code."""
        if _LANGUAGE not in file.text and 'triton' not in file.text:
            return
        judged: dict[ast.AST | None, bool] = {None: True}
        for call in file.named_calls:
            function = _function(call.node, file)
            if function and not call.may_fail:
                if call.owner not in judged:
                    judged[call.owner] = _is_host(call, file)
                if judged[call.owner]:
                    yield self._on_host(call.node, function, file)
        for kernel in file.kernels:
            for node in nodes_in_order(kernel.definition.decorator_list):
                function = _function(node, file) if isinstance(node, ast.Call) else ''
                if function:
                    yield self._on_host(node, function, file)

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look at the calls of host functions in a kernel."""
        if 'cdiv' not in kernel.unit.text and 'next_power_of_2' not in kernel.unit.text:
            return
        for call in kernel.calls:
            name = file.bindings.resolve(dotted(call.func) or '')
            if name not in _OF_HOST:
                continue
            run_time = RunTime(kernel)
            values = [*call.args, *(one.value for one in call.keywords)]
            known_late = next((value for value in values if run_time.holds(value)), None)
            if known_late is None or file.repository.is_called_by_kernels(kernel):
                continue
            spelled = ast.unparse(call.func)
            message = (
                f'`{spelled}` computes on constants, and `{ast.unparse(known_late)}` is known only when the kernel runs: '
                'refused ("Did you forget to add @triton.jit?")'
            )
            if name == 'triton.cdiv':
                message += '; write `tl.cdiv`'
            else:
                message += '; compute it on the host and pass it'
            yield self.finding(file.range(call.func), message, _other_cdiv(call, name, file))

    def _on_host(self, node: ast.Call, function: str, file: 'File') -> 'Finding':
        spelled = ast.unparse(node.func)
        error = (
            "RuntimeError (Cannot call @triton.jit'd outside of the scope of a kernel)" if function in _COMPILED
            else 'ValueError (Did you forget to add @triton.jit?)'
        )
        hint = '; write `triton.cdiv`' if function == 'cdiv' else ''
        message = f'`{spelled}` is for kernels, and is called on the host: it raises {error}{hint}'
        return self.finding(file.range(node.func), message, _other_cdiv(node, f'{_LANGUAGE}.{function}', file))


def _function(node: ast.Call, file: 'File') -> str:
    """The function of Triton's language that a call calls and that host code must not call, without its module; nothing for others."""
    module, _, name = file.bindings.resolve(dotted(node.func) or '').rpartition('.')
    return name if module == _LANGUAGE and (name in _COMPILED or name in _BUILT_IN) else ''


def _is_host(call: 'NamedCall', file: 'File') -> bool:
    """Whether the function around a call is certainly not compiled."""
    owner = call.owner
    decorators = (dotted(one.func if isinstance(one, ast.Call) else one) or '' for one in owner.decorator_list)
    if any(may_make_kernel(file.bindings.resolve(name)) for name in decorators) or f'jit({owner.name}' in file.text:
        return False
    launches = {one.node for one in file.launch_calls}
    kernels = {kernel.definition for kernel in file.kernels}
    is_host = False
    for node in _outside(owner, kernels):
        name = file.bindings.resolve(dotted(node.func) or '') if isinstance(node, ast.Call) else ''
        if name.startswith(f'{_LANGUAGE}.') and name.rpartition('.')[2] in _OF_KERNELS:
            return False
        is_host = is_host or name.startswith('torch.') or node in launches
    return is_host


def _outside(owner: ast.AST, kernels: set[ast.FunctionDef]) -> Iterator[ast.AST]:
    """The nodes of a function but for those of the kernels in it."""
    stack = [owner]
    while stack:
        node = stack.pop()
        if node not in kernels:
            yield node
            stack.extend(ast.iter_child_nodes(node))


def _other_cdiv(node: ast.Call, name: str, file: 'File') -> 'Fix | None':
    """Call the `cdiv` of the other side, if the module has a name for it."""
    if not name.endswith('.cdiv'):
        return None
    wanted = 'triton' if name.startswith(_LANGUAGE) else _LANGUAGE
    spelled = next((bound for bound, full in file.bindings.items() if full == wanted), '')
    if not spelled:
        return None
    return safe(f'Write `{spelled}.cdiv`', Edit(file.range(node.func), f'{spelled}.cdiv'))
