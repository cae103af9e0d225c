# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Launches in a file, bound to the kernels that they launch and to what their decorators fill in."""

import ast
from pathlib import Path

import pytest

from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.kernel.launch_calls import LaunchCall, filled_by_decorators
from tests.kernel.repositories import COPY, IMPORTS, kernels, repository

OTHER = COPY.replace('copy', 'other')


def calls(folder: Path, path: str, **files: str) -> list[LaunchCall]:
    """The launches in a file of a repository."""
    whole = repository(folder, {f'{name}.py': text for name, text in files.items()})
    data = (folder / path).read_bytes()
    return File(path, data, Settings(), lambda: whole).launch_calls


def run(folder: Path, body: str, before: str = '') -> list[LaunchCall]:
    """The launches in a function with some body, beside two kernels."""
    lines = ''.join(f'    {line}\n' for line in body.splitlines())
    return calls(folder, 'a.py', a=f'{IMPORTS}\n\n{COPY}\n\n{OTHER}\n\n{before}\n\ndef run(x, n, flag):\n{lines}')


def filled(folder: Path, decorators: str, before: str = ''):
    whole = repository(folder, {'a.py': f'{IMPORTS}from elsewhere import wrap\n{before}\n{decorators}\n{COPY}'})
    return filled_by_decorators(kernels(whole, 'a.py')['copy'])


@pytest.mark.parametrize(
    ('body', 'launched'),
    [
        ('copy[(1,)](x, x, n, 1)', ['copy']),
        ('copy[(1,)](x, x, n, 1); copy[(2,)](x, x, n, 1)', ['copy', 'copy']),
        ('alias = copy\nalias[(1,)](x, x, n, 1)', ['copy']),
        ('kernel = copy if flag else other\nkernel[(1,)](x, x, n, 1)', ['copy', 'other']),
        ('if flag:\n    kernel = copy\nelse:\n    kernel = other\nkernel[(1,)](x, x, n, 1)', ['copy', 'other']),
        ('kernel = {"copy": copy, "other": other}["other"]\nkernel[(1,)](x, x, n, 1)', ['other']),
        ('copy.run(x, x, n, 1, grid=(1,), warmup=False)', ['copy']),
        ('torch.library.wrap_triton(copy)[(1,)](x, x, n, 1)', ['copy']),
        ('wrapped(copy)[(1,)](x, x, n, 1)', []),
        ('for kernel in (copy, other):\n    kernel[(1,)](x, x, n, 1)', []),
        ('flag[(1,)](x, x, n, 1)', []),
    ],
)
def test_kernels_of_launches(tmp_path: Path, body: str, launched: list[str]) -> None:
    found = run(tmp_path, body)
    assert sorted(call.kernel.name for call in found) == launched
    assert all(isinstance(call.node, ast.Call) for call in found)


def test_several_kernels_share_a_call(tmp_path: Path) -> None:
    found = run(tmp_path, 'kernel = copy if flag else other\nkernel[(1,)](x, x, n, 1)')
    assert [call.choices for call in found] == [2, 2]
    assert len({call.node for call in found}) == 1


def test_what_is_applied_by_hand_is_no_kernel(tmp_path: Path) -> None:
    assert run(tmp_path, 'made[(1,)](x, x, n, 1)', before='made = torch.compile(copy)') == []


@pytest.mark.parametrize('target', ['copy', 'ops.copy', 'shown'])
def test_kernels_of_other_modules(tmp_path: Path, target: str) -> None:
    imports = 'import ops\nfrom ops import copy\nfrom public import copy as shown\n'
    text = f'{imports}\n\ndef run(x):\n    {target}[(1,)](x, x, 4, 1)\n'
    (call,) = calls(tmp_path, 'a.py', a=text, ops=f'{IMPORTS}\n\n{COPY}', public='from ops import copy\n')
    assert (call.kernel.path, call.kernel.name, call.node.lineno) == ('ops.py', 'copy', 7)


@pytest.mark.parametrize(
    ('grid', 'is_number'),
    [
        ('4', True), ('(4)', True), ('(4,)', False), ('n // 2', True), ('n', False), ('n * 2', False), ('n + 1', True),
        ('(1, 2) + (3,)', False), ('(4,) * 2', False), ('triton.cdiv(n, 4)', True), ('x.shape[0]', True), ('x.shape', False),
        ('lambda meta: triton.cdiv(n, meta["B"])', True), ('lambda meta: (n,)', False), ('[4]', False),
        ('4 if flag else 8', True), ('4 if flag else (8,)', False), ('max(n, 4)', False), ('max(4, len(x))', True),
    ],
)
def test_grids_that_are_numbers(tmp_path: Path, grid: str, is_number: bool) -> None:
    (call,) = run(tmp_path, f'copy[{grid}](x, x, n, 1)')
    assert call.site.has_number == is_number


@pytest.mark.parametrize(('target', 'count'), [('copy', 0), ('copy.fn', 1), ('copy.fn.fn', 2)])
def test_launches_around_decorators(tmp_path: Path, target: str, count: int) -> None:
    (call,) = run(tmp_path, f'{target}[(1,)](x, x, n, 1)')
    assert call.site.unwrapped == count


def test_what_decorators_fill_in(tmp_path: Path) -> None:
    tuner = '@triton.autotune(configs=[triton.Config({"B": 1}), triton.Config(dict(B=2, FLAG=x))], key=["n"])'
    found = filled(tmp_path, f'{tuner}\n@triton.heuristics({{"n": lambda args: 4}})')
    assert (found.is_tuned, found.is_seen) == (True, True)
    assert (sorted(found.some), sorted(found.every), list(found.computed)) == (['B', 'FLAG'], ['B'], ['n'])


def test_what_is_spread_beside_configurations_holds_no_others(tmp_path: Path) -> None:
    found = filled(tmp_path, '@triton.autotune([triton.Config({"B": 1})], key=["n"], **options)')
    assert (found.is_seen, found.every) == (True, {'B'})


def test_kernels_without_a_tuner(tmp_path: Path) -> None:
    assert filled(tmp_path, '') == (False, True, frozenset(), frozenset(), {})


@pytest.mark.parametrize(
    ('decorators', 'before'),
    [
        ('@triton.autotune(configs=configs(), key=["n"])', ''),
        ('@triton.autotune(configs=C, key=["n"])', 'C = [triton.Config({"B": 1})]\nC.append(triton.Config({"n": 1}))'),
        ('@triton.autotune(key=["n"], **options)', ''),
        ('@triton.heuristics(values())', ''),
        ('@triton.heuristics(V)', 'V = {"n": min}\nV["B"] = max'),
        ('@triton.heuristics({**others, "n": min})', ''),
    ],
)
def test_what_is_not_all_seen(tmp_path: Path, decorators: str, before: str) -> None:
    found = filled(tmp_path, decorators, before)
    assert not found.is_seen
    assert not found.every


@pytest.mark.parametrize('decorators', ['@wrap', '@wrap(n=4)', '@triton.autotune([], key=[])\n@wrap'])
def test_decorators_that_are_not_understood(tmp_path: Path, decorators: str) -> None:
    assert filled(tmp_path, decorators) is None
