# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Generated packages: what the tests run is what the tracer says they lead to, and little more.

The truth comes from running them: the functions that Python enters while it imports a test file and calls its tests.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flakelint.affected.changes import parse
from flakelint.affected.graph import Graph
from flakelint.affected.selection import select
from tests.tools import write

# in full by `HYPOTHESIS_PROFILE=full`, as other properties
SEEDS = 300 if os.environ.get('HYPOTHESIS_PROFILE') == 'full' else 12

# notes the functions that are entered, by file and name
_DRIVER = '''
import importlib.util, json, os, sys
root, path = sys.argv[1:]
sys.path.insert(0, root)
entered = set()
def note(frame, event, argument):
    if event == 'call' and frame.f_code.co_filename.startswith(root):
        entered.add((os.path.relpath(frame.f_code.co_filename, root), frame.f_code.co_qualname))
sys.setprofile(note)
spec = importlib.util.spec_from_file_location('test_module', os.path.join(root, path))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for name, value in list(vars(module).items()):
    if name.startswith('test'):
        value()
sys.setprofile(None)
print(json.dumps(sorted(entered)))
'''.replace('co_qualname', 'co_qualname' if sys.version_info >= (3, 11) else 'co_name')


class _Package:
    """A package of modules whose functions call each other in every way that imports allow."""

    def __init__(self, rnd: random.Random) -> None:
        self._rnd = rnd
        self.files: dict[str, str] = {}
        # the functions there are, each as its module and name
        self.functions: list[tuple[str, str]] = []
        folders = ['pkg', 'pkg.core', 'pkg.ops', 'pkg.ops.deep']
        inits: dict[str, list[str]] = {folder: [] for folder in folders}
        for number in range(rnd.randrange(5, 10)):
            folder = rnd.choice(folders)
            module = f'{folder}.m{number}'
            names = [f'f{number}_{index}' for index in range(rnd.randrange(1, 4))]
            self.files[_path(module)] = self._module(module, names)
            self.functions.extend((module, name) for name in names)
            self._reexport(folder, module, names, inits)
        for folder, lines in inits.items():
            self.files[f'{folder.replace(".", "/")}/__init__.py'] = ''.join(lines)
        for number in range(4):
            self.files[f'tests/test_{number}.py'] = self._test()

    def _module(self, module: str, names: list[str]) -> str:
        head: list[str] = []
        bodies = []
        for name in names:
            calls = [self._call(module, head) for _ in range(self._rnd.randrange(3))] if self.functions else []
            decorated = self._decorated(head) if self.functions and self._rnd.random() < 0.2 else ''
            lines = [line for call in calls for line in call] or ['return 1']
            bodies.append(f'{decorated}def {name}(*args):\n' + ''.join(f'    {line}\n' for line in lines))
        if self._rnd.random() < 0.3 and len(names) > 1:
            bodies.append(f'alias_of_{names[0]} = {names[0]}\n')
        return ''.join(head) + '\n\n' + '\n\n'.join(bodies)

    def _decorated(self, head: list[str]) -> str:
        head.append('def _same(f):\n    return f\n')
        return '@_same\n'

    def _call(self, module: str, head: list[str]) -> list[str]:
        """The lines of a call of an earlier function, with the import that it needs at the head or before it."""
        target, name = self._rnd.choice(self.functions)
        parent, _, last = target.rpartition('.')
        # what stands at the head of the file, and what in the function
        ways = [
            (f'from {target} import {name}', [f'{name}()']),
            (f'from {target} import {name} as renamed_{name}', [f'renamed_{name}()']),
            (f'import {target}', [f'{target}.{name}()']),
            ('', [f'from {target} import {name} as inner', 'inner()']),
            (f'import {target} as whole_{last}', [f'whole_{last}.{name}()']),
            (f'from {_relative(module, target) if module else target} import {name}', [f'{name}()']),
        ]
        if parent:
            ways.append((f'from {parent} import {last}', [f'{last}.{name}()']))
        line, called = self._rnd.choice(ways)
        head.extend([f'{line}\n'] if line else [])
        return called

    def _reexport(self, folder: str, module: str, names: list[str], inits: dict[str, list[str]]) -> None:
        kind = self._rnd.randrange(4)
        last = module.rpartition('.')[2]
        if kind == 0:
            inits[folder].append(f'from .{last} import {names[0]}\n')
            self.functions.append((folder, names[0]))
        elif kind == 1:
            inits[folder].append(f'from .{last} import *\n')
            self.functions.extend((folder, name) for name in names)
        elif kind == 2:
            inits[folder].append(f'from .{last} import {names[0]} as public_{names[0]}\n')
            self.functions.append((folder, f'public_{names[0]}'))

    def _test(self) -> str:
        head: list[str] = []
        tests = [
            f'def test_{number}():\n' + ''.join(f'    {line}\n' for line in self._call('', head))
            for number in range(self._rnd.randrange(1, 3))
        ]
        return ''.join(head) + '\n\n' + '\n\n'.join(tests)


def _path(module: str) -> str:
    return module.replace('.', '/') + '.py'


def _relative(module: str, target: str) -> str:
    """A module as another one of the package names it by dots."""
    here, there = module.split('.')[:-1], target.split('.')
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    return '.' * (len(here) - common + 1) + '.'.join(there[common:])


def _run(folder: Path, path: str) -> subprocess.CompletedProcess:
    command = [sys.executable, '-c', _DRIVER, str(folder), path]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _entered(folder: Path, path: str) -> set[tuple[str, str]]:
    done = _run(folder, path)
    return {(file, name) for file, name in json.loads(done.stdout) if name != '<module>'}


def _drawn(folder: Path, seed: int) -> dict[str, str]:
    """A package that can be imported, as not every circle of imports can; gives its files."""
    rnd = random.Random(seed)
    while True:
        package = _Package(rnd)
        shutil.rmtree(folder, ignore_errors=True)
        for path, text in package.files.items():
            write(folder / path, text)
        tests = [path for path in package.files if path.startswith('tests/')]
        if all(_run(folder, path).returncode == 0 for path in tests):
            return package.files


@pytest.mark.parametrize('seed', range(SEEDS))
def test_what_runs_is_what_is_said(tmp_path: Path, seed: int) -> None:
    files = _drawn(tmp_path / 'drawn', seed)
    tests = [path for path in files if path.startswith('tests/')]
    entered = {path: _entered(tmp_path / 'drawn', path) for path in tests}
    graph = Graph({path: parse(path, text.encode()) for path, text in files.items()})
    needed = chosen = 0
    for file, text in files.items():
        for part in parse(file, text.encode()):
            if part.kind != 'function' or file in tests:
                continue
            truth = {path for path in tests if (file, part.name) in entered[path]}
            found = {one.path for one in select(graph, [(file, part.name)])}
            assert truth <= found, f'{file}:{part.name}'
            needed, chosen = needed + len(truth), chosen + len(found)
    assert chosen <= 1.25 * needed
