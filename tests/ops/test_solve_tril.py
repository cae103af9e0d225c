# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import itertools

import pytest
import torch
import torch.nn.functional as F

from fla.ops.common.chunk_scaled_dot_kkt import chunk_scaled_dot_kkt_fwd
from fla.ops.gated_delta_rule.chunk_fwd import chunk_gated_delta_rule_fwd_intra
from fla.ops.gated_delta_rule.wy_fast import prepare_wy_repr_bwd, recompute_w_u_fwd
from fla.ops.utils import chunk_local_cumsum
from fla.ops.utils.solve_tril import solve_tril
from fla.utils import assert_close, by_size, device
from tests.ops.operators import leaf

B, T, H, HV, K, V = by_size(small=(1, 70, 1, 2, 20, 36), full=(2, 500, 2, 4, 100, 60))
LENS = by_size([1, 33, 0, 36], [1, 300, 0, 199])
GATES = pytest.mark.parametrize('has_gate', [False, True], ids=['plain', 'gated'])


def bounds(layout, BT):
    """The batch entry, the begin and the end of each chunk, and the offsets."""
    if layout == 'dense':
        return [(b, t, min(t + BT, T)) for b in range(B) for t in range(0, T, BT)], None
    offsets = torch.tensor([0, *LENS]).cumsum(0).tolist()
    ends = list(itertools.pairwise(offsets))
    chunks = [(0, t, min(t + BT, eos)) for bos, eos in ends for t in range(bos, eos, BT)]
    return chunks, torch.tensor(offsets, device=device)


def make_inputs(n, has_gate, cu_seqlens, BT=64):
    k = leaf(F.normalize(torch.randn(n, T, H, K, device=device), dim=-1))
    v = leaf(torch.randn(n, T, HV, V, device=device))
    beta = leaf(torch.rand(n, T, HV, device=device))
    if not has_gate:
        return k, v, beta, None
    g = F.logsigmoid(torch.randn(n, T, HV, device=device))
    return k, v, beta, leaf(chunk_local_cumsum(g, BT, cu_seqlens=cu_seqlens))


def chunk_scores(k, beta, g):
    """The rows of a chunk, `[HV, C, C]`, from `[C, ...]`."""
    k = k.repeat_interleave(HV // H, dim=1)
    scores = torch.einsum('ihk,jhk->hij', k, k) * beta.T[:, :, None]
    if g is not None:
        scores = scores * (g.T[:, :, None] - g.T[:, None, :]).tril().exp()
    return scores.tril(-1)


def wy(k, v, beta, g, chunks):
    """w and u of all chunks, differentiable."""
    w, u = [], []
    for b, start, end in chunks:
        one = slice(start, end)
        b_g = g[b, one] if g is not None else None
        unit = torch.eye(end - start, device=device) + chunk_scores(k[b, one], beta[b, one], b_g)
        b_k = k[b, one].repeat_interleave(HV // H, dim=1) * beta[b, one, :, None]
        b_k = b_k if b_g is None else b_k * b_g.exp()[..., None]
        solved = (torch.linalg.solve(unit, x.transpose(0, 1)) for x in (b_k, v[b, one] * beta[b, one, :, None]))
        for found, x in zip((w, u), solved, strict=True):
            found.append(x.transpose(0, 1))
    return tuple(torch.cat(x).unflatten(0, (v.shape[0], -1)) for x in (w, u))


@pytest.mark.parametrize('BT', [16, 32, 64])
@pytest.mark.parametrize('layout', ['dense', 'varlen'])
def test_solve_tril(BT, layout):
    torch.manual_seed(42)
    chunks, cu_seqlens = bounds(layout, BT)
    # what is on and above the diagonal must not be read
    A = torch.randn(B if layout == 'dense' else 1, T, HV, BT, device=device) * 0.3
    Ai = solve_tril(A, cu_seqlens=cu_seqlens)
    for b, start, end in chunks:
        C = end - start
        unit = torch.eye(C, device=device) + A[b, start:end, :, :C].transpose(0, 1).tril(-1)
        assert_close('Ai', torch.linalg.inv(unit), Ai[b, start:end, :, :C].transpose(0, 1), 1e-4)


def test_solve_tril_of_other_types():
    torch.manual_seed(42)
    A = (torch.randn(1, 32, 1, 32, device=device) * 0.3).bfloat16()
    assert solve_tril(A, output_dtype=torch.half).dtype == torch.half
    assert solve_tril(A).dtype == torch.float
    assert solve_tril(A[:, :0]).shape == (1, 0, 1, 32)
    with pytest.raises(ValueError, match='16, 32 or 64'):
        solve_tril(torch.zeros(1, 8, 1, 8, device=device))


@GATES
@pytest.mark.parametrize('layout', ['dense', 'varlen'])
def test_chunk_scaled_dot_kkt(has_gate, layout):
    torch.manual_seed(42)
    chunks, cu_seqlens = bounds(layout, 32)
    k, _, beta, g = make_inputs(B if layout == 'dense' else 1, has_gate, cu_seqlens, 32)
    with torch.no_grad():
        A = chunk_scaled_dot_kkt_fwd(k, g, beta, cu_seqlens=cu_seqlens, chunk_size=32)
        for b, start, end in chunks:
            ref = chunk_scores(k[b, start:end], beta[b, start:end], g[b, start:end] if has_gate else None)
            tri = A[b, start:end].transpose(0, 1)
            assert_close('A', ref, tri[..., :end - start], 1e-4)
            assert not tri[..., end - start:].any()


@GATES
@pytest.mark.parametrize('layout', ['dense', 'varlen'])
def test_wy_representation(has_gate, layout):
    torch.manual_seed(42)
    chunks, cu_seqlens = bounds(layout, 64)
    k, v, beta, g = make_inputs(B if layout == 'dense' else 1, has_gate, cu_seqlens)
    ref = wy(k, v, beta, g, chunks)
    dw, du = (torch.randn_like(x) for x in ref)
    leaves = [k, v, beta, *([g] if has_gate else [])]
    grads = torch.autograd.grad(ref, leaves, [dw, du])
    k, v, beta, *gates = (x.detach() for x in leaves)
    g = gates[0] if has_gate else None
    w, u, A = chunk_gated_delta_rule_fwd_intra(k, v, g, beta, cu_seqlens=cu_seqlens)
    again = recompute_w_u_fwd(k, v, beta, A, g, cu_seqlens=cu_seqlens)
    for name, one, tri, repeated in zip('wu', ref, (w, u), again, strict=True):
        assert_close(name, one, tri, 1e-4)
        assert_close(name, one, repeated, 1e-4)
    tri_grads = prepare_wy_repr_bwd(k, v, beta, A, dw, du, g, cu_seqlens=cu_seqlens)
    for name, ref_grad, tri_grad in zip(('dk', 'dv', 'dbeta', 'dg'), grads, tri_grads, strict=False):
        assert_close(name, ref_grad, tri_grad, 1e-4)
    assert (tri_grads[3] is None) != has_gate
