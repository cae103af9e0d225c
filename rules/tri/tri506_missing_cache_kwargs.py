# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.edits import append
from flakelint.engine.imports import import_name
from flakelint.engine.rule import Rule, safe, unsafe
from flakelint.kernel.kernels import AUTOTUNE
from flakelint.project.imports import dotted
from flakelint.project.literals import binding, bindings, is_bound

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Decorator, Kernel

_KEYWORD = 'cache_results'


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        name (str):
            The dictionary that every tuner is given.
        import_from (str):
            The module from which the fix imports it.
        exempt (tuple[str, ...]):
            Full names of tuners that need no such dictionary.
    """

    name: str = 'autotune_cache_kwargs'
    import_from: str = 'fla.utils'
    exempt: tuple[str, ...] = ()


class MissingCacheKwargs(Rule):
    """A tuner without the arguments that let its results be cached.

    ## What it does
    Finds `triton.autotune`, and each wrapper of it that `kernel.autotune` in the settings names,
    that is not given `**autotune_cache_kwargs`.

    ## Why is this bad?
    Without a cache every process tunes every kernel again, which takes minutes for a large model.
    The dictionary keeps the choice in one place: an environment variable turns the cache off,
    and a Triton that has no `cache_results` is not given one.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(
        configs=[triton.Config({}, num_warps=num_warps) for num_warps in (2, 4, 8)],
        key=['D'],
    )
    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, T, D: tl.constexpr):
        o_x = tl.program_id(0).to(tl.int64) * D + tl.arange(0, D)
        tl.store(y + o_x, tl.load(x + o_x, mask=o_x < T * D, other=0) * 2, mask=o_x < T * D)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl

    from fla.utils import autotune_cache_kwargs


    @triton.autotune(
        configs=[triton.Config({}, num_warps=num_warps) for num_warps in (2, 4, 8)],
        key=['D'],
        **autotune_cache_kwargs,
    )
    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, T, D: tl.constexpr):
        o_x = tl.program_id(0).to(tl.int64) * D + tl.arange(0, D)
        tl.store(y + o_x, tl.load(x + o_x, mask=o_x < T * D, other=0) * 2, mask=o_x < T * D)
    ```

    ## Fix safety
    Safe where the module has the dictionary, or imports something else from the package that holds it: the dictionary becomes the last argument, and is imported if need be.
    Unsafe where nothing shows that the package is there.
    It chooses whether results are kept, not what the kernel computes.
    There is no fix where `cache_results=` is given by hand, since the two would clash.

    ## Known limits
    A dictionary that is spread into the call and of which nothing is known may hold the arguments: nothing is reported.

    ## Options
    - `name`: the dictionary that every tuner is given. Default: `"autotune_cache_kwargs"`.
    - `import-from`: the module from which the fix imports it. Default: `"fla.utils"`.
    - `exempt`: full names of tuners that need no such dictionary. Default: `[]`.
    """

    code = 'TRI506'
    name = 'missing-cache-kwargs'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look at the tuners of a kernel."""
        for decorator in kernel.decorators:
            if decorator.role != AUTOTUNE or decorator.name in self.options.exempt or not isinstance(decorator.node, ast.Call):
                continue
            if any(self._may_hold(spread, file) for spread in decorator.spreads) or _is_rebound(decorator, file):
                continue
            wanted = f'`**{self.options.name}`'
            spelled = ast.unparse(decorator.node.func)
            if _KEYWORD in decorator.keywords:
                problem = f'gives `{_KEYWORD}` by hand instead of {wanted}, so no setting and no older Triton can leave it out'
                yield self.finding(file.range(decorator.node.func), f'`{spelled}` of `{kernel.name}` {problem}')
            else:
                message = f'`{spelled}` of `{kernel.name}` is not given {wanted}: its results are not cached'
                yield self.finding(file.range(decorator.node.func), message, self._fix(decorator, file))

    def _may_hold(self, spread: ast.expr, file: 'File') -> bool:
        """Whether what is spread into a call is the dictionary, holds it, or is not known."""
        if self._mentions(spread, file):
            return True
        if not isinstance(spread, ast.Name):
            return not isinstance(spread, ast.Dict)
        bound = binding(spread.id, file.statements)
        return not isinstance(bound, ast.Dict) or self._mentions(bound, file)

    def _mentions(self, value: ast.expr, file: 'File') -> bool:
        names = (file.bindings.resolve(dotted(node) or '') for node in ast.walk(value))
        return any(name.rpartition('.')[2] == self.options.name for name in names)

    def _fix(self, decorator: 'Decorator', file: 'File') -> 'Fix | None':
        name, module = self.options.name, self.options.import_from
        meanings = dict(file.bindings.items())
        # the module may have imported it under another name
        local = next((bound for bound, full in meanings.items() if full == f'{module}.{name}'), name)
        is_there = local in meanings or is_bound(local, file.statements) or f'{module}.*' in meanings.values()
        imports = () if is_there else import_name(file, module, name)
        if not is_there and not imports:
            return None
        arguments = [*decorator.node.args, *decorator.node.keywords]
        package = module.partition('.')[0]
        is_at_hand = is_there or any(full.partition('.')[0] == package for full in meanings.values())
        kind = safe if is_at_hand else unsafe
        return kind(f'Add `**{local}`', *append(file, decorator.node, arguments, f'**{local}'), *imports)


def _is_rebound(decorator: 'Decorator', file: 'File') -> bool:
    """Whether the module assigns to the name of a decorator that it imports: `autotune = partial(autotune, **kwargs)`."""
    head = dotted(decorator.node.func).partition('.')[0]
    return any(name == head for name, value in bindings(file.statements) if value is not None)
