# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What changed: files as a whole, or, against an earlier state, the parts whose code differs."""

import ast
import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from flakelint.affected.graph import Node
from flakelint.affected.parts import BODY, CLASS, VALUE, Part, is_inert, parts_of
from flakelint.source.file import SourceFile
from flakelint.source.syntax import parse_tree
from flakelint.source.text import DecodeError


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
        old, new = (_digests(path, state[path]) if path in state else {} for state in (before, after))
        if old is None or new is None:
            # what cannot be parsed may be anything
            old, new = old or {}, new or {}
            nodes.update((path, name) for name in {*old, *new, ''})
            continue
        nodes.update((path, name) for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        different = {name for name in old if old[name] != new.get(name)}
        if different:
            # what led here before may have been led to by other ways
            gone[path] = [part for part in parse(path, before[path]) or () if part.name in different]
    return Change(frozenset(nodes), gone)


def _digests(path: str, data: bytes) -> dict[str, str] | None:
    """A hash of the code of each part of a file, without what Python does not run."""
    try:
        file = SourceFile(path, data)
        return _hashed(file) if file.problem is None else None
    except (DecodeError, RecursionError):
        return None


def _hashed(file: SourceFile) -> dict[str, str]:
    parts = parts_of(file)
    tree = _Bare().visit(parse_tree(file.text))
    taken: set[int] = set()
    found: dict[str, list[str]] = {}
    by_lines: dict[tuple[int, int], list[ast.stmt]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = min((one.lineno for one in getattr(node, 'decorator_list', ())), default=node.lineno)
            by_lines.setdefault((first, node.end_lineno), []).append(node)
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
    for node in [tree, *ast.walk(tree)]:
        for name in ('body', 'orelse', 'finalbody'):
            held = getattr(node, name, None)
            if isinstance(held, list):
                setattr(node, name, [one for one in held if id(one) not in taken])
    return tree


class _Bare(ast.NodeTransformer):
    """Takes out what does nothing: docstrings and other texts, `pass`, what only runs as a script."""

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
