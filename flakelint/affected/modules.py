# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where the modules of a repository are, for tests as well, which pytest gives more folders to look in."""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import takewhile

from flakelint.project.modules import ModuleNames, folders_above

# names of files that say nothing of which file is meant
_OF_PACKAGES = frozenset({'__init__.py', '__main__.py', 'conftest.py', 'setup.py'})
_NAME = re.compile(r'\.*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*')


class Modules(ModuleNames):
    """The modules of a repository, each looked for once by the files of a folder.

    Args:
        paths (Iterable[str]):
            Its Python files, as paths from the root.
        folders (Iterable[str], Optional):
            Where to look first. Default: nowhere.
    """

    def __init__(self, paths: Iterable[str], folders: Iterable[str] = ()) -> None:
        super().__init__(paths)
        self._first = list(folders)
        self._found: dict[tuple[str, str], str | None] = {}

    def find(self, module: str, importer: str) -> str | None:
        """As its base does."""
        key = (module, importer.rpartition('/')[0])
        if key not in self._found:
            found = self._in(self._first, module) or super().find(module, importer)
            self._found[key] = found or self._in(folders_above(key[1]), module) or self._nearest(module, importer)
        return self._found[key]

    def _in(self, folders: Iterable[str], module: str) -> str | None:
        """A module in one of some folders: those of the settings of pytest, or those with a `conftest.py` above."""
        for folder in folders if not module.startswith('.') else ():
            found = self._locate(folder, module.split('.'))
            if found is not None and not found.endswith('/'):
                return found
        return None

    def _nearest(self, module: str, importer: str) -> str | None:
        """Of several modules of a name, under different folders, the one that stands nearest to who imports it."""
        parts = module.split('.')
        found = [self._locate(folder, parts) for folder in sorted(self._roots.get(parts[0], ()))]
        return max(filter(None, found), key=lambda path: _common(path, importer), default=None)

    def below(self, target: str, beginning: str) -> list[str]:
        """The files below a package or a folder whose path in it begins in some way."""
        if not target.endswith(('/', '__init__.py')):
            return []
        begins = f'{target.removesuffix("__init__.py")}{beginning}'
        return sorted(path for path in self.paths if path.startswith(begins) and path != target)

    def named(self, path: str, texts: Iterable[str]) -> list[str]:
        """The modules that texts name in a file, by themselves or from its package."""
        found = [self.find(text, path) or self.find(f'.{text}', path) for text in texts if _NAME.fullmatch(text)]
        return [one for one in found if one is not None and one != path and not one.endswith('/')]

    def ending(self, path: str) -> list[str]:
        """The files that a path may mean from some folder; folders above that one count for nothing.

        A name by itself means the one file that has it; names that many packages have mean none.
        """
        parts = [part for part in path.split('/') if part not in ('', '.', '..')]
        named = self._by_last.get(parts[-1], ())
        if len(parts) == 1:
            return [] if len(named) > 1 or parts[0] in _OF_PACKAGES else list(named)
        end = '/' + '/'.join(parts)
        return [one for one in named if f'/{one}'.endswith(end)]

    @cached_property
    def _by_last(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            found.setdefault(path.rpartition('/')[2], []).append(path)
        return found


def _common(path: str, other: str) -> int:
    """How many folders two files have in common."""
    pairs = zip(path.split('/'), other.split('/'), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
