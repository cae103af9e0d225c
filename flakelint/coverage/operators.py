# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The operators of a repository: what its packages export."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from flakelint.coverage.modules import Modules
from flakelint.coverage.values import Place
from flakelint.engine.settings import CoverageSettings
from flakelint.project.ignore import Where
from flakelint.project.imports import called_name
from flakelint.project.meanings import FUNCTION
from flakelint.source.expressions import defaults_of

_DISPATCH = 'dispatch'
_REFERENCES = 'naive.py'


class Operator(NamedTuple):
    """An operator.

    Args:
        place (Place):
            Where it is defined.
        line (int):
            The line there.
        defaults (dict[str, ast.expr | None]):
            Its parameters, each with its default.
        documentation (str):
            Its docstring.
        backends (frozenset[str]):
            The words that name its backends; none where it has one form only.
    """

    place: Place
    line: int
    defaults: dict[str, ast.expr | None]
    documentation: str
    backends: frozenset[str]

    @property
    def name(self) -> str:
        """Its name."""
        return self.place.name

    @property
    def folder(self) -> str:
        """The folder in which it is defined, with a slash at its end."""
        return self.place.path.rpartition('/')[0] + '/'


def operators_of(modules: Modules, settings: CoverageSettings) -> list[Operator]:
    """The operators, in order of their places.

    Args:
        modules (Modules):
            The files.
        settings (CoverageSettings):
            Where they are.
    """
    found: dict[Place, Operator] = {}
    wanted, left_out = Where(settings.operators), Where(settings.exclude)
    for path in modules.paths:
        if not wanted.covers(path) or left_out.covers(path):
            continue
        for name in _exported(modules, path):
            place = _defined(modules, path, name)
            if place is not None and place not in found and not left_out.covers(place.path):
                operator = _read(modules, place)
                found.update({place: operator} if operator is not None else {})
    return [found[place] for place in sorted(found)]


def _exported(modules: Modules, path: str) -> Iterator[str]:
    names = modules.names(path)
    found = list(names.meanings if names.exports is None else names.exports)
    for module, _ in names.stars if names.exports is None else ():
        below = modules.resolver.modules.find(module, path)
        found.extend(_exported(modules, below) if below is not None and below.endswith('.py') and below != path else ())
    yield from (name for name in dict.fromkeys(found) if not name.startswith('_'))


def _defined(modules: Modules, path: str, name: str) -> Place | None:
    symbol = modules.resolver.resolve(path, name)
    if symbol is None or symbol.meaning is None or symbol.meaning.kind != FUNCTION or symbol.path.endswith(_REFERENCES):
        return None
    return Place(symbol.path, symbol.name)


def _read(modules: Modules, place: Place) -> Operator | None:
    node = modules.function(*place)
    if node is None:
        return None
    asked = node.args
    names = [one.arg for one in (*asked.posonlyargs, *asked.args, *asked.kwonlyargs)]
    defaults: dict[str, ast.expr | None] = {**dict.fromkeys(names), **defaults_of(asked)}
    decorators = set(map(called_name, node.decorator_list))
    backends = frozenset(_backends(modules, place)) if _DISPATCH in decorators else frozenset()
    # a function without parameters of its own only passes on what it gets
    return Operator(place, node.lineno, defaults, ast.get_docstring(node) or '', backends) if defaults else None


def _backends(modules: Modules, place: Place) -> Iterator[str]:
    """The classes of the backends beside an operator, and the texts in them that are their names."""
    folder = place.path.rpartition('/')[0] + '/backends/'
    for path in modules.paths:
        if path.startswith(folder):
            for node in modules.statements(path):
                if isinstance(node, ast.ClassDef):
                    yield node.name
                    yield from _texts(node)


def _texts(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
