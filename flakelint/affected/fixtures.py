# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What pytest brings to a test without an import: `conftest.py`, fixtures by their names, plugins."""

import re
from collections.abc import Iterator

from flakelint.affected.graph import WHOLE, Graph, Node, Step
from flakelint.affected.parts import CLASS, FUNCTION, Part

FIXTURE, CONFTEST = 'fixture', 'conftest'

_TEST_FILE = re.compile(r'(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py')
_PLUGINS = 'pytest_plugins'


def is_test_file(path: str) -> bool:
    """Whether pytest collects a file by its name."""
    return _TEST_FILE.fullmatch(path) is not None


def is_test(part: Part) -> bool:
    """Whether pytest collects a part of a test file."""
    return (part.kind == FUNCTION and part.name.startswith('test')) or (part.kind == CLASS and part.name.startswith('Test'))


def steps_of_pytest(graph: Graph) -> Iterator[tuple[Node, Step]]:
    """The steps that pytest takes by itself."""
    for path in graph.files:
        if is_test_file(path) or _is_conftest(path):
            yield from _of_file(graph, path)


def _is_conftest(path: str) -> bool:
    return path.rpartition('/')[2] == 'conftest.py'


def _of_file(graph: Graph, path: str) -> Iterator[tuple[Node, Step]]:
    conftests = list(_conftests(graph, path))
    plugins = [plugin for one in (path, *conftests) for plugin in _plugins(graph, one)]
    for one in conftests:
        yield (path, ''), Step((one, ''), CONFTEST, 1)
        for part in graph.files[one]:
            is_automatic = part.fixture is not None and part.fixture.is_automatic
            if part.name.startswith('pytest_') or is_automatic:
                yield (path, ''), Step((one, part.name), CONFTEST, 1)
    for plugin in plugins:
        yield from (((path, ''), Step(node, WHOLE, 1)) for node in graph.nodes(plugin))
    for part in graph.files[path]:
        if part.fixture is not None and part.fixture.is_automatic:
            yield (path, ''), Step((path, part.name), FIXTURE, part.line)
        for name in part.asks if is_test(part) or part.fixture is not None or part.kind == 'method' else ():
            for where in (path, *conftests, *plugins):
                found = [one for one in graph.files[where] if one.fixture is not None and one.fixture.name == name]
                yield from (((path, part.name), Step((where, one.name), FIXTURE, part.line)) for one in found)


def _conftests(graph: Graph, path: str) -> Iterator[str]:
    folder = path.rpartition('/')[0]
    while True:
        found = f'{folder}/conftest.py' if folder else 'conftest.py'
        if found in graph.files and found != path:
            yield found
        if not folder:
            return
        folder = folder.rpartition('/')[0]


def _plugins(graph: Graph, path: str) -> Iterator[str]:
    """The files of `pytest_plugins`."""
    for part in graph.parts((path, _PLUGINS)):
        for read in part.reads:
            target = graph.modules.find(read.name, path)
            if target is not None and not target.endswith('/'):
                yield target
