# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""KDA in plain PyTorch, step by step and chunk by chunk."""

import torch

from fla.ops.gated_delta_rule.naive import first_state, prepare


def naive_recurrent_kda(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
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
        g (Tensor):
            Log decays of the key channels, `[B, T, HV, K]`.
        beta (Tensor):
            How much of what a key stands for is replaced, `[B, T, HV]`.
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
        state = state * g[:, :, t, :, None].exp()
        error = v[:, :, t] - (state * k[:, :, t, :, None]).sum(-2)
        state = state + k[:, :, t, :, None] * (beta[:, :, t, None] * error)[:, :, None]
        outputs.append((q[:, :, t, :, None] * state).sum(-2))
    o = torch.stack(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None


def naive_chunk_kda(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    chunk_size: int = 64,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Chunk after chunk, all steps of a chunk at once; the parameters are those of the recurrent form."""
    dtype = v.dtype
    q, k, v, beta, g = prepare(q, k, v, beta, g, scale)
    state = first_state(q, v, initial_state)
    outputs = []
    for b_q, b_k, b_v, b_g, b_beta in zip(*(x.split(chunk_size, dim=2) for x in (q, k, v, g, beta)), strict=True):
        total = b_g.cumsum(-2)
        causal = torch.ones(*total.shape[-2:-1] * 2, dtype=torch.bool, device=total.device).tril()
        # [B, HV, C, C, K]
        decay = (total[..., :, None, :] - total[..., None, :, :]).masked_fill(~causal[..., None], float('-inf')).exp()
        lower = (b_beta[..., None] * torch.einsum('bhik,bhjk,bhijk->bhij', b_k, b_k, decay)).tril(-1)
        corrected = b_beta[..., None] * (b_v - (b_k * total.exp()) @ state)
        unit = torch.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device)
        corrected = torch.linalg.solve_triangular(unit + lower, corrected, upper=False, unitriangular=True)
        attn = torch.einsum('bhik,bhjk,bhijk->bhij', b_q, b_k, decay)
        outputs.append((b_q * total.exp()) @ state + attn @ corrected)
        b_k = b_k * (total[..., -1:, :] - total).exp()
        state = state * total[..., -1, :, None].exp() + b_k.transpose(-1, -2) @ corrected
    o = torch.cat(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None
