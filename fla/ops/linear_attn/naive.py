# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The recurrence S_t = S_{t-1} + k_t v_t^T, o_t = scale S_t^T q_t in plain PyTorch, in two forms, and its normaliser."""

import torch

from fla.ops.simple_gla.naive import naive_chunk_simple_gla, naive_recurrent_simple_gla

EPSILON = 1e-10


def naive_recurrent_linear_attn(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None = None,
    output_final_state: bool = False,
    normalize: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None]:
    """One step after the other.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        scale (float, Optional):
            Factor of the output, `K ** -0.5` if it is `None`. Default: `None`.
        initial_state (Tensor | tuple[Tensor, Tensor], Optional):
            State before the first step, `[B, H, K, V]`, alone or with the sum of the keys before it, `[B, H, K]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the state after the last step, with `normalize` a pair of it and the sum of the keys. Default: `False`.
        normalize (bool, Optional):
            Divide the output by `scale * q_t^T z_t + 1e-10`, where `z_t` is the sum of the keys up to step t. Default: `False`.
    """
    kv, z = initial_state if isinstance(initial_state, tuple) else (initial_state, None)
    o, kv = naive_recurrent_simple_gla(q, k, v, None, scale=scale, initial_state=kv, output_final_state=output_final_state)
    return _normalize(q, k, o, kv, z, scale, output_final_state) if normalize else (o, kv)


def naive_chunk_linear_attn(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    initial_state: torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None = None,
    output_final_state: bool = False,
    normalize: bool = False,
    chunk_size: int = 64,
) -> tuple[torch.Tensor, torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None]:
    """Chunk after chunk, all steps of a chunk at once; the parameters are those of the recurrent form."""
    kv, z = initial_state if isinstance(initial_state, tuple) else (initial_state, None)
    o, kv = naive_chunk_simple_gla(
        q,
        k,
        v,
        None,
        scale=scale,
        initial_state=kv,
        output_final_state=output_final_state,
        chunk_size=chunk_size,
    )
    return _normalize(q, k, o, kv, z, scale, output_final_state) if normalize else (o, kv)


def _normalize(q, k, o, kv, z, scale, output_final_state):
    scale = k.shape[-1] ** -0.5 if scale is None else scale
    dtype = torch.float64 if q.dtype == torch.float64 else torch.float32
    start = k.new_zeros(k.shape[0], *k.shape[2:]) if z is None else z
    sums = start.to(dtype)[:, None] + k.to(dtype).cumsum(1)
    total = (q.to(dtype) * scale * sums).sum(-1, keepdim=True)
    end = sums[:, -1] if sums.shape[1] else start.to(dtype)
    return (o.to(dtype) / (total + EPSILON)).to(o.dtype), (kv, end) if output_final_state else None
