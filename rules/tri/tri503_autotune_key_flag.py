# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.model import Facts
from flakelint.kernel.tuners import tuners
from flakelint.kernel.tuning_keys import untuned
from flakelint.rules.tri.tuner_fixes import in_words, name_in
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.tuners import Tuner
    from flakelint.kernel.tuning_keys import Untuned

_MOST = 60


class AutotuneKeyFlag(Rule):
    """A compile-time constant decides what a tuned kernel does, and the tuner does not tune anew for it.

    ## What it does
    Looks at kernels under a `triton.autotune` with two configurations or more, and finds `tl.constexpr` parameters that are not in its `key` although

    - the kernel takes another path by them, with a loop, a `tl.dot`, or a load or store where it spends its time; or runs a loop by them, or makes blocks of their size; and
    - a launch passes for them what differs from call to call: a parameter of the function that launches, or the width of a tensor; or launches pass different literals.

    ## Why is this bad?
    The tuner measures its configurations once for each value of the key, and for each combination of the tensors' types. A kernel that was tuned with `CAUSAL=False` is later launched with `CAUSAL=True` and the configuration found for other work: it is slow, or, with larger blocks, needs more shared memory than there is. Which of the two it is depends on what is called first.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)], key=['T'])
    @triton.jit
    def row_sum_kernel(x, y, T, D: tl.constexpr, REVERSE: tl.constexpr):
        o_d = tl.arange(0, D)
        b_s = tl.zeros([D], dtype=tl.float32)
        for i_t in range(0, T):
            b_s += tl.load(x + i_t * D + o_d)
            if REVERSE:
                tl.store(y + (T - 1 - i_t) * D + o_d, b_s)
            else:
                tl.store(y + i_t * D + o_d, b_s)


    def row_sum(x, y, reverse: bool = False):
        T, D = x.shape
        row_sum_kernel[(1,)](x, y, T, D=D, REVERSE=reverse)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)], key=['T', 'D', 'REVERSE'])
    @triton.jit
    def row_sum_kernel(x, y, T, D: tl.constexpr, REVERSE: tl.constexpr):
        o_d = tl.arange(0, D)
        b_s = tl.zeros([D], dtype=tl.float32)
        for i_t in range(0, T):
            b_s += tl.load(x + i_t * D + o_d)
            if REVERSE:
                tl.store(y + (T - 1 - i_t) * D + o_d, b_s)
            else:
                tl.store(y + i_t * D + o_d, b_s)


    def row_sum(x, y, reverse: bool = False):
        T, D = x.shape
        row_sum_kernel[(1,)](x, y, T, D=D, REVERSE=reverse)
    ```

    ## Fix safety
    Unsafe: the names are added to the key, so that there is more to tune. Whether that pays is for the author to say.

    ## Known limits
    - What configurations set and heuristics compute is left out, and so is what the key tells already: a value made of those in the key, such as `triton.next_power_of_2(D)` beside `D`; the type of a tensor; whether an argument is None.
    - Lengths (sizes of other axes than the last) are meant to be left out of keys.
    - Launches in other files than the kernel are looked at only for literals. Attributes such as `self.causal` are taken to stay as they are, and so is what the function that launches asks to be equal to a literal.
    - A flag that only adds loads or stores before or behind the loops of a kernel is left out, as is one that goes with an argument that may be None.
    - Launches in tests do not count, and a key that is computed is not looked into.
    """

    code = 'TRI503'
    name = 'autotune-key-flag'
    severity = 'warning'
    fix = 'unsafe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Compare what decides the work of a kernel with the key of its tuner."""
        if kernel.tuned.count < 2:
            return
        for tuner in tuners(kernel):
            launches = () if tuner.is_open else Facts(kernel, file.repository).launches
            found = list(untuned(tuner, launches, file.repository))
            if found:
                yield self._missing(tuner, found, file)

    def _missing(self, tuner: 'Tuner', found: 'list[Untuned]', file: 'File') -> 'Finding':
        names = [one.name for one in found]
        first, many = found[0], len(found) > 1
        launch = first.launch
        where = f'line {launch.line}' if launch.path == file.path else f'{launch.path}:{launch.line}'
        message = (
            f'{in_words(names)} {"decide" if many else "decides"} what `{tuner.kernel.name}` does '
            f'(`{written(first.use, _MOST)}` in line {first.use.lineno}; '
            f'{where} passes `{launch.parameters[first.name].text}`), '
            f'but {"are" if many else "is"} not in `key`: a configuration tuned for one value serves the others, too'
        )
        value = tuner.keywords.get('key')
        place = value if value is not None and value is tuner.decorator.keywords.get('key') else tuner.decorator.node.func
        related = [
            Related(file.range(one.use), f'`{one.name}` decides here') for one in found if one.place.path == file.path
        ]
        return self.finding(file.range(place), message, name_in(tuner, 'key', names, file), related)
