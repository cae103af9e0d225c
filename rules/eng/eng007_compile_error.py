# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from flakelint.engine.rule import Rule


class CompileError(Rule):
    """A kernel that Triton refuses, asked with `--compile`.

    ## What it does
    Reports what Triton itself says of a kernel, at the line that it names. Only `flakelint check --compile all` and `--compile flagged` ask it: they import the checked files, and compile their kernels in processes of their own, for the targets that `--compile-target` names. Where another rule has found why a kernel does not compile, Triton's error is added to its message instead.

    ## Why is this bad?
    The kernel cannot be launched.

    ## Example
    ```text
    kernels/softmax.py:14:9: ENG007 Triton 3.9.0 refuses `softmax_fwd_kernel` for cuda:90: ValueError: arange's arguments must be of type tl.constexpr (with x=*fp32, n=i32, BLOCK=64)
    ```

    ## Known limits
    - The arguments are guessed: from launches, configurations and defaults, then from what the kernel does with them. A kernel is only reported if Triton refuses it with several element types and block lengths, and still it may compile with others.
    - Kernels that take tensor descriptors, and those in functions, are not compiled.
    - A file that cannot be imported, or takes too long, is passed over with a warning.
    """

    code = 'ENG007'
    name = 'compile-error'
    severity = 'error'
