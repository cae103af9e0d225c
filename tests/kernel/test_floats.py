# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Float types, as `static_print` of Triton 3.9 shows them; of what the caller decides, nothing is known."""

import pytest

from flakelint.kernel.floats import Floats
from tests.kernel.models import model

BODY = """
o = tl.arange(0, 64)
v = tl.load(x + o)
h, b = v.to(tl.float16), tl.cast(v, tl.bfloat16)
f, d = v.to(tl.float32), v.to(tl.float64)
i, m = v.to(tl.int32), o < 3
s = 0.1
tiny = 1e-300
c: tl.constexpr = 0.1
z = tl.zeros((64, 64), dtype=tl.float16)
"""


@pytest.mark.parametrize(('text', 'expected'), [
    ('h * 0.1', 'fp16'), ('h * c', 'fp16'), ('h * s', 'fp32'), ('h * tiny', 'fp64'), ('b * h', 'fp16'), ('b + b', 'bf16'),
    ('h / h', 'fp32'), ('h / 2', 'fp32'), ('h + 1', 'fp16'), ('h + i', 'fp16'), ('i / 2', 'fp32'), ('i + i', 'int'),
    ('f * d', 'fp64'), ('h * f', 'fp32'), ('-h', 'fp16'), ('h[:, None]', 'fp16'), ('tl.trans(z)', 'fp16'),
    ('tl.where(m, h, 0.0)', 'fp16'), ('tl.where(m, h, s)', 'fp32'), ('tl.maximum(h, 0.0)', 'fp16'), ('tl.abs(h)', 'fp16'),
    ('tl.sum(h)', 'fp16'), ('tl.sum(b, axis=0)', 'bf16'), ('tl.cumsum(h)', 'fp16'), ('tl.max(h)', 'fp32'),
    ('tl.sum(h, dtype=tl.float32)', 'fp32'), ('tl.sum(m)', 'int'), ('tl.argmax(h, 0)', 'int'), ('tl.exp(f)', 'fp32'),
    ('tl.dot(z, z)', 'fp32'), ('tl.dot(z, z, out_dtype=tl.float16)', 'fp16'), ('tl.full((64,), 1, tl.bfloat16)', 'bf16'),
    ('tl.zeros_like(h)', 'fp16'), ('v', ''), ('v * h', ''), ('v * f', 'fp32'), ('n * h', ''), ('v.to(x.dtype.element_ty)', ''),
])
def test_type(text, expected):
    found = model(f'{BODY}found = {text}\ntl.store(y + o, found)\n')
    assert Floats().of(found.frame.env['found']) == expected


def test_carried():
    found = model(f'{BODY}for j in range(n):\n    z += h\n    f = f * v\ntl.store(y + o, f)\n')
    floats = Floats()
    assert floats.of(found.frame.env['z']) == 'fp16'
    assert floats.of(found.frame.env['f']) == 'fp32'


def test_long_chain():
    lines = 'h = h + 1.0\n' * 3000
    found = model(f'{BODY}{lines}tl.store(y + o, h)\n')
    assert Floats().of(found.frame.env['h']) == 'fp16'
