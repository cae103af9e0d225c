# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large what launches pass is taken to be."""

import textwrap

import pytest

from flakelint.kernel.arguments import Arguments
from flakelint.kernel.bounds import Bounds
from flakelint.kernel.sizes import DEFAULTS, Assumed
from tests.kernel.models import model

SHAPE = {2: 'T, D = x.shape', 3: 'B, T, D = x.shape', 4: 'B, T, H, D = x.shape'}


def arguments(launch: str, setup: str = '', signature: str = 'x, y') -> Arguments:
    """The arguments of a kernel that a host function launches."""
    lines = textwrap.indent(f'{setup}\n{launch}'.strip(), '    ')
    host = f'def run({signature}):\n{lines}'
    found = model('tl.store(x + tl.arange(0, BT), 0)', parameters='x, y, a, BT: tl.constexpr', host=host)
    return Bounds(found, Assumed()).arguments


def passed(value: str, setup: str = '', signature: str = 'x, y') -> tuple[int, str]:
    """The tight size and the role of an argument without a telling name."""
    size = arguments(f'kernel[(1,)](x, y, {value}, 64)', setup, signature).size('a', constant=False)
    return size.tight, size.role


@pytest.mark.parametrize(('rank', 'axis', 'role'), [
    (2, 0, 'length'), (2, 1, 'width'), (2, -1, 'width'), (3, 0, 'batch'), (3, 1, 'number'), (3, 2, 'width'), (4, 0, 'batch'),
    (4, 3, 'head-width'), (4, -1, 'head-width'),
])
def test_a_size_by_its_axis_and_the_rank_of_its_tensor(rank, axis, role):
    setup = SHAPE[rank].replace('B', 'b0').replace('T', 'b1').replace('H', 'b2').replace('D', 'b3')
    assert passed(f'x.shape[{axis}]', setup) == (DEFAULTS[role][0], role)
    assert passed(f'x.size({axis})', setup) == (DEFAULTS[role][0], role)


@pytest.mark.parametrize(('rank', 'axis', 'role'), [
    (2, 0, 'stride'), (2, 1, 'inner-stride'), (2, -1, 'inner-stride'), (3, 1, 'stride'), (3, 2, 'inner-stride'),
    (4, 0, 'outer-stride'), (4, 2, 'stride'), (4, 3, 'inner-stride'), (4, -2, 'stride'),
])
def test_a_stride_by_its_axis_and_the_rank_of_its_tensor(rank, axis, role):
    assert passed(f'x.stride({axis})', SHAPE[rank]) == (DEFAULTS[role][0], role)


def test_strides_of_a_tensor_of_which_the_sizes_are_shown_are_their_products():
    setup = 'B, T, D = x.shape\nz = torch.empty(B, T, D, device=x.device)'
    assert passed('z.stride(2)', setup) == (1, 'inner-stride')
    assert passed('z.stride(1)', setup) == (DEFAULTS['width'][0], 'stride')
    assert passed('z.stride(0)', setup) == (DEFAULTS['outer-stride'][0], 'outer-stride')
    assert passed('z.stride(0)', 'z = torch.empty(8, 16, 32)') == (16 * 32, 'stride')


@pytest.mark.parametrize(('value', 'expected'), [
    ('7', (7, '')), ('-7', (7, '')), ('4 * 16', (64, '')), ('x.numel()', (2**31 - 1, 'elements')), ('True', (1, 'flag')),
    ('seq_len', (2**20, 'length')), ('num_heads', (32, 'heads')), ('num_heads * 2', (64, 'heads')),
    ('max(seq_len, 3)', (2**20, 'length')),
    ('min(seq_len, 512)', (512, '')), ('triton.next_power_of_2(num_heads)', (64, 'heads')), ('seq_len % 8', (8, '')),
    ('triton.cdiv(seq_len, 64)', (2**14, 'count')), ('seq_len // 64', (2**14, 'count')),
    ('batch_size * seq_len', (2**20, 'length')),
    ('batch_size * num_heads', (2**13, 'batch')), ('num_heads * seq_len', (2**25, 'length')),
    ('5 if y is None else 9', (9, '')),
    # nothing is known, so the name of the parameter counts
    ('foo(x)', (2**12, 'number')), ('x.foo', (2**12, 'number')), ('y', (2**12, 'number')),
])
def test_expressions(value, expected):
    assert passed(value, signature='x, y, seq_len, num_heads, batch_size') == expected


def test_only_what_is_shown_to_the_number_bounds_what_is_possible():
    exact = arguments('kernel[(1,)](x, y, 7, 64)').size('a', constant=False)
    assert (exact.tight, exact.possible, exact.exact) == (7, 7, True)
    guessed = arguments('kernel[(1,)](x, y, num_heads, 64)', signature='x, y, num_heads').size('a', constant=False)
    assert (guessed.tight, guessed.possible, guessed.exact) == (32, DEFAULTS['number'][1], False)


