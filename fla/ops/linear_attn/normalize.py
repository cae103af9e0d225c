# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Linear attention as simple GLA without gates, and its normaliser as one more channel of the values, which is always 1.

The gradient of q is a difference of what comes through the outputs and what comes through the normaliser, which are of a size. So that it is rounded once, and not they, both go through the same kernels.
"""

import math
from collections.abc import Callable

import torch

from fla.ops.utils.checks import check_inputs

EPSILON = 1e-10
# rows of values stay aligned to 16 bytes, so that they are loaded in vectors
ALIGNMENT = 16

States = torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None


def by_simple_gla(
    form: Callable[..., tuple[torch.Tensor, torch.Tensor | None]],
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None,
    initial_state: States,
    output_final_state: bool,
    normalize: bool,
    cu_seqlens: torch.LongTensor | None,
    **options,
) -> tuple[torch.Tensor, States]:
    """The outputs and the final states, by a form of simple GLA that gets the options too."""
    kv, z = initial_state if isinstance(initial_state, tuple | list) else (initial_state, None)
    options.update(output_final_state=output_final_state, cu_seqlens=cu_seqlens)
    if not normalize:
        return form(q=q, k=k, v=v, scale=scale, initial_state=kv, **options)
    K, V = k.shape[-1], v.shape[-1]
    factor = _balance(q.shape[1])
    options['scale'] = (K ** -0.5 if scale is None else scale) * factor
    extra = _with_one(v)
    check_inputs(q, k, v, kv, False, cu_seqlens)
    check_inputs(q, k, extra[..., :1], z[..., None] if z is not None else None, False, cu_seqlens)
    o, ht = form(q=q, k=k, v=torch.cat([v, extra], dim=-1), initial_state=_join(kv, z, extra.shape[-1], V), **options)
    total = o[..., V:V + 1].float() + EPSILON * factor
    final_state = (ht[..., :V].contiguous(), ht[..., V].contiguous()) if output_final_state else None
    return (o[..., :V] / total).to(v.dtype), final_state


def _balance(T: int) -> float:
    """A factor of numerators and denominators, which cancels out, and with which fp16 holds them and their gradients.

    Sums over T steps and gradients divided by them stay within a range of about the square root of T around 1; a power of two rounds nothing.
    """
    return 2. ** -round(math.log2(max(T, 1)) / 2)


def _with_one(v: torch.Tensor) -> torch.Tensor:
    """Channels that go with the values: a 1, and zeros up to the next aligned row."""
    width = ALIGNMENT // v.element_size()
    extra = v.new_zeros(*v.shape[:3], width - v.shape[-1] % width)
    extra[..., 0] = 1
    return extra


def _join(kv: torch.Tensor | None, z: torch.Tensor | None, extra: int, V: int) -> torch.Tensor | None:
    """The states of all channels, `[N, H, K, V + extra]`; what is not given is 0."""
    if kv is None and z is None:
        return None
    kv = z.new_zeros(*z.shape, V) if kv is None else kv
    z = kv.new_zeros(kv.shape[:3]) if z is None else z
    return torch.cat([kv, z[..., None], kv.new_zeros(*kv.shape[:3], extra - 1)], dim=-1)
