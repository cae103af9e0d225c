# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The question as a whole: a change of a repository, and the test files that it needs."""

import os
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, NamedTuple

from flakelint.affected.back import Back
from flakelint.affected.changes import changed_parts, whole
from flakelint.affected.collected import collected
from flakelint.affected.git import difference
from flakelint.affected.graph import ALL, Graph
from flakelint.affected.others import judge
from flakelint.affected.reads import STAR
from flakelint.affected.selection import SETTINGS, Selected, select
from flakelint.affected.steps import Node
from flakelint.affected.store import Files, steps_between
from flakelint.project.contents import Contents
from flakelint.project.discovery import discover
from flakelint.project.ignore import Patterns, Where

if TYPE_CHECKING:
    from flakelint.engine.cache import Cache
    from flakelint.engine.config import Config


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
        self.settings = config.settings.affected
        self.collected = collected(self.root)
        self._store = store
        found = discover([self.root], Patterns(self.root, ()), config.settings.respect_gitignore).files
        contents = Contents(self.root, [path for path in found if path.endswith('.py')])
        self._data = {path: data for path in contents.paths if (data := contents.read(path)) is not None}

    def name(self, path: str) -> str:
        """A path from the root, with forward slashes."""
        return os.path.relpath(path, self.root).replace(os.sep, '/')

    def from_here(self, path: str) -> str:
        """A path from the root as one from the working folder."""
        return os.path.relpath(os.path.join(self.root, path)).replace(os.sep, '/')

    def data(self, path: str) -> bytes | None:
        """The content of a Python file."""
        return self._data.get(path)

    def files(self) -> Files:
        """The parts of all Python files."""
        return Files(self._data, self._store)

    def steps(self, files: Files) -> tuple[Graph, Back]:
        """The parts of files, and the steps that lead to each."""
        return steps_between(files, self.collected, self._store, self.root)

    def naming(self, name: str) -> list[str]:
        """The Python files that name a file."""
        return [path for path, data in self._data.items() if name.encode() in data]

    def below(self, path: str) -> list[str]:
        """The files that a path means: a folder stands for all in it."""
        return sorted(one for one in self._data if one == path or path == '.' or one.startswith(f'{path}/'))

    def others_below(self, path: str) -> list[str]:
        """The files below a folder that are no Python code."""
        found = []
        for folder, inner, names in os.walk(os.path.join(self.root, path)):
            # git, caches and environments
            inner[:] = [name for name in inner if not name.startswith('.') and name != '__pycache__']
            found.extend(self.name(os.path.join(folder, name)) for name in names if not name.endswith('.py'))
        return sorted(found)


def of_paths(tree: Tree, paths: Iterable[str]) -> Answer:
    """The tests that changes of whole files need.

    Args:
        tree (Tree):
            The repository.
        paths (Iterable[str]):
            Files and folders, from the root; what is not there any more may be among them.
    """
    files = tree.files()
    code, others = set(), set()
    for path in paths:
        below = tree.below(path)
        code.update(below or ([path] if path.endswith('.py') else ()))
        others.update(() if path.endswith('.py') else tree.others_below(path) or ([] if below else [path]))
    removed = {path for path in code if path not in files}
    changed = whole(code, files)
    for path in removed:
        files.add(path, [])
    return _answer(tree, files, changed, others, removed)


def of_difference(tree: Tree, reference: str) -> Answer:
    """The tests that the difference to another branch needs, part by part.

    Args:
        tree (Tree):
            The repository.
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
    removed = before.keys() - files.keys()
    there = {(path, part.name) for path in change.gone for part in files.get(path, ())}
    lost = {(path, part.name) for path, parts in change.gone.items() for part in parts} - there
    # of what a star brought, or may bring, some may be no more
    lost |= {node for node in change.nodes if node[1] in (STAR, ALL)}
    for path, parts in change.gone.items():
        files.add(path, parts)
    others = {path for path in found.before.keys() | found.after if not path.endswith('.py')}
    return _answer(tree, files, change.nodes, others, removed, lost)


def _answer(
    tree: Tree,
    files: Files,
    changed: frozenset[Node],
    others: Iterable[str],
    removed: Container[str],
    lost: Iterable[Node] = (),
) -> Answer:
    left_out, everything = Where(tree.settings.exclude), Where(tree.settings.everything)
    tests = [path for path in files if tree.collected.has_file(path) and path not in removed and not left_out.covers(path)]
    judged = judge(others, tree.settings, tree.naming)
    causes = sorted({*judged.causes, *(path for path in {path for path, _ in changed} if everything.covers(path))})
    if causes:
        return Answer([Selected(path, (), (), causes[0]) for path in sorted(tests)], tuple(causes), len(tests))
    graph, back = tree.steps(files)
    reached = select(graph, changed | whole(judged.mentioned, files), removed, lost, back)
    selected = {one.path: one for one in reached}
    named = Where(sorted(judged.tests))
    for path in (one for one in tests if one not in selected and named.covers(one)):
        selected[path] = Selected(path, (), (), SETTINGS)
    return Answer([selected[path] for path in sorted(tests) if path in selected], (), len(tests))
