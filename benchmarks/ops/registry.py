# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The operators that are timed: their inputs, the shapes, and how much they have to move and to multiply at least."""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F

from fla.ops import (
    chunk_delta_rule,
    chunk_gated_delta_rule,
    chunk_gla,
    chunk_kda,
    chunk_linear_attn,
    chunk_retention,
    chunk_simple_gla,
    fused_chunk_simple_gla,
    fused_recurrent_gla,
    fused_recurrent_simple_gla,
    parallel_simple_gla,
)


class Shape(NamedTuple):
    """The sizes of an input: batch entries, steps, heads, and channels of keys and of values."""

    B: int
    T: int
    H: int
    D: int


class Operator(NamedTuple):
    """An operator.

    Args:
        function (Callable):
            The operator.
        inputs (Callable[[Shape, torch.dtype], dict[str, torch.Tensor]]):
            Makes its inputs on the GPU, those that get gradients among them.
        tests (str):
            The file of its tests.
        chunk_size (int, Optional):
            The length of its chunks, 0 for a recurrence. Default: `0`.
        gate_channels (bool, Optional):
            Whether its gates have a value a key channel. Default: `False`.
        is_gated (bool, Optional):
            Whether it has gates that are tensors. Default: `True`.
        is_parallel (bool, Optional):
            Whether it takes the scores of all steps, and has no state. Default: `False`.
    """

    function: Callable
    inputs: Callable[[Shape, torch.dtype], dict[str, torch.Tensor]]
    tests: str
    chunk_size: int = 0
    gate_channels: bool = False
    is_gated: bool = True
    is_parallel: bool = False

    def floor(self, shape: Shape, dtype: torch.dtype) -> tuple[int, int]:
        """The bytes that the forward pass has to read and write, each once, and the operations of its matrix products.

        A chunk of C steps takes 2 C D D for the part of its state in the outputs, as many for the new state, and 2 C C D each for its scores and their part in the outputs, half of which are masked. A parallel form is one chunk without a state.
        """
        B, T, H, D = shape
        size = dtype.itemsize
        gates = B * T * H * (D if self.gate_channels else 1) * 4 if self.is_gated else 0
        moved = 4 * B * T * H * D * size + gates
        if self.is_parallel:
            return moved, B * T * H * D * 2 * T
        chunk = self.chunk_size or 1
        return moved, B * T * H * D * (4 * D + 2 * chunk)


SHAPES = (Shape(8, 2048, 8, 128), Shape(2, 16384, 16, 128), Shape(1, 65536, 8, 64))


def _qkv(shape: Shape, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    B, T, H, D = shape
    return {name: torch.randn(B, T, H, D, device='cuda', dtype=dtype).requires_grad_() for name in 'qkv'}


def _log_gate(*sizes: int) -> torch.Tensor:
    return (F.logsigmoid(torch.randn(*sizes, device='cuda')) / 16).requires_grad_()


def _linear_attn(shape: Shape, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    inputs = _qkv(shape, dtype)
    return {**inputs, **{name: inputs[name].detach().relu().add(0.1).requires_grad_() for name in 'qk'}}


def _simple_gla(shape: Shape, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    return {**_qkv(shape, dtype), 'g': _log_gate(*shape[:3])}


def _gla(name: str) -> Callable[[Shape, torch.dtype], dict[str, torch.Tensor]]:
    return lambda shape, dtype: {**_qkv(shape, dtype), name: _log_gate(*shape)}


def _delta_rule(shape: Shape, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    inputs = _qkv(shape, dtype)
    for name in 'qk':
        inputs[name] = F.normalize(inputs[name], dim=-1).detach().requires_grad_()
    return {**inputs, 'beta': torch.rand(shape[:3], device='cuda', dtype=dtype).requires_grad_()}


def _gated_delta_rule(shape: Shape, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    return {**_delta_rule(shape, dtype), 'g': _log_gate(*shape[:3])}


def _kda(shape: Shape, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    return {**_delta_rule(shape, dtype), 'g': _log_gate(*shape)}


_SIMPLE_TESTS, _GLA_TESTS = 'tests/ops/test_simple_gla.py', 'tests/ops/test_gla.py'
_PARALLEL_TESTS = 'tests/ops/test_simple_gla_parallel.py'
OPERATORS: dict[str, Operator] = {
    'chunk_simple_gla': Operator(chunk_simple_gla, _simple_gla, _SIMPLE_TESTS, 64),
    'fused_recurrent_simple_gla': Operator(fused_recurrent_simple_gla, _simple_gla, _SIMPLE_TESTS),
    'fused_chunk_simple_gla': Operator(fused_chunk_simple_gla, _simple_gla, _SIMPLE_TESTS, 64),
    'parallel_simple_gla': Operator(parallel_simple_gla, _simple_gla, _PARALLEL_TESTS, is_parallel=True),
    'chunk_linear_attn': Operator(chunk_linear_attn, _linear_attn, 'tests/ops/test_linear_attn.py', 64, is_gated=False),
    'chunk_retention': Operator(chunk_retention, _qkv, 'tests/ops/test_retention.py', 64, is_gated=False),
    'chunk_gla': Operator(chunk_gla, _gla('g'), _GLA_TESTS, 64, True),
    'chunk_delta_rule': Operator(chunk_delta_rule, _delta_rule, 'tests/ops/test_delta_rule.py', 64),
    'chunk_gated_delta_rule': Operator(chunk_gated_delta_rule, _gated_delta_rule, 'tests/ops/test_gated_delta_rule.py', 64),
    'chunk_kda': Operator(chunk_kda, _kda, 'tests/ops/test_kda.py', 64, True),
    'fused_recurrent_gla': Operator(fused_recurrent_gla, _gla('gk'), _GLA_TESTS, 0, True),
}
