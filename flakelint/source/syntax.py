# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A walk over abstract syntax trees that costs a third of `ast.walk` and keeps the order of the source."""

import ast
import sys
import warnings
from collections.abc import Callable, Iterable
from operator import attrgetter

_CLASSES = (
    ast.mod, ast.stmt, ast.expr, ast.comprehension, ast.excepthandler, ast.arguments, ast.arg, ast.keyword, ast.alias,
    ast.withitem, ast.match_case, ast.pattern, *([ast.type_param] if sys.version_info >= (3, 12) else []),
)
# fields that hold plain values, operators or contexts
_PLAIN = frozenset({
    'arg', 'asname', 'attr', 'cls_name', 'conversion', 'ctx', 'id', 'is_async', 'kind', 'kwd_attrs', 'level', 'lineno',
    'module', 'n', 'name', 'op', 'ops', 's', 'simple', 'tag', 'type_comment', 'type_ignores',
})

# how often to try again, at most
_TRIES = 20

# the nodes in which statements stand
HOLDS_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def parse_tree(text: str) -> ast.Module:
    """As `ast.parse`, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for _ in range(_TRIES - 1):
            try:
                return ast.parse(text)
            except SystemError:
                # Python 3.11 takes the depth of a tree that another thread builds at the same time for that of this one
                pass
        return ast.parse(text)


def nodes_in_order(roots: Iterable[ast.AST]) -> list[ast.AST]:
    """All nodes below the roots, themselves included, each before its children; operators and contexts aside."""
    found = []
    stack = list(roots)
    stack.reverse()
    pop, append, read = stack.pop, found.append, _READERS.get
    while stack:
        node = pop()
        reader = read(type(node))
        if reader is None:
            if type(node) is list:
                stack += node[::-1]
            continue
        append(node)
        stack += reader(node)
    return found


def first_line(node: ast.AST) -> int:
    """The line on which a statement or an expression begins, with its decorators."""
    return min((one.lineno for one in getattr(node, 'decorator_list', ())), default=node.lineno)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below one, in source order; operators and contexts aside."""
    found: list[ast.AST] = []
    reader = _READERS.get(type(node))
    for value in reversed(reader(node)) if reader is not None else ():
        if type(value) is list:
            found += [one for one in value if one is not None]
        elif value is not None:
            found.append(value)
    return found


def _subclasses(base: type) -> Iterable[type]:
    yield base
    for below in base.__subclasses__():
        yield from _subclasses(below)


def _reader(node_class: type) -> Callable[[ast.AST], tuple]:
    names = [name for name in reversed(node_class._fields) if name not in _PLAIN]
    if not names or node_class is ast.Constant:
        return lambda node: ()
    if len(names) == 1:
        read = attrgetter(*names)
        return lambda node: (read(node),)
    return attrgetter(*names)


_READERS = {node_class: _reader(node_class) for base in _CLASSES for node_class in _subclasses(base)}
