# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from flakelint.engine.rule import Rule


class UnusedSuppression(Rule):
    """A suppression comment that suppresses nothing.

    ## What it does
    Reports each code in a `# flakelint: ignore[...]`, `# flakelint: file-ignore[...]` or `# noqa: ...` comment whose rule is enabled and found nothing there. The engine finds it; the rule documents it.

    ## Why is this bad?
    The reason for the comment is gone, and the comment would hide the next fault of this kind on its line.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, BLOCK: tl.constexpr):
        o_x = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x))  # flakelint: ignore[TRI201] still a block pointer
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, BLOCK: tl.constexpr):
        o_x = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + o_x, tl.load(x + o_x))
    ```

    ## Fix safety
    Safe: the code goes, and with the last code the comment with its reason. Other words in the same comment stay.

    ## Known limits
    Codes of rules that are not enabled in the run, and codes of other tools in a `noqa`, are left alone. A file with a syntax error is not searched, since its rules may not have seen everything.
    """

    code = 'ENG004'
    name = 'unused-suppression'
    severity = 'warning'
    fix = 'safe'
    tags = ('unnecessary',)
