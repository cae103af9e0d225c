# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names of a module mean, as far as its import statements say it."""

import ast
from collections.abc import Iterable

from flakelint.project.statements import all_statements

# what `tl` and `triton` mean when a module imports them from a place that cannot be followed, such as a compatibility module
_BY_CUSTOM = {'tl': 'triton.language', 'triton': 'triton'}


class Bindings:
    """The names that a module's imports bind, wherever in it they stand; of two imports that bind a name, the first counts.

    Args:
        statements (Iterable[ast.stmt]):
            The statements of the module.
    """

    def __init__(self, statements: Iterable[ast.stmt]) -> None:
        self._full: dict[str, str] = {}
        for node in all_statements(statements):
            if isinstance(node, ast.Import):
                self._bind_import(node)
            elif isinstance(node, ast.ImportFrom):
                self._bind_from(node)

    def resolve(self, dotted: str) -> str:
        """The full name of a dotted expression: `tl.load` is `triton.language.load`; a name that no import binds stays."""
        head, _, rest = dotted.partition('.')
        full = self._full.get(head, head)
        return f'{full}.{rest}' if rest else full

    def items(self) -> Iterable[tuple[str, str]]:
        """Each bound name with its full name."""
        return self._full.items()

    def _bind_import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self._full.setdefault(alias.asname, alias.name)
            else:
                head = alias.name.partition('.')[0]
                self._full.setdefault(head, head)

    def _bind_from(self, node: ast.ImportFrom) -> None:
        module = '.' * node.level + (node.module or '')
        for alias in node.names:
            name = alias.asname or alias.name
            outside = not module.startswith('triton')
            full = _BY_CUSTOM[alias.name] if outside and alias.name in _BY_CUSTOM else f'{module}.{alias.name}'
            self._full.setdefault(name, full)


def dotted(node: ast.AST) -> str | None:
    """The dotted name that an expression spells, or None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return '.'.join(reversed(parts))


def called_name(node: ast.AST) -> str:
    """The last part of the name that a decorator or a call has, with its arguments or without."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def last_name(node: ast.AST) -> str:
    """The name of an attribute or of a variable; nothing for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', '')
