# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the model of a kernel says about its program ids."""

import textwrap

import libcst as cst
import pytest

from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.kernel.provenance import FORBIDDEN, SAFE, UNSURE, USELESS, analyse
from flakelint.kernel.spelling import guards, spell

IMPORTS = 'import triton\nimport triton.language as tl\n\nfrom elsewhere import unknown\n\n\n'


def narrow_ids(body: str, parameters: str = 'x, y, n, stride', helpers: str = '') -> list:
    """The narrow program ids of a kernel with a body, each with its unit for the texts of nodes."""
    kernel = f'@triton.jit\ndef copy_kernel({parameters}):\n{textwrap.indent(textwrap.dedent(body).strip(), "    ")}\n'
    file = File('kernel.py', f'{IMPORTS}{textwrap.dedent(helpers)}\n{kernel}'.encode(), Settings())
    kernel = file.kernels[-1]
    return [(one, kernel.unit) for one in analyse(kernel, file.kernels).narrow_ids]


def products(body: str, **kwargs: str) -> list[str]:
    """The texts of the products that reach an address."""
    return [product.kernel.unit.source(product.node) for one, _ in narrow_ids(body, **kwargs) for product in one.products]


def widening(body: str, **kwargs: str) -> list[str]:
    return [one.widening for one, _ in narrow_ids(body, **kwargs)]


def test_an_id_knows_its_name_and_place():
    (first, unit), (second, _) = narrow_ids('''
        i, j = tl.program_id(0), tl.program_id(axis=1)
        tl.store(y + i * stride + j * n, 0)
    ''')
    assert (first.name, unit.source(first.node)) == ('i', 'tl.program_id(0)')
    assert (second.name, unit.source(second.node)) == ('j', 'tl.program_id(axis=1)')


def test_each_product_belongs_to_the_ids_in_it():
    found = narrow_ids('''
        i, j = tl.program_id(0), tl.program_id(1)
        o = i * n
        tl.store(y + (o + j) * stride, 0)
    ''')
    texts = [{unit.source(product.node) for product in one.products} for one, unit in found]
    assert sorted(texts, key=len) == [{'(o + j) * stride'}, {'i * n', '(o + j) * stride'}]


@pytest.mark.parametrize('body', [
    'i = tl.program_id(0)\ntl.store(y + i, i * stride)',
    'i = tl.program_id(0)\ntl.load(x + i, mask=i * stride < n)',
    'i = tl.program_id(0).to(tl.int64)\ntl.store(y + i * stride, 0)',
    'i = tl.program_id(0).to(tl.int64).to(tl.int32)\ntl.store(y + i * stride, 0)',
    'i = unknown(tl.program_id(0))\ntl.store(y + i * stride, 0)',
    'try:\n    i = tl.program_id(0)\nexcept KeyError:\n    i = 0\ntl.store(y + i * stride, 0)',
    'i = [tl.program_id(j) for j in range(3)]\ntl.store(y + i[0] * stride, 0)',
])
def test_what_reaches_no_address_or_is_not_understood_is_not_reported(body):
    assert narrow_ids(body) == []


def test_a_product_knows_under_which_conditions_it_is_narrow():
    ((one, _),) = narrow_ids('''
        i = tl.program_id(0)
        if WIDE:
            i = i.to(tl.int64) + 1
        if not COPY:
            return
        tl.store(y + i * stride, 0)
    ''', parameters='x, y, stride, WIDE: tl.constexpr, COPY: tl.constexpr')
    assert [product.conditions for product in one.products] == [frozenset({('WIDE', False)})]


def test_a_loaded_factor_is_an_assumption():
    ((one, _),) = narrow_ids('i = tl.program_id(0)\ntl.store(y + i * tl.load(x) + i * stride, 0)')
    assert [product.assumed for product in sorted(one.products, key=lambda product: not product.assumed)] == [True, False]


def test_a_tile_knows_its_limits():
    ((one, _),) = narrow_ids('''
        o = tl.program_id(0) * BD + tl.arange(0, BD)
        tl.store(y + o, 0, mask=(o < D) & (o < n))
        tl.store(y + o * stride, 0)
    ''', parameters='y, n, stride, D: tl.constexpr, BD: tl.constexpr')
    limits = {cst.Module([]).code_for_node(product.node): product.limits for product in one.products}
    assert limits == {'tl.program_id(0) * BD': {'D'}, 'o * stride': frozenset()}


def test_a_difference_bounds_nothing():
    ((one, _),) = narrow_ids('''
        first = tl.program_id(0) * BD
        height = min(n - first, BD)
        tl.store(y + first, height)
    ''', parameters='y, n, BD: tl.constexpr')
    assert [product.limits for product in one.products] == [frozenset()]


def test_a_quotient_times_a_factor_of_its_divisor_is_no_larger_than_the_id():
    body = 'i = tl.program_id(0)\ngroup = i // (G * n)\ntl.store(y + group * {factor}, 0)'
    assert products(body.format(factor='G'), parameters='y, n, m, G: tl.constexpr') == []
    assert products(body.format(factor='m'), parameters='y, n, m, G: tl.constexpr') == ['group * m']


