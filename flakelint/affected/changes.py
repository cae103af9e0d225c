# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What changed: files as a whole, or, against an earlier state, the parts whose code differs."""

import ast
import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from flakelint.affected.parts import BODY, CLASS, VALUE, Part, is_inert, parts_of
from flakelint.affected.steps import Node
from flakelint.source.file import SourceFile
from flakelint.source.syntax import first_line
from flakelint.source.text import DecodeError

# the parts of a content, and a hash of each
_State = tuple[list[Part], dict[str, str]]
_ABSENT: _State = ([], {})


class Change(NamedTuple):
    """What is different.

    Args:
        nodes (frozenset[tuple[str, str]]):
            The parts, each a file and a name.
        gone (dict[str, list[Part]]):
            The parts, by file, as they were before.
    """

    nodes: frozenset[Node]
    gone: dict[str, list[Part]]


def parse(path: str, data: bytes) -> list[Part] | None:
    """The parts of a content; `None` where it cannot be read."""
    try:
        file = SourceFile(path, data)
        return parts_of(file) if file.problem is None else None
    except (DecodeError, RecursionError):
        return None


def changed_parts(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Change:
    """How files differ, part by part; comments, docstrings and the layout do not count.

    Args:
        before (Mapping[str, bytes]):
            The contents of the files that changed or are gone, by path.
        after (Mapping[str, bytes]):
            The contents of those that changed or are new.
    """
    nodes: set[Node] = set()
    gone: dict[str, list[Part]] = {}
    for path in before.keys() | after.keys():
        states = [_read(path, state[path]) if path in state else _ABSENT for state in (before, after)]
        (parts, old), (_, new) = (one or _ABSENT for one in states)
        different = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
        if None in states:
            # what cannot be parsed may be anything
            different = {*old, *new, ''}
        nodes.update((path, name) for name in different)
        # what led here before may have been led to by other ways
        gone[path] = [part for part in parts if part.name in different]
    return Change(frozenset(nodes), {path: parts for path, parts in gone.items() if parts})


def _read(path: str, data: bytes) -> _State | None:
    """The parts of a content, with a hash of the code of each without what Python does not run; `None` where it cannot be parsed."""
    try:
        file = SourceFile(path, data)
        if file.problem is not None:
            return None
        parts = parts_of(file)
        return parts, _hashes(parts, _Bare().visit(file.tree))
    except (DecodeError, RecursionError):
        return None


def _hashes(parts: list[Part], tree: ast.Module) -> dict[str, str]:
    taken: set[int] = set()
    found: dict[str, list[str]] = {}
    by_lines: dict[tuple[int, int], list[ast.stmt]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            by_lines.setdefault((first_line(node), node.end_lineno), []).append(node)
    for part in parts:
        for node in by_lines.get((part.line, part.last), ()) if part.kind != BODY else ():
            # what a loop of the module binds is a part, and the loop one of the body
            if part.kind != VALUE or isinstance(node, ast.Assign | ast.AnnAssign):
                taken.add(id(node))
            found.setdefault(part.name, []).append(_text(part, node))
    found[''] = [ast.dump(node) for node in _without(tree, taken).body]
    return {name: hashlib.blake2b('\n'.join(texts).encode(), digest_size=12).hexdigest() for name, texts in found.items()}


def _text(part: Part, node: ast.stmt) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom):
        # of what one statement imports, each name is a part of its own
        return repr([(one.module, one.member) for ones in part.imports.values() for one in ones])
    if isinstance(node, ast.ClassDef) and part.kind == CLASS:
        rest = [one for one in node.body if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        return ast.dump(ast.ClassDef(node.name, node.bases, node.keywords, rest, node.decorator_list))
    return ast.dump(node)


def _without(tree: ast.Module, taken: set[int]) -> ast.Module:
    """A module without some of its statements, wherever they stand."""
    for node in ast.walk(tree):
        for name in ('body', 'orelse', 'finalbody'):
            held = getattr(node, name, None)
            if isinstance(held, list):
                setattr(node, name, [one for one in held if id(one) not in taken])
    return tree


class _Bare(ast.NodeTransformer):
    """Takes out what does nothing: docstrings and other texts, `pass`."""

    def visit(self, node: ast.AST) -> ast.AST | None:
        """As its base does."""
        return None if isinstance(node, ast.stmt) and is_inert(node) else super().generic_visit(node)


def whole(paths: Iterable[str], files: Mapping[str, list[Part]]) -> frozenset[Node]:
    """All parts of files that do anything; of a file that is gone, its body."""
    found: set[Node] = set()
    for path in paths:
        parts = files.get(path)
        found.update([(path, '')] if parts is None else [(path, one.name) for one in parts if one.kind != BODY or one.last])
    return frozenset(found)
