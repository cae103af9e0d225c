# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.common.fused_recurrent import fused_recurrent
from fla.utils import assert_close, by_size, device

SHAPE = by_size(small=(1, 11, 2, 20, 40), full=(2, 100, 3, 200, 60))
GATES = ['gk', 'gv', 'g+g_gamma+gk+gv']


def reference(q, k, v, decays, h0, reverse):
    state, outputs = h0, [None] * q.shape[1]
    for t in reversed(range(q.shape[1])) if reverse else range(q.shape[1]):
        for name, index in (('g', (..., None, None)), ('gk', (..., None)), ('gv', (..., None, slice(None)))):
            if name in decays:
                state = state * decays[name][:, t][index].exp()
        if 'g_gamma' in decays:
            state = state * decays['g_gamma'][:, None, None].exp()
        state = state + k[:, t, :, :, None] * v[:, t, :, None, :]
        outputs[t] = (q[:, t, :, :, None] * state).sum(-2) * q.shape[-1] ** -0.5
    return torch.stack(outputs, 1), state


@pytest.mark.parametrize('gates', GATES)
@pytest.mark.parametrize('reverse', [False, True], ids=['forward', 'reverse'])
@pytest.mark.parametrize('state_v_first', [False, True], ids=['state_kv', 'state_vk'])
def test_fused_recurrent(gates, reverse, state_v_first):
    torch.manual_seed(42)
    B, T, H, K, V = SHAPE
    shapes = {'g': (B, T, H), 'g_gamma': (H,), 'gk': (B, T, H, K), 'gv': (B, T, H, V)}
    decays = {name: F.logsigmoid(torch.randn(shapes[name], device=device)) for name in gates.split('+')}
    leaves = {name: torch.randn(B, T, H, size, device=device) for name, size in (('q', K), ('k', K), ('v', V))}
    leaves['h0'] = torch.randn(B, H, K, V, device=device)
    leaves.update({name: decay for name, decay in decays.items() if name != 'g_gamma'})
    for x in leaves.values():
        x.requires_grad_()
    q, k, v, h0 = (leaves[name] for name in ('q', 'k', 'v', 'h0'))

    ref = reference(q, k, v, decays, h0, reverse)
    o, ht = fused_recurrent(
        q=q,
        k=k,
        v=v,
        **decays,
        initial_state=h0.transpose(-1, -2) if state_v_first else h0,
        output_final_state=True,
        reverse=reverse,
        state_v_first=state_v_first,
    )
    tri = (o, ht.transpose(-1, -2) if state_v_first else ht)
    do, dht = torch.randn_like(ref[0]), torch.randn_like(ref[1])
    grads = [torch.autograd.grad(results, list(leaves.values()), [do, dht]) for results in (ref, tri)]
    assert_close('o', ref[0], tri[0], 1e-4)
    assert_close('ht', ref[1], tri[1], 1e-4)
    for name, ref_grad, tri_grad in zip(leaves, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, 1e-4)