@pytest.mark.parametrize(('expected', 'body'), [
    (SAFE, 'i = tl.program_id(0)\ntl.store(y + i * stride, 0)'),
    (SAFE, 'i = tl.program_id(0)\np = y\nfor j in range(n):\n    p += i * stride\n    tl.store(p, 0)'),
    (SAFE, 'i = tl.program_id(0)\np = y + i * stride if n > 3 else y\ntl.store(p, 0)'),
    (SAFE, 'i = tl.program_id(0)\nwhile i < n:\n    tl.store(y + i * stride, 0)\n    i += tl.num_programs(0)'),
    (UNSURE, 'i = tl.program_id(0)\nunknown(i)\ntl.store(y + i * stride, 0)'),
    (USELESS, 'i = tl.program_id(0).to(tl.uint32)\ntl.store(y + i * 64, 0)'),
    (FORBIDDEN, 'i = tl.program_id(0)\ni = i if i < n else n\ntl.store(y + i * stride, 0)'),
    (FORBIDDEN, 'i = tl.program_id(0)\nif i > n:\n    i = n\ntl.store(y + i * stride, 0)'),
    (FORBIDDEN, 'i = tl.program_id(0)\na = 0\nfor j in range(n):\n    a += i\ntl.store(y + i * stride + a, 0)'),
    (FORBIDDEN, 'i = tl.program_id(0)\nd = tl.make_tensor_descriptor(x, [n, 16], [16, 1], [16, 16])\n'
                'tl.store(y + i * stride, tl.sum(d.load([i, 0])))'),
    (FORBIDDEN, 'i = tl.program_id(0)\ntl.store(y + i * stride, tl.rand(n, i))'),
])
def test_what_a_cast_at_the_call_would_do(expected, body):
    assert widening(body) == [expected]


def test_helpers_are_followed_with_the_conditions_of_the_call():
    helpers = '''
        @triton.jit
        def address(p, i, stride, WIDE: tl.constexpr):
            if WIDE:
                i = i.to(tl.int64)
            else:
                i = i + 0
            return p + i * stride
    '''
    assert products('tl.store(address(y, tl.program_id(0), stride, True), 0)', helpers=helpers) == []
    assert products('tl.store(address(y, tl.program_id(0), stride, False), 0)', helpers=helpers) == ['i * stride']


def test_helpers_that_call_each_other_end():
    helpers = '''
        @triton.jit
        def even(i, n):
            return odd(i + 1, n)


        @triton.jit
        def odd(i, n):
            return even(i - 1, n)
    '''
    assert widening('i = tl.program_id(0)\ntl.store(y + i * stride + even(i, n), 0)', helpers=helpers) == [UNSURE]


def test_more_flags_than_cases_end_in_the_narrowest_value():
    flags = [f'F{i}' for i in range(12)]
    body = 'i = tl.program_id(0)\n' + ''.join(f'if {flag}:\n    i = i.to(tl.int64) + {n}\n' for n, flag in enumerate(flags))
    parameters = 'y, stride, ' + ', '.join(f'{flag}: tl.constexpr' for flag in flags)
    assert products(f'{body}tl.store(y + i * stride, 0)', parameters=parameters) == ['i * stride']


@pytest.mark.parametrize(('first', 'second'), [
    ('BD * i_d', 'i_d*BD'), ('(i_d)*BD', 'i_d * BD'), ('H * (K + 1)', '(K+1)*H'), ('tl.cdiv(T, BT)', 'tl.cdiv( T,BT )'),
    ('a < b', 'a<b'),
])
def test_equal_expressions_are_spelled_alike(first, second):
    assert spell(cst.parse_expression(first), {}) == spell(cst.parse_expression(second), {})


@pytest.mark.parametrize(('first', 'second'), [
    ('a - b', 'b - a'), ('(a + b) * c', 'a + b * c'), ('f(a)', 'f(b)'), ('a < b', 'a <= b'),
])
def test_other_expressions_are_spelled_otherwise(first, second):
    assert spell(cst.parse_expression(first), {}) != spell(cst.parse_expression(second), {})


@pytest.mark.parametrize(('condition', 'true', 'false'), [
    ('A', {('A', True)}, {('A', False)}),
    ('not A', {('A', False)}, {('A', True)}),
    ('A and not B', {('A', True), ('B', False)}, set()),
    ('A or B', set(), {('A', False), ('B', False)}),
    ('x is not None', {('x is None', False)}, {('x is None', True)}),
    ('MODE != 2', {('MODE==2', False)}, {('MODE==2', True)}),
])
def test_conditions_say_what_holds_on_either_side(condition, true, false):
    assert guards(cst.parse_expression(condition), {}) == (true, false)


def test_flags_of_a_helper_go_by_the_names_of_the_caller():
    assert guards(cst.parse_expression('FLAG'), {'FLAG': 'IS_VARLEN'}) == ({('IS_VARLEN', True)}, {('IS_VARLEN', False)})


def test_deep_nests_of_loops_end():
    # at two rounds a level this would run for years
    lines = ['import triton', 'import triton.language as tl', '', '', '@triton.jit', 'def k(x, n, m):']
    lines += ['    i = tl.program_id(0)', '    a = 0']
    for depth in range(1, 40):
        indent = '    ' * depth
        lines += [f'{indent}for j{depth} in range(n):', f'{indent}    a = a * {depth} + j{depth}']
    lines.append('    ' * 40 + 'tl.store(x + i * m + a, 1)')
    file = File('a.py', '\n'.join(lines).encode(), Settings())
    assert [narrow.name for narrow in analyse(file.kernels[0], file.kernels).narrow_ids] == ['i']
