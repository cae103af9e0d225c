# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from flakelint.engine.rule import Rule


class InternalError(Rule):
    """A rule that failed.

    ## What it does
    Reports that a rule raised an exception: which rule, at which statement, with which message. The engine finds it; the rule documents it.

    ## Why is this bad?
    It is a fault in flakelint, or in a rule of your own, and not in the file; but what the rule would have found is not known. The other rules and files are checked, the exit code is 2, and the file is not remembered in the cache.

    ## Example
    ```text
    kernels/softmax.py:12:1: ENG005 rule ABC101 my-own-rule failed here: AttributeError: 'NoneType' object has no attribute 'lineno'
    ```

    Please report it with the statement at that place. To go on in the meantime, take the failing rule away with `ignore`.

    ## Known limits
    Neither settings nor comments can hide it.
    """

    code = 'ENG005'
    name = 'internal-error'
    severity = 'error'
