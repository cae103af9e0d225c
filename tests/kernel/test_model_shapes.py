# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The shapes of blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.kernel import shapes
from tests.kernel.models import PARAMETERS, shapes_of

SETUP = 'i = tl.program_id(0)\no = tl.arange(0, BT)\nq = tl.arange(0, BK)\nb = o[:, None] + q[None, :]\n'
MORE = f'{PARAMETERS}, BK: tl.constexpr'
T, K, TK = ('BT',), ('BK',), ('BT', 'BK')


@pytest.mark.parametrize(('text', 'expected'), [
    ('i', ()), ('T', ()), ('o', T), ('o + i', T), ('o * stride', T), ('-o', T), ('o < T', T), ('o.to(tl.int64)', T), ('b', TK),
    ('o[:, None]', ('BT', '1')), ('o[None, :]', ('1', 'BT')), ('o[None]', ('1', 'BT')), ('o[:, None, None]', ('BT', '1', '1')),
    ('b[:, :, None]', ('BT', 'BK', '1')), ('b[:, None, :]', ('BT', '1', 'BK')), ('o[:, None][:, :]', ('BT', '1')),
    ('tl.arange(0, 16)', ('16',)), ('tl.arange(0, 2 * BT)', ('2*BT',)),
    # pointers and what is read through them
    ('x + o', T), ('x + o[:, None] * stride + q[None, :]', TK), ('tl.load(x)', ()), ('tl.load(x + o)', T),
    ('tl.load(x + b)', TK),
    ('tl.atomic_add(x + o, 1.0)', T),
    # what makes blocks
    ('tl.zeros([BT, BK], tl.float32)', TK), ('tl.zeros((BT,), tl.float32)', T), ('tl.full([BT], 0, tl.int32)', T),
    ('tl.zeros_like(b)', TK),
    # one dimension fewer
    ('tl.sum(b)', ()), ('tl.sum(b, 0)', K), ('tl.sum(b, 1)', T), ('tl.sum(b, axis=0)', K), ('tl.sum(b, -1)', T),
    ('b.sum(0)', K),
    ('b.sum(axis=1)', T), ('b.sum()', ()), ('tl.max(b, axis=-2)', K), ('tl.sum(b, 1, keep_dims=True)', ('BT', '1')),
    ('tl.sum(b, keep_dims=True)', ('1', '1')), ('tl.argmax(b, 0)', K), ('tl.max(b, 0, return_indices=True)[1]', K),
    ('tl.sum(b, axis=None)', ()),
    # as many
    ('tl.cumsum(b, 0)', TK), ('tl.where(o < T, o, 0)', T), ('tl.where((o < T)[:, None], q[None, :], 0)', TK),
    ('tl.sort(o)', T),
    ('tl.minimum(o[:, None], q[None, :])', TK), ('tl.exp(tl.load(x + b))', TK), ('tl.flip(o)', T),
    ('o if i > 3 else o + 1', T),
    # others
    ('tl.trans(b)', ('BK', 'BT')), ('b.T', ('BK', 'BT')), ('tl.reshape(o, [BK, 4])', ('BK', '4')),
    ('tl.view(o, [4, BK])', ('4', 'BK')),
    ('tl.broadcast_to(o[:, None], [BT, BK])', TK), ('tl.expand_dims(o, 0)', ('1', 'BT')),
    ('tl.expand_dims(o, 1)', ('BT', '1')),
    ('tl.expand_dims(o, -1)', ('BT', '1')), ('tl.reshape(o, BK, 4)', ('BK', '4')), ('o.reshape(BK, 4)', ('BK', '4')),
    ('o.reshape((BK, 4))', ('BK', '4')), ('tl.broadcast_to(o[:, None], BT, BK)', TK),
    ('o[:, None].broadcast_to([BT, BK])', TK),
    # not known
    ('unknown(o)', None), ('tl.sum(b, axis=T)', None), ('tl.sum(b, 2)', None), ('tl.sum(b, 0, keep_dims=FLAG)', None),
    ('o if i > 3 else q', None), ('tl.permute(b, (1, 0))', None), ('unknown(o) + b', None), ('b[unknown(i)]', None),
])
def test_shape(text, expected):
    assert shapes_of(SETUP + text, parameters=MORE) == {expected}


dimension = st.sampled_from(['1', 'BT', 'BK', '16'])
shape = st.one_of(st.none(), st.lists(dimension, max_size=3).map(tuple))


@given(shape)
def test_a_block_with_itself_or_a_scalar_keeps_its_shape(one):
    assert shapes.broadcast(one, one) == shapes.broadcast(one, ()) == shapes.broadcast((), one) == one


@st.composite
def fitting(draw):
    """Shapes that broadcast to one: each has some of its last dimensions, and may have 1 in place of any."""
    whole = draw(st.lists(dimension, min_size=1, max_size=3))
    return [
        tuple(draw(st.sampled_from(['1', one])) for one in whole[draw(st.integers(0, len(whole))):]) for _ in range(3)
    ]


@given(fitting())
def test_broadcasting_commutes_and_is_associative_where_shapes_fit(three):
    one, two, last = three
    assert shapes.broadcast(one, two) == shapes.broadcast(two, one)
    assert shapes.broadcast(shapes.broadcast(one, two), last) == shapes.broadcast(one, shapes.broadcast(two, last))


@given(fitting())
def test_a_broadcast_shape_is_as_long_as_the_longest_and_takes_up_both(three):
    one, two, _ = three
    joined = shapes.broadcast(one, two)
    assert len(joined) == max(len(one), len(two))
    assert shapes.broadcast(joined, one) == shapes.broadcast(joined, two) == joined


@given(shape, shape)
def test_what_is_one_of_two_blocks_has_their_shape_if_they_agree(one, other):
    assert shapes.either(one, other) == (one if one == other else None)
