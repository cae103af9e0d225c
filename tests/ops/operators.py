# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the tests of operators have in common: run one, run its reference sequence by sequence, compare both."""

from collections.abc import Callable

import torch

from fla.utils import assert_close

RATIO = {torch.float: 0.001, torch.half: 0.005, torch.bfloat16: 0.008}
DTYPE_NAMES = {torch.float: 'fp32', torch.half: 'fp16', torch.bfloat16: 'bf16'}


def leaf(x: torch.Tensor) -> torch.Tensor:
    """`x` as an input that gets a gradient."""
    return x.detach().requires_grad_()


def run(op: Callable, tensors: dict[str, torch.Tensor], state_v_first: bool, **kwargs) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the final states `[N, H, K, V]` of an operator, with the states laid out as asked."""
    arguments = dict(tensors)
    if state_v_first:
        arguments['initial_state'] = arguments['initial_state'].transpose(-1, -2)
    o, ht = op(**arguments, output_final_state=True, state_v_first=state_v_first, **kwargs)
    return o, ht.transpose(-1, -2) if state_v_first else ht


def one_by_one(form: Callable, tensors: dict[str, torch.Tensor], lens: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the final states of packed sequences, each given to a form by itself."""
    outputs, states = [], []
    bos = 0
    for n, length in enumerate(lens):
        parts = {name: x[:, bos:bos + length] for name, x in tensors.items() if name != 'initial_state'}
        parts['initial_state'] = tensors['initial_state'][n:n + 1]
        bos += length
        if length == 0:
            states.append(parts['initial_state'])
            continue
        o, ht = form(parts)
        outputs.append(o)
        states.append(ht)
    return torch.cat(outputs, dim=1), torch.cat(states)


def compare(
    ref: tuple[torch.Tensor, torch.Tensor],
    tri: tuple[torch.Tensor, torch.Tensor],
    tensors: dict[str, torch.Tensor],
    dtype: torch.dtype,
    err_atols: dict[str, float] | None = None,
) -> None:
    """Assert that outputs, final states and the gradients of all inputs agree, those of some inputs also where their absolute error is below a bound."""
    do, dht = torch.randn_like(ref[0]), torch.randn_like(ref[1])
    leaves = list(tensors.values())
    grads = [torch.autograd.grad((o * do).sum() + (ht * dht).sum(), leaves) for o, ht in (ref, tri)]
    assert tri[0].dtype == dtype and tri[1].dtype == torch.float
    assert_close('o', ref[0], tri[0], RATIO[dtype])
    assert_close('ht', ref[1], tri[1], RATIO[dtype])
    for name, ref_grad, tri_grad in zip(tensors, *grads, strict=True):
        assert_close(f'd{name}', ref_grad, tri_grad, RATIO[dtype], err_atol=(err_atols or {}).get(name, 1e-6))


def pad_rows(x: torch.Tensor) -> torch.Tensor:
    """`x` as the left part of wider rows, the rest of which holds 1e30."""
    wide = torch.full((*x.shape[:-1], x.shape[-1] + 16), 1e30, dtype=x.dtype, device=x.device)
    wide[..., :x.shape[-1]] = x.detach()
    return wide[..., :x.shape[-1]].requires_grad_()


def pad_tensor(x: torch.Tensor) -> torch.Tensor:
    """`x`, contiguous, with 1e30 before its first and after its last element."""
    flat = torch.full((x.numel() + 8192,), 1e30, dtype=x.dtype, device=x.device)
    flat[4096:4096 + x.numel()] = x.detach().flatten()
    return flat[4096:4096 + x.numel()].view(x.shape).requires_grad_()
