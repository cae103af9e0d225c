# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Linear attention by products of matrices in plain PyTorch, for tensors on the CPU, where Triton compiles nothing.

All chunks are handled at once, so that there is no loop over steps or chunks. Gradients are those of torch.
"""

import torch
import torch.nn.functional as F

from fla.ops.backends import BaseBackend
from fla.ops.utils.checks import check_inputs
from fla.ops.utils.op import IS_INTERPRETED

CHUNK_SIZE = 64
EPSILON = 1e-10

States = torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None


class MatmulBackend(BaseBackend):
    """Serves tensors on the CPU, unless Triton interprets its kernels there."""

    name = 'matmul'
    env_var = 'FLA_LINEAR_ATTN_MATMUL'

    def is_available(self) -> bool:
        """Triton's interpreter runs kernels on the CPU, and is switched on to see them run."""
        return not IS_INTERPRETED.value

    def chunk_linear_attn(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        scale: float | None = None,
        initial_state: torch.Tensor | tuple | None = None,
        output_final_state: bool = False,
        normalize: bool = True,
        cu_seqlens: torch.LongTensor | None = None,
    ) -> tuple[torch.Tensor, States]:
        """As the function of that name."""
        return attend(q, k, v, scale, initial_state, output_final_state, False, normalize, cu_seqlens)

    def fused_chunk_linear_attn(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        scale: float | None = None,
        initial_state: torch.Tensor | tuple | None = None,
        output_final_state: bool = False,
        normalize: bool = True,
        cu_seqlens: torch.LongTensor | None = None,
    ) -> tuple[torch.Tensor, States]:
        """As the function of that name."""
        return attend(q, k, v, scale, initial_state, output_final_state, False, normalize, cu_seqlens)

    def fused_recurrent_linear_attn(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        scale: float | None = None,
        initial_state: torch.Tensor | tuple | None = None,
        output_final_state: bool = False,
        reverse: bool = False,
        normalize: bool = False,
        cu_seqlens: torch.LongTensor | None = None,
    ) -> tuple[torch.Tensor, States]:
        """As the function of that name."""
        return attend(q, k, v, scale, initial_state, output_final_state, reverse, normalize, cu_seqlens)

    def chunk_linear_attn_verifier(self, q: torch.Tensor, *args, **kwargs) -> str | None:
        """Why it does not serve the call, if it does not."""
        return None if q.device.type == 'cpu' else 'it is for tensors on the CPU'

    fused_chunk_linear_attn_verifier = chunk_linear_attn_verifier
    fused_recurrent_linear_attn_verifier = chunk_linear_attn_verifier


def attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None,
    initial_state: States,
    output_final_state: bool,
    reverse: bool,
    normalize: bool,
    cu_seqlens: torch.LongTensor | None,
) -> tuple[torch.Tensor, States]:
    """Linear attention, of packed sequences one after the other."""
    kv, z = initial_state if isinstance(initial_state, tuple | list) else (initial_state, None)
    check_inputs(q, k, v, kv, False, cu_seqlens)
    check_inputs(q, k, v[..., :1], z[..., None] if z is not None else None, False, cu_seqlens)
    dtype = torch.float64 if q.dtype == torch.float64 else torch.float32
    N = q.shape[0] if cu_seqlens is None else len(cu_seqlens) - 1
    H, K, V = *q.shape[2:], v.shape[-1]
    kv = q.new_zeros(N, H, K, V, dtype=dtype) if kv is None else kv.to(dtype)
    z = q.new_zeros(N, H, K, dtype=dtype) if z is None else z.to(dtype)
    inputs = (q.to(dtype) * (K ** -0.5 if scale is None else scale), k.to(dtype), v.to(dtype))
    if cu_seqlens is None:
        o, kv, z = _attend(*inputs, kv, z, reverse, normalize)
    else:
        lens = cu_seqlens.diff().tolist()
        parts = zip(*(x.split(lens, dim=1) for x in inputs), kv.split(1), z.split(1), strict=True)
        results = [_attend(*part, reverse, normalize) for part in parts]
        o = torch.cat([part[0] for part in results], dim=1)
        kv, z = (torch.cat([part[i] for part in results]) for i in (1, 2))
    final_state = (kv, z) if normalize else kv
    return o.to(v.dtype), final_state if output_final_state else None


def _attend(q, k, v, kv, z, reverse, normalize):
    """The outputs and the final states of sequences of one length; q is scaled."""
    if reverse:
        o, kv, z = _attend(q.flip(1), k.flip(1), v.flip(1), kv, z, False, normalize)
        return o.flip(1), kv, z
    o, kv = _attend_to_values(q, k, v, kv)
    if normalize:
        sums = z[:, None] + k.cumsum(1)
        o = o / ((q * sums).sum(-1, keepdim=True) + EPSILON)
        z = z + k.sum(1)
    return o, kv, z


def _attend_to_values(q, k, v, kv):
    T = q.shape[1]
    # [B, H, NT, C, D]
    q, k, v = (_cut(x) for x in (q, k, v))
    states = torch.cat([kv[:, :, None], k.transpose(-1, -2) @ v], dim=2).cumsum(2)
    o = q @ states[:, :, :-1] + (q @ k.transpose(-1, -2)).tril() @ v
    return o.flatten(2, 3)[:, :, :T].transpose(1, 2), states[:, :, -1]


def _cut(x: torch.Tensor) -> torch.Tensor:
    """Chunks `[B, H, NT, C, D]` of `[B, T, H, D]`, the last one filled up with zeros."""
    x = F.pad(x.transpose(1, 2), (0, 0, 0, -x.shape[1] % CHUNK_SIZE))
    return x.unflatten(2, (x.shape[2] // CHUNK_SIZE, CHUNK_SIZE))
