# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One step that forgets everything leaves the others of its chunk what they are."""

import pytest
import torch
import torch.nn.functional as F

from fla.ops import (
    chunk_gated_delta_rule,
    chunk_gla,
    chunk_kda,
    chunk_simple_gla,
    fused_chunk_simple_gla,
    fused_recurrent_gated_delta_rule,
    fused_recurrent_gla,
    fused_recurrent_kda,
    fused_recurrent_simple_gla,
    parallel_simple_gla,
)
from fla.utils import assert_close, device
from tests.ops.operators import leaf

T, H, K, V = 70, 1, 16, 20
# a form in chunks, the recurrence, and whether decays are of key channels
PAIRS = [
    pytest.param(chunk_simple_gla, fused_recurrent_simple_gla, False, id='chunk_simple_gla'),
    pytest.param(fused_chunk_simple_gla, fused_recurrent_simple_gla, False, id='fused_chunk_simple_gla'),
    pytest.param(parallel_simple_gla, fused_recurrent_simple_gla, False, id='parallel_simple_gla'),
    pytest.param(chunk_gla, fused_recurrent_gla, True, id='chunk_gla'),
    pytest.param(chunk_gated_delta_rule, fused_recurrent_gated_delta_rule, False, id='chunk_gated_delta_rule'),
    pytest.param(chunk_kda, fused_recurrent_kda, True, id='chunk_kda'),
]


@pytest.mark.parametrize(('form', 'recurrence', 'has_channels'), PAIRS)
@pytest.mark.parametrize('decay', [-1e5, -1e30, float('-inf')], ids=['1e5', '1e30', 'inf'])
def test_chunk_and_parallel_forms_after_a_step_that_forgets(form, recurrence, has_channels, decay):
    torch.manual_seed(42)
    q, k = F.normalize(torch.randn(2, 1, T, H, K, device=device), dim=-1)
    g = F.logsigmoid(torch.randn(1, T, H, *([K] if has_channels else []), device=device)) * 0.1
    g[:, 5] = decay
    tensors = {'q': q, 'k': k, 'v': torch.randn(1, T, H, V, device=device), 'g': g}
    if form in (chunk_gated_delta_rule, chunk_kda):
        tensors['beta'] = torch.rand(1, T, H, device=device)
    tensors = {name: leaf(x) for name, x in tensors.items()}
    arguments = dict(tensors)
    if recurrence is fused_recurrent_gla:
        arguments['gk'] = arguments.pop('g')
    ref, tri = recurrence(**arguments)[0], form(**tensors)[0]
    assert_close('o', ref, tri, 1e-3)
    do = torch.randn_like(ref)
    grads = [torch.autograd.grad(o, list(tensors.values()), do) for o in (ref, tri)]
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 1e-3)
