# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a kernel says that it is for decoding alone, where each request comes with one token."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_SAYS = re.compile(
    r'decod\w*[ -]only|only (?:for|in|during|used in) decod|(?:single|one)[ -](?:query[ -])?token (?:per|for each|decod)',
    re.IGNORECASE,
)


def is_of_decoding(kernel: 'Kernel') -> bool:
    """Whether the docstring of a kernel, or of its module, says so."""
    return any(map(_SAYS.search, _docstrings(kernel)))


def _docstrings(kernel: 'Kernel') -> Iterator[str]:
    for body in (kernel.definition.body, kernel.module.file.statements):
        first = body[0].value if body and isinstance(body[0], ast.Expr) else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
