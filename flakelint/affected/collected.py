# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What pytest collects, and what its settings bring to every test."""

import configparser
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from flakelint.affected.parts import CLASS, FUNCTION, IMPORT, Part
from flakelint.affected.reads import BASE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# the first of these files that has such a section counts
_FILES = (
    ('pytest.ini', 'pytest'), ('.pytest.ini', 'pytest'), ('pyproject.toml', ''), ('tox.ini', 'pytest'),
    ('setup.cfg', 'tool:pytest'),
)


class Collected(NamedTuple):
    """The settings of pytest that say which tests there are and what they need.

    Args:
        files (tuple[str, ...], Optional):
            The patterns of test files. Default: as pytest has them.
        functions (tuple[str, ...], Optional):
            How the names of test functions begin, or their patterns. Default: as pytest has them.
        classes (tuple[str, ...], Optional):
            The same of classes. Default: as pytest has them.
        folders (tuple[str, ...], Optional):
            Where modules are looked for first. Default: none.
        plugins (tuple[str, ...], Optional):
            The modules of plugins. Default: none.
        fixtures (tuple[str, ...], Optional):
            The fixtures that all tests use. Default: none.
    """

    files: tuple[str, ...] = ('test_*.py', '*_test.py')
    functions: tuple[str, ...] = ('test',)
    classes: tuple[str, ...] = ('Test',)
    folders: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()

    def has_file(self, path: str) -> bool:
        """Whether pytest collects a file."""
        return _has_file(self.files, path)

    def has(self, part: Part) -> bool:
        """Whether pytest may collect a part of a test file; what it imports may be a test as well."""
        if part.kind == CLASS:
            is_case = any('TestCase' in read.name for read in part.reads if read.kind == BASE)
            return is_case or _is_named(part.name, self.classes)
        if part.kind == IMPORT:
            return _is_named(part.name, (*self.functions, *self.classes))
        return part.kind == FUNCTION and _is_named(part.name, self.functions)


@cache
def _has_file(patterns: tuple[str, ...], path: str) -> bool:
    name = path.rpartition('/')[2]
    return path.endswith('.py') and any(_fits(f'/{path}' if '/' in one else name, one) for one in patterns)


def _fits(path: str, pattern: str) -> bool:
    return fnmatchcase(path, f'*/{pattern.lstrip("/")}' if '/' in pattern else pattern)


def _is_named(name: str, patterns: tuple[str, ...]) -> bool:
    return any(name.startswith(one) or fnmatchcase(name, one) for one in patterns)


def collected(root: str) -> Collected:
    """What the settings of pytest in a folder say."""
    given = _given(root)
    words = {key: tuple(_words(given[key])) for key in given}
    default = Collected()
    folders = [os.path.normpath(one).replace(os.sep, '/') for one in words.get('pythonpath', ())]
    return Collected(
        files=words.get('python_files', default.files),
        functions=words.get('python_functions', default.functions),
        classes=words.get('python_classes', default.classes),
        folders=tuple('' if one == '.' else one for one in folders),
        plugins=tuple(_plugins(words.get('addopts', ()))) + _own_plugins(root),
        fixtures=words.get('usefixtures', ()),
    )


def _given(root: str) -> Mapping[str, Any]:
    for name, section in _FILES:
        path = os.path.join(root, name)
        if not section:
            found = _toml(path).get('tool', {}).get('pytest', {})
            if 'ini_options' in found:
                return found['ini_options']
        elif os.path.isfile(path):
            parser = configparser.ConfigParser(interpolation=None)
            with suppress(configparser.Error, UnicodeDecodeError):
                parser.read(path, encoding='utf-8')
                if parser.has_section(section):
                    return dict(parser[section])
    return {}


def _toml(path: str) -> dict[str, Any]:
    try:
        with open(path, 'rb') as file:
            return tomllib.load(file)
    except (OSError, ValueError):
        return {}


def _words(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(one) for one in value]
    try:
        return shlex.split(str(value))
    except ValueError:
        return str(value).split()


def _plugins(options: tuple[str, ...]) -> Iterator[str]:
    """The plugins that options load."""
    for option, following in pairwise((*options, '')):
        name = following if option == '-p' else option[2:]
        if option.startswith('-p') and name and not name.startswith('no:'):
            yield name


def _own_plugins(root: str) -> tuple[str, ...]:
    """The plugins of the project itself, which pytest finds where it is installed."""
    points = _toml(os.path.join(root, 'pyproject.toml')).get('project', {}).get('entry-points', {}).get('pytest11', {})
    return tuple(one.partition(':')[0] for one in points.values() if isinstance(one, str))
