# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the packages of a repository hold and export."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.project.answers import BELOW, TEXT
from flakelint.project.statements import scope_statements
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File

TOP = Range(Position(1, 1), Position(1, 2))

_FUNCTION = re.compile(r'^def (?P<name>[A-Za-z]\w*)', re.MULTILINE)


def folder_of(path: str) -> str:
    """The folder of a file, with a slash at its end; nothing for the root."""
    above, slash, _ = path.rpartition('/')
    return f'{above}{slash}'


def captured(pattern: str, path: str) -> str | None:
    """What the one `*` in a pattern stands for, which is a part of a path without slashes; None where the pattern does not fit."""
    expression = '([^/]+)'.join(map(re.escape, pattern.removeprefix('/').split('*', 1)))
    match = re.fullmatch(expression, path)
    return None if match is None else match[1] if match.groups() else ''


def imports(file: 'File') -> list[ast.ImportFrom]:
    """The `from` imports at the top of a file."""
    return [node for node in scope_statements(file.statements) if isinstance(node, ast.ImportFrom)]


def exports_own(file: 'File') -> bool:
    """Whether a package exports something from a module that stands directly in it."""
    return any(_is_beside(node, file) for node in imports(file))


def siblings(file: 'File') -> tuple[str, ...]:
    """The names of the Python files beside a file, itself among them; none where it stands alone."""
    folder = folder_of(file.path)
    below = file.ask(BELOW, folder)
    return tuple(path[len(folder):] for path in below if '/' not in path[len(folder):]) if file.path in below else ()


def functions_of(path: str, file: 'File') -> Iterator[str]:
    """The names of the public functions that a file beside another one defines."""
    for text in file.ask(TEXT, path):
        yield from (match['name'] for match in _FUNCTION.finditer(text))


def exported(file: 'File') -> frozenset[str]:
    """The names that a package brings from elsewhere or lists in `__all__`."""
    found = {alias.asname or alias.name for node in imports(file) for alias in node.names}
    for node in scope_statements(file.statements):
        targets: Sequence[ast.expr] = node.targets if isinstance(node, ast.Assign) else ()
        if any(isinstance(one, ast.Name) for one in targets):
            found.update(one.id for one in targets if isinstance(one, ast.Name))
    return frozenset(found)


def _is_beside(node: ast.ImportFrom, file: 'File') -> bool:
    target = file.repository.index.modules.find('.' * node.level + (node.module or ''), file.path)
    if target is not None:
        return folder_of(target) == folder_of(file.path) and not target.endswith('/') and target != file.path
    return node.level == 1 and bool(node.module) and '.' not in node.module
