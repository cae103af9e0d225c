# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Write `flakelint/kernel/api/triton.json`, the names that kernels may use of Triton, from the wheels of its releases.

The sources in the wheels are read, never imported. Wheels that are not in the given folder are downloaded by pip, some 200 MB each.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

TABLE = Path(__file__).parents[1] / 'flakelint' / 'kernel' / 'api' / 'triton.json'
OLDEST = (3, 3)
PLATFORMS = ('manylinux_2_28_x86_64', 'manylinux_2_27_x86_64', 'manylinux_2_17_x86_64')
LANGUAGE = 'triton.language'
TENSOR = f'{LANGUAGE}.tensor'
MODULES = (
    LANGUAGE,
    *(f'{LANGUAGE}.{name}' for name in ('core', 'math', 'random', 'standard', 'target_info')),
    *(f'{LANGUAGE}.extra.{name}' for name in ('libdevice', 'cuda', 'cuda.libdevice', 'hip', 'hip.libdevice')),
)
# what the compiler fills in
_HIDDEN = frozenset({'_builder', '_generator', '_semantic'})
_WARNERS = ('warn', 'warn_once')

# the text of what a name is, and what there is to say of it: what it raises, or why it is deprecated
Entry = tuple[str, dict[str, str]]


class Wheel:
    """The sources in a wheel.

    Args:
        path (Path):
            The wheel.
    """

    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path)
        self._files = frozenset(self._archive.namelist())

    def source(self, module: str) -> str | None:
        """The path of a module in the wheel, or None."""
        base = module.replace('.', '/')
        return next((path for path in (f'{base}/__init__.py', f'{base}.py') if path in self._files), None)

    def statements(self, module: str) -> list[ast.stmt]:
        """The statements of a module; none where there is no such module."""
        path = self.source(module)
        return [] if path is None else ast.parse(self._archive.read(path)).body

    def names(self, module: str) -> dict[str, Entry]:
        """The names of a module."""
        path = self.source(module)
        if path is None:
            return {}
        package = module if path.endswith('/__init__.py') else module.rpartition('.')[0]
        # what is imported from a submodule makes it an attribute of the package; only the language itself is imported like that
        found: dict[str, Entry] = dict.fromkeys(self._submodules(), ('module', {})) if module == LANGUAGE else {}
        for node in _in_branches(self.statements(module)):
            found.update(self._bound(node, package))
        kept = found if module == LANGUAGE else {name: entry for name, entry in found.items() if not name.startswith('_')}
        return {name: entry for name, entry in kept.items() if not name.startswith('__')}

    def tensor(self) -> dict[str, Entry]:
        """What a tensor can be asked for: its own members, and the functions that are methods too."""
        found: dict[str, Entry] = {}
        classes = [node for node in self.statements(f'{LANGUAGE}.core') if isinstance(node, ast.ClassDef)]
        for node in (one for name in ('_value', 'base_value', 'tensor') for one in classes if one.name == name):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith('_'):
                    is_property = any(_last(one) == 'property' for one in inner.decorator_list)
                    found[inner.name] = ('value', {}) if is_property else _function(inner, skip=1)
                elif isinstance(inner, ast.FunctionDef) and inner.name == '__init__':
                    found.update((name, ('value', {})) for name in _assigned_to_self(inner))
        for module in ('core', 'math', 'standard'):
            for node in self.statements(f'{LANGUAGE}.{module}'):
                decorators = getattr(node, 'decorator_list', ())
                if isinstance(node, ast.FunctionDef) and any(_last(one) == '_tensor_member_fn' for one in decorators):
                    found[node.name] = _function(node, skip=1)
        return found

    def _submodules(self) -> Iterator[str]:
        for path in self._files:
            folder, _, name = path.rpartition('/')
            if folder == LANGUAGE.replace('.', '/') and name.endswith('.py'):
                yield name.removesuffix('.py')

    def _bound(self, node: ast.stmt, package: str) -> Iterator[tuple[str, Entry]]:
        if isinstance(node, ast.FunctionDef):
            yield node.name, _function(node)
        elif isinstance(node, ast.ClassDef):
            yield node.name, _class(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                names = [one for one in ast.walk(target) if isinstance(one, ast.Name)]
                # of `arange.__doc__ = ...` nothing is bound
                yield from ((one.id, ('value', {})) for one in names if isinstance(one.ctx, ast.Store))
        elif isinstance(node, ast.Import):
            yield from ((one.asname or one.name.partition('.')[0], ('module', {})) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from self._imported(node, package)

    def _imported(self, node: ast.ImportFrom, package: str) -> Iterator[tuple[str, Entry]]:
        parent = package.rsplit('.', node.level - 1)[0] if node.level > 1 else package
        module = '.'.join(filter(None, (parent, node.module))) if node.level else node.module
        is_own = module.startswith(LANGUAGE)
        for alias in node.names:
            if alias.name == '*':
                yield from ((name, (f'={module}.{name}', {})) for name in self._exported(module))
            elif is_own and self.source(f'{module}.{alias.name}'):
                yield alias.asname or alias.name, ('module', {})
            else:
                yield alias.asname or alias.name, (f'={module}.{alias.name}' if is_own else 'value', {})

    def _exported(self, module: str) -> Iterator[str]:
        for node in self.statements(module):
            if isinstance(node, ast.Assign) and any(_last(target) == '__all__' for target in node.targets):
                yield from (one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant))


def _in_branches(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in statements:
        yield node
        for field in ('body', 'orelse', 'handlers', 'finalbody'):
            if isinstance(node, ast.If | ast.Try | ast.ExceptHandler) and hasattr(node, field):
                yield from _in_branches(getattr(node, field))


def _function(node: ast.FunctionDef, skip: int = 0) -> Entry:
    parameters = _parameters(node.args, skip)
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if body and isinstance(body[0], ast.Raise):
        return f'({parameters})', {'raises': _message(body[0].exc)}
    for inner in body:
        call = inner.value if isinstance(inner, ast.Expr) else None
        if isinstance(call, ast.Call) and _last(call.func) in _WARNERS and 'deprecated' in _message(call):
            return f'({parameters})', {'deprecated': _message(call)}
    return f'({parameters})', {}


def _class(node: ast.ClassDef) -> Entry:
    made = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == '__init__'), None)
    return f'class({_parameters(made.args, 1)})' if made else 'class', {}


