# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run every operator once, forward and backward, at small and odd shapes: what `compute-sanitizer` watches.

    FLA_CI_ENV=1 compute-sanitizer --tool memcheck python -m benchmarks.ops.exercise

`FLA_CI_ENV=1` keeps the autotuner from running each kernel many times over.
"""

import sys

import torch
import torch.nn.functional as F

from fla import ops
from fla.modules import group_norm, l2norm, rms_norm_gated, sigmoid, swiglu
from fla.ops.common.chunk_o import chunk_bwd_dv_local
from fla.ops.common.chunk_scaled_dot_kkt import chunk_scaled_dot_kkt_fwd
from fla.ops.gated_delta_rule.gate import fused_gdn_gate
from fla.ops.kda.gate import fused_kda_gate
from fla.ops.utils import chunk_global_cumsum
from fla.ops.utils.logsumexp import logsumexp_fwd
from fla.ops.utils.matmul import addmm, matmul
from fla.ops.utils.pack import pack_sequence, unpack_sequence
from fla.ops.utils.pooling import mean_pooling
from fla.ops.utils.softmax import softmax_bwd, softmax_fwd
from fla.ops.utils.solve_tril import solve_tril
from fla.utils import device

# T is no multiple of a chunk; K and V are no powers of two
B, T, H, K, V = 2, 70, 2, 20, 36
CU_SEQLENS = [0, 1, 1, 65, 140]


def main() -> int:
    """Run them all; gives the exit code."""
    torch.manual_seed(42)
    for layout in ('dense', 'varlen'):
        for name in ops.__all__:
            run(name, layout)
            print(layout, name, flush=True)
        run_tools(layout)
        print(layout, 'tools', flush=True)
    return 0


def run_tools(layout: str) -> None:
    """Run what operators and layers are made of."""
    offsets = torch.tensor(CU_SEQLENS, device=device)
    cu_seqlens = None if layout == 'dense' else offsets
    x = torch.randn(1, B * T, H, K, device=device, requires_grad=True)
    g = torch.randn(1, B * T, H, device=device, requires_grad=True)
    rates = torch.zeros(H, device=device, requires_grad=True)
    outputs = [
        l2norm(x),
        group_norm(x.flatten(-2), rates.repeat(K), num_groups=H),
        rms_norm_gated(x, x, residual=x),
        swiglu(x, sigmoid(x)),
        fused_kda_gate(x, rates, lower_bound=-5.0),
        fused_gdn_gate(g, rates),
        mean_pooling(x, 32, cu_seqlens=cu_seqlens),
        pack_sequence(unpack_sequence(x[0], offsets), offsets),
    ]
    torch.autograd.grad(sum(one.square().sum() for one in outputs), [x, g, rates])
    with torch.no_grad():
        chunk_global_cumsum(x, reverse=True, cu_seqlens=cu_seqlens)
        chunk_global_cumsum(g, cu_seqlens=cu_seqlens)
        solve_tril(chunk_scaled_dot_kkt_fwd(x, beta=g, cu_seqlens=cu_seqlens), cu_seqlens=cu_seqlens)
        chunk_bwd_dv_local(x, x, x, g, cu_seqlens=cu_seqlens)
        rows = x[0, :, 0]
        softmax_bwd(softmax_fwd(rows), rows)
        logsumexp_fwd(rows)
        addmm(matmul(rows, rows.T), rows, rows.T)


def run(name: str, layout: str) -> None:
    """Run an operator forward and backward."""
    is_dense = layout == 'dense'
    n, length, states = (B, T, B) if is_dense else (1, B * T, len(CU_SEQLENS) - 1)
    tensors = {
        'q': F.normalize(torch.randn(n, length, H, K, device=device), dim=-1),
        'k': F.normalize(torch.randn(n, length, H, K, device=device), dim=-1),
        'v': torch.randn(n, length, H, V, device=device),
    }
    if 'linear_attn' in name:
        tensors['q'], tensors['k'] = tensors['q'].abs(), tensors['k'].abs()
    if 'parallel' not in name:
        tensors['initial_state'] = torch.randn(states, H, K, V, device=device)
    if 'delta_rule' in name or 'gdn' in name or 'kda' in name:
        tensors['beta'] = torch.rand(n, length, H, device=device)
    if 'simple_gla' in name or 'gated' in name or 'gdn' in name:
        tensors['g'] = F.logsigmoid(torch.randn(n, length, H, device=device))
    elif 'gla' in name or 'kda' in name:
        gate = 'gk' if name == 'fused_recurrent_gla' else 'g'
        tensors[gate] = F.logsigmoid(torch.randn(n, length, H, K, device=device))
    leaves = {key: tensor.requires_grad_() for key, tensor in tensors.items()}
    options = {} if 'parallel' in name else {'output_final_state': True}
    if not is_dense:
        options['cu_seqlens'] = torch.tensor(CU_SEQLENS, device=device)
    outputs = getattr(ops, name)(**leaves, **options)
    flat = [one for output in outputs for one in (output if isinstance(output, tuple) else (output,)) if one is not None]
    torch.autograd.grad(sum(one.float().square().sum() for one in flat), list(leaves.values()))


if __name__ == '__main__':
    sys.exit(main())
