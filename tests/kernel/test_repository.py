# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the kernels of a repository know of each other: helpers, constants, callers, decorators."""

import pickle
from pathlib import Path

import pytest

from flakelint.kernel.kernels import DecoratorNames
from flakelint.kernel.repository import Repository
from tests.kernel.repositories import IMPORTS, kernels, repository
from tests.tools import write

MUL = '@triton.jit\ndef mul(x, y):\n    return x * y\n'
MAIN = '@triton.jit\ndef main(x, n):\n    y = mul(x, n)\n'
INNER = MUL.replace('\n', '\n    ')
LIBRARY = f'{IMPORTS}\n\n{MUL}'


@pytest.mark.parametrize(
    ('text', 'name', 'expected'),
    [
        (f'{MUL}\n\n{MAIN}', 'mul', 'a.py:mul'),
        (f'from lib.op import mul\n\n{MAIN}', 'mul', 'lib/op.py:mul'),
        (f'from lib.op import mul as times\n\n{MAIN}', 'times', 'lib/op.py:mul'),
        (f'from lib import op\n\n{MAIN}', 'op.mul', 'lib/op.py:mul'),
        (f'import lib.op\n\n{MAIN}', 'lib.op.mul', 'lib/op.py:mul'),
        (f'from lib import mul\n\n{MAIN}', 'mul', 'lib/op.py:mul'),
        (f'from lib.op import *\n\n{MAIN}', 'mul', 'lib/op.py:mul'),
        (f'from lib.op import mul\nf = mul\n\n{MAIN}', 'f', 'lib/op.py:mul'),
        (f'from lib.op import mul\nf = triton.jit(mul)\n\n{MAIN}', 'f', 'lib/op.py:mul'),
        (f'from lib.op import mul\nf = wrap(mul)\n\n{MAIN}', 'f', None),
        (f'try:\n    from lib.op import mul\nexcept ImportError:\n    mul = None\n\n{MAIN}', 'mul', 'lib/op.py:mul'),
        (f'try:\n    from lib.op import mul\nexcept ImportError:\n    from lib.other import mul\n\n{MAIN}', 'mul', None),
        (f'if tl:\n    {INNER}\nelse:\n    {INNER}\n\n{MAIN}', 'mul', 'a.py:mul'),
        (f'{MUL}\n\n{MUL.replace("*", "+")}\n\n{MAIN}', 'mul', None),
        (f'{MUL}\n\n{MAIN}', 'tl.load', None),
        (f'{MUL}\n\n{MAIN}', 'x', None),
        (f'{MUL}\n\n{MAIN.replace("y = ", "mul = ")}', 'mul', None),
        (f'{MUL}\n\n{MAIN.replace("n)", "mul)")}', 'mul', None),
        (f'def mul(x, y):\n    return x * y\n\n{MAIN}', 'mul', None),
        (f'class Ops:\n    {INNER}\n\n{MAIN}', 'Ops.mul', 'a.py:Ops.mul'),
        (f'from lib.other import helper\n\n{MAIN}', 'helper', None),
        (MAIN, 'main', 'a.py:main'),
    ],
)
def test_helpers(tmp_path: Path, text: str, name: str, expected: str | None) -> None:
    whole = repository(tmp_path, {
        'a.py': f'{IMPORTS}\n\n{text}',
        'lib/__init__.py': 'from lib.op import mul\n',
        'lib/op.py': LIBRARY,
        'lib/other.py': LIBRARY.replace('x * y', 'y * x'),
    })
    found = whole.helper(kernels(whole, 'a.py')['main'], name)
    assert (f'{found.path}:{found.qualified_name}' if found else None) == expected


