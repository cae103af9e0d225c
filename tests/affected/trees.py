# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Generated packages whose modules reach each other in many ways, and changes of them: what is renamed, gone, moved, hidden."""

import random
import re

FOLDERS = ('pkg', 'pkg.core', 'pkg.ops', 'pkg.ops.deep')

_LAZY = '''
import importlib
{table}
def __getattr__(name):
    if name in _TABLE:
        return {found}
    raise AttributeError(name)
'''
# tables of names, each with how a name is looked up in it
_TABLES = (
    ("_TABLE = {{'{name}': '{module}'}}", 'getattr(importlib.import_module(_TABLE[name]), name)'),
    ("_TABLE = {{'{name}': '.{last}'}}", 'getattr(importlib.import_module(_TABLE[name], __name__), name)'),
    ("_TABLE = {{'{name}': '{last}'}}", "getattr(importlib.import_module(f'{{__name__}}.{{_TABLE[name]}}'), name)"),
    ("_TABLE = {{'{name}': ('{module}', '{name}')}}", 'getattr(importlib.import_module(_TABLE[name][0]), _TABLE[name][1])'),
)


class Package:
    """A package of modules, with tests that give what the functions give that they call.

    Args:
        rnd (random.Random):
            Draws it.
    """

    def __init__(self, rnd: random.Random) -> None:
        self._rnd = rnd
        self.files: dict[str, str] = {}
        # where functions can be taken from, each as a module and a name
        self._functions: list[tuple[str, str]] = []
        self.modules: dict[str, list[str]] = {}
        inits: dict[str, list[str]] = {folder: [] for folder in FOLDERS}
        for number in range(rnd.randrange(4, 9)):
            folder = rnd.choice(FOLDERS)
            module = f'{folder}.m{number}'
            self.modules[module] = [f'f{number}_{index}' for index in range(rnd.randrange(1, 4))]
            self.files[path_of(module)] = self._module(module, number)
            self._functions.extend((module, name) for name in self.modules[module])
            self._reexport(folder, module, inits)
        for folder, lines in inits.items():
            self.files[f'{folder.replace(".", "/")}/__init__.py'] = ''.join(lines)
        for number in range(5):
            self.files[f'tests/test_{number}.py'] = self._test()

    def _module(self, module: str, number: int) -> str:
        rnd = self._rnd
        head = [f'LIMIT = {number}\n']
        bodies = []
        for index, name in enumerate(self.modules[module]):
            calls = [self._call(module, head) for _ in range(rnd.randrange(3))] if self._functions else []
            lines = [line for call in calls for line in call[:-1]]
            terms = [str(100 * number + index), *(call[-1] for call in calls), *rnd.sample(['LIMIT'], rnd.randrange(2))]
            lines.append(f'return {" + ".join(terms)}')
            bodies.append(f'def {name}(*args):\n' + ''.join(f'    {line}\n' for line in lines))
        if rnd.random() < 0.3:
            # a circle that only closes in a call
            bodies.append(f'def back_{number}():\n    import {module}\n    return {module}.{self.modules[module][0]}()\n')
        if rnd.random() < 0.3 and self._functions:
            # a name of another module, bound anew
            target, name = rnd.choice(self._functions)
            head.append(f'from {target} import {name}\n')
            bodies.append(f'def {name}(*args):\n    return {number}\n')
        return ''.join(head) + '\n\n' + '\n\n'.join(bodies)

    def _call(self, module: str, head: list[str]) -> list[str]:
        """The lines before a call of an earlier function, then the call; what the file needs for it goes to its head."""
        target, name = self._rnd.choice(self._functions)
        parent, _, last = target.rpartition('.')
        relative = _relative(module, target) if module else target
        ways = [
            (f'from {target} import {name}', [f'{name}()']),
            (f'from {target} import {name} as renamed_{name}', [f'renamed_{name}()']),
            (f'import {target}', [f'{target}.{name}()']),
            (f'import {target} as whole_{last}', [f'whole_{last}.{name}()']),
            (f'from {target} import *', [f'{name}()']),
            (f'from {relative} import {name}', [f'{name}()']),
            (f'try:\n    from {target} import {name}\nexcept ImportError:\n    {name} = int', [f'{name}()']),
            ('', [f'from {relative} import {name} as inner', 'inner()']),
            ('', [f'import {target}', f'{target}.{name}()']),
            ('', ['import importlib', f'importlib.import_module("{target}").{name}()']),
        ]
        if parent:
            ways.append((f'from {parent} import {last}', [f'{last}.{name}()']))
            ways.append(('', [f'from {parent} import {last} as inner', f'inner.{name}()']))
        line, called = self._rnd.choice(ways)
        head.extend([f'{line}\n'] if line else [])
        return called

    def _reexport(self, folder: str, module: str, inits: dict[str, list[str]]) -> None:
        kind = self._rnd.randrange(6)
        names = self.modules[module]
        last = module.rpartition('.')[2]
        if kind == 0:
            inits[folder].append(f'from .{last} import {names[0]}\n')
            self._functions.append((folder, names[0]))
        elif kind == 1:
            inits[folder].append(f'from .{last} import *\n')
            self._functions.extend((folder, name) for name in names)
        elif kind == 2:
            inits[folder].append(f'from .{last} import {names[0]} as public_{names[0]}\n')
            self._functions.append((folder, f'public_{names[0]}'))
        elif kind == 3 and not any('__getattr__' in line for line in inits[folder]):
            table, found = self._rnd.choice(_TABLES)
            drawn = table.format(name=names[0], module=module, last=last)
            inits[folder].append(_LAZY.format(table=drawn, found=found.format()))
            self._functions.append((folder, names[0]))

    def _test(self) -> str:
        head: list[str] = []
        tests = []
        for number in range(self._rnd.randrange(1, 3)):
            *lines, result = self._call('', head)
            tests.append(f'def test_{number}():\n' + ''.join(f'    {line}\n' for line in [*lines, f'return {result}']))
        return ''.join(head) + '\n\n' + '\n\n'.join(tests)


