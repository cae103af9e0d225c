# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Checks of what a public operator is given, made before a kernel could read out of bounds."""

import sys
import warnings

import torch


def check_inputs(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    initial_state: torch.Tensor | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> None:
    """Raise `ValueError` unless shapes and types of q, k, v, the state and the offsets fit together."""
    if q.dim() != 4 or q.shape != k.shape or v.dim() != 4 or q.shape[:3] != v.shape[:3]:
        shapes = ', '.join(str(tuple(x.shape)) for x in (q, k, v))
        raise ValueError(f'q, k [B, T, H, K] and v [B, T, H, V] do not fit together: {shapes}')
    _check_types(q, k, v)
    B, _, H, K = q.shape
    N = count_sequences(B, cu_seqlens)
    _check_shape('the initial state', initial_state, (N, H, v.shape[-1], K) if state_v_first else (N, H, K, v.shape[-1]))


def check_gates(q: torch.Tensor, v: torch.Tensor, **gates: torch.Tensor | None) -> None:
    """Raise `ValueError` for a gate of another shape than its name asks for: `g`, `g_gamma`, `gk` or `gv`."""
    shapes = {'g': q.shape[:3], 'g_gamma': q.shape[2:3], 'gk': q.shape, 'gv': v.shape}
    for name, gate in gates.items():
        _check_shape(name, gate, tuple(shapes[name]))


def check_extras(kwargs: dict) -> None:
    """Raise `ValueError` for the layout `[B, H, T, ...]`, which is gone, and warn about arguments that mean nothing here."""
    extras = dict(kwargs)
    if extras.pop('head_first', False):
        raise ValueError('head_first is not supported: the layout is [B, T, H, ...]')
    if extras:
        warnings.warn(f'unknown arguments are ignored: {", ".join(sorted(extras))}', stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """How many frames above the function that asks the code stands which is neither of this package nor of torch."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get('__name__', '').partition('.')[0] in ('fla', 'torch'):
        level, frame = level + 1, frame.f_back
    return level


def check_delta_inputs(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    beta: torch.Tensor,
    g: torch.Tensor | None = None,
    gk: torch.Tensor | None = None,
    gv: torch.Tensor | None = None,
    initial_state: torch.Tensor | None = None,
    state_v_first: bool = False,
    cu_seqlens: torch.LongTensor | None = None,
) -> None:
    """Raise `ValueError` unless what a delta rule is given fits together; v, beta and the gates may have more heads than q and k."""
    if beta is None:
        raise ValueError('beta is missing')
    if q.dim() != 4 or q.shape != k.shape or v.dim() != 4 or q.shape[:2] != v.shape[:2] or v.shape[2] % max(q.shape[2], 1):
        shapes = ', '.join(str(tuple(x.shape)) for x in (q, k, v))
        raise ValueError(f'q, k [B, T, H, K] and v [B, T, HV, V], HV a multiple of H, do not fit together: {shapes}')
    _check_types(q, k, v)
    K, (B, T, HV, V) = q.shape[-1], v.shape
    if K > 256:
        raise ValueError(f'heads of more than 256 key channels are not supported, got {K}')
    N = count_sequences(B, cu_seqlens)
    _check_shape('beta', beta, (B, T, HV))
    _check_shape('g', g, (B, T, HV))
    _check_shape('gk', gk, (B, T, HV, K))
    _check_shape('gv', gv, (B, T, HV, V))
    _check_shape('the initial state', initial_state, (N, HV, V, K) if state_v_first else (N, HV, K, V))


def count_sequences(B: int, cu_seqlens: torch.Tensor | None) -> int:
    """The number of sequences of `B` batch entries, which have to be one if sequences are packed."""
    if cu_seqlens is None:
        return B
    if B != 1:
        raise ValueError(f'with cu_seqlens the batch size has to be 1, got {B}: flatten the sequences first')
    return len(cu_seqlens) - 1


def _check_types(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    if not q.dtype == k.dtype == v.dtype:
        raise ValueError(f'q, k and v have to be of one type, got {q.dtype}, {k.dtype} and {v.dtype}')


def _check_shape(name: str, tensor: torch.Tensor | None, shape: tuple[int, ...]) -> None:
    if tensor is not None and tensor.shape != shape:
        raise ValueError(f'{name} has to be of the shape {shape}, got {tuple(tensor.shape)}')


def check_layout(x: torch.Tensor, dim: int, cu_seqlens: torch.Tensor | None, kwargs: dict) -> None:
    """Raise `ValueError` unless x has `dim` dimensions, and one batch entry if sequences are packed."""
    check_extras(kwargs)
    if x.dim() != dim:
        raise ValueError(f'expected {dim} dimensions, got the shape {tuple(x.shape)}')
    count_sequences(x.shape[0], cu_seqlens)


def check_chunk_size(chunk_size: int) -> None:
    """Raise `ValueError` unless a chunk size is a power of two."""
    if chunk_size != 1 << (chunk_size - 1).bit_length():
        raise ValueError(f'chunk_size has to be a power of two, got {chunk_size}')