@pytest.mark.parametrize(
    ('inside', 'expected'),
    [
        ('{mul}\n', 'a.py:make.mul'),
        ('from lib.op import mul\n', 'lib/op.py:mul'),
        ('import lib.op as mul\n', None),
        ('mul = f()\n', None),
        ('if f():\n    {mul}\nelse:\n    {other}\n', None),
        ('', 'a.py:mul'),
    ],
)
def test_helpers_of_kernels_in_functions(tmp_path: Path, inside: str, expected: str | None) -> None:
    body = inside.format(mul=INNER.rstrip(), other=INNER.replace('*', '+').rstrip())
    if not inside.startswith('if'):
        body = body.replace('\n    ', '\n')
    indented = ''.join(f'    {line}\n' for line in f'{body}{MAIN}'.splitlines())
    text = f'{LIBRARY.replace("x * y", "x + y")}\n\ndef make():\n{indented}'
    whole = repository(tmp_path, {'a.py': text, 'lib/__init__.py': '', 'lib/op.py': LIBRARY})
    found = whole.helper(kernels(whole, 'a.py')['make.main'], 'mul')
    assert (f'{found.path}:{found.qualified_name}' if found else None) == expected


def test_a_helper_knows_its_own_module(tmp_path: Path) -> None:
    whole = repository(tmp_path, {
        'a.py': f'{IMPORTS}from lib import outer\n\n{MAIN}',
        'lib.py': f'{IMPORTS}from sizes import N\n\n{MUL}\n\n@triton.jit\ndef outer(x):\n    return mul(x, N)\n',
        'sizes.py': 'N: int = 8\n',
    })
    outer = whole.helper(kernels(whole, 'a.py')['main'], 'outer')
    assert whole.helper(outer, 'mul').path == 'lib.py'
    assert whole.constant(outer, 'N') == 8
    assert outer.unit.text.startswith('@triton.jit\ndef outer')


@pytest.mark.parametrize(
    ('text', 'name', 'expected'),
    [
        ('N = 8\n', 'N', 8),
        ('N = tl.constexpr(8)\n', 'N', 8),
        ('N: tl.constexpr = 1 << 3\n', 'N', 8),
        ('K = 8\nN = K\n', 'N', 8),
        ('K = 8\nN = tl.constexpr(K)\n', 'N', 8),
        ('N = True\n', 'N', True),
        ('N = "relu"\n', 'N', 'relu'),
        ('N = 0.5\n', 'N', 0.5),
        ('from sizes import N\n', 'N', 16),
        ('import sizes\n', 'sizes.N', 16),
        ('import sizes\n', 'sizes.Wide.K', 32),
        ('N = 8\nN = 16\n', 'N', None),
        ('N = 8\nN = 8\n', 'N', 8),
        ('N = 8\nN += 1\n', 'N', None),
        ('N = int(f())\n', 'N', None),
        ('K = 8\nN = next_power_of_2(K)\n', 'N', None),
        ('n = 8\n', 'n', None),
        ('', 'N', None),
        ('N = None\n', 'N', None),
    ],
)
def test_constants(tmp_path: Path, text: str, name: str, expected: object) -> None:
    sizes = 'N = 16\n\nclass Wide:\n    K = 32\n'
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}{text}\n{MAIN}', 'sizes.py': sizes})
    found = whole.constant(kernels(whole, 'a.py')['main'], name)
    assert (found, type(found)) == (expected, type(expected))


def test_a_literal_of_two_types_is_none(tmp_path: Path) -> None:
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}if f():\n    N = 1\nelse:\n    N = True\n\n{MAIN}'})
    assert whole.constant(kernels(whole, 'a.py')['main'], 'N') is None


def test_callers(tmp_path: Path) -> None:
    reduced = '@triton.jit\ndef top(x):\n    return tl.reduce(x, 0, add)\n'
    whole = repository(tmp_path, {
        'a.py': f'{IMPORTS}from lib import mul, add\n\n{MAIN}\n\n{reduced}\n\ndef host(x):\n    return top(x), unused(x)\n',
        'lib.py': '\n\n'.join([LIBRARY, *(MUL.replace('mul', name) for name in ('add', 'unused'))]),
    })
    library = kernels(whole, 'lib.py')
    assert {name: whole.is_called_by_kernels(kernel) for name, kernel in library.items()} == {
        'mul': True, 'add': True, 'unused': False,
    }
    assert not any(map(whole.is_called_by_kernels, kernels(whole, 'a.py').values()))


def test_a_kernel_that_calls_itself_is_not_called(tmp_path: Path) -> None:
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n\n{MAIN.replace("mul", "main")}'})
    assert not whole.is_called_by_kernels(kernels(whole, 'a.py')['main'])


