# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from flakelint.engine.rule import Rule


class InvalidSuppression(Rule):
    """A suppression comment that cannot work.

    ## What it does
    Reports a `# flakelint:` comment that names no code, uses a word other than `ignore` and `file-ignore`, or names a rule that does not exist. The engine finds it; the rule documents it.

    ## Why is this bad?
    Its author believes that something is suppressed. A comment without codes would hide every later fault too, so there is no such comment.

    ## Example
    ```python
    import torch

    scratch = torch.empty(1024)  # flakelint: ignore
    ```

    ## Use instead
    ```python
    import torch

    scratch = torch.empty(1024)
    ```

    ## Known limits
    A `noqa` comment is read by other tools too, so its codes may be anything.
    """

    code = 'ENG006'
    name = 'invalid-suppression'
    severity = 'error'
