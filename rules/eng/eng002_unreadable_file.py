# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from flakelint.engine.rule import Rule


class UnreadableFile(Rule):
    """A file that cannot be read, or whose bytes are no text.

    ## What it does
    Reports a file that was named or found but cannot be opened, is no regular file, or holds bytes that are not valid in its encoding: that of its byte order mark or coding cookie, else UTF-8. The engine finds it; the rule documents it.

    ## Why is this bad?
    Nothing in the file was checked, and Python could not import it either. The rest of the run goes on.

    ## Example
    A file saved as Latin-1 without a coding cookie:

    ```text
    kernels/softmax.py:3:1: ENG002 not text: byte 0xe9 is not valid utf-8
    ```

    Save it as UTF-8, or name its encoding in the first line: `# -*- coding: latin-1 -*-`.

    ## Known limits
    No comment in the file can suppress it, since the file has no comments that could be read; `per-file-ignores` and `exclude` can.
    """

    code = 'ENG002'
    name = 'unreadable-file'
    severity = 'error'
