# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the decorators of a kernel say of its parameters, and where kernels are found."""

import ast
from pathlib import Path

import pytest

from tests.kernel.repositories import IMPORTS, kernels, repository

CONFIG = 'triton.Config({"B": b})'
KERNEL = '@triton.jit\ndef main(x, T, B: tl.constexpr, FLAG: tl.constexpr):\n    pass\n'


def tuned(folder: Path, configs: str, setup: str = '') -> tuple[dict, bool]:
    text = f'{IMPORTS}{setup}\n\n@triton.autotune(configs={configs}, key=["T"])\n{KERNEL}'
    kernel = kernels(repository(folder, {'a.py': text}), 'a.py')['main']
    return kernel.block_sizes, kernel.tuned.is_complete


@pytest.mark.parametrize(
    ('configs', 'setup', 'expected'),
    [
        ('[triton.Config({"B": 64}, num_warps=4)]', '', ({'B': (64,)}, True)),
        ('[triton.Config({"B": 64}), triton.Config({"B": 32, "K": 8})]', '', ({'B': (32, 64), 'K': (8,)}, True)),
        ('[triton.Config(dict(B=64))]', '', ({'B': (64,)}, True)),
        ('[triton.Config(kwargs={"B": 64})]', '', ({'B': (64,)}, True)),
        ('[triton.Config({}, num_warps=4)]', '', ({}, True)),
        ('[triton.Config({"B": b}) for b in [32, 64]]', '', ({'B': (32, 64)}, True)),
        ('[triton.Config({"B": b}) for b in (32, 64) for w in (1, 2)]', '', ({'B': (32, 64)}, True)),
        ('[triton.Config({"B": 2 ** i}) for i in range(4, 7)]', '', ({'B': (16, 32, 64)}, True)),
        ('[triton.Config({"B": b, "K": k}) for b, k in [(32, 8), (64, 16)]]', '', ({'B': (32, 64), 'K': (8, 16)}, True)),
        ('[triton.Config({"B": b, "K": k}) for b, k in itertools.product([32, 64], [8])]', '',
         ({'B': (32, 64), 'K': (8,)}, True)),
        ('[triton.Config({"B": b}) for b in SIZES]', 'SIZES = [32, 64]', ({'B': (32, 64)}, True)),
        ('[triton.Config({"B": b}) for b in SIZES]', 'SIZES = [32] if f() else [64]', ({'B': (32, 64)}, True)),
        ('[triton.Config({"B": b}) for b in SIZES + [128]]', 'if f():\n    SIZES = [32]\nelse:\n    SIZES = [64]',
         ({'B': (32, 64, 128)}, True)),
        ('CONFIGS', 'CONFIGS = [triton.Config({"B": N})]\nN = 16', ({'B': (16,)}, True)),
        ('[*CONFIGS, triton.Config({"B": 8})]', 'CONFIGS = [triton.Config({"B": 16})]', ({'B': (8, 16)}, True)),
        ('configs()', 'def configs():\n    return [triton.Config({"B": b}) for b in (1, 2)]', ({'B': (1, 2)}, True)),
        ('configs([4, 8])', 'def configs(sizes):\n    return [triton.Config({"B": b}) for b in sizes]', ({'B': (4, 8)}, True)),
        ('configs()', f'def configs():\n    c = []\n    for b in 1, 2:\n        c.append({CONFIG})\n    return c',
         ({'B': (1, 2)}, True)),
        ('[triton.Config({"B": f(), "K": 8})]', '', ({'K': (8,)}, True)),
        ('[triton.Config({"B": 8}), triton.Config({"B": f()})]', '', ({}, True)),
        ('[triton.Config({"B": b}) for b in f()]', '', ({}, True)),
        ('[triton.Config(f())]', '', ({}, False)),
        ('f()', '', ({}, False)),
        ('CONFIGS', 'CONFIGS = CONFIGS + [triton.Config({"B": 8})]', ({'B': (8,)}, False)),
        ('configs()', 'def configs():\n    return configs()', ({}, False)),
    ],
)
def test_block_sizes(tmp_path: Path, configs: str, setup: str, expected: tuple[dict, bool]) -> None:
    assert tuned(tmp_path, configs, setup) == expected


LISTS = 'A = [triton.Config({"B": 8}), triton.Config({"B": 16})]\nONE = [triton.Config({"B": 8}, pre_hook=clear)]\n'


