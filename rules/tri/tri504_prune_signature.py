# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.tuners import tuners
from flakelint.project.imports import dotted
from flakelint.project.literals import binding
from flakelint.project.meanings import signature_of

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.tuners import Tuner

_PRUNE = 'early_config_prune'
# what every launch passes on as keywords
_FORWARDED = ('grid', 'warmup')


class PruneSignature(Rule):
    """A function that prunes configurations and cannot be called as Triton calls it.

    ## What it does
    Finds functions given to `triton.autotune` as `early_config_prune` that

    - do not take `**kwargs`;
    - do not take two positional arguments, the configurations and the arguments of the launch by name.

    Lambdas and functions of the repository are looked at.

    ## Why is this bad?
    Triton calls the function with two positional arguments and passes on every keyword of the launch, among them always `grid` and `warmup`. A function without `**kwargs` raises `TypeError: got an unexpected keyword argument 'grid'` when the kernel is first launched.

    ## Example
    ```python
    import triton
    import triton.language as tl


    def fitting(configs, named_args):
        return [config for config in configs if config.kwargs['BLOCK'] <= named_args['n']] or configs[:1]


    @triton.autotune(
        configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})],
        key=['n'],
        prune_configs_by={'early_config_prune': fitting},
    )
    @triton.jit
    def copy_kernel(x, y, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x, mask=o_x < n), mask=o_x < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    def fitting(configs, named_args, **kwargs):
        return [config for config in configs if config.kwargs['BLOCK'] <= named_args['n']] or configs[:1]


    @triton.autotune(
        configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})],
        key=['n'],
        prune_configs_by={'early_config_prune': fitting},
    )
    @triton.jit
    def copy_kernel(x, y, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x, mask=o_x < n), mask=o_x < n)
    ```

    ## Known limits
    - Methods, `functools.partial` and functions under decorators that may change what they take are not looked into.
    - A function that names both `grid` and `warmup` is taken to name the rest, too.
    - With a single configuration nothing is pruned, and the function is never called.
    - A `perf_model`, which is called only where `top_k` leaves something out, is not looked at.
    """

    code = 'TRI504'
    name = 'prune-signature'
    severity = 'error'
    fix = 'none'
    triton = '>=3.0'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look at what prunes the configurations of a kernel."""
        if kernel.tuned.is_counted and kernel.tuned.count < 2:
            return
        for tuner in tuners(kernel):
            function = _pruner(tuner)
            signature = _signature(function, tuner, file) if function is not None else None
            problem = _problem(signature.split()) if signature is not None else ''
            if problem:
                spelled = 'the lambda' if isinstance(function, ast.Lambda) else f'`{ast.unparse(function)}`'
                message = (
                    f'{spelled} {problem} when `{kernel.name}` is launched: Triton calls `{_PRUNE}` with configurations and '
                    f'arguments, and with `grid`, `warmup` and further keywords; write `(configs, named_args, **kwargs)`'
                )
                yield self.finding(file.range(function), message)


def _pruner(tuner: 'Tuner') -> ast.expr | None:
    """What prunes early."""
    value = tuner.keywords.get('prune_configs_by')
    if isinstance(value, ast.Name):
        value = binding(value.id, tuner.scope)
    if not isinstance(value, ast.Dict):
        return None
    pairs = zip(value.keys, value.values, strict=True)
    found = [item for key, item in pairs if isinstance(key, ast.Constant) and key.value == _PRUNE]
    return found[-1] if found else None


def _signature(function: ast.expr, tuner: 'Tuner', file: 'File') -> str | None:
    """What a function takes, as `signature_of` says it."""
    if isinstance(function, ast.Lambda):
        return signature_of(ast.FunctionDef('', function.args, [], []))
    name = dotted(function)
    # a name in a function or a class may mean something else there
    found = file.repository.signature(file.module, name) if name is not None and tuner.scope else None
    return None if found is None else found[1]


def _problem(parts: list[str]) -> str:
    """What happens where a function that takes this is called."""
    positional = parts[:next((index for index, part in enumerate(parts) if part[0] == '*'), len(parts))]
    positional = [part for part in positional if part != '/']
    takes_all = any(part[0] == '*' and part[:2] != '**' and part != '*' for part in parts)
    if not any(part.startswith('**') for part in parts) and not set(_FORWARDED) <= {part.removesuffix('=') for part in parts}:
        return 'takes no `**kwargs` and raises TypeError (unexpected keyword argument)'
    if len(positional) < 2 and not takes_all:
        return f'takes {len(positional)} positional argument{"s" if len(positional) != 1 else ""} of two and raises TypeError'
    return ''
