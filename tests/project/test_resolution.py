# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What names mean across the files of a repository."""

from pathlib import Path

import pytest

from flakelint.project.meanings import NO_NAMES, Names, names_of
from flakelint.project.modules import ModuleNames
from flakelint.project.resolution import Resolver
from flakelint.source.file import SourceFile
from tests.tools import write

DEFINES = 'def f():\n    pass\n'
TOOLS = '\nclass Tools:\n    def shout():\n        pass\n    alias = shout\n'


class Tree:
    """A repository on disk; counts which of its files were read."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder = folder
        self.read: list[str] = []
        for path, text in files.items():
            write(folder / path, text)
        self.resolver = Resolver(ModuleNames(files, folder.name), self.names)

    def names(self, path: str) -> Names:
        self.read.append(path)
        file = self.folder / path
        return names_of(SourceFile(path, file.read_bytes())) if file.is_file() else NO_NAMES

    def means(self, name: str, path: str = 'user.py') -> str | None:
        symbol = self.resolver.resolve(path, name)
        return None if symbol is None else f'{symbol.path}:{symbol.name}'


@pytest.mark.parametrize(
    ('path', 'module', 'expected'),
    [
        ('pkg/a.py', 'pkg.sub.b', 'pkg/sub/b.py'),
        ('pkg/a.py', 'pkg', 'pkg/__init__.py'),
        ('pkg/a.py', '.sub.b', 'pkg/sub/b.py'),
        ('pkg/a.py', '.', 'pkg/__init__.py'),
        ('pkg/sub/b.py', '..a', 'pkg/a.py'),
        ('pkg/sub/b.py', '...lib.c', 'lib/c.py'),
        ('pkg/sub/b.py', '.....a', None),
        ('src/inner/d.py', 'inner.e', 'src/inner/e.py'),
        ('scripts/run.py', 'helper', 'scripts/helper.py'),
        ('scripts/run.py', 'inner.e', 'src/inner/e.py'),
        ('scripts/run.py', 'pkg.a', 'pkg/a.py'),
        ('scripts/run.py', 'far.g', 'deep/down/far/g.py'),
        ('pkg/sub/b.py', 'scripts.run', 'scripts/run.py'),
        ('pkg/a.py', 'a', None),
        ('pkg/a.py', 'torch.nn', None),
        ('pkg/a.py', 'lib', 'lib/'),
    ],
)
def test_a_module_name_means_a_file(path: str, module: str, expected: str | None) -> None:
    modules = ModuleNames([
        'pkg/__init__.py', 'pkg/a.py', 'pkg/sub/__init__.py', 'pkg/sub/b.py', 'pkg/stub.pyi', 'lib/c.py',
        'src/inner/__init__.py', 'src/inner/d.py', 'src/inner/e.py', 'scripts/run.py', 'scripts/helper.py',
        'deep/down/far/__init__.py', 'deep/down/far/g.py',
    ])
    assert modules.find(module, path) == expected


def test_the_package_of_the_importing_file_comes_first() -> None:
    files = [f'{root}/pkg/{name}.py' for root in ('old', 'new') for name in ('__init__', 'a', 'b')]
    modules = ModuleNames([*files, 'run.py'])
    assert modules.find('pkg.b', 'old/pkg/a.py') == 'old/pkg/b.py'
    assert modules.find('pkg.b', 'new/pkg/a.py') == 'new/pkg/b.py'
    assert modules.find('pkg.b', 'run.py') is None


def test_a_root_that_is_a_package_is_found_by_its_own_name() -> None:
    modules = ModuleNames(['__init__.py', 'ops/__init__.py', 'ops/a.py'], 'fla')
    assert modules.find('fla.ops.a', 'ops/a.py') == 'ops/a.py'
    assert modules.find('fla', 'ops/a.py') == '__init__.py'
    assert modules.name('ops/a.py') == 'fla.ops.a'


def test_a_folder_does_not_hide_a_package_that_is_elsewhere() -> None:
    modules = ModuleNames(['triton/x.py', 'lib/triton/__init__.py', 'lib/triton/language.py', 'run.py'])
    assert modules.find('triton.language', 'run.py') == 'lib/triton/language.py'


@pytest.mark.parametrize(
    ('text', 'name', 'expected'),
    [
        ('from pkg.a import f\n', 'f', 'pkg/a.py:f'),
        ('from pkg.a import f as g\n', 'g', 'pkg/a.py:f'),
        ('from pkg import a\n', 'a.f', 'pkg/a.py:f'),
        ('import pkg.a\n', 'pkg.a.f', 'pkg/a.py:f'),
        ('import pkg.a as other\n', 'other.f', 'pkg/a.py:f'),
        ('from pkg import f\n', 'f', 'pkg/a.py:f'),
        ('from pkg import *\n', 'f', 'pkg/a.py:f'),
        ('from pkg.a import *\n', '_hidden', None),
        ('from pkg.listed import *\n', '_shown', 'pkg/listed.py:_shown'),
        ('from pkg.listed import *\n', 'unlisted', None),
        ('from pkg.a import f\ng = f\nh = g\n', 'h', 'pkg/a.py:f'),
        ('import pkg.a\ng = pkg.a.f\n', 'g', 'pkg/a.py:f'),
        ('from pkg.a import Tools\n', 'Tools.shout', 'pkg/a.py:Tools.shout'),
        ('from pkg.a import Tools\n', 'Tools.alias', 'pkg/a.py:Tools.shout'),
        ('import triton.language as tl\n', 'tl.load', ':triton.language.load'),
        ('from triton import *\n', 'jit', ':triton.jit'),
        ('from pkg.a import *\nfrom triton import *\n', 'f', 'pkg/a.py:f'),
        ('from pkg.a import f\n', 'missing', None),
        ('from pkg.a import nothing\n', 'nothing', ':pkg.a.nothing'),
        ('import pkg\n', 'pkg.a.f.attribute', ':pkg.a.f.attribute'),
    ],
)
def test_a_name_is_followed(tmp_path: Path, text: str, name: str, expected: str | None) -> None:
    tree = Tree(tmp_path, {
        'pkg/__init__.py': 'from .a import f\n',
        'pkg/a.py': f'{DEFINES}{DEFINES.replace(" f", " _hidden")}{TOOLS}',
        'pkg/listed.py': '__all__ = ["_shown"]\n_shown = 1\nunlisted = 2\n',
        'user.py': text,
    })
    assert tree.means(name) == expected


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('if here:\n    from pkg.a import f\nelse:\n    from pkg.b import f\n', None),
        ('try:\n    from pkg.a import f\nexcept ImportError:\n    from pkg.b import f\n', None),
        ('try:\n    from pkg.a import f\nexcept ImportError:\n    f = None\n', 'pkg/a.py:f'),
        ('try:\n    from pkg.a import f\nexcept ImportError:\n    from pkg import f\n', 'pkg/a.py:f'),
        ('from pkg.a import f\nfrom pkg.b import nothing as f\n', None),
        ('from pkg.a import f\nf = wrap(f)\n', None),
        ('from pkg.a import f\n\ndef change():\n    global f\n    f = 1\n', None),
        ('from pkg.a import f\nfor f in range(3):\n    pass\n', None),
        ('from pkg.a import *\n\ndef f():\n    return 2\n', 'user.py:f'),
        ('def f():\n    return 2\n\nfrom pkg.a import *\n', None),
        ('from pkg.a import *\nfrom pkg.b import *\n', None),
        ('if here:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n', None),
        ('if here:\n    def f():\n        return 1\nelse:\n    def f():\n        return 1\n', 'user.py:f'),
        ('from pkg.a import f as g, f as h\nf = g if here else h\n', 'pkg/a.py:f'),
        ('from pkg.a import f as g\nf = g\n\ndef g():\n    pass\n', 'pkg/a.py:f'),
        ('if here:\n    from pkg.a import f as g\nelse:\n    from pkg.b import f as g\nf = g\n', None),
        ('from pkg.a import f as g\nfrom pkg.b import f as h\nf = g if here else h\n', None),
    ],
)
def test_what_might_be_two_things_is_none(tmp_path: Path, text: str, expected: str | None) -> None:
    files = {'pkg/__init__.py': 'from pkg.a import f\n', 'pkg/a.py': DEFINES, 'pkg/b.py': DEFINES, 'user.py': text}
    assert Tree(tmp_path, files).means('f') == expected


def test_circles_end(tmp_path: Path) -> None:
    files = {
        'a.py': 'from b import *\nfrom b import g\nx = y\ny = x\n', 'b.py': f'from a import *\nfrom a import g\n{DEFINES}',
        'user.py': 'from a import *\n',
    }
    tree = Tree(tmp_path, files)
    assert tree.means('f') == 'b.py:f'
    assert tree.means('g') == ':a.g'
    assert tree.means('nothing') is None
    assert tree.means('x', 'a.py') == 'a.py:x'


def test_webs_of_star_imports_take_no_exponential_time(tmp_path: Path) -> None:
    files = {'user.py': 'from m0 import *\nfrom n0 import *\n', 'm40.py': DEFINES, 'n40.py': ''}
    for number in range(40):
        files |= {f'{name}{number}.py': f'from m{number + 1} import *\nfrom n{number + 1} import *\n' for name in 'mn'}
    assert Tree(tmp_path, files).means('f') == 'm40.py:f'


def test_only_what_a_name_leads_through_is_read(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {'a.py': DEFINES, 'b.py': DEFINES, 'user.py': 'import b\nfrom a import f\n'})
    assert tree.means('f') == 'a.py:f'
    assert set(tree.read) == {'user.py', 'a.py'}


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        ('64', 64), ('-1', -1), ('1 << 20', 2**20), ('2**31 - 1', 2**31 - 1), ('1 / 2', 0.5), ('True', True),
        ('"relu"', 'relu'), ('tl.constexpr(16)', 16), ('float("-inf")', float('-inf')),
        ('1 // 0', None), ('10**1000', None), ('"a" * 9', None),
        ('f(3)', None), ('[1]', None),
    ],
)
def test_literals(value: str, expected: object) -> None:
    names = names_of(SourceFile('a.py', f'x = {value}\n'.encode()))
    (meaning,) = names.meanings['x']
    assert (meaning.value, meaning.kind) == (expected, 'other' if expected is None else 'literal')


def test_literals_that_several_names_are_given_at_once() -> None:
    meanings = names_of(SourceFile('a.py', b'a, b, c, (d, e) = 16, 48, f(3), (1, 2)\ng, h = pair\n')).meanings
    found = {name: [(one.value, one.kind) for one in meanings[name]] for name in 'abcdegh'}
    known = {'a': 16, 'b': 48, 'd': 1, 'e': 2}
    assert found == {name: [(known.get(name), 'literal' if name in known else 'other')] for name in 'abcdegh'}
