# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where the modules of a repository are, for tests as well, which pytest gives more folders to look in."""

import re
from collections.abc import Iterable
from functools import cached_property

from flakelint.project.modules import ModuleNames, folders_above

_NAME = re.compile(r'\.*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*')


class Modules(ModuleNames):
    """The modules of a repository, each looked for once by the files of a folder.

    Args:
        paths (Iterable[str]):
            Its Python files, as paths from the root.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(paths)
        self._found: dict[tuple[str, str], str | None] = {}

    def find(self, module: str, importer: str) -> str | None:
        """As its base does."""
        key = (module, importer.rpartition('/')[0])
        if key not in self._found:
            self._found[key] = super().find(module, importer) or self._beside(module, key[1])
        return self._found[key]

    def _beside(self, module: str, folder: str) -> str | None:
        """A module in one of the folders above: pytest looks for modules beside every `conftest.py`."""
        for above in folders_above(folder) if not module.startswith('.') else ():
            found = self._locate(above, module.split('.'))
            if found is not None and not found.endswith('/'):
                return found
        return None

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
        """The files that a path may mean from some folder; folders above that one count for nothing."""
        parts = [part for part in path.split('/') if part not in ('', '.', '..')]
        end = '/' + '/'.join(parts)
        return [one for one in self._by_last.get(parts[-1], ()) if f'/{one}'.endswith(end)]

    @cached_property
    def _by_last(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            found.setdefault(path.rpartition('/')[2], []).append(path)
        return found
