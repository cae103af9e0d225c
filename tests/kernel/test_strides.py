# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which tensor each stride belongs to, and which strides its tensors are addressed with."""

import ast

import pytest

from flakelint.kernel.strides import Layout, Strides
from tests.kernel.models import model

PARAMETERS = 'q, k, out, stride_qm, stride_qk, stride_kn, stride_om, N, BT: tl.constexpr'
SETUP = 'i = tl.program_id(0)\no = i * BT + tl.arange(0, BT)\nd = tl.arange(0, BT)\n'
USED = 'b = tl.load(q + o * stride_qm) + tl.load(k + o)\ntl.store(out + o, b)'


def strides(body: str, parameters: str = PARAMETERS, **parts: str) -> Strides:
    return Strides(model(SETUP + body, parameters=parameters, **parts))


def steps(layout: Layout) -> set[tuple[str, str]]:
    return {(step.index.name, step.stride) for step in layout.steps}


def test_owners_by_the_names_of_tensors():
    found = strides(USED)
    assert found.owners == {'stride_qm': {'q'}, 'stride_qk': {'q'}, 'stride_kn': {'k'}, 'stride_om': {'out'}}
    assert found.own('q') == ['stride_qm', 'stride_qk']


@pytest.mark.parametrize(('pointer', 'stride', 'owned'), [
    ('x_ptr', 'stride_x', True), ('x_ptr', 'x_stride', True), ('x_ptr', 'x_stride_m', True), ('p_x', 'stride_xm', True),
    ('X', 'stride_x_row', True), ('cache', 'cache_stride', True), ('cache', 'stride_cb', True), ('x', 'stride', True),
    ('x', 'stride_ym', False), ('query', 'stride_expert', False),
])
def test_a_stride_is_named_after_its_tensor(pointer, stride, owned):
    found = strides(f'tl.load({pointer} + o * {stride})', f'{pointer}, {stride}, BT: tl.constexpr')
    assert found.owners[stride] == ({pointer} if owned else set())


def test_a_letter_that_two_tensors_begin_with_tells_nothing():
    body = 'tl.load(output + o * stride_om)\ntl.store(offsets + o, 0)'
    assert strides(body, 'output, offsets, stride_om, BT: tl.constexpr').owners == {'stride_om': set()}


LAUNCH = '''
    def run(a, b):
        c = torch.empty_like(a)
        kernel[(1,)](a, b, c, a.stride(0), a.stride(1), b.stride(0), c.stride(0), 3, 16)
'''


def test_launches_say_whose_a_stride_is_whatever_it_is_called():
    parameters = 'q, k, out, s0, s1, s2, stride_qm, N, BT: tl.constexpr'
    found = strides('b = tl.load(q + o * s0) + tl.load(k + o)\ntl.store(out + o, b)', parameters, host=LAUNCH)
    assert found.owners == {'s0': {'q'}, 's1': {'q'}, 's2': {'k'}, 'stride_qm': {'out'}}
    assert found.same_dimension('s0', 'stride_qm')
    assert not found.same_dimension('s1', 'stride_qm')


def test_like_dimensions_by_their_letters():
    found = strides(USED)
    assert found.same_dimension('stride_qm', 'stride_om')
    assert not found.same_dimension('stride_qk', 'stride_om')


@pytest.mark.parametrize(('address', 'found', 'bare'), [
    ('q + o[:, None] * stride_qm + d[None, :] * stride_qk', {('o', 'stride_qm'), ('d', 'stride_qk')}, []),
    ('q + (o[:, None] * stride_qm + d[None, :])', {('o', 'stride_qm')}, ['d[None, :]']),
    ('q + stride_qm * o.to(tl.int64)', {('o', 'stride_qm')}, []),
    ('(q + 1 if i > 3 else q) + o * stride_qm', {('o', 'stride_qm')}, ['1']),
    ('q + d', set(), ['d']),
    ('q + o * stride_kn', {('o', 'stride_kn')}, []),
    ('q + tl.cast(o, tl.int64) * tl.cast(stride_qm, tl.int64)', {('o', 'stride_qm')}, []),
])
def test_an_address_is_read_as_steps_and_what_is_added_bare(address, found, bare):
    layout = strides(f'tl.load({address})').layouts['q']
    assert steps(layout) == found
    assert [ast.unparse(one.node) for one in layout.bare] == bare


def test_steps_that_a_loop_carries_are_read():
    layout = strides('p = q + i * stride_qm\nfor j in range(N):\n    tl.load(p + d * stride_qk)\n    p += 1').layouts['q']
    assert steps(layout) == {('i', 'stride_qm'), ('d', 'stride_qk')}


def test_what_may_be_one_of_two_tensors_is_not_read():
    assert strides('tl.load((q if i > 3 else k) + o * stride_qm)').layouts == {}


def test_a_stride_that_nothing_is_addressed_with_is_not_used():
    assert strides(USED).used() == {'stride_qm'}
