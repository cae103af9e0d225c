# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a kernel says that it is for decoding alone, where each request comes with one token."""

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_SAYS = re.compile(
    r'decod\w*[ -]only|only (?:for|in|during|used in) decod|(?:single|one)[ -](?:query[ -])?token (?:per|for each|decod)',
    re.IGNORECASE,
)


def is_of_decoding(kernel: 'Kernel') -> bool:
    """Whether the docstring of a kernel, or of its module, says so."""
    texts = (ast.get_docstring(one, clean=False) for one in (kernel.definition, ast.Module(kernel.module.file.statements, [])))
    return any(_SAYS.search(text) for text in texts if text is not None)