def changed(package: Package, rnd: random.Random) -> dict[str, str]:
    """The files of a package after a change."""
    files = dict(package.files)
    module = rnd.choice(sorted(package.modules))
    name = rnd.choice(package.modules[module])
    return rnd.choice(_CHANGES)(files, module, name, rnd)


def _without(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    del files[path_of(module)]
    return files


def _moved(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    last = module.rpartition('.')[2]
    files[path_of(f'{module}_new')] = files.pop(path_of(module))
    return _renamed_in(files, last, f'{last}_new', rnd)


def _moved_elsewhere(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    last = module.rpartition('.')[2]
    files[path_of(f'{rnd.choice(FOLDERS)}.{last}')] = files.pop(path_of(module))
    return files


def _renamed(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    path = path_of(module)
    files[path] = re.sub(rf'\b{name}\b', f'{name}_new', files[path])
    return _renamed_in(files, name, f'{name}_new', rnd)


def _renamed_in(files: dict[str, str], old: str, new: str, rnd: random.Random) -> dict[str, str]:
    """Some of the users know the new name, or all, or none."""
    share = rnd.choice((0, 0.5, 1))
    return {path: re.sub(rf'\b{old}\b', new, text) if rnd.random() < share else text for path, text in files.items()}


def _other_result(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    path = path_of(module)
    files[path] = re.sub(rf'(def {name}\(.*\n(?:    .*\n)*?    return )', r'\g<1>7000 + ', files[path], count=1)
    return files


def _other_limit(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    path = path_of(module)
    files[path] = files[path].replace('LIMIT = ', 'LIMIT = 90')
    return files


def _without_name(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    path = path_of(module)
    files[path] = re.sub(rf'def {name}\(.*\n(?:    .*\n)*', '', files[path])
    return files


def _hidden(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    """A package of the same name as a module comes before it."""
    files[f'{path_of(module)[:-3]}/__init__.py'] = rnd.choice(('', f'def {name}():\n    return 5000\n'))
    return files


def _bound_anew(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    folder = module.rpartition('.')[0]
    path = f'{folder.replace(".", "/")}/__init__.py'
    files[path] += f'def {name}():\n    return 6000\n'
    return files


def _init_line_gone(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    path = f'{rnd.choice(FOLDERS).replace(".", "/")}/__init__.py'
    lines = files[path].splitlines(True)
    if lines:
        del lines[rnd.randrange(len(lines))]
    files[path] = ''.join(lines)
    return files


def _init_gone(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    del files[f'{rnd.choice(FOLDERS).replace(".", "/")}/__init__.py']
    return files


def _only_some(files: dict[str, str], module: str, name: str, rnd: random.Random) -> dict[str, str]:
    """What a star brings becomes less."""
    files[path_of(module)] += f'\n__all__ = [{rnd.choice((repr(name), ""))}]\n'
    return files


_CHANGES = (
    _without, _moved, _moved_elsewhere, _renamed, _other_result, _other_limit, _without_name, _hidden, _bound_anew,
    _init_line_gone, _init_gone, _only_some,
)


def path_of(module: str) -> str:
    """The file of a module."""
    return module.replace('.', '/') + '.py'


def _relative(module: str, target: str) -> str:
    """A module as another one of the package names it by dots."""
    here, there = module.split('.')[:-1], target.split('.')
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    return '.' * (len(here) - common + 1) + '.'.join(there[common:])
