# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What tests in the styles of kernel repositories exercise of an operator."""

from pathlib import Path
from typing import NamedTuple

import pytest

from flakelint.affected.question import Tree
from flakelint.coverage.axes import AXES
from flakelint.coverage.matrix import EXERCISED, Row, Suite, rows_of
from flakelint.coverage.modules import Modules
from flakelint.coverage.operators import operators_of
from flakelint.engine.config import load
from tests.tools import write

_CHUNK = '''
from pkg.ops.backends import dispatch

def chunk_op(
    q, k, v, g, beta, scale=None, initial_state=None, output_final_state=False, use_qk_l2norm_in_kernel=False,
    use_beta_sigmoid_in_kernel=False, safe_gate=False, lower_bound=None, cu_seqlens=None,
):
    """Chunked.

    Args:
        v (Tensor):
            Values, `[B, T, HV, V]`.
    """
'''
_OTHER = '''
def other_op(q, k, v, g, beta=None, scale=None, initial_state=None, output_final_state=False, use_qk_l2norm_in_kernel=False):
    return q, None

def chunk_op_fwd(q, k, v):
    return q
'''
FILES = {
    'pkg/__init__.py': '',
    'pkg/utils.py': 'def assert_close(prefix, ref, tri, ratio):\n    assert get_err_ratio(ref, tri) < ratio\n\n'
                    'def get_err_ratio(x, y):\n    return (x - y).norm() / x.norm()\n\ndevice = find_device()\n',
    'pkg/ops/__init__.py': 'from pkg.ops.op import chunk_op, other_op\n',
    'pkg/ops/op/__init__.py': 'from .chunk import chunk_op\nfrom .other import other_op\n',
    'pkg/ops/op/chunk.py': _CHUNK,
    'pkg/ops/op/other.py': _OTHER,
    'pkg/ops/op/naive.py': 'def naive_op(q, k, v, g=None, beta=None, initial_state=None):\n    return q, None\n',
}
_HEAD = '''
import functools, itertools, math, os, unittest
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from einops import repeat
from pkg.ops.op import chunk_op, other_op
from pkg.ops.op.naive import naive_op
from pkg.utils import assert_close, device, get_err_ratio

def mk(B=1, T=8, H=2, K=4, V=4, HV=None):
    HV = HV or H
    q, k = torch.randn(B, T, H, K), F.normalize(torch.randn(B, T, H, K), dim=-1)
    v = torch.randn(B, T, HV, V)
    g = F.logsigmoid(torch.randn(B, T, HV, K))
    beta = torch.rand(B, T, HV)
    return q, k, v, g, beta
'''
# what every call of the operator has, unless a case says otherwise
_USUAL = {('layout', 'dense'), ('gate', 'non-safe'), ('beta', 'raw'), ('q/k norm', 'without'), ('value heads', 'plain')}


class Written(NamedTuple):
    """A case of the table."""

    name: str
    expected: frozenset[str]
    code: str


def _cases() -> list[Written]:
    found = []
    for table in ('cases.txt', 'styles.txt'):
        text = Path(__file__).with_name(table).read_text(encoding='utf-8')
        for part in text.split('\n=== ')[1:]:
            name, exercised, code = part.split('\n', 2)
            names = exercised.removeprefix('exercised: ').split(', ')
            found.append(Written(name, frozenset(names) - {'nothing'}, code))
    return found


def rows(root: Path) -> list[Row]:
    """The matrix of a repository."""
    config = load(str(root), None)
    modules = Modules(Tree(config))
    operators = operators_of(modules, config.settings.coverage)
    suite = Suite(modules, operators)
    return rows_of(operators, suite.all(), config.settings.coverage.accepted)


@pytest.mark.parametrize('case', _cases(), ids=lambda case: case.name)
def test_exercised(case: Written, tmp_path: Path) -> None:
    for path, text in (FILES | {'tests/ops/test_op.py': _HEAD + case.code}).items():
        write(tmp_path / path, text)
    row = next(one for one in rows(tmp_path) if one.operator.name == 'chunk_op')
    expected = set(case.expected)
    if expected & set(AXES['direction']):
        expected |= {usual for axis, usual in _USUAL if not expected & set(AXES[axis])}
    assert {cell.points[0][1] for cell in row.cells if cell.state == EXERCISED} == expected
