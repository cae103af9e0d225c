# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Edits that import a name where a sorted block of imports would have it."""

import ast
from collections.abc import Sequence

from flakelint.engine.edits import append
from flakelint.engine.findings import Edit
from flakelint.source.file import SourceFile
from flakelint.source.text import Position, Range

_MAX_COLUMNS = 127


def import_name(file: SourceFile, module: str, name: str) -> tuple[Edit, ...]:
    """Edits that add `from module import name` at the top level of a file; none where the file imports nothing.

    Args:
        file (SourceFile):
            The file.
        module (str):
            The full name of the module.
        name (str):
            The name.
    """
    run = _first_run(file.statements)
    for node in run:
        if isinstance(node, ast.ImportFrom) and not node.level and node.module == module:
            return _extend(file, node, name)
    return _insert(file, run, module, f'from {module} import {name}') if run else ()


def _first_run(statements: Sequence[ast.stmt]) -> list[ast.Import | ast.ImportFrom]:
    """The imports that follow each other, the first of the file."""
    run: list[ast.Import | ast.ImportFrom] = []
    for node in statements:
        if isinstance(node, ast.Import | ast.ImportFrom):
            run.append(node)
        elif run:
            break
    return run


def _extend(file: SourceFile, node: ast.ImportFrom, name: str) -> tuple[Edit, ...]:
    aliases = node.names
    later = next((alias for alias in aliases if _member_key(alias.name) > _member_key(name)), None)
    is_bracketed = file.text[file.lines.offset(file.range(node).end) - 1] == ')'
    if not is_bracketed and len(file.lines.line(node.end_lineno)) + len(name) + 2 > _MAX_COLUMNS:
        return (_one_a_line(file, aliases, name, later),)
    if later is not None:
        start = file.range(later).start
        before = file.lines.line(start.line)[:start.column - 1]
        separator = ' ' if before.strip() else f'\n{before}'
        return (Edit(Range(start, start), f'{name},{separator}'),)
    if is_bracketed:
        return append(file, node, aliases, name)
    end = file.range(aliases[-1]).end
    return (Edit(Range(end, end), f', {name}'),)


def _one_a_line(file: SourceFile, aliases: Sequence[ast.alias], name: str, later: ast.alias | None) -> Edit:
    names = [f'{alias.name} as {alias.asname}' if alias.asname else alias.name for alias in aliases]
    names.insert(aliases.index(later) if later is not None else len(aliases), name)
    lines = ''.join(f'    {one},\n' for one in names)
    return Edit(Range(file.range(aliases[0]).start, file.range(aliases[-1]).end), f'(\n{lines})')


def _insert(file: SourceFile, run: Sequence[ast.Import | ast.ImportFrom], module: str, line: str) -> tuple[Edit, ...]:
    package = module.partition('.')[0]
    own = [node for node in run if _package(node) == package]
    later = next((node for node in own if isinstance(node, ast.ImportFrom) and node.module.lower() > module.lower()), None)
    if later is not None:
        return (_before(later, f'{line}\n'),)
    if own:
        return (_after(file, own[-1], f'\n{line}'),)
    relative = next((node for node in run if isinstance(node, ast.ImportFrom) and node.level), None)
    if relative is not None:
        return (_before(relative, f'{line}\n\n'),)
    return (_after(file, run[-1], f'\n\n{line}'),)


def _package(node: ast.Import | ast.ImportFrom) -> str:
    """The package from which an import takes its name; nothing for a relative import."""
    if isinstance(node, ast.Import):
        return node.names[0].name.partition('.')[0]
    return '' if node.level else node.module.partition('.')[0]


def _before(node: ast.stmt, text: str) -> Edit:
    place = Position(node.lineno, 1)
    return Edit(Range(place, place), text)


def _after(file: SourceFile, node: ast.stmt, text: str) -> Edit:
    place = Position(node.end_lineno, len(file.lines.line(node.end_lineno)) + 1)
    return Edit(Range(place, place), text)


def _member_key(name: str) -> tuple[int, str]:
    """Constants first, then classes, then the rest, as isort orders what is imported from one module."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower()
