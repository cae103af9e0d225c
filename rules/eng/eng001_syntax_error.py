# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from flakelint.engine.rule import Rule


class SyntaxError(Rule):
    """Python that the running interpreter cannot parse.

    ## What it does
    Reports the place at which Python's own parser gives up. The engine finds it; the rule documents it.

    ## Why is this bad?
    The file cannot be imported. The other rules still look at each top-level statement that can be parsed by itself, but what they can say about the file is not complete.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, BLOCK: tl.constexpr):
        o_x = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x) * scale
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, BLOCK: tl.constexpr):
        o_x = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x) * scale)
    ```

    ## Known limits
    The grammar is that of the Python that runs flakelint: a file for a newer Python is reported, and the message names the version that read it. A suppression comment cannot silence it by line; take such a file out with `exclude`.
    """

    code = 'ENG001'
    name = 'syntax-error'
    severity = 'error'
