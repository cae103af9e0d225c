# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The question as a whole: a change of a repository, and the test files that it needs."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from flakelint.affected.changes import changed_parts, parse, whole
from flakelint.affected.fixtures import is_test_file
from flakelint.affected.git import difference
from flakelint.affected.graph import REEXPORT, Graph, Node
from flakelint.affected.others import judge, matches
from flakelint.affected.parts import IMPORT, Part, dump, load
from flakelint.affected.selection import Selected, select
from flakelint.project.contents import content_hash
from flakelint.project.discovery import discover
from flakelint.project.ignore import Patterns

if TYPE_CHECKING:
    from flakelint.engine.cache import Cache
    from flakelint.engine.config import Config

# under what parts are kept beside other summaries
_KEPT_AS = 'affected '


class Answer(NamedTuple):
    """The test files that a change needs.

    Args:
        selected (list[Selected]):
            The files, in order.
        everything (tuple[str, ...]):
            The changed files for which all tests are needed; none where it is known which are.
        total (int):
            How many test files there are.
    """

    selected: list[Selected]
    everything: tuple[str, ...]
    total: int


class Tree:
    """The files of a repository.

    Args:
        config (Config):
            The settings, and the root.
        store (Cache | None, Optional):
            Keeps what is known of files by their contents. Default: `None`.
    """

    def __init__(self, config: 'Config', store: 'Cache | None' = None) -> None:
        self.root = config.root
        self._settings = config.settings
        self._store = store
        found = discover([self.root], Patterns(self.root, ()), self._settings.respect_gitignore).files
        self._data = {self.name(path): data for path in found if path.endswith('.py') and (data := _read(path)) is not None}

    def name(self, path: str) -> str:
        """A path from the root, with forward slashes."""
        return os.path.relpath(path, self.root).replace(os.sep, '/')

    def data(self, path: str) -> bytes | None:
        """The content of a Python file."""
        return self._data.get(path)

    def files(self) -> dict[str, list[Part]]:
        """The parts of all Python files."""
        hashes = {path: _KEPT_AS + content_hash(data) for path, data in self._data.items()}
        known = self._store.read_summaries(hashes.values()) if self._store is not None else {}
        fresh: dict[str, tuple[str, str]] = {}
        found = {}
        for path, key in hashes.items():
            if key in known:
                found[path] = load(known[key][0])
            else:
                found[path] = parse(path, self._data[path]) or []
                fresh[key] = dump(found[path]), ''
        if fresh and self._store is not None:
            self._store.write_summaries(fresh)
        return found

    def naming(self, name: str) -> list[str]:
        """The Python files that name a file."""
        return [path for path, data in self._data.items() if name.encode() in data]

    def below(self, path: str) -> list[str]:
        """The files that a path means: a folder stands for all in it."""
        return sorted(one for one in self._data if one == path or path == '.' or one.startswith(f'{path}/'))


def of_paths(tree: Tree, config: 'Config', paths: Iterable[str]) -> Answer:
    """The tests that changes of whole files need.

    Args:
        tree (Tree):
            The repository.
        config (Config):
            The settings.
        paths (Iterable[str]):
            Files and folders, from the root; what is not there any more may be among them.
    """
    files = tree.files()
    code, others = set(), set()
    for path in paths:
        below = tree.below(path)
        code.update(below or ([path] if path.endswith('.py') else ()))
        others.update(() if below or path.endswith('.py') else [path])
    # of a file that is gone, whoever names one of its parts is known
    missing: dict[str, list[Part]] = {path: [] for path in code if path not in files}
    graph = Graph(files | missing)
    every = (step for path in files for node in graph.nodes(path) for step in graph.steps(node))
    named = {step.node for step in every if step.node[0] in missing} if missing else set()
    return _answer(tree, config, graph, whole(code, files) | named, others, missing)


def of_difference(tree: Tree, config: 'Config', reference: str) -> Answer:
    """The tests that the difference to another branch needs, part by part.

    Args:
        tree (Tree):
            The repository.
        config (Config):
            The settings.
        reference (str):
            The branch, or any name of a commit.

    Raises:
        GitError: git cannot tell.
    """
    found = difference(tree.root, reference)
    before = {path: data for path, data in found.before.items() if path.endswith('.py')}
    after = {path: data for path in found.after if path.endswith('.py') and (data := tree.data(path)) is not None}
    change = changed_parts(before, after)
    files = tree.files()
    removed: dict[str, list[Part]] = {path: [] for path in before if path not in files}
    lost = {(path, part.name) for path, parts in change.gone.items() for part in parts} - {
        (path, part.name) for path in change.gone for part in files.get(path, ())
    }
    for path, parts in change.gone.items():
        files[path] = [*files.get(path, []), *parts]
    others = {path for path in found.before.keys() | found.after if not path.endswith('.py')}
    graph = Graph(files)
    # whoever imports what is gone cannot be imported any more
    broken = {(path, '') for path in files for node in graph.nodes(path) if _imports(graph, node) & lost}
    return _answer(tree, config, graph, change.nodes | broken, others, removed)


def _imports(graph: Graph, node: Node) -> set[Node]:
    """What an import at the top of a file takes by its name."""
    if all(part.kind != IMPORT for part in graph.parts(node)):
        return set()
    return {step.node for step in graph.steps(node) if step.kind == REEXPORT}


def _answer(
    tree: Tree,
    config: 'Config',
    graph: Graph,
    changed: Iterable[Node],
    others: Iterable[str],
    removed: Mapping[str, list[Part]],
) -> Answer:
    settings = config.settings.affected
    left_out = [path for path in graph.files if any(matches(path, pattern) for pattern in settings.exclude)]
    tests = {path for path in graph.files if is_test_file(path) and path not in removed} - set(left_out)
    causes = [path for path, _ in changed if any(matches(path, pattern) for pattern in settings.everything)]
    judged = judge(others, settings.everything, settings.nothing, settings.data, settings.unknown, tree.naming)
    causes = sorted({*causes, *judged.causes})
    if causes:
        return Answer([Selected(path, (), (), causes[0]) for path in sorted(tests)], tuple(causes), len(tests))
    selected = {one.path: one for one in select(graph, {*changed, *whole(judged.mentioned, graph.files)}, removed)}
    for path in tests:
        if path not in selected and any(matches(path, pattern) for pattern in judged.tests):
            selected[path] = Selected(path, (), (), 'the settings')
    return Answer([selected[path] for path in sorted(selected) if path in tests], (), len(tests))


def _read(path: str) -> bytes | None:
    try:
        if not os.path.isfile(path):
            return None
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return None
