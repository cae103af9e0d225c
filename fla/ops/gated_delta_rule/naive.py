# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The gated delta rule in plain PyTorch, step by step and chunk by chunk."""

import torch


def prepare(q, k, v, beta, g, scale):
    """All `[B, HV, T, ...]` and in fp32 at least, q and k once for each head of values, q scaled."""
    dtype = torch.float64 if q.dtype == torch.float64 else torch.float32
    groups = v.shape[2] // q.shape[2]
    q, k = (x.repeat_interleave(groups, dim=2) if groups > 1 else x for x in (q, k))
    g = torch.zeros_like(beta) if g is None else g
    q, k, v, beta, g = (x.to(dtype).transpose(1, 2) for x in (q, k, v, beta, g))
    return q * (q.shape[-1] ** -0.5 if scale is None else scale), k, v, beta, g


def first_state(q, v, initial_state):
    """The state before the first step, `[B, HV, K, V]`, of what `prepare` returned; 0 if none is given."""
    B, HV, _, K = q.shape
    return q.new_zeros(B, HV, K, v.shape[-1]) if initial_state is None else initial_state.to(q.dtype)


def naive_recurrent_gated_delta_rule(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    g: torch.Tensor,
    scale: float = None,
    initial_state: torch.Tensor = None,
    output_final_state: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """One step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, HV, V]` with HV a multiple of H.
        beta (Tensor):
            How much of what a key stands for is replaced, `[B, T, HV]`.
        g (Tensor):
            Log decays, `[B, T, HV]`, or `None`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            State before the first step, `[B, HV, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the state after the last step. Default: `False`.
    """
    dtype = v.dtype
    q, k, v, beta, g = prepare(q, k, v, beta, g, scale)
    state = first_state(q, v, initial_state)
    outputs = []
    for t in range(q.shape[2]):
        state = state * g[:, :, t, None, None].exp()
        error = v[:, :, t] - (state * k[:, :, t, :, None]).sum(-2)
        state = state + k[:, :, t, :, None] * (beta[:, :, t, None] * error)[:, :, None]
        outputs.append((q[:, :, t, :, None] * state).sum(-2))
    o = torch.stack(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None


def naive_chunk_gated_delta_rule(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    chunk_size: int = 64,
    scale: float = None,
    initial_state: torch.Tensor = None,
    output_final_state: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Chunk after chunk, all steps of a chunk at once; the parameters are those of the recurrent form."""
    dtype = v.dtype
    q, k, v, beta, g = prepare(q, k, v, beta, g, scale)
    state = first_state(q, v, initial_state)
    outputs = []
    for b_q, b_k, b_v, b_beta, b_g in zip(*(x.split(chunk_size, dim=2) for x in (q, k, v, beta, g)), strict=True):
        total = b_g.cumsum(-1)
        causal = torch.ones(*total.shape[-1:] * 2, dtype=torch.bool, device=total.device).tril()
        # [B, HV, C, C]
        decay = (total[..., :, None] - total[..., None, :]).masked_fill(~causal, float('-inf')).exp()
        lower = (b_beta[..., None] * decay * (b_k @ b_k.transpose(-1, -2))).tril(-1)
        corrected = b_beta[..., None] * (b_v - (b_k * total.exp()[..., None]) @ state)
        unit = torch.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device)
        corrected = torch.linalg.solve_triangular(unit + lower, corrected, upper=False, unitriangular=True)
        attn = (b_q @ b_k.transpose(-1, -2)) * decay
        outputs.append((b_q * total.exp()[..., None]) @ state + attn @ corrected)
        b_k = b_k * (total[..., -1:] - total).exp()[..., None]
        state = state * total[..., -1].exp()[..., None, None] + b_k.transpose(-1, -2) @ corrected
    o = torch.cat(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None
