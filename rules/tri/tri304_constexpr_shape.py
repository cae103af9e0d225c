# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.api.uses import is_chosen
from flakelint.kernel.constant_uses import constant_uses
from flakelint.project.imports import last_name
from flakelint.rules.tri.constant_arguments import CHECKS, Asked
from flakelint.rules.tri.foreign_dtypes import foreign_dtypes
from flakelint.rules.tri.places import is_to_tell, takes_arguments

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel


class ConstexprShape(Rule):
    """A shape, a range or an axis that Triton does not take.

    ## What it does
    Checks what is given to `tl.arange`, `tl.zeros`, `tl.full`, `tl.reshape`, `tl.view`, `tl.broadcast_to`, `tl.program_id`, `tl.num_programs`, `tl.static_range`, `tl.static_assert`, and as the block of `tl.make_block_ptr` and `tl.make_tensor_descriptor`, and flags

    - what is known only at run time: an argument without `tl.constexpr`, something that is loaded, or a constant that was given to a plain name, as in `B = 16` or `B = B * 2`, which is a value of the run time from then on;
    - a length or a dimension that is no power of two, or a block of more than 2**20 elements, where the number is written out, set by a configuration of the tuner, or passed by every launch;
    - a float, as `BLOCK / 2` is one;
    - an axis other than 0, 1 and 2;
    - a missing end, shape, axis, value or dtype, and arguments too many;
    - a range of a block's length and one more, of three times as many, or one that ends at 0;
    - a shape that is a number instead of a tuple, and a dtype of PyTorch or its name, in casts as well.

    ## Why is this bad?
    The kernel does not compile. Shapes are part of the types of blocks, so they have to be known when the kernel is compiled, and Triton lays blocks out over threads by halving them.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        HALF = BLOCK // 2
        o = tl.arange(0, HALF)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        tl.store(y, tl.sum(b_x, 0))
    ```

    A block of 48 lanes is refused, and so is one of a run-time size:

    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def zero_fwd_kernel(x, n):
        tl.store(x + tl.arange(0, 48), 0.0)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        HALF: tl.constexpr = BLOCK // 2
        o = tl.arange(0, HALF)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        tl.store(y, tl.sum(b_x, 0))
    ```

    ## Known limits
    - Whether a constant argument is a power of two is not known where one of its launches or configurations is not seen.
    - An argument of a helper may be a constant: it is judged where a kernel of the repository calls the helper.
    - Sizes are not asked for in kernels for the Triton of another vendor, which their path tells, or behind a condition on the backend or the release: some of these take other sizes.
    - Arguments that are given with `*` are not looked at. Blocks that grow by broadcasting, and what a new shape does to the number of elements, are TRI311's.
    """

    code = 'TRI304'
    name = 'constexpr-shape'
    severity = 'error'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag what the kernel gives for a constant that is none."""
        for node, message in foreign_dtypes(kernel):
            if file.is_first(self.code, file.range(node)):
                yield self.finding(file.range(node), message)
        # a helper of the file may ask too
        if not any(last_name(call.func) in CHECKS for one in file.kernels for call in one.calls):
            return
        model = file.model(kernel)
        trusts = takes_arguments(kernel, file) and not file.repository.is_called_by_kernels(kernel)
        # TRI403 tells of a parameter once, where it is declared
        told = {use.name for use in constant_uses(kernel)} if trusts and 'TRI403' in file.enabled else ()
        for call in model.constant_calls:
            if call.frame.kernel.path != file.path:
                continue
            problem = next(CHECKS[call.name](Asked(call, model, trusts)), None)
            if problem is None or (problem.is_size and is_chosen(call.frame.kernel, call.node)):
                continue
            if problem.parameter in told and call.frame.kernel is kernel:
                continue
            if is_to_tell(self, problem.node, call.frame, file):
                yield self.finding(file.range(problem.node), problem.message)
