# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.engine.versions import overlap
from flakelint.kernel.in_place import may_hold, updated
from flakelint.kernel.launches import NONE
from flakelint.kernel.model import Facts
from flakelint.kernel.tuners import RESET, RESTORE, changes_nothing, tuners
from flakelint.kernel.updates import operation
from flakelint.project.literals import elements
from flakelint.rules.tri.places import beside
from flakelint.rules.tri.tuner_fixes import in_words, name_in

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Access
    from flakelint.kernel.graph import Value
    from flakelint.kernel.in_place import Updated
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launches import Launch
    from flakelint.kernel.tuners import Tuner

# the versions whose tuner clones and zeroes what it is told, whether that is None or not
_TAKES_NO_NONE = '<=3.6'


class AutotuneInPlace(Rule):
    """A tuned kernel updates a tensor that nothing puts back between the runs that tuning makes.

    ## What it does
    Looks at kernels under a `triton.autotune` with two configurations or more, and finds the pointer arguments that they

    - load and store at the same place, where the stored value is worked out from the loaded one;
    - add to with `tl.atomic_add`.

    Pointers are followed through names, loops and helpers. A pointer that `restore_value` or `reset_to_zero` names is fine, and so is every kernel with a hook that may reset something. A hook that only clones resets nothing: the kernel is launched with the argument that it was given.

    Also finds a name in `restore_value` or `reset_to_zero` for which a launch passes None, if `target-triton` admits Triton 3.6: its tuner calls `None.clone()`. Triton 3.8 leaves such an argument out.

    ## Why is this bad?
    The tuner runs the kernel some hundred times on the tensors of the first launch before it launches it for good. An update is then made some hundred times: a rotary embedding is applied over and over, a gradient is summed up from all runs. Only the first launch of each key is wrong, which makes this hard to find.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})], key=['n'])
    @triton.jit
    def scale_kernel(x, factor, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        p_x = x + o_x
        b_x = tl.load(p_x, mask=o_x < n)
        tl.store(p_x, b_x * factor, mask=o_x < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024})], key=['n'], restore_value=['x'])
    @triton.jit
    def scale_kernel(x, factor, n, BLOCK: tl.constexpr):
        o_x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        p_x = x + o_x
        b_x = tl.load(p_x, mask=o_x < n)
        tl.store(p_x, b_x * factor, mask=o_x < n)
    ```

    ## Fix safety
    Unsafe: the argument is added to `restore_value`, which clones it for each run of the tuner and takes as much memory again. Where it is all zeros at first, `reset_to_zero` does without. There is no fix where the argument may be None, or beside a hook of the tuner, which would cancel it.

    ## Known limits
    - Configurations that are not all seen may have hooks, and one alone is never measured: nothing is reported.
    - Tensors that several arguments share are not seen to be one.
    - A load and a store whose addresses differ in more than their lanes are taken for different places.
    - Atomic maxima and minima, and stores that only choose or bound what was loaded (`tl.where`, `tl.maximum`), are left alone: they change nothing when they are done again. So are tensors that the kernel itself sets before it updates them.
    - An update under a flag counts if some launch turns the flag on, or if no launch is seen.
    - Tuners that are not Triton's own are looked at only if `kernel.autotune` in the settings names them.
    """

    code = 'TRI502'
    name = 'autotune-in-place'
    severity = 'warning'
    fix = 'unsafe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Compare what a kernel updates with what its tuner puts back."""
        if kernel.tuned.count < 2:
            return
        for tuner in tuners(kernel):
            lists = [tuner.names(keyword) for keyword in (RESET, RESTORE)]
            if None in lists:
                continue
            yield from self._absent(tuner, file)
            if tuner.is_open or not kernel.tuned.is_seen:
                continue
            if not all(changes_nothing(hook, kernel.module.definitions) for hook in tuner.hooks):
                continue
            tiles = file.tiles(kernel)
            launches = tiles.model.facts.launches
            found: dict[str, Updated] = {}
            for one in updated(tiles):
                if one.name not in (*lists[0], *lists[1]) and may_hold(one.guard, launches, kernel.tuned):
                    found.setdefault(one.name, one)
            if found:
                yield self._changed(tuner, list(found.values()), launches, file)

    def _changed(
        self, tuner: 'Tuner', found: 'list[Updated]', launches: 'tuple[Launch, ...]', file: 'File',
    ) -> 'Finding':
        names = [one.name for one in found]
        message = (
            f'tuning runs `{tuner.kernel.name}` many times for each configuration, and every run '
            f'{" and ".join(_changes(one, file) for one in found)} again: name {in_words(names)} in `{RESTORE}`'
        )
        if all(one.load is None for one in found):
            message += f', or in `{RESET}` if it starts from zero'
        hooks = [hook for hook in ('pre_hook', 'post_hook') if tuner.hook(hook) is not None]
        if hooks:
            message += f'; {in_words(hooks)} would cancel that'
        related = [place for one in found for place in beside(one.access, f'`{one.name}` is updated here', file)]
        is_optional = any(_is_none(launch, name) for launch in launches for name in names)
        fix = None if is_optional or hooks else name_in(tuner, RESTORE, names, file)
        return self.finding(file.range(tuner.decorator.node.func), message, fix, related)

    def _absent(self, tuner: 'Tuner', file: 'File') -> 'Iterator[Finding]':
        """Findings for names of arguments that may be None."""
        if not overlap(_TAKES_NO_NONE, file.settings.target_triton):
            return
        for keyword, does in ((RESTORE, 'clones'), (RESET, 'zeroes')):
            value = tuner.keywords.get(keyword)
            if value is None or tuner.hook('pre_hook') is not None:
                continue
            launches = Facts(tuner.kernel, file.repository).launches
            for entry in elements(value, tuner.scope):
                launch = next((one for one in launches if _is_none(one, entry.value)), None)
                if launch is not None:
                    where = f'{launch.path}:{launch.line}' if launch.path != file.path else f'line {launch.line}'
                    message = (
                        f'`{keyword}` names `{entry.value}`, which is None in the launch in {where}: the tuner of Triton 3.6 '
                        f'{does} None and raises AttributeError; 3.8 leaves it out'
                    )
                    yield self.finding(file.range(value), message, related=[Related(file.range(entry), 'it stands here')])


def _changes(one: 'Updated', file: 'File') -> str:
    written = _line(one.access, file)
    if one.load is None:
        return f'changes `{one.name}` (`{operation(one.access)}` in {written})'
    return f'changes `{one.name}` (loaded in {_line(one.load, file)}, stored in {written})'


def _line(place: 'Access | Value', file: 'File') -> str:
    path = place.frame.kernel.path
    return f'line {place.node.lineno}' if path == file.path else f'{path}:{place.node.lineno}'


def _is_none(launch: 'Launch', name: str) -> bool:
    """Whether a launch passes None for a parameter, or something that may be None."""
    passed = launch.parameters.get(name)
    return passed is not None and (passed.kind == NONE or passed.optional)