def test_callers_in_a_text_that_is_not_saved_count(tmp_path: Path) -> None:
    whole = repository(tmp_path, {'a.py': LIBRARY})
    assert not whole.is_called_by_kernels(kernels(whole, 'a.py')['mul'])
    assert whole.is_called_by_kernels(kernels(whole, 'a.py', f'{LIBRARY}\n\n{MAIN}')['mul'])


@pytest.mark.parametrize(
    ('wrapper', 'decorator'),
    [
        ('my = triton.jit\n', 'my'),
        ('my = functools.partial(triton.jit, do_not_specialize=["n"])\n', 'my'),
        ('my = triton.jit(noinline=True)\n', 'my'),
        ('my = lambda fn: triton.jit(fn)\n', 'my'),
        ('def my(fn):\n    return triton.jit(fn)\n', 'my'),
        ('def my(fn=None, **o):\n    def wrap(fn):\n        return triton.jit(fn, **o)\n    return wrap(fn)\n', 'my()'),
        ('def my(**options):\n    return lambda fn: triton.jit(fn, **options)\n', 'my()'),
        ('def my(fn):\n    made = triton.jit(fn)\n    return made\n', 'my'),
        ('def my(fn):\n    from triton import jit\n    return jit(fn)\n', 'my'),
        ('def my(fn):\n    return triton.autotune([], [])(triton.jit(fn))\n', 'my'),
        ('def my(fn):\n    return Kernel(fn)\n\nclass Kernel(triton.runtime.JITFunction):\n    pass\n', 'my'),
        ('if f():\n    my = triton.jit\nelse:\n    def my(fn):\n        return fn\n', 'my'),
        ('try:\n    from triton import jit as my\nexcept ImportError:\n    my = None\n', 'my'),
        ('class Tools:\n    jit = triton.jit\n', 'lib.Tools.jit'),
        ('def inner(fn):\n    return triton.jit(fn)\n\ndef my(fn):\n    return inner(fn)\n', 'my'),
    ],
)
@pytest.mark.parametrize('place', ['same', 'other', 're-export'])
def test_wrappers_of_jit_are_followed(tmp_path: Path, wrapper: str, decorator: str, place: str) -> None:
    kernel = f'@{decorator}\ndef main(x, n):\n    pass\n'
    library = f'import functools\n{IMPORTS}\n{wrapper}'
    name = decorator.partition('(')[0].partition('.')[0]
    if place == 'same':
        files = {'a.py': f'{library}\n{kernel.replace("lib.", "")}'}
    else:
        module = 'lib' if place == 'other' else 'pkg'
        text = f'import triton.language as tl\nimport lib\nfrom {module} import *\n\n{kernel}'
        files = {'a.py': text, 'lib.py': library, 'pkg/__init__.py': f'from lib import {name}\n' if name != 'lib' else ''}
    whole = repository(tmp_path, files)
    main = kernels(whole, 'a.py')['main']
    # what a wrapper passes on is not seen
    assert main.jit.wraps == bool(main.jit.spreads) == (main.jit.name != 'triton.jit')


@pytest.mark.parametrize(
    'wrapper',
    [
        'def my(fn):\n    return fn\n',
        'def my(fn):\n    triton.jit(fn)\n    return fn\n',
        'def my(fn, jit=None):\n    return jit(fn)\n',
        'my = my\n',
        'def my(fn):\n    return my(fn)\n',
        'from elsewhere import my\n',
        '',
    ],
)
def test_what_is_no_wrapper_makes_no_kernel(tmp_path: Path, wrapper: str) -> None:
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n{wrapper}\n@my\ndef main(x, n):\n    pass\n'})
    assert kernels(whole, 'a.py') == {}


def test_a_wrapper_of_several_counts_as_each(tmp_path: Path) -> None:
    wrapper = 'def my(fn):\n    return triton.heuristics({})(triton.autotune([], [])(triton.jit(fn)))\n'
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n{wrapper}\n@my\ndef main(x, n):\n    pass\n'})
    assert [one.role for one in kernels(whole, 'a.py')['main'].decorators] == ['heuristics', 'autotune', 'jit']


