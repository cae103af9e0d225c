# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Program ids that reach an address through 32-bit multiplications."""

import ast

import pytest

from flakelint.kernel.uncast import UncastIds, UncastProduct
from tests.kernel.models import model

PLAIN = 'x, y, n, stride'


def found(body: str, parameters: str = PLAIN, **parts: str) -> dict[str, list[UncastProduct]]:
    """The products of each program id, by its name."""
    uncast = UncastIds(model(body, parameters=parameters, **parts))
    return {origin.name: list(products.values()) for origin, products in uncast.found.items()}


def products(body: str, parameters: str = PLAIN, **parts: str) -> list[str]:
    """The texts of the products of all program ids."""
    return [ast.unparse(one.value.node) for several in found(body, parameters, **parts).values() for one in several]


def test_an_id_knows_its_name_and_place():
    body = 'i, j = tl.program_id(0), tl.program_id(axis=1)\ntl.store(y + i * stride + j * n, 0)'
    uncast = UncastIds(model(body, parameters=PLAIN))
    seen = {(origin.name, ast.unparse(origin.node), origin.detail) for origin in uncast.found}
    assert seen == {('i', 'tl.program_id(0)', 0), ('j', 'tl.program_id(axis=1)', 1)}


def test_each_product_belongs_to_the_ids_in_it():
    seen = found('i, j = tl.program_id(0), tl.program_id(1)\no = i * n\ntl.store(y + (o + j) * stride, 0)')
    texts = {name: {ast.unparse(one.value.node) for one in several} for name, several in seen.items()}
    assert texts == {'i': {'i * n', '(o + j) * stride'}, 'j': {'(o + j) * stride'}}


@pytest.mark.parametrize('body', [
    'i = tl.program_id(0)\ntl.store(y + i * stride, 0)',
    'i = tl.program_id(0)\ntl.load(x + i * stride)',
    'i = tl.program_id(0)\ntl.atomic_add(x + i * stride, 1.0)',
    'i = tl.program_id(0) // n\ntl.store(y + i * stride, 0)',
    'i = tl.program_id(0)\nif i > n:\n    i = n\ntl.store(y + i * stride, 0)',
    'i = tl.program_id(0)\np = y\nfor j in range(n):\n    p += i * stride\n    tl.store(p, 0)',
    'i = tl.program_id(0)\ni = i.to(tl.uint32)\ntl.store(y + i * stride, 0)',
    'i = tl.program_id(0)\np = y + i * stride if n > 3 else y\ntl.store(p, 0)',
    'i = tl.program_id(0)\nwhile i < n:\n    tl.store(y + i * stride, 0)\n    i += tl.num_programs(0)',
    'for i in range(tl.program_id(0), n, tl.num_programs(0)):\n    tl.store(y + i * stride, 0)',
    'i = tl.program_id(0)\ntl.store(y + (i * stride).to(tl.int64), 0)',
])
def test_a_product_that_reaches_an_address_is_found(body):
    assert products(body) == ['i * stride']


@pytest.mark.parametrize('body', [
    'i = tl.program_id(0)\ntl.store(y + i, i * stride)',
    'i = tl.program_id(0)\ntl.load(x + i, mask=i * stride < n)',
    'i = tl.program_id(0).to(tl.int64)\ntl.store(y + i * stride, 0)',
    'i = tl.cast(tl.program_id(0), tl.int64)\ntl.store(y + i * stride, 0)',
    'i = tl.program_id(0)\ntl.store(y + tl.cast(stride, tl.int64) * i, 0)',
    'i = unknown(tl.program_id(0))\ntl.store(y + i * stride, 0)',
    'try:\n    i = tl.program_id(0)\nexcept KeyError:\n    i = 0\ntl.store(y + i * stride, 0)',
    'i = [tl.program_id(j) for j in range(3)]\ntl.store(y + i[0] * stride, 0)',
    # a row of a small table
    'i = tl.program_id(0)\ntl.store(y + tl.load(x + i * 2), 0)',
    # an index that is loaded is not the id that says where
    'i = tl.load(x + tl.program_id(0))\ntl.store(y + i * stride, 0)',
])
def test_what_reaches_no_address_is_wide_or_is_not_understood_is_not(body):
    assert products(body) == []


def test_a_product_knows_under_which_conditions_it_is_narrow():
    seen = found('''
        i = tl.program_id(0)
        if WIDE:
            i = i.to(tl.int64) + 1
        if not COPY:
            return
        tl.store(y + i * stride, 0)
    ''', 'x, y, stride, WIDE: tl.constexpr, COPY: tl.constexpr')
    assert [one.value.guard for one in seen['i']] == [frozenset({('WIDE', False), ('COPY', True)})]


def test_a_loaded_factor_is_an_assumption():
    seen = found('i = tl.program_id(0)\ntl.store(y + i * tl.load(x) + i * stride, 0)')
    types = {ast.unparse(one.value.node): one.value.type for one in seen['i']}
    assert types == {'i * tl.load(x)': 'i32?', 'i * stride': 'i32'}


def test_a_tile_knows_its_limits():
    seen = found('''
        o = tl.program_id(0) * BD + tl.arange(0, BD)
        tl.store(y + o, 0, mask=(o < D) & (o < n))
        tl.store(y + o * stride, 0)
    ''', 'y, n, stride, D: tl.constexpr, BD: tl.constexpr')
    limits = {ast.unparse(one.value.node): one.limits for several in seen.values() for one in several}
    assert limits == {'tl.program_id(0) * BD': {'D'}, 'o * stride': frozenset()}


def test_a_difference_bounds_nothing():
    seen = found('''
        first = tl.program_id(0) * BD
        height = min(n - first, BD)
        tl.store(y + first, height)
    ''', 'y, n, BD: tl.constexpr')
    assert [one.limits for several in seen.values() for one in several] == [frozenset()]


@pytest.mark.parametrize(('factor', 'expected'), [('G', []), ('m', ['group * m']), ('n', []), ('stride', ['group * stride'])])
def test_a_quotient_times_a_factor_of_its_divisor_is_no_larger_than_the_id(factor, expected):
    body = f'i = tl.program_id(0)\ngroup = i // (G * n)\ntl.store(y + group * {factor}, 0)'
    assert products(body, parameters='y, n, m, stride, G: tl.constexpr') == expected


ADDRESS = '''
    @triton.jit
    def address(p, i, stride, WIDE: tl.constexpr):
        if WIDE:
            i = i.to(tl.int64)
        else:
            i = i + 0
        return p + i * stride
'''


@pytest.mark.parametrize(('wide', 'expected'), [('True', []), ('False', ['i * stride']), ('FLAG', ['i * stride'])])
def test_helpers_are_followed_with_the_conditions_of_the_call(wide, expected):
    body = f'tl.store(address(y, tl.program_id(0), stride, {wide}), 0)'
    assert products(body, f'{PLAIN}, FLAG: tl.constexpr', helpers=ADDRESS) == expected


def test_offsets_of_descriptors_are_32_bit_by_contract():
    body = 'd = tl.make_tensor_descriptor(x, [n, 16], [16, 1], [16, 16])\nd.load([tl.program_id(0) * stride, 0])'
    assert products(body) == []