@pytest.mark.parametrize(
    ('configs', 'count', 'is_counted', 'is_seen'),
    [
        ('[triton.Config({"B": 64})]', 1, True, True),
        ('A + ONE', 3, True, True),
        ('[*A, triton.Config({"B": f()})]', 3, True, True),
        ('A if f() else ONE', 2, False, True),
        ('ONE if f() else [triton.Config({"B": 16})]', 1, True, True),
        ('[triton.Config({"B": b}, num_warps=w) for b in (32, 64) for w in [2, 4, 8]]', 6, True, True),
        ('[triton.Config({"B": b}) for b in ([32] if f() else [64])]', 1, True, True),
        ('[triton.Config({"B": b}) for b in f()]', 1, False, True),
        ('[triton.Config({"B": b}) for b in (32, 64) if b > f()]', 2, False, True),
        ('[one for one in A if f(one)]', 2, False, True),
        ('made((1, 2))', 4, False, True),
        ('[*f(), triton.Config({"B": 8})]', 1, False, False),
        ('f()', 0, False, False),
    ],
)
def test_counting_configurations(tmp_path: Path, configs: str, count: int, is_counted: bool, is_seen: bool) -> None:
    made = (
        'def made(warps):\n    c = []\n    for b in 1, 2:\n        for w in warps:\n'
        f'            c.append({CONFIG})\n    return c\n'
    )
    text = f'{IMPORTS}{LISTS}\n\n{made}\n\n@triton.autotune(configs={configs}, key=["T"])\n{KERNEL}'
    found = kernels(repository(tmp_path, {'a.py': text}), 'a.py')['main'].tuned
    assert (found.count, found.is_counted, found.is_seen) == (count, is_counted, is_seen)
    assert [ast.unparse(hook) for hook in found.hooks] == ['clear'] * ('ONE' in configs)


def test_block_sizes_through_a_wrapper_and_over_two_tuners(tmp_path: Path) -> None:
    text = (
        f'{IMPORTS}\n\ndef tune(configs, key):\n    return triton.autotune(configs, key)\n\n\n'
        f'@tune([triton.Config({{"B": 8}})], ["T"])\n@triton.autotune([triton.Config({{"B": 16}})], ["T"])\n{KERNEL}'
    )
    assert kernels(repository(tmp_path, {'a.py': text}), 'a.py')['main'].block_sizes == {'B': (8, 16)}


@pytest.mark.parametrize(
    ('values', 'setup'),
    [
        ('{"FLAG": lambda args: args["x"] is not None}', ''),
        ('values={"FLAG": lambda args: args["x"] is not None}', ''),
        ('FLAGS', 'FLAGS = {"FLAG": lambda args: args["x"] is not None}'),
        ('{"FLAG": has_x}', 'has_x = lambda args: args["x"] is not None'),
        ('{"FLAG": has_x}', 'def has_x(args):\n    """Says so."""\n    return args["x"] is not None'),
    ],
)
def test_heuristics(tmp_path: Path, values: str, setup: str) -> None:
    text = f'{IMPORTS}{setup}\n\n@triton.heuristics({values})\n{KERNEL}'
    found = kernels(repository(tmp_path, {'a.py': text}), 'a.py')['main'].heuristics
    assert {name: ast.unparse(body) for name, body in found.items()} == {'FLAG': "args['x'] is not None"}


@pytest.mark.parametrize(
    ('values', 'setup'),
    [
        ('f()', ''),
        ('{"FLAG": f}', 'def f(args):\n    n = 1\n    return n'),
        ('{"FLAG": f}', 'f = lambda args: 1\nf = lambda args: 2'),
        ('FLAGS', 'FLAGS = {"FLAG": lambda args: 1}\nFLAGS = {}'),
    ],
)
def test_heuristics_that_are_not_seen(tmp_path: Path, values: str, setup: str) -> None:
    text = f'{IMPORTS}{setup}\n\n@triton.heuristics({values})\n{KERNEL}'
    assert kernels(repository(tmp_path, {'a.py': text}), 'a.py')['main'].heuristics == {}


@pytest.mark.parametrize(
    ('options', 'expected'),
    [
        ('', set()),
        ('(do_not_specialize=["T"])', {'T'}),
        ('(do_not_specialize=("T", "x"))', {'T', 'x'}),
        ('(do_not_specialize=[1])', {'T'}),
        ('(do_not_specialize=NAMES)', {'T'}),
        ('(do_not_specialize=["Q", 9])', set()),
        # all of them where it is not clear which
        ('(do_not_specialize=f())', {'x', 'T', 'B', 'FLAG'}),
        ('(**f())', {'x', 'T', 'B', 'FLAG'}),
    ],
)
def test_do_not_specialize(tmp_path: Path, options: str, expected: set[str]) -> None:
    text = f'{IMPORTS}NAMES = ["T"]\n\n{KERNEL.replace("triton.jit", f"triton.jit{options}")}'
    assert kernels(repository(tmp_path, {'a.py': text}), 'a.py')['main'].do_not_specialize == expected


def test_kernels_are_found_wherever_they_stand(tmp_path: Path) -> None:
    inner = KERNEL.replace('\n', '\n    ').rstrip()
    text = (
        f'{IMPORTS}\n{KERNEL}\n\nclass Ops:\n    {inner}\n\n\nasync def make():\n    {inner}\n\n\n'
        f'if f():\n    {inner}\n\n\ntry:\n    pass\nfinally:\n    {inner.replace("main", "last")}\n'
    )
    file = repository(tmp_path, {'pkg/a.py': text})
    module = file.module(file.index.source('pkg/a.py'))
    assert [one.qualified_name for one in module.kernels] == ['main', 'Ops.main', 'make.main', 'main', 'last']
    assert {one.path for one in module.kernels} == {'pkg/a.py'}
    assert [one.node.name.value for one in module.kernels] == [one.name for one in module.kernels]
