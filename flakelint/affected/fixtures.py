# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What pytest brings to a test without an import: `conftest.py`, fixtures by their names, plugins."""

import re
from collections.abc import Iterator

from flakelint.affected.graph import Graph
from flakelint.affected.parts import BODY, IMPORT, METHOD, Part
from flakelint.affected.reads import STAR
from flakelint.affected.steps import WHOLE, Node, Step
from flakelint.project.modules import folders_above

FIXTURE, CONFTEST = 'fixture', 'conftest'

_PLUGINS = 'pytest_plugins'
# functions that pytest and unittest call by their names
_HOOK = re.compile(r'pytest_\w+|(?:setup|teardown)_(?:module|function)|(?:setUp|tearDown)Module')


def is_hook(name: str) -> bool:
    """Whether pytest or unittest looks for a function or a value of this name."""
    return _HOOK.fullmatch(name) is not None


def steps_of_pytest(graph: Graph, path: str) -> Iterator[tuple[Node, Step]]:
    """The steps that pytest takes by itself for a file, each with the part that it leaves."""
    if graph.collected.has_file(path) or _is_conftest(path):
        yield from _of_file(graph, path)


def _is_conftest(path: str) -> bool:
    return path.rpartition('/')[2] == 'conftest.py'


def _of_file(graph: Graph, path: str) -> Iterator[tuple[Node, Step]]:
    body = (path, '')
    conftests = list(_conftests(graph, path))
    plugins = [*_plugins_of_settings(graph, path), *(plugin for one in (path, *conftests) for plugin in _plugins(graph, one))]
    places = [path, *conftests, *plugins]
    for one in conftests:
        yield body, Step((one, ''), CONFTEST, 1)
        yield from ((body, step) for step in _always(graph, one, CONFTEST))
    yield from ((body, step) for step in _always(graph, path, FIXTURE))
    for plugin in plugins:
        yield from ((body, Step(node, WHOLE, 1)) for node in graph.nodes(plugin))
        yield from _asked(graph, plugin, places)
    yield from _asked(graph, path, places)
    for name in graph.collected.fixtures:
        yield from ((body, Step(node, FIXTURE, 1)) for where in places for node in _fixtures(graph, where, name))
    # the tests of another file may be tests of this one, too
    for target in _star_targets(graph, path):
        yield from ((body, Step((target, one.name), FIXTURE, 1)) for one in graph.files[target] if graph.collected.has(one))


def _always(graph: Graph, path: str, kind: str) -> Iterator[Step]:
    """What runs for every test in the reach of a file."""
    for part in graph.files[path]:
        if is_hook(part.name) or _is_automatic(graph, path, part):
            yield Step((path, part.name), kind, part.line)


def _asked(graph: Graph, path: str, places: list[str]) -> Iterator[tuple[Node, Step]]:
    """The fixtures that the parts of a file ask for."""
    for part in graph.files[path]:
        if graph.collected.has(part) or part.fixture is not None or part.kind in (METHOD, BODY):
            for name in part.asks:
                found = (node for where in places for node in _fixtures(graph, where, name))
                yield from (((path, part.name), Step(node, FIXTURE, part.line)) for node in found)


def _fixtures(graph: Graph, path: str, name: str) -> Iterator[Node]:
    """The fixtures of a name that a file defines or imports."""
    for part in graph.files[path]:
        is_named = part.fixture is not None and part.fixture.name == name
        if is_named or (part.kind == IMPORT and part.name == name):
            yield path, part.name
    for target in _star_targets(graph, path):
        yield from ((target, one.name) for one in graph.files[target] if one.fixture is not None and one.fixture.name == name)


def _is_automatic(graph: Graph, path: str, part: Part) -> bool:
    """Whether a part is a fixture that all tests use, defined here or imported."""
    if part.fixture is not None:
        return part.fixture.is_automatic
    behind = [one for ones in part.imports.values() for one in ones] if part.kind == IMPORT else []
    for brought in behind:
        target = graph.modules.find(brought.module, path)
        wanted = graph.files.get(target or '', ())
        if any(one.fixture is not None and one.fixture.is_automatic and brought.member in (one.name, STAR) for one in wanted):
            return True
    return False


def _star_targets(graph: Graph, path: str) -> list[str]:
    stars = [brought for part in graph.parts((path, STAR)) for brought in part.imports[STAR]]
    found = [graph.modules.find(one.module, path) for one in stars]
    return [one for one in found if one in graph.files]


def _conftests(graph: Graph, path: str) -> Iterator[str]:
    for folder in folders_above(path):
        found = f'{folder}/conftest.py' if folder else 'conftest.py'
        if found in graph.files and found != path:
            yield found


def _plugins(graph: Graph, path: str) -> Iterator[str]:
    """The files of `pytest_plugins`."""
    for part in graph.parts((path, _PLUGINS)):
        for read in part.reads:
            target = graph.modules.find(read.name, path)
            if target is not None and not target.endswith('/'):
                yield target


def _plugins_of_settings(graph: Graph, path: str) -> list[str]:
    found = [graph.modules.find(name, path) for name in graph.collected.plugins]
    return [one for one in found if one in graph.files]
