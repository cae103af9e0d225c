# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Fixes that name further parameters in a list of a tuner."""

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flakelint.engine.edits import append, quote
from flakelint.engine.rule import unsafe

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Fix
    from flakelint.kernel.tuners import Tuner


def name_in(tuner: 'Tuner', keyword: str, names: Sequence[str], file: 'File') -> 'Fix | None':
    """A fix that adds parameters to a list, or the list to the decorator; none where the list stands elsewhere."""
    title = f'Add {in_words(names)} to `{keyword}`'
    value = tuner.keywords.get(keyword)
    node = tuner.decorator.node
    if value is None:
        mark = quote(file)
        listed = ', '.join(f'{mark}{name}{mark}' for name in names)
        return unsafe(title, *append(file, node, [*node.args, *node.keywords], f'{keyword}=[{listed}]'))
    if not isinstance(value, ast.List) or value is not tuner.decorator.keywords.get(keyword):
        return None
    first = file.text[file.lines.offset(file.range(value.elts[0]).start)] if value.elts else ''
    mark = first if first and first in '\'"' else quote(file)
    return unsafe(title, *append(file, value, value.elts, ', '.join(f'{mark}{name}{mark}' for name in names)))


def in_words(names: Sequence[str]) -> str:
    """Names as they stand in a sentence."""
    marked = [f'`{name}`' for name in names]
    return ' and '.join([*([', '.join(marked[:-1])] if marked[1:] else []), *marked[-1:]])
