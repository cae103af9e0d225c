# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrence S_t = exp(g_t) S_{t-1} + k_t v_t^T, o_t = scale S_t^T q_t in plain PyTorch, in three forms."""

import torch


def _compute_dtype(x: torch.Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _prepare(q, k, v, g, scale):
    scale = k.shape[-1] ** -0.5 if scale is None else scale
    dtype = _compute_dtype(q)
    q, k, v = (x.to(dtype).transpose(1, 2) for x in (q, k, v))
    g = q.new_zeros(q.shape[:3]) if g is None else g.to(dtype).transpose(1, 2)
    return q * scale, k, v, g


def naive_recurrent_simple_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = True,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """One step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        g (Tensor):
            Log decays, `[B, T, H]`, or `None` for no decay.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor, Optional):
            State before the first step, `[B, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the state after the last step. Default: `True`.
    """
    dtype = v.dtype
    q, k, v, g = _prepare(q, k, v, g, scale)
    B, H, T, K, V = *q.shape, v.shape[-1]
    state = q.new_zeros(B, H, K, V) if initial_state is None else initial_state.to(q.dtype)
    outputs = []
    for t in range(T):
        state = state * g[:, :, t, None, None].exp() + k[:, :, t, :, None] * v[:, :, t, None, :]
        outputs.append((q[:, :, t, :, None] * state).sum(-2))
    o = torch.stack(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None


def naive_parallel_simple_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    scale: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """All steps at once; returns the outputs and the decayed scores `[B, H, T, T]`."""
    dtype = v.dtype
    q, k, v, g = _prepare(q, k, v, g, scale)
    attn = (q @ k.transpose(-1, -2)) * _decay_mask(g)
    return (attn @ v).transpose(1, 2).to(dtype), attn


def naive_chunk_simple_gla(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = True,
    chunk_size: int = 64,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Chunk after chunk, all steps of a chunk at once; the parameters are those of the recurrent form."""
    dtype = v.dtype
    q, k, v, g = _prepare(q, k, v, g, scale)
    B, H, _, K, V = *q.shape, v.shape[-1]
    state = q.new_zeros(B, H, K, V) if initial_state is None else initial_state.to(q.dtype)
    outputs = []
    for b_q, b_k, b_v, b_g in zip(*(x.split(chunk_size, dim=2) for x in (q, k, v, g)), strict=True):
        total = b_g.cumsum(-1)
        inter = (b_q * total[..., None].exp()) @ state
        intra = ((b_q @ b_k.transpose(-1, -2)) * _decay_mask(b_g)) @ b_v
        outputs.append(inter + intra)
        b_k = b_k * (total[..., -1:] - total)[..., None].exp()
        state = state * total[..., -1, None, None].exp() + b_k.transpose(-1, -2) @ b_v
    o = torch.cat(outputs, dim=2) if outputs else v
    return o.transpose(1, 2).to(dtype), state if output_final_state else None


def _decay_mask(g: torch.Tensor) -> torch.Tensor:
    total = g.cumsum(-1)
    causal = torch.ones(g.shape[-1], g.shape[-1], dtype=torch.bool, device=g.device).tril()
    return (total[..., :, None] - total[..., None, :]).masked_fill(~causal, float('-inf')).exp()
