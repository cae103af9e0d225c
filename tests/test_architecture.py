# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The shape of the code: who imports whom, what a wheel holds, how long a module may be."""

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from flakelint import __version__
from flakelint.source.file import SourceFile
from tests.tools import REPOSITORY, copy_working_tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((REPOSITORY / 'pyproject.toml').read_text(encoding='utf-8'))
MODULES = sorted(path for folder in ('flakelint', 'rules') for path in (REPOSITORY / folder).rglob('*.py'))
PYTHON = ('benchmarks', 'fla', 'flakelint', 'rules', 'scripts', 'tests')
RULES_ALLOWED_IN = ('flakelint/cli', 'flakelint/lsp', 'rules')


def imported(path: Path, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text(encoding='utf-8'))
    nodes = tree.body if top_level_only else ast.walk(tree)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def test_houses_import_downwards() -> None:
    command = [Path(sys.executable).parent / 'lint-imports', '--no-cache']
    result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize('path', MODULES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_a_module_knows_its_place(path: Path) -> None:
    name = path.relative_to(REPOSITORY).as_posix()
    heads = {module.partition('.')[0] for module in imported(path)}
    assert heads.isdisjoint({'torch', 'triton', 'fla', 'numpy', 'tests'})
    if not name.startswith(RULES_ALLOWED_IN):
        assert not any(module.startswith('flakelint.rules') for module in imported(path))
    if name.startswith(('rules', 'flakelint/cli', 'flakelint/report')):
        assert 'libcst' not in {module.partition('.')[0] for module in imported(path, top_level_only=True)}


@pytest.mark.parametrize('path', MODULES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_modules_stay_short(path: Path) -> None:
    assert len(path.read_text(encoding='utf-8').splitlines()) <= 400


def test_code_keeps_within_the_columns() -> None:
    long = []
    paths = sorted(path for folder in PYTHON for path in (REPOSITORY / folder).rglob('*.py'))
    for path in (path for path in paths if 'fixtures' not in path.parts):
        file = SourceFile(path.name, path.read_bytes())
        prose = {line for node in file.docstrings for line in range(node.lineno, node.end_lineno + 1)}
        prose |= {comment.line for comment in file.comments if comment.own_line}
        for number in range(1, len(file.lines) + 1):
            if len(file.lines.line(number)) > 127 and number not in prose:
                long.append(f'{path.relative_to(REPOSITORY)}:{number}')
    assert long == []


def test_every_package_is_listed() -> None:
    packages = {
        path.parent.relative_to(REPOSITORY).as_posix().replace('/', '.') for path in MODULES if path.name == '__init__.py'
    }
    expected = {package if package.startswith('flakelint') else f'flakelint.{package}' for package in packages}
    assert set(PROJECT['tool']['setuptools']['packages']) == expected


def wheel_names(project: str, folder: Path) -> list[str]:
    """Build the wheel of a project in this working tree, and list what it holds."""
    copy_working_tree(folder / 'source')
    command = [sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps', '--wheel-dir', folder, folder / 'source' / project]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob('*.whl')
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_the_rules_and_not_the_kernels(tmp_path: Path) -> None:
    names = wheel_names('.', tmp_path)
    tops = {name.partition('/')[0] for name in names}
    assert tops == {'flakelint', f'flakelint-{__version__}.dist-info'}
    assert 'flakelint/rules/tri/tri201_block_pointer.py' in names
    assert {'flakelint/kernel/api/triton.json', 'flakelint/report/findings-1.schema.json'} <= set(names)
    assert len([name for name in names if name.endswith('.py')]) == len(MODULES)


def test_the_kernels_are_a_wheel_of_their_own(tmp_path: Path) -> None:
    names = wheel_names('fla', tmp_path)
    modules = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / 'fla').rglob('*.py')}
    assert {name for name in names if name.endswith('.py')} == modules
    assert {name.partition('/')[0].partition('-')[0] for name in names} == {'fla', 'fla_kernels'}
    assert any(name.endswith('/LICENSE') for name in names)
    assert (REPOSITORY / 'fla/LICENSE').read_bytes() == (REPOSITORY / 'LICENSE').read_bytes()


def test_base_dependencies_are_few() -> None:
    names = {requirement.split('>')[0] for requirement in PROJECT['project']['dependencies']}
    assert names == {'click', 'libcst', 'markdown-it-py', 'pathspec', 'tomli'}
