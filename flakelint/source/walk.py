# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One read-only walk over a libcst tree, for all rules at once.

`Module.visit` rebuilds every node it passes and costs more than parsing; this walk looks only at the fields that carry meaning, and leaves white space and punctuation alone.
"""

from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter

import libcst as cst

_MEANINGLESS = frozenset({
    '__slots__', 'asynchronous', 'colon', 'comma', 'conversion', 'default_indent', 'default_newline', 'dot', 'encoding', 'end',
    'equal', 'first_colon', 'footer', 'has_trailing_newline', 'header', 'indent', 'lbrace', 'lbracket', 'leading_lines',
    'lines_after_decorators', 'lpar', 'newline', 'operator', 'posonly_ind', 'rbrace', 'rbracket', 'relative', 'rpar',
    'second_colon', 'semicolon', 'separator', 'star', 'start', 'trailing_comma', 'trailing_whitespace',
})


def _meaningful_fields(node_class: type) -> tuple[str, ...]:
    return tuple(name for name in node_class.__dataclass_fields__ if name not in _MEANINGLESS and 'whitespace' not in name)


def _reader(node_class: type) -> Callable[[cst.CSTNode], tuple]:
    names = _meaningful_fields(node_class)
    if not names:
        return lambda node: ()
    if len(names) == 1:
        read = attrgetter(*names)
        return lambda node: (read(node),)
    return attrgetter(*names)


_CHILDREN = {
    value: _reader(value)
    for value in vars(cst).values()
    if isinstance(value, type) and issubclass(value, cst.CSTNode) and hasattr(value, '__dataclass_fields__')
}


def buckets(root: cst.CSTNode) -> dict[str, list[cst.CSTNode]]:
    """All nodes below `root` that carry meaning, itself included, by the name of their class, in no particular order."""
    found: defaultdict[type, list[cst.CSTNode]] = defaultdict(list)
    readers = _CHILDREN
    stack = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        found[kind].append(node)
        for value in readers[kind](node):
            if type(value) in readers:
                stack.append(value)
            elif isinstance(value, (list, tuple)):
                stack.extend(value)
    return {kind.__name__: nodes for kind, nodes in found.items()}


def function_definitions(root: cst.Module) -> list[cst.FunctionDef]:
    """Every function defined below a module, nested ones too, in source order."""
    found = []
    stack: list[cst.CSTNode] = [root]
    while stack:
        node = stack.pop()
        if type(node) is cst.FunctionDef:
            found.append(node)
        stack.extend(reversed(_statements_below(node)))
    return found


def _statements_below(node: cst.CSTNode) -> list[cst.CSTNode]:
    children = []
    for name in ('body', 'handlers', 'cases', 'orelse', 'finalbody'):
        value = getattr(node, name, None)
        if type(value) in (list, tuple):
            children.extend(item for item in value if type(item) is not cst.SimpleStatementLine)
        elif value is not None:
            children.append(value)
    return children
