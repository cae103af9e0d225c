# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which file a module name means, and which name a file has as a module.

Nothing is imported. The folders in which a file may find a package are the one above its own topmost package, the root, and `src` below it; others of the repository count where only one of them holds it.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

_INIT = '/__init__.py'


class ModuleNames:
    """The modules of a repository.

    Args:
        paths (Iterable[str]):
            Its Python files, as paths from the root with forward slashes.
        own_name (str, Optional):
            The name of the root itself, under which it is imported if it is a package. Default: none.
    """

    def __init__(self, paths: Iterable[str], own_name: str = '') -> None:
        self._own_name = own_name
        self.paths = frozenset(path for path in paths if path.endswith('.py'))
        self._folders = {''}
        for path in self.paths:
            folder = _parent(path)
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = _parent(folder)

    def find(self, module: str, importer: str) -> str | None:
        """The file, or the folder with a slash at its end, that `import module` means in a file; None for one that is not here.

        Args:
            module (str):
                The dotted name; one that begins with dots is relative to the importing file.
            importer (str):
                The importing file.
        """
        name = module.lstrip('.')
        parts = name.split('.') if name else []
        if name != module:
            return self._relative(importer, len(module) - len(name), parts)
        if parts[0] == self._own_name and '__init__.py' in self.paths:
            return self._locate('', parts[1:])
        folders = list(dict.fromkeys((self.package_root(importer), '', 'src')))
        for folder in folders:
            top = self._locate(folder, parts[:1])
            if top is not None and not top.endswith('/'):
                return self._locate(folder, parts)
        others = {self._locate(folder, parts) for folder in self._roots.get(parts[0], ())}
        if others:
            return others.pop() if len(others) == 1 else None
        # a folder without `__init__.py` is a package only where no other is found
        return next(filter(None, (self._locate(folder, parts) for folder in folders)), None)

    def member(self, module: str, name: str) -> str | None:
        """The submodule of a package or a folder, or None.

        Args:
            module (str):
                What `find` gave.
            name (str):
                The name of the submodule.
        """
        if module.endswith('/'):
            return self._locate(module[:-1], [name])
        return self._locate(_parent(module), [name]) if _is_package(module) else None

    def package_root(self, path: str) -> str:
        """The folder above the topmost package in which a file stands; its own folder where it is in none."""
        folder = _parent(path)
        while folder and folder + _INIT in self.paths:
            folder = _parent(folder)
        return folder

    def name(self, path: str) -> str:
        """The dotted name of a file, from the folder above its topmost package; that of a folder, from the root."""
        if path.endswith('/'):
            return path[:-1].replace('/', '.')
        root = self.package_root(path)
        inside = path[len(root) + 1:] if root else path
        parts = inside.removesuffix('.py').split('/')
        if not root and '__init__.py' in self.paths:
            parts.insert(0, self._own_name)
        return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)

    @cached_property
    def _roots(self) -> dict[str, set[str]]:
        """The folders above the topmost packages, by the name of the package."""
        found: dict[str, set[str]] = {}
        for path in self.paths:
            if _is_package(path):
                root = self.package_root(path)
                inside = path[len(root) + 1:] if root else path
                found.setdefault(inside.partition('/')[0], set()).add(root)
        return found

    def _relative(self, importer: str, level: int, parts: list[str]) -> str | None:
        folder = _parent(importer)
        for _ in range(level - 1):
            if not folder:
                return None
            folder = _parent(folder)
        return self._locate(folder, parts)

    def _locate(self, folder: str, parts: list[str]) -> str | None:
        path = '/'.join([folder, *parts] if folder else parts)
        for candidate in (path + _INIT if path else '__init__.py', path + '.py'):
            if candidate in self.paths:
                return candidate
        return path + '/' if path in self._folders else None


def folders_above(path: str) -> Iterator[str]:
    """The folders in which a file or a folder stands, from the nearest to the root, whose name is empty."""
    while path:
        path = _parent(path)
        yield path


def _parent(path: str) -> str:
    return path.rpartition('/')[0]


def _is_package(path: str) -> bool:
    return path.endswith(_INIT) or path == '__init__.py'
