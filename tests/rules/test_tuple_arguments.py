# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Arguments that are tuples of pointers, which no fixture can be compiled with, are taken for no pointers."""

from pathlib import Path

import pytest

from tests.rule_harness import checker

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def tuples_fwd_kernel(xs, out, B: tl.constexpr):
    o = tl.arange(0, B)
    {statement}


def launch(x, y):
    tuples_fwd_kernel[(1,)]((x, y), y, B=64)
"""


@pytest.mark.parametrize('statement', [
    'for i in tl.static_range(len(xs)): tl.store(out + o, tl.load(xs[i] + o))',
    'ys = xs + (out,); tl.store(out + o, tl.load(ys[0] + o))',
    't = xs[0:2]; tl.store(out + o, tl.load(t[1] + o))',
    'ys = xs * 2; tl.store(out + o, tl.load(ys[3] + o))',
])
def test_tuples_of_pointers(tmp_path: Path, statement: str) -> None:
    text = KERNEL.format(statement=statement)
    assert not checker(tmp_path, {}, 'TRI302', 'TRI311', 'TRI312').check('a.py', text.encode())
