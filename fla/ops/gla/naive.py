# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrence S_t = Diag(exp(g_t)) S_{t-1} + k_t v_t^T, o_t = scale S_t^T q_t in plain PyTorch, in two forms."""

import torch


def _prepare(q, k, v, gk):
    dtype = torch.float64 if q.dtype == torch.float64 else torch.float32
    q, k, v, gk = (x.to(dtype).transpose(1, 2) for x in (q, k, v, gk))
    return q * q.shape[-1] ** -0.5, k, v, gk


def naive_recurrent_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    gk: torch.Tensor,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """One step after the other, with the scale `K ** -0.5`.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        gk (Tensor):
            Log decays of the key channels, `[B, T, H, K]`.
        initial_state (Tensor, Optional):
            State before the first step, `[B, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the state after the last step. Default: `False`.
    """
    dtype = v.dtype
    q, k, v, gk = _prepare(q, k, v, gk)
    B, H, T, K, V = *q.shape, v.shape[-1]
    state = q.new_zeros(B, H, K, V) if initial_state is None else initial_state.to(q.dtype)
    outputs = []
    for t in range(T):
        state = state * gk[:, :, t, :, None].exp() + k[:, :, t, :, None] * v[:, :, t, None, :]
        outputs.append((q[:, :, t, :, None] * state).sum(-2))
    o = torch.stack(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None


def naive_chunk_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    gk: torch.Tensor,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = False,
    chunk_size: int = 64,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Chunk after chunk, all steps of a chunk at once; the parameters are those of the recurrent form."""
    dtype = v.dtype
    q, k, v, gk = _prepare(q, k, v, gk)
    B, H, _, K, V = *q.shape, v.shape[-1]
    state = q.new_zeros(B, H, K, V) if initial_state is None else initial_state.to(q.dtype)
    outputs = []
    for b_q, b_k, b_v, b_g in zip(*(x.split(chunk_size, dim=2) for x in (q, k, v, gk)), strict=True):
        total = b_g.cumsum(-2)
        causal = torch.ones(*total.shape[-2:-1] * 2, dtype=torch.bool, device=total.device).tril()
        # [B, H, C, C, K]
        decay = (total[..., :, None, :] - total[..., None, :, :]).masked_fill(~causal[..., None], float('-inf')).exp()
        attn = torch.einsum('bhik,bhjk,bhijk->bhij', b_q, b_k, decay)
        outputs.append((b_q * total.exp()) @ state + attn @ b_v)
        b_k = b_k * (total[..., -1:, :] - total).exp()
        state = state * total[..., -1, :, None].exp() + b_k.transpose(-1, -2) @ b_v
    o = torch.cat(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None
