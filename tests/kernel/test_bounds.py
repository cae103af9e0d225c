# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large the values of a kernel are taken to be, by what is done with them."""

import pytest

from flakelint.kernel.bounds import Bounds
from flakelint.kernel.sizes import DEFAULTS, Assumed, Size
from tests.kernel.models import last, model

PARAMETERS = 'x, y, idx, cu_seqlens, T, foo, stride_row, H: tl.constexpr, K: tl.constexpr, D: tl.constexpr, BT: tl.constexpr'
SETUP = 'i, j = tl.program_id(0), tl.program_id(1)\n'
ROWS, FLAT = DEFAULTS['length'], DEFAULTS['flat-rows']


def size(body: str, assumed: Assumed | None = None, **parts: str) -> Size:
    """The size of the expression with which a kernel ends."""
    found = model(SETUP + body, parameters=parts.pop('parameters', PARAMETERS), **parts)
    (value,) = last(found)
    return Bounds(found, assumed or Assumed()).of(value)


@pytest.mark.parametrize('text', [
    '(i // (foo * D) * D + i // foo % D) * foo',
    '((i // (foo * D * H) * D + i // (foo * H) % D) * H + i // foo % H) * foo',
    'foo * (i // foo % D + D * (i // foo // D))',
    'foo * D * (i // (D * foo))',
])
def test_an_index_that_is_put_together_from_its_digits(text):
    assert both(size(text)) == ROWS


def test_digits_of_digits_are_not_followed_for_ever():
    assert size('k = i\n' + 'k = k // (D * D) * D + k // D % D\n' * 30 + 'k * D').tight > 0


@pytest.mark.parametrize('text', [
    '(i // (foo * D) * D + i // foo % H) * foo',
    '(i // (foo * D) * D + j // foo % D) * foo',
    '(i // D * D + i // foo % D) * foo',
    'i // foo * D * D',
])
def test_digits_of_other_numbers(text):
    assert size(text).tight > ROWS[1]


def both(found: Size) -> tuple[int, int]:
    return found.tight, found.possible