def test_decorators_that_the_settings_name_are_found_through_imports(tmp_path: Path) -> None:
    files = {
        'a.py': f'{IMPORTS}from pkg import tune\n\n@tune(configs=[triton.Config({{"B": 8}})], key=[])\n{MAIN}',
        'pkg/__init__.py': 'from pkg.deep import tune\n',
        'pkg/deep.py': 'def tune(configs, key):\n    return lambda fn: fn\n',
    }
    whole = repository(tmp_path, files, DecoratorNames(autotune=('pkg.deep.tune',)))
    module = whole.module(whole.index.source('a.py'))
    assert [one.role for one in module.kernels[0].decorators] == ['autotune', 'jit']
    assert module.kernels[0].block_sizes == {'B': (8,)}


def test_files_that_cannot_be_read_or_parsed_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', f'{IMPORTS}from broken import mul\nfrom missing import add\n\n{MAIN}')
    write(tmp_path / 'broken.py', f'{LIBRARY}\n\ndef (:\n')
    (tmp_path / 'latin.py').write_bytes(b'# triton \xff\n')
    (tmp_path / 'loop.py').symlink_to(tmp_path / 'loop.py')
    whole = Repository(str(tmp_path), ['a.py', 'broken.py', 'latin.py', 'loop.py', 'gone.py'])
    main = kernels(whole, 'a.py')['main']
    assert [whole.helper(main, name) for name in ('mul', 'add')] == [None, None]
    assert whole.launches(main) == ()
    assert not whole.is_called_by_kernels(main)


def test_only_what_may_matter_is_parsed(tmp_path: Path, monkeypatch) -> None:
    whole = repository(tmp_path, {
        'a.py': f'{IMPORTS}from lib import mul\n\n{MAIN}',
        'lib.py': LIBRARY,
        **{f'plain{number}.py': 'import json\n\n\ndef f(x):\n    return [x]\n' for number in range(5)},
    })
    parsed = []
    source = whole.index.source
    monkeypatch.setattr(whole.index, 'source', lambda path: parsed.append(path) or source(path))
    main = kernels(whole, 'a.py')['main']
    assert whole.helper(main, 'mul') is not None
    assert whole.launches(main) == ()
    assert set(parsed) == {'a.py', 'lib.py'}


def test_a_repository_can_be_sent_to_another_process(tmp_path: Path) -> None:
    files = {
        'a.py': f'{IMPORTS}from lib import mul\n\n{MAIN}',
        'lib.py': LIBRARY,
        'b.py': 'import a\n\ndef run(x):\n    a.main[(4,)](x, x.shape[0])\n',
    }
    whole = repository(tmp_path, files)
    before = whole.launches(kernels(whole, 'a.py')['main'])
    sent = pickle.loads(pickle.dumps(whole))
    main = kernels(sent, 'a.py')['main']
    assert sent.launches(main) == before
    assert pickle.loads(pickle.dumps(before)) == before
    assert sent.helper(main, 'mul').path == 'lib.py'


class Kept(dict):
    """A store of summaries in memory."""

    def read_summaries(self, hashes):
        return {content: self[content] for content in hashes if content in self}

    def write_summaries(self, summaries):
        self.update(summaries)


def test_summaries_that_were_kept_say_the_same(tmp_path: Path) -> None:
    files = {
        'a.py': f'{IMPORTS}from lib import mul\n\n{MAIN}',
        'lib.py': f'{LIBRARY}\n\ndef my(fn):\n    return triton.jit(fn)\n',
        'b.py': 'import a\nN = 3\n\ndef run(x):\n    n, m = x.shape\n    a.main[(4, n)](x, x.stride(0), F=x is None, K=N)\n',
        'c.py': f'{IMPORTS}from lib import *\n\n@my\ndef add(x):\n    return mul(x, x)\n',
    }
    store = Kept()
    paths = list(files)
    repository(tmp_path, files)
    first = Repository(str(tmp_path), paths, store=store)
    every = [(path, kernel) for path in paths for kernel in kernels(first, path).values()]
    expected = [(first.consulted_by(path), first.launches(kernel)) for path, kernel in every]
    assert any(launches for _, launches in expected)
    first.index.save()
    assert set(store) == {first.index.contents[path].hash for path in paths}
    second = Repository(str(tmp_path), paths, store=store)
    second.index.summarise = None
    for path in paths:
        for kernel in kernels(second, path).values():
            assert (second.consulted_by(path), second.launches(kernel)) == expected.pop(0)


