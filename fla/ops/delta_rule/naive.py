# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The delta rule in plain PyTorch: step by step, chunk by chunk, and as one matrix of attention."""

import torch

from fla.ops.gated_delta_rule.naive import naive_chunk_gated_delta_rule, naive_recurrent_gated_delta_rule


def delta_rule_recurrence(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    initial_state: torch.Tensor | None = None,
    output_final_state: bool = True,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """One step after the other, with the scale `K ** -0.5`.

    Args:
        q (Tensor):
            Queries, `[B, T, H, K]`.
        k (Tensor):
            Keys, `[B, T, H, K]`.
        v (Tensor):
            Values, `[B, T, H, V]`.
        beta (Tensor):
            How much of what a key stands for is replaced, `[B, T, H]`.
        initial_state (Tensor, Optional):
            State before the first step, `[B, H, K, V]`. Default: `None`.
        output_final_state (bool, Optional):
            Return the state after the last step. Default: `True`.
    """
    return naive_recurrent_gated_delta_rule(q, k, v, beta, None, None, initial_state, output_final_state)


def delta_rule_chunkwise(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    chunk_size: int = 32,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Chunk after chunk, all steps of a chunk at once; the outputs and the final state."""
    return naive_chunk_gated_delta_rule(q, k, v, None, beta, chunk_size, output_final_state=True)


def delta_rule_parallel(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    BM: int = 128,
    BN: int = 32,
) -> tuple[torch.Tensor, torch.Tensor]:
    """All steps at once: the outputs and the matrix of attention that gives them, `[B, H, T, T]`.

    With L = tril(diag(beta) K K^T, -1) the corrected values are (I + L)^-1 diag(beta) V, so the matrix is X diag(beta) for X (I + L) = tril(Q K^T). Rows are solved for `BM` at a time, columns `BN` at a time from the last to the first.
    """
    dtype = v.dtype
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    q, k, v, beta = (x.to(wide).transpose(1, 2) for x in (q, k, v, beta))
    T = q.shape[2]
    lower = (beta[..., None] * (k @ k.transpose(-1, -2))).tril(-1)
    scores = (q @ k.transpose(-1, -2)).tril() * q.shape[-1] ** -0.5
    rows = []
    for block in scores.split(BM, dim=2):
        solved = block[..., T:]
        for start in reversed(range(0, T, BN)):
            end = min(start + BN, T)
            rest = block[..., start:end] - solved @ lower[..., end:, start:end]
            unit = torch.eye(end - start, dtype=wide, device=q.device) + lower[..., start:end, start:end]
            solved = torch.cat([torch.linalg.solve_triangular(unit, rest, upper=False, left=False), solved], dim=-1)
        rows.append(solved)
    attn = torch.cat(rows, dim=2) * beta[..., None, :]
    return (attn @ v).transpose(1, 2).to(dtype), attn
