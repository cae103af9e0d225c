# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest
import torch
import torch.nn.functional as F

from fla.ops.common.chunk_h import chunk_bwd_dh, chunk_fwd_h
from fla.ops.utils import chunk_local_cumsum
from fla.utils import assert_close, by_size, device

CHUNK_SIZE = 16
ALL_GATES = 'g+g_gamma+gk+gv'
SPLITS = [pytest.param(None, id='each-chunk'), pytest.param(32, id='split32')]
GATES = ('', 'g', 'g_gamma', 'gk', 'gv', ALL_GATES)
CASES = [
    *(pytest.param(gates, False, None, id=f'{gates or "none"}-state_kv') for gates in GATES),
    *(pytest.param(gates, True, None, id=f'{gates or "none"}-state_vk') for gates in ('', ALL_GATES)),
    *(pytest.param(gates, False, 32, id=f'{gates or "none"}-state_kv-split32') for gates in ('', ALL_GATES)),
]
SHAPE = by_size(small=(2, 53, 1, 20, 36), full=(2, 500, 3, 100, 60))
LENS = by_size(small=[1, 16, 0, 36], full=[1, 64, 0, 200, 235])


def make_inputs(B, T, H, K, V, N, gates):
    def log_decay(*shape):
        return F.logsigmoid(torch.randn(*shape, device=device))

    q, k = torch.randn(2, B, T, H, K, device=device)
    v, do = torch.randn(2, B, T, H, V, device=device)
    shapes = {'g': (B, T, H), 'g_gamma': (H,), 'gk': (B, T, H, K), 'gv': (B, T, H, V)}
    decays = {name: log_decay(*shapes[name]) for name in gates.split('+') if name}
    h0, dht = torch.randn(2, N, H, K, V, device=device)
    return q, k, v, do, decays, h0.requires_grad_(), dht


def reference(q, k, v, do, decays, h0, dht, split_size, scale):
    """The states before each split, the final state, and the gradients of the states after each split and of h0."""
    T = q.shape[1]
    if T == 0:
        return [], h0, [], dht
    borders, loss, state = [], 0, h0
    for t in range(T):
        if t % split_size == 0:
            # a node of its own, so that its gradient leaves out the output of the step before
            state = state.clone()
            borders.append(state)
        for name, index in (('g', (..., None, None)), ('gk', (..., None)), ('gv', (..., None, slice(None)))):
            if name in decays:
                state = state * decays[name][:, t][index].exp()
        if 'g_gamma' in decays:
            state = state * decays['g_gamma'][:, None, None].exp()
        state = state + k[:, t, :, :, None] * v[:, t, :, None, :]
        loss = loss + scale * (q[:, t, :, :, None] * state * do[:, t, :, None, :]).sum()
    loss = loss + (state * dht).sum()
    grads = torch.autograd.grad(loss, borders, retain_graph=True)
    return borders, state, [*grads[1:], dht], grads[0]


def run(q, k, v, do, decays, h0, dht, split_size, scale, state_v_first, cu_seqlens=None):
    layout = (lambda x: x.transpose(-1, -2).contiguous()) if state_v_first else (lambda x: x)
    sums = {
        name: decay if name == 'g_gamma' else chunk_local_cumsum(decay, CHUNK_SIZE, cu_seqlens=cu_seqlens)
        for name, decay in decays.items()
    }
    options = {
        'state_v_first': state_v_first,
        'cu_seqlens': cu_seqlens,
        'chunk_size': CHUNK_SIZE,
        'split_size': split_size,
        'states_in_fp32': True,
    }
    h, ht = chunk_fwd_h(k, v, **sums, h0=layout(h0.detach()), output_final_state=True, **options)
    dh, dh0 = chunk_bwd_dh(q, k, v, do, layout(h0.detach()), layout(dht), scale, **sums, **options)
    return tuple(layout(x) for x in (h, ht, dh, dh0))


def compare(ref, tri):
    for name, x, y in zip(['h', 'ht', 'dh', 'dh0'], ref, tri, strict=True):
        assert_close(name, x, y, 1e-4)


@pytest.mark.parametrize(('gates', 'state_v_first', 'split_size'), CASES)
def test_chunk_h(gates, state_v_first, split_size):
    torch.manual_seed(42)
    inputs = make_inputs(*SHAPE, SHAPE[0], gates)
    h, ht, dh, dh0 = reference(*inputs, split_size or CHUNK_SIZE, 0.3)
    tri = run(*inputs, split_size, 0.3, state_v_first)
    compare((torch.stack(h, 1), ht, torch.stack(dh, 1), dh0), tri)


@pytest.mark.parametrize('gates', ['g+g_gamma', 'gk+gv'])
@pytest.mark.parametrize('split_size', SPLITS)
def test_chunk_h_varlen(gates, split_size):
    torch.manual_seed(42)
    q, k, v, do, decays, h0, dht = make_inputs(1, sum(LENS), *SHAPE[2:], len(LENS), gates)
    results = []
    bos = 0
    for n, length in enumerate(LENS):
        span = slice(bos, bos + length)
        parts = {name: x if name == 'g_gamma' else x[:, span] for name, x in decays.items()}
        tensors = (q[:, span], k[:, span], v[:, span], do[:, span], parts, h0[n:n + 1], dht[n:n + 1])
        results.append(reference(*tensors, split_size or CHUNK_SIZE, 0.3))
        bos += length
    h, ht, dh, dh0 = zip(*results, strict=True)
    ref = (
        torch.stack([x for part in h for x in part], 1),
        torch.cat(ht),
        torch.stack([x for part in dh for x in part], 1),
        torch.cat(dh0),
    )
    cu_seqlens = torch.tensor([0, *LENS], device=device).cumsum(0)
    compare(ref, run(q, k, v, do, decays, h0, dht, split_size, 0.3, False, cu_seqlens))


def test_chunk_h_dtypes():
    torch.manual_seed(42)
    k, v = torch.randn(2, 1, 20, 1, 16, dtype=torch.bfloat16, device=device)
    h, ht = chunk_fwd_h(k, v)
    assert h.dtype == torch.bfloat16 and ht is None
    h, ht = chunk_fwd_h(k, v, output_final_state=True, states_in_fp32=True)
    assert h.dtype == torch.float and ht.dtype == torch.float
    with pytest.raises(ValueError, match='multiple of chunk_size'):
        chunk_fwd_h(k, v, chunk_size=16, split_size=24)