def _parameters(arguments: ast.arguments, skip: int) -> str:
    """The parameters, without those that the compiler fills in, without annotations, and without the first few."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    pairs = list(zip(plain, defaults, strict=True))[skip:]
    texts = [_parameter(one, default) for one, default in pairs if one.arg not in _HIDDEN]
    if arguments.vararg is not None:
        texts.append(f'*{arguments.vararg.arg}')
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    named = [_parameter(one, default) for one, default in named if one.arg not in _HIDDEN]
    if named and arguments.vararg is None:
        texts.append('*')
    texts.extend(named)
    if arguments.kwarg is not None:
        texts.append(f'**{arguments.kwarg.arg}')
    return ', '.join(texts)


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    return one.arg if default is None else f'{one.arg}={ast.unparse(default)}'


def _assigned_to_self(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _last(node.value) == 'self':
            yield node.attr


def _message(node: ast.expr | None) -> str:
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)] if node else []
    return ' '.join(text for text in texts if isinstance(text, str))


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', '')


def runs(found: Mapping[str, Mapping[str, Entry]]) -> dict[str, list[list]]:
    """For each name in one module what it was, and from which version up to, but not with, which.

    Args:
        found (Mapping[str, Mapping[str, Entry]]):
            The names of the module in each version, from the oldest.
    """
    versions = list(found)
    table: dict[str, list[list]] = {}
    for name in sorted({name for names in found.values() for name in names}):
        kept: list[list] = []
        last = None
        for version in versions:
            entry = found[version].get(name)
            if entry == last:
                continue
            if last is not None:
                kept[-1][1] = version
            if entry is not None:
                kept.append([version, '', entry[0], *([entry[1]] if entry[1] else [])])
            last = entry
        table[name] = kept
    return table


def as_text(versions: list[str], modules: Mapping[str, Mapping[str, list]]) -> str:
    """The table, with one line a name, so that a new release changes few lines."""
    lines = ['{', f'"versions": {json.dumps(versions)},', '"modules": {']
    for number, (module, names) in enumerate(modules.items()):
        rows = [f'{json.dumps(name)}: {json.dumps(kept)}' for name, kept in names.items()]
        lines.append(f'{json.dumps(module)}: {{')
        lines.extend(f'{row},' for row in rows[:-1])
        lines.extend([*rows[-1:], '}' if number == len(modules) - 1 else '},'])
    return '\n'.join([*lines, '}', '}', ''])


def released() -> list[str]:
    """The versions on the package index, from the oldest that is wanted."""
    command = [sys.executable, '-m', 'pip', 'index', 'versions', 'triton']
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r'Available versions: (.*)', listed)[1].split(', ')
    numbered = sorted((tuple(map(int, version.split('.'))), version) for version in found if re.fullmatch(r'[\d.]+', version))
    return [version for numbers, version in numbered if numbers >= OLDEST]


def wheel_of(version: str, folder: Path) -> Path:
    """The wheel of a version, downloaded where it is not there."""
    pattern = f'triton-{version}-*.whl'
    if not list(folder.glob(pattern)):
        platforms = [word for platform in PLATFORMS for word in ('--platform', platform)]
        options = ['--no-deps', '--only-binary=:all:', '--python-version', '3.11', *platforms, '-d', str(folder)]
        subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', *options, f'triton=={version}'], check=True)
    return next(folder.glob(pattern))


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', type=Path, help='where the wheels are, or are to be kept')
    parser.add_argument('versions', nargs='*', help='the versions to read, from the oldest; all that are released by default')
    arguments = parser.parse_args()
    versions = arguments.versions or released()
    found: dict[str, dict[str, dict[str, Entry]]] = {module: {} for module in (*MODULES, TENSOR)}
    for version in versions:
        wheel = Wheel(wheel_of(version, arguments.folder))
        for module in MODULES:
            found[module][version] = wheel.names(module)
        found[TENSOR][version] = wheel.tensor()
    TABLE.write_text(as_text(versions, {module: runs(names) for module, names in found.items()}), encoding='utf-8')


if __name__ == '__main__':
    main()
