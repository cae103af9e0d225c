# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the rules about operators learn from other files, and that what is remembered of them goes when those change."""

from pathlib import Path

import pytest

from flakelint.engine.checker import Checker
from tests.rule_harness import checker

SCALE = '''
import torch


class Scale(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x, scale=2.0, causal=False):
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx, dy):
        return dy * ctx.scale, None
'''
LAUNCHING = '''
import torch

from acme.ops.helpers import scale_fwd


class Scale(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        return scale_fwd(x)

    @staticmethod
    def backward(ctx, dy):
        return dy
'''
HELPERS = '''
import triton

from acme.ops.kernels import scale_kernel


def scale_fwd(x, scale=1.0):
    return run(x)


def run(x):
    scale_kernel[(triton.cdiv(x.numel(), 128),)](x, x.numel(), BT=128)
    return x
'''
KERNELS = '''
import triton


@triton.jit
def scale_kernel(x, n, BT):
    pass
'''
IMPORT = 'from .scale import Scale\n'
WRAPPER = '''
from acme.ops.helpers import scale_fwd


def scale(x, scale=2.0):
    return scale_fwd(x)
'''


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / 'acme' / 'ops' / f'{name}.py'
        path.parent.mkdir(parents=True, exist_ok=True)
        for package in (path.parent, path.parent.parent):
            (package / '__init__.py').touch()
        path.write_text(text)


def examine(folder: Path, code: str, name: str = 'scale'):
    run: Checker = checker(folder, {}, code)
    path = folder / 'acme' / 'ops' / f'{name}.py'
    return run.examine(path.relative_to(folder).as_posix(), path.read_bytes())


def messages(folder: Path, code: str, name: str = 'scale') -> list[str]:
    return [finding.message for finding in examine(folder, code, name).findings]


def test_calls_of_apply_in_other_files_count(tmp_path: Path) -> None:
    write(tmp_path, scale=SCALE)
    assert not messages(tmp_path, 'OPS101')
    write(tmp_path, layer='from .scale import Scale\n\n\ndef f(x):\n    return Scale.apply(x, 1.0, True)\n')
    (message,) = messages(tmp_path, 'OPS101')
    assert 'acme/ops/layer.py:5' in message
    assert '3 arguments' in message


@pytest.mark.parametrize('call', [
    'from acme.ops import scale\n\n\ndef f(x):\n    return scale.Scale.apply(x, 1.0, True)\n',
    'def f(x):\n    from acme.ops.scale import Scale as S\n\n    return S.apply(x, 1.0, True)\n',
    'from acme.ops.scale import Scale\n\napply = Scale.apply\n\n\ndef f(x):\n    return apply(x, 1.0, True)\n',
    'from .scale import *\n\n\ndef f(x):\n    return Scale.apply(x, 1.0, True)\n',
])
def test_calls_are_found_by_any_name(call: str, tmp_path: Path) -> None:
    write(tmp_path, scale=SCALE, layer=call)
    assert len(messages(tmp_path, 'OPS101')) == 1


@pytest.mark.parametrize('call', [
    'from .scale import Scale\n\n\ndef f(x):\n    return Scale.apply(x, 1.0)\n',
    'from .scale import Scale\n\n\ndef f(*x):\n    return Scale.apply(*x)\n',
    'from .other import Scale\n\n\ndef f(x):\n    return Scale.apply(x, 1.0, True)\n',
    'class Scale:\n    pass\n\n\ndef f(x):\n    return Scale.apply(x, 1.0, True)\n',
])
def test_other_calls_do_not_count(call: str, tmp_path: Path) -> None:
    write(tmp_path, scale=SCALE, layer=call)
    assert not messages(tmp_path, 'OPS101')


def test_launches_are_followed_through_files(tmp_path: Path) -> None:
    write(tmp_path, scale=LAUNCHING, helpers=HELPERS, kernels=KERNELS)
    (message,) = messages(tmp_path, 'OPS103')
    assert message.startswith('`Scale.forward` launches kernels')
    assert len(messages(tmp_path, 'OPS104')) == 1
    write(tmp_path, kernels='def scale_kernel(x, n, BT):\n    pass\n')
    assert not messages(tmp_path, 'OPS103')
    assert not messages(tmp_path, 'OPS104')


def test_parameters_of_functions_of_other_files_count(tmp_path: Path) -> None:
    write(tmp_path, scale=WRAPPER, helpers=HELPERS, kernels=KERNELS)
    (message,) = messages(tmp_path, 'OPS107')
    assert '`scale_fwd`, called on line 6' in message
    write(tmp_path, helpers=HELPERS.replace('x, scale=1.0', 'x, factor=1.0'))
    assert not messages(tmp_path, 'OPS107')


def test_a_reference_beside_an_operator_counts(tmp_path: Path) -> None:
    write(tmp_path, **{'decay/__init__': 'from .chunk import chunk_decay\n', 'decay/chunk': 'def chunk_decay(): pass\n'})
    assert len(messages(tmp_path, 'OPS105', 'decay/__init__')) == 1
    write(tmp_path, **{'decay/naive': 'def naive_decay(): pass\n'})
    assert not messages(tmp_path, 'OPS105', 'decay/__init__')


def test_packages_of_packages_and_shared_ones_are_no_operators(tmp_path: Path) -> None:
    write(tmp_path, **{
        'delta/__init__': 'from acme.ops.delta.rule import chunk\n',
        'delta/rule/__init__': 'from .naive import chunk\n',
        'delta/rule/naive': 'def chunk(): pass\n',
        'common/__init__': 'from .chunk import chunk\n',
        'common/chunk': 'def chunk(): pass\n',
    })
    assert not messages(tmp_path, 'OPS105', 'delta/__init__')
    assert not messages(tmp_path, 'OPS105', 'common/__init__')


@pytest.mark.parametrize(('code', 'before', 'after'), [
    ('OPS101', {'layer': f'{IMPORT}Scale.apply(1, 2)\n'}, {'layer': f'{IMPORT}Scale.apply(1, 2, 3)\n'}),
    ('OPS103', {'scale': LAUNCHING, 'helpers': HELPERS, 'kernels': KERNELS}, {'kernels': KERNELS.replace('jit', 'other')}),
    ('OPS107', {'scale': WRAPPER, 'helpers': HELPERS}, {'helpers': HELPERS.replace('x, scale=1.0', 'x, factor=1.0')}),
])
def test_what_is_remembered_depends_on_other_files(code: str, before: dict, after: dict, tmp_path: Path) -> None:
    write(tmp_path, scale=SCALE)
    write(tmp_path, **before)
    first = examine(tmp_path, code).consulted
    assert first == examine(tmp_path, code).consulted
    write(tmp_path, **after)
    assert first != examine(tmp_path, code).consulted
