# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.common.chunk_o import chunk_bwd_dqkwg, chunk_bwd_dv, chunk_bwd_dv_local, chunk_fwd_o
from fla.ops.utils import chunk_local_cumsum
from fla.utils import assert_close, by_size, device

SHAPE = by_size(small=(1, 40, 2, 20, 36), full=(2, 500, 3, 100, 140))
CHUNK_SIZE = 16
GATES = ['', 'g', 'g_gamma', 'g+g_gamma']
GATE_IDS = [name or 'none' for name in GATES]
LAYOUTS = [pytest.param(False, id='state_kv'), pytest.param(True, id='state_vk')]


def make_inputs(gates):
    B, T, H, K, V = SHAPE
    NT = -(-T // CHUNK_SIZE)
    q, k = torch.randn(2, B, T, H, K, device=device)
    v, do = torch.randn(2, B, T, H, V, device=device)
    h, dh = torch.randn(2, B, NT, H, K, V, device=device)
    leaves = [x.requires_grad_() for x in (q, k, v, h)]
    names = gates.split('+')
    g = None
    if 'g' in names:
        g = chunk_local_cumsum(F.logsigmoid(torch.randn(B, T, H, device=device)), CHUNK_SIZE).requires_grad_()
    g_gamma = -torch.rand(H, device=device) if 'g_gamma' in names else None
    return leaves, g, g_gamma, do, dh


def chunk_scores(q, k, decay, scale):
    scores = torch.einsum('bthk,bshk->bhts', q, k) * scale
    decay = decay.transpose(1, 2)
    causal = torch.ones(q.shape[1], q.shape[1], dtype=torch.bool, device=q.device).tril()
    return scores * (decay[..., :, None] - decay[..., None, :]).masked_fill(~causal, float('-inf')).exp()


def reference(q, k, v, h, g, g_gamma, scale):
    """For each chunk its outputs and the state after it, the one before it being given."""
    outputs, states = [], []
    for i, bos in enumerate(range(0, q.shape[1], CHUNK_SIZE)):
        b_q, b_k, b_v = (x[:, bos:bos + CHUNK_SIZE] for x in (q, k, v))
        steps = torch.arange(1, b_q.shape[1] + 1, device=device)
        decay = torch.zeros(b_q.shape[:3], device=device)
        decay = decay if g is None else decay + g[:, bos:bos + CHUNK_SIZE]
        decay = decay if g_gamma is None else decay + steps[:, None] * g_gamma
        inter = torch.einsum('bthk,bhkv->bthv', b_q * decay.exp()[..., None], h[:, i]) * scale
        outputs.append(inter + torch.einsum('bhts,bshv->bthv', chunk_scores(b_q, b_k, decay, scale), b_v))
        b_k = b_k * (decay[:, -1:] - decay).exp()[..., None]
        states.append(h[:, i] * decay[:, -1].exp()[..., None, None] + torch.einsum('bthk,bthv->bhkv', b_k, b_v))
    return torch.cat(outputs, 1), torch.stack(states, 1)


@pytest.mark.parametrize(
    ('gates', 'state_v_first'),
    [*((gates, False) for gates in GATES), ('g+g_gamma', True)],
    ids=[*GATE_IDS, 'g+g_gamma-state_vk'],
)
def test_chunk_o(gates, state_v_first):
    torch.manual_seed(42)
    (q, k, v, h), g, g_gamma, do, dh = make_inputs(gates)
    o, state = reference(q, k, v, h, g, g_gamma, 0.3)
    leaves = {'q': q, 'k': k, 'v': v, 'g': g} if g is not None else {'q': q, 'k': k, 'v': v}
    grads = torch.autograd.grad([o, state], list(leaves.values()), [do, dh])
    grads = dict(zip(leaves, grads, strict=True))

    q, k, v, h = (x.detach() for x in (q, k, v, h))
    g = g.detach() if g is not None else None
    if state_v_first:
        h, dh = h.transpose(-1, -2).contiguous(), dh.transpose(-1, -2).contiguous()
    options = {'g': g, 'g_gamma': g_gamma, 'scale': 0.3, 'state_v_first': state_v_first, 'chunk_size': CHUNK_SIZE}
    assert_close('o', o, chunk_fwd_o(q, k, v, h, **options), 1e-4)
    dq, dk, dw, dg = chunk_bwd_dqkwg(q, k, v, do, h, dh, **options)
    assert dw is None
    assert_close('dq', grads['q'], dq, 1e-4)
    assert_close('dk', grads['k'], dk, 1e-4)
    assert_close('dv', grads['v'], chunk_bwd_dv(q, k, do, dh, **options), 1e-4)
    if g is None:
        assert dg is None
    else:
        assert_close('dg', grads['g'], dg, 1e-4)


@pytest.mark.parametrize('state_v_first', LAYOUTS)
def test_chunk_bwd_dw(state_v_first):
    torch.manual_seed(42)
    (q, k, v, h), _, _, do, dh = make_inputs('')
    w = torch.randn_like(k).requires_grad_()
    dv = torch.randn_like(v)
    NT, T = h.shape[1], q.shape[1]
    states = h.detach().repeat_interleave(CHUNK_SIZE, dim=1)[:, :T]
    corrected = v.detach() - torch.einsum('bthk,bthkv->bthv', w, states)
    dw_ref, = torch.autograd.grad(corrected, w, dv)
    assert NT * CHUNK_SIZE >= T

    q, k, v, h, w = (x.detach() for x in (q, k, v, h, w))
    if state_v_first:
        h, dh = h.transpose(-1, -2).contiguous(), dh.transpose(-1, -2).contiguous()
    _, _, dw, _ = chunk_bwd_dqkwg(q, k, v, do, h, dh, w=w, dv=dv, state_v_first=state_v_first, chunk_size=CHUNK_SIZE)
    assert_close('dw', dw_ref, dw, 1e-4)


@pytest.mark.parametrize('gates', GATES, ids=GATE_IDS)
def test_chunk_bwd_dv_local(gates):
    torch.manual_seed(42)
    (q, k, v, h), g, g_gamma, do, _ = make_inputs(gates)
    o, _ = reference(q, k, v, h, g, g_gamma, 0.3)
    ref, = torch.autograd.grad(o, v, do)

    q, k = q.detach(), k.detach()
    g = g.detach() if g is not None else None
    tri = chunk_bwd_dv_local(q, k, do, g=g, g_gamma=g_gamma, scale=0.3, chunk_size=CHUNK_SIZE)
    assert_close('dv', ref, tri, 1e-4)


def test_chunk_bwd_dv_local_of_scores():
    torch.manual_seed(42)
    B, T, H, _, _ = SHAPE
    (q, k, _, _), _, _, do, _ = make_inputs('')
    # what lies above the diagonal must not count
    A = torch.randn(B, T, H, CHUNK_SIZE, device=device)
    parts = []
    for bos in range(0, T, CHUNK_SIZE):
        b_A = A[:, bos:bos + CHUNK_SIZE]
        b_A = b_A[..., :b_A.shape[1]].transpose(1, 2).tril()
        parts.append(torch.einsum('bhts,bthv->bshv', b_A, do[:, bos:bos + CHUNK_SIZE]))
    tri = chunk_bwd_dv_local(q.detach(), k.detach(), do, A=A, chunk_size=CHUNK_SIZE)
    assert_close('dv', torch.cat(parts, 1), tri, 1e-4)