@pytest.mark.parametrize(('text', 'expected', 'role'), [
    # the grid
    ('i', ROWS, 'program'), ('j', (1 << 12, (1 << 16) - 1), 'program'),
    ('tl.program_id(2)', (1 << 12, (1 << 16) - 1), 'program'),
    # a tile's number times its size is a row, and so is a sequence's number times a length
    ('i * BT', ROWS, 'row'), ('i * BT + tl.arange(0, BT)', (ROWS[0], ROWS[1] + 128), 'row'),
    ('(i // H) * T', (ROWS[0], ROWS[1]), 'row'),
    ('tl.load(cu_seqlens + i) + j * BT', (ROWS[0], 2 * ROWS[1]), 'row'),
    # of all heads
    ('i * T', FLAT, 'row'), ('i * T * H', FLAT, 'row'), ('tl.load(cu_seqlens + i) * H', (1 << 25, FLAT[1]), 'row'),
    # quotients and remainders
    ('i // H', (256, 4096), 'sequence'), ('i % H', (32, 64), 'head'), ('i // 8', (ROWS[0] // 8, ROWS[1] // 8), 'program'),
    ('i - i // H * H', (32, 64), 'head'), ('i - i // 8 * 8', (8, 8), 'program'),
    ('i % 8', (8, 8), 'program'), ('i & 7', (7, 7), 'program'), ('i >> 3', (ROWS[0] // 8, ROWS[1] // 8), 'program'),
    ('tl.cdiv(T, BT)', (ROWS[0] // 16, ROWS[1] // 16), 'count'), ('T // 64', (ROWS[0] // 64, ROWS[1] // 64), 'count'),
    # loaded indices
    ('tl.load(idx + i)', ROWS, 'loaded'), ('tl.load(idx + i).to(tl.int64)', ROWS, 'loaded'),
    ('tl.max(tl.load(idx + tl.arange(0, BT)), 0)', ROWS, 'loaded'), ('tl.load(idx + i).to(tl.int8)', ROWS, 'loaded'),
    # what is bounded
    ('tl.minimum(i, 512)', (512, 512), 'program'), ('min(i, D)', (4096, 8192), 'program'),
    ('tl.maximum(foo, 3)', (1 << 12, 1 << 22), 'number'),
    # numbers
    ('3 * 4', (12, 12), ''), ('-7', (7, 7), ''), ('i - 1', (ROWS[0] + 1, ROWS[1] + 1), 'program'),
    ('1 << 10', (1024, 1024), ''),
    # blocks
    ('tl.arange(0, BT)', (128, 128), 'lane'), ('tl.arange(0, 16)', (16, 16), 'lane'), ('i * BT % T', ROWS, 'row'),
    # the rest is an offset
    ('i * stride_row', (1 << 33, 1 << 39), 'offset'), ('i * 4096', (1 << 32, 1 << 34), 'offset'),
    ('i * T * H * K', (1 << 33, 1 << 36), 'offset'),
    ('tl.load(idx + i) * D', (1 << 32, 1 << 35), 'offset'),
])
def test_size(text, expected, role):
    found = size(text)
    assert (both(found), found.role) == (expected, role)


@pytest.mark.parametrize('text', ['i', 'tl.load(idx)', 'i // H', 'i * T', 'i + 1', 'tl.where(i < T, i, 0)'])
def test_an_index_is_known_for_one(text):
    assert size(text).index


@pytest.mark.parametrize('text', ['T', 'T * H', 'tl.arange(0, BT)', 'tl.num_programs(0)', '5 * 3', 'tl.cdiv(T, BT)', 'T + BT'])
def test_what_is_no_index_is_none(text):
    assert not size(text).index


@pytest.mark.parametrize(('loop', 'expected', 'index'), [
    ('for k in range(T):\n    r = k', ROWS, True),
    ('for k in range(tl.cdiv(T, BT)):\n    r = k', (ROWS[0] // 16, ROWS[1] // 16), True),
    ('for k in range(0, T, BT):\n    r = k', ROWS, True), ('for k in range(8):\n    r = k', (8, 8), False),
    # a number of a part times the number of parts
    ('for k in range(0, tl.cdiv(1000, foo)):\n    r = k * foo', (1000, 1000), True),
    ('for k in range(T, 0, -1):\n    r = k', ROWS, True), ('r = 0\nfor k in range(T):\n    r += 1', (1 << 12, 1 << 17), True),
    ('r = 0\nfor k in range(T):\n    r += BT', (128 << 12, ROWS[1]), True),
    ('r = 5\nfor k in range(T):\n    r = r + 0', (5, 5), False),
    ('r = i\nfor k in range(T):\n    r = j', ROWS, True),
])
def test_counters_and_what_loops_add_up(loop, expected, index):
    found = size(f'{loop}\nr')
    assert (both(found), found.index) == (expected, index)


@pytest.mark.parametrize(('mask', 'tight', 'possible'), [
    ('o < 512', 512, 512), ('512 > o', 512, 512), ('o[:, None] < 512', 512, 512), ('o <= D', 4096, ROWS[1] + 128),
    ('(o < 512) & (o < T)', 512, 512), ('o < T', ROWS[0], ROWS[1] + 128), ('o != 512', ROWS[0], ROWS[1] + 128),
    ('o > 512', ROWS[0], ROWS[1] + 128),
])
def test_a_mask_bounds_what_it_compares(mask, tight, possible):
    found = size(f'o = i * BT + tl.arange(0, BT)\ntl.store(y + o, 0, mask={mask})\no')
    assert both(found) == (tight, possible)


def test_a_branch_that_leaves_bounds_as_a_mask_does():
    assert size('if i > 100:\n    return\ni').tight == 100
    assert size('if i > 100:\n    r = i\ni').tight == ROWS[0]
    assert size('if i < 100:\n    r = i\ni').tight == 100


@pytest.mark.parametrize(('body', 'expected'), [
    ('i_h = tl.program_id(1)\ni_h', (32, 64)), ('pid_b = tl.program_id(2)\npid_b', (256, 4096)),
    ('off_z = tl.program_id(1)\noff_z', (256, 4096)),
    ('i_v = tl.program_id(1)\ni_v', (1 << 12, (1 << 16) - 1)), ('head = tl.program_id(1) // 4\nhead', (32, 64)),
    # the first axis numbers rows whatever it is called
    ('i_h = tl.program_id(0)\ni_h', ROWS),
])
def test_names_of_program_ids_count_where_structure_leaves_room(body, expected):
    assert both(size(body)) == expected


@pytest.mark.parametrize(('decorators', 'expected'), [
    ('@triton.autotune(configs=[triton.Config({"BT": 64}), triton.Config({"BT": 256})], key=["T"])', (256, 256)),
    ('@triton.autotune(configs=[triton.Config({"BT": b}) for b in (16, 32)], key=["T"])', (32, 32)),
    ('', (128, 128)),
])
def test_blocks_are_as_large_as_the_largest_configuration(decorators, expected):
    assert both(size('BT', decorators=decorators)) == expected


@pytest.mark.parametrize(('default', 'expected'), [('BT: tl.constexpr = 32', (32, 32)),
                                                   ('BT: tl.constexpr = None', (128, 128))])
def test_a_default_is_a_size(default, expected):
    assert both(size('BT', parameters=default)) == expected


def test_a_constant_of_the_module_is_known_to_the_number():
    assert size('i * WIDTH', helpers='WIDTH = tl.constexpr(4096)').tight == 1 << 32


@pytest.mark.parametrize(('assumed', 'text', 'expected'), [
    (Assumed(tight={'length': 1000}), 'i * BT', (1000, ROWS[1])),
    (Assumed(possible={'length': 1 << 23}), 'T', (ROWS[0], 1 << 23)),
    (Assumed(possible={'length': 10}), 'T', (ROWS[0], ROWS[0])), (Assumed(names={'T': 77}), 'T', (77, 77)),
    (Assumed(names={'f*': 'heads'}), 'foo', (32, 64)), (Assumed(names={'?': 5, 'T': 6}), 'T', (5, 5)),
    (Assumed(names={'t': 5}), 'T', ROWS),
])
def test_settings_come_before_all_else(assumed, text, expected):
    assert both(size(text, assumed)) == expected


def test_a_value_of_several_cases_is_as_large_as_the_largest():
    found = model(SETUP + 'r = i if F else 7\nr', parameters=f'{PARAMETERS}, F: tl.constexpr')
    (value,) = [one for node, _, one in found.record if node is found.kernel.definition.body[-1].value]
    assert both(Bounds(found, Assumed()).of(value)) == ROWS


@pytest.mark.parametrize('text', ['x', 'tl.load(x).dtype', '(i, j)'])
def test_what_is_no_number_has_no_size(text):
    assert size(f'tl.store(x, 0)\n{text}').tight == 0