@pytest.mark.parametrize(
    ('path', 'old', 'new', 'changes'),
    [
        ('lib.py', '* y', '+ y', True),
        ('lib.py', '# a comment', '# another', False),
        ('lib.py', 'def host(x):\n    pass', 'def host(x, y):\n    pass', False),
        ('deep.py', 'N = 8', 'N = 16', True),
        ('deep.py', 'K = 8', 'K = 16', False),
        ('b.py', 'x.shape[0]', 'x.shape[1]', True),
        ('b.py', '(4,)', '(8,)', True),
        ('b.py', 'print(1)', 'print(2)', False),
        ('b.py', 'LIMIT = 4', 'LIMIT = 5', True),
        ('sizes.py', 'WIDTH = 4', 'WIDTH = 5', True),
        ('pkg/__init__.py', 'from lib import mul', 'from other import mul', True),
        ('other.py', 'x - y', 'x / y', False),
        ('tune.py', 'triton.jit(fn)', 'triton.jit(fn, noinline=True)', True),
        ('new.py', None, 'import a\n\ndef run(x):\n    a.main[(4,)](x, 1)\n', True),
        ('new.py', None, 'import a\n\ndef run(x):\n    a.other[(4,)](x, 1)\n', False),
        ('new.py', None, f'{IMPORTS}from a import main\n\n@triton.jit\ndef top(x):\n    main(x, 1)\n', True),
        ('pkg/lib.py', None, LIBRARY, False),
    ],
)
def test_what_a_file_consults_has_a_hash(tmp_path: Path, path: str, old: str | None, new: str, changes: bool) -> None:
    files = {
        'a.py': f'{IMPORTS}from pkg import mul\nfrom tune import my\n\n@my\n{MAIN}',
        'pkg/__init__.py': 'from lib import mul\n',
        'lib.py': f'{IMPORTS}from deep import N\n\n{MUL.replace("* y", "* y * N")}\n\n# a comment\ndef host(x):\n    pass\n',
        'other.py': LIBRARY.replace('x * y', 'x - y'),
        'deep.py': 'N = 8\nK = 8\n',
        'sizes.py': 'WIDTH = 4\n',
        'tune.py': f'{IMPORTS}\ndef my(fn):\n    return triton.jit(fn)\n',
        'b.py': (
            'import a\nfrom sizes import WIDTH\nLIMIT = 4\n\n'
            'def run(x):\n    a.main[(4,)](x, x.shape[0] * WIDTH + LIMIT)\n    print(1)\n'
        ),
    }
    before = repository(tmp_path, files).consulted_by('a.py')
    assert repository(tmp_path, files).consulted_by('a.py') == before
    text = new if old is None else files[path].replace(old, new)
    assert text != files.get(path)
    assert (repository(tmp_path, {**files, path: text}).consulted_by('a.py') != before) == changes


@pytest.mark.parametrize(
    'deep',
    [
        'f = ' + 'a if b else ' * 900 + 'c\n',
        'N = ' + '-' * 901 + '1\n',
        'def run(x):\n    main[(1,)](x, ' + 'x + ' * 900 + '1)\n',
        'def run(x):\n    y = ' + '(' * 90 + 'x' + ',)' * 90 + '\n    main[(1,)](y, y)\n',
        'def my(fn):\n    return ' + 'lambda fn: ' * 90 + 'fn\n',
    ],
)
def test_what_is_nested_deeply_is_passed_over(tmp_path: Path, deep: str) -> None:
    files = {'a.py': f'{IMPORTS}from lib import mul\n\n{MAIN}\n\n{deep}', 'lib.py': f'{LIBRARY}\n\n{deep}'}
    whole = repository(tmp_path, files)
    main = kernels(whole, 'a.py')['main']
    assert whole.constant(main, 'N') in (None, -1)
    assert all(launch.parameters['n'].kind in ('unknown', 'expression') for launch in whole.launches(main))
    assert whole.consulted_by('a.py') == whole.consulted_by('a.py')
    assert whole.helper(main, 'mul') is None or whole.helper(main, 'mul').path == 'lib.py'