def test_the_largest_of_several_launches_counts_and_one_that_shows_nothing_ends_it():
    launches = 'kernel[(1,)](x, y, 7, 64)\nkernel[(1,)](x, y, 512, 64)'
    assert arguments(launches).size('a', constant=False).tight == 512
    assert arguments(f'{launches}\nkernel[(1,)](x, y, foo(x), 64)').size('a', constant=False).role == 'number'


def test_a_block_is_what_launches_pass_for_it():
    assert arguments('kernel[(1,)](x, y, 7, 2048)').size('BT', constant=True)[:3] == (2048, 2048, 'block')
    assert arguments('kernel[(1,)](x, y, a=7, BT=32)').size('BT', constant=True).tight == 32


@pytest.mark.parametrize(('grid', 'expected'), [
    ('(triton.cdiv(T, 64), B, H)', [(2**14, 'program'), (256, 'sequence'), (32, 'head')]),
    ('(B * H, triton.cdiv(T, 64))', [(2**13, 'program'), (2**14, 'program'), (1, 'program')]),
    ('(3, 5)', [(3, 'program'), (5, 'program'), (1, 'program')]),
    ('lambda meta: (triton.cdiv(T, meta["BT"]), B)', [(2**14, 'program'), (256, 'sequence'), (1, 'program')]),
    ('(T,)', [(2**20, 'program'), (1, 'program'), (1, 'program')]),
    ('grid', [(2**20, 'program'), (2**12, 'program'), (2**12, 'program')]),
])
def test_program_ids_by_the_axes_of_the_grid(grid, expected):
    found = arguments(f'kernel[{grid}](x, y, 7, 64)', SHAPE[4])
    assert [(size.tight, size.role) for size in map(found.program_id, range(3))] == expected


def test_without_launches_names_count():
    found = Bounds(model('pass', parameters='x, seq_len, stride_m, H: tl.constexpr'), Assumed()).arguments
    roles = {name: found.size(name, constant=name == 'H').role for name in ('seq_len', 'stride_m', 'H')}
    assert roles == {'seq_len': 'length', 'stride_m': 'stride', 'H': 'heads'}


@pytest.mark.parametrize('setup', [
    'assert D <= 512', 'assert D < 513', 'assert 0 < D <= 512', 'assert 512 >= D', 'assert T > 4 and D <= 512',
    'assert D in (64, 512)', 'if D > 512:\n    return', 'if D > 512:\n    raise ValueError(D)',
    'if not D <= 512:\n    return', 'if y is None or D > 512:\n    return', 'is_large = D >= 513\nif is_large:\n    return',
    'if T % 2 == 0 and D > 512:\n    pass\nassert D == 512', 'assert x.shape[-1] <= 512', 'assert x.size(1) <= 512',
    'assert D * 4 * T <= 2048', 'assert D * D <= 512 * 512',
])
def test_what_conditions_before_a_launch_bound(setup):
    assert passed('D', f'T, D = x.shape\n{setup}') == (512, 'width')


@pytest.mark.parametrize('setup', [
    'assert D <= n', 'assert D >= 512', 'assert T <= 512', 'assert D <= 512 or T <= 512', 'if D > 512:\n    y = x',
    'assert D != 512', 'if T > 4 and D > 512:\n    return', 'for _ in range(2):\n    assert D <= 512',
    'assert z.shape[1] <= 512', 'assert D - T <= 512', 'if T > 4:\n    assert D <= 512', 'while D <= 512:\n    y = x',
])
def test_what_conditions_do_not_bound(setup):
    assert passed('D', f'T, D = x.shape\n{setup}', signature='x, y, z, n') == (DEFAULTS['width'][0], 'width')


@pytest.mark.parametrize(('launch', 'tight'), [
    ('if D <= 512:\n    kernel[(1,)](x, y, D, 64)\nelse:\n    kernel[(2,)](x, y, D, 64)', DEFAULTS['width'][0]),
    ('if D <= 256:\n    kernel[(1,)](x, y, D, 64)\nelif D <= 512:\n    kernel[(2,)](x, y, D, 64)', 512),
    ('if D > 512:\n    y = x\nelse:\n    kernel[(1,)](x, y, D, 64)', 512),
])
def test_the_largest_launch_counts(launch, tight):
    assert arguments(launch, 'T, D = x.shape').size('a', constant=False).tight == tight


@pytest.mark.parametrize(('setup', 'role'), [
    ('x = x.contiguous()', 'head-width'), ('if not x.is_contiguous():\n    x = x.contiguous()', 'head-width'),
    ('x = x if x.is_contiguous() else x.contiguous()', 'head-width'), ('assert x.is_contiguous()', 'head-width'),
    ('x = torch.zeros_like(x.contiguous())', 'head-width'), ('x = x.contiguous().float()', 'head-width'),
    ('x = x.contiguous(memory_format=torch.channels_last)', 'stride'), ('x = x.contiguous().transpose(1, 2)', 'stride'),
    ('if y is None:\n    x = x.contiguous()', 'stride'), ('y = x.contiguous()', 'stride'),
])
def test_a_row_of_a_contiguous_tensor_is_as_long_as_its_last_axis(setup, role):
    assert passed('x.stride(-2)', f'assert x.ndim == 4\n{setup}\nassert x.ndim == 4')[1] == role
