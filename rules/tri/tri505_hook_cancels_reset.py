# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.in_place import updated
from flakelint.kernel.model import Facts
from flakelint.kernel.tuners import RESET, RESTORE, function_of, tuners
from flakelint.rules.tri.tuner_fixes import in_words

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.tuners import Tuner


class HookCancelsReset(Rule):
    """Arguments that a tuner is told to reset, and does not.

    ## What it does
    Finds, in `triton.autotune`,

    - `pre_hook` beside `reset_to_zero` or `restore_value`;
    - `post_hook` beside `restore_value`;
    - a name in `reset_to_zero` for which a launch passes a tensor that `torch.empty` or the like has just made, and which the kernel only adds to or updates.

    ## Why is this bad?
    The lists work through hooks of the tuner's own, and a given hook takes their place. Nothing says so: with a `pre_hook` no tensor is zeroed or cloned before a run, with a `post_hook` none is copied back behind it. The kernel then runs on what the run before has left. Triton up to 3.8 also raises an AttributeError for `pre_hook` beside `restore_value`.

    Tensors are reset while the kernel is tuned, and at no other time: not in the second launch with the same key, and never where there is a single configuration. Memory that relies on it for its zeros holds whatever was there before.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(
        configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})],
        key=['n'],
        reset_to_zero=['total'],
        pre_hook=lambda args, reset_only=False: print('tuning'),
    )
    @triton.jit
    def sum_kernel(x, total, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(total, tl.sum(tl.load(x + o_x, mask=o_x < n, other=0)))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(
        configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})],
        key=['n'],
        reset_to_zero=['total'],
    )
    @triton.jit
    def sum_kernel(x, total, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(total, tl.sum(tl.load(x + o_x, mask=o_x < n, other=0)))
    ```

    ## Known limits
    - A hook that mentions each of the arguments is taken to reset them itself.
    - Hooks of a `triton.Config` run beside the tuner's own, and cancel nothing.
    - Whether a launch relies on `reset_to_zero` is seen only in the file of the kernel, as TRI209 sees it, and only where no `triton.Config` has a hook.
    """

    code = 'TRI505'
    name = 'hook-cancels-reset'
    severity = 'warning'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look at the hooks of the tuners of a kernel."""
        for tuner in tuners(kernel):
            yield from self._relied_on(tuner, file)
            for hook, keywords, does in (
                ('pre_hook', (RESET, RESTORE), 'zeroed or cloned'), ('post_hook', (RESTORE,), 'copied back'),
            ):
                value = tuner.hook(hook)
                listed = [keyword for keyword in keywords if tuner.names(keyword)]
                names = [name for keyword in listed for name in tuner.names(keyword) or ()]
                if value is None or not names or _mentions_all(value, names, tuner):
                    continue
                message = (
                    f'`{hook}` takes the place of what {in_words(listed)} would do: {in_words(names)} '
                    f'{"is" if len(names) == 1 else "are"} not {does} while `{kernel.name}` is tuned, unless the hook does it'
                )
                is_here = value is tuner.decorator.keywords.get(hook)
                yield self.finding(file.range(value if is_here else tuner.decorator.node.func), message)
                break

    def _relied_on(self, tuner: 'Tuner', file: 'File') -> 'Iterator[Finding]':
        """Findings for arguments that a launch leaves for the tuner to zero."""
        names = tuner.names(RESET)
        if not names or not tuner.kernel.tuned.is_seen or tuner.hooks:
            return
        launches = [one for one in Facts(tuner.kernel, file.repository).launches if one.path == file.path]
        for name in names:
            passed = [(one.parameters[name], one) for one in launches if name in one.parameters]
            text, line = next(((one.text, launch.line) for one, launch in passed if one.fresh), ('', 0))
            if text and any(one.name == name for one in updated(file.tiles(tuner.kernel))):
                message = (
                    f'`{RESET}` zeroes `{name}` only while `{tuner.kernel.name}` is tuned: in other launches it holds what '
                    f'was in the memory of `{text}` (line {line}), which is made without values; make it with zeros'
                )
                yield self.finding(file.range(tuner.decorator.node.func), message)


def _mentions_all(hook: ast.expr, names: Sequence[str], tuner: 'Tuner') -> bool:
    """Whether a hook mentions each of some arguments."""
    function = function_of(hook, tuner.kernel.module.definitions) or hook
    strings = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
    return strings.issuperset(names)
