# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Values of `other` that a reduction takes for elements, and those that it does not."""

import pytest

from flakelint.kernel.fills import misfilled
from flakelint.kernel.tiles import Tiles
from tests.kernel.models import model

PARAMETERS = 'x, y, N, M, BLOCK: tl.constexpr'
LOAD = 'o = tl.arange(0, BLOCK)\nb = tl.load(x + o, mask=o < N, other={})\n'


def reductions(body: str) -> list[str]:
    return [one.consumer.detail for one in misfilled(Tiles(model(body, parameters=PARAMETERS)))]


@pytest.mark.parametrize(('other', 'used', 'expected'), [
    ('0.0', 'tl.max(b, 0)', 'max'),
    ('0', 'tl.max(b.to(tl.float32), 0)', 'max'),
    ('0', 'tl.min(b, 0)', 'min'),
    ('0.0', 'tl.argmin(b, axis=0)', 'argmin'),
    ("-float('inf')", 'tl.sum(b, 0)', 'sum'),
    ("float('-inf')", 'tl.min(b, 0)', 'min'),
    ('1', 'tl.sum(b.to(tl.float32), 0)', 'sum'),
])
def test_what_is_not_neutral_is_told(other, used, expected):
    assert reductions(f'{LOAD.format(other)}tl.store(y, {used})') == [expected]


@pytest.mark.parametrize(('other', 'used'), [
    ('0.0', 'tl.sum(b, 0)'),
    ("-float('inf')", 'tl.max(b, 0)'),
    ("float('inf')", 'tl.min(b, 0)'),
    # counts and lengths are no less than zero
    ('0', 'tl.max(b, 0)'),
    # nor is what goes through a function
    ('0.0', 'tl.max(tl.abs(b), 0)'),
    ('0.0', 'tl.max(tl.where(o < N, b, -1.0), 0)'),
    # what is not written out
    ('M', 'tl.sum(b, 0)'),
])
def test_what_is_neutral_or_unknown_is_not(other, used):
    assert reductions(f'{LOAD.format(other)}tl.store(y, {used})') == []


def test_only_the_masked_dimension_counts():
    load = 'tl.load(x + i[:, None] * N + o[None, :], mask=(o < N)[None, :], other=0.0)'
    body = f'o, i = tl.arange(0, BLOCK), tl.arange(0, 4)\nb = {load}\n'
    assert reductions(f'{body}tl.store(y + i, tl.max(b, 1))') == ['max']
    assert reductions(f'{body}tl.store(y + o, tl.max(b, 0))') == []
