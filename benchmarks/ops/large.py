# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run operators on tensors of more than 2**31 elements, and compare the last sequences with the same ones alone.

    python -m benchmarks.ops.large

What stands past 2**31 elements is right only if every address is computed in 64 bits. The tensors take up to 120 GB.
"""

import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F

from fla.ops import chunk_gated_delta_rule, fused_recurrent_simple_gla
from fla.utils import assert_close, device

H, D = 64, 128


def main() -> int:
    """Run both; gives the exit code."""
    torch.manual_seed(42)
    check('fused_recurrent_simple_gla, forward', fused_recurrent_simple_gla, 4112, 64, [], with_gradients=False)
    check('chunk_gated_delta_rule, forward and backward', chunk_gated_delta_rule, 257, 1024, ['beta'], with_gradients=True)
    return 0


def check(title: str, op: Callable, B: int, T: int, gates: list[str], with_gradients: bool) -> None:
    """Compare the last two batch entries of `B` with what they give alone."""
    tensors = {name: torch.randn(B, T, H, D, device=device, dtype=torch.bfloat16) for name in 'qkv'}
    for name in 'qk':
        for entry in tensors[name]:
            entry.copy_(F.normalize(entry, dim=-1))
    tensors['g'] = F.logsigmoid(torch.randn(B, T, H, device=device))
    tensors.update((name, torch.rand(B, T, H, device=device).bfloat16()) for name in gates)
    last = {name: x[-2:].clone() for name, x in tensors.items()}
    results = [run(op, one, with_gradients) for one in (tensors, last)]
    size = B * T * H * D
    print(f'{title}: B = {B}, T = {T}, H = {H}, D = {D}, {size:,} elements = 2**31 + {size - 2 ** 31:,}', flush=True)
    for name, whole, alone in zip(['o', *tensors], *results, strict=False):
        assert_close(name, alone, whole[-2:], 1e-3)


def run(op: Callable, tensors: dict[str, torch.Tensor], with_gradients: bool) -> list[torch.Tensor]:
    """The outputs and, if asked for, the gradients of all inputs."""
    if not with_gradients:
        with torch.no_grad():
            return [op(**tensors)[0]]
    leaves = {name: x.requires_grad_() for name, x in tensors.items()}
    o, _ = op(**leaves)
    # the outputs stand in for their own gradient, which saves a tensor
    return [o, *torch.autograd.grad(o, list(leaves.values()), o.detach())]


if __name__ == '__main__':
    sys.exit(main())
