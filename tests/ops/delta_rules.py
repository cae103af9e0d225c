# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the tests of the delta rules with decays have in common: their shapes, and inputs."""

import pytest
import torch
import torch.nn.functional as F

from fla.utils import by_size, device
from tests.ops.operators import DTYPE_NAMES, leaf


def case(shape, strength, dtype, state_v_first=False):
    """`shape` is (B, T, H, HV, K, V), `strength` the mean log decay of a step, about."""
    name = '-'.join(f'{dim}{size}' for dim, size in zip(('B', 'T', 'H', 'HV', 'K', 'V'), shape, strict=True))
    name = f'{name}-decay{strength}-{DTYPE_NAMES[dtype]}'
    return pytest.param(shape, strength, dtype, state_v_first, id=f'{name}-state_vk' if state_v_first else name)


def varlen_case(lens, shape, strength, dtype, state_v_first=False):
    name = '-'.join(f'{dim}{size}' for dim, size in zip(('H', 'HV', 'K', 'V'), shape, strict=True))
    name = f'{"_".join(map(str, lens))}-{name}-decay{strength}-{DTYPE_NAMES[dtype]}'
    return pytest.param(lens, shape, strength, dtype, state_v_first, id=f'{name}-state_vk' if state_v_first else name)


CHUNK_CASES = by_size(
    small=[
        case((1, 63, 1, 1, 64, 64), 0.1, torch.float),
        case((1, 70, 1, 2, 20, 40), 3, torch.float, state_v_first=True),
        case((1, 70, 1, 1, 16, 16), 30, torch.float),
        case((1, 40, 2, 2, 20, 36), 1, torch.half),
        case((1, 70, 1, 1, 60, 16), 0.1, torch.bfloat16, state_v_first=True),
        case((1, 1, 1, 1, 16, 16), 1, torch.float),
    ],
    full=[
        case((1, 63, 1, 1, 64, 64), 0.1, torch.float),
        case((2, 500, 2, 4, 20, 40), 1, torch.float, state_v_first=True),
        case((2, 200, 2, 2, 64, 64), 30, torch.float),
        case((2, 1000, 3, 3, 100, 60), 1, torch.half),
        case((2, 1024, 4, 8, 128, 64), 0.1, torch.bfloat16),
        case((2, 2000, 4, 4, 128, 128), 1, torch.bfloat16),
        case((2, 500, 2, 2, 256, 256), 0.1, torch.half, state_v_first=True),
        case((1, 8192, 2, 2, 128, 128), 0.05, torch.bfloat16),
        case((1, 1, 1, 1, 16, 16), 1, torch.float),
    ],
)
RECURRENT_CASES = by_size(
    small=[
        case((1, 15, 1, 2, 32, 20), 0.1, torch.float),
        case((2, 15, 2, 2, 20, 40), 3, torch.half, state_v_first=True),
        case((1, 15, 1, 1, 130, 16), 1, torch.bfloat16),
        case((1, 1, 1, 1, 16, 16), 1, torch.float),
    ],
    full=[
        case((1, 63, 1, 2, 64, 64), 0.1, torch.float),
        case((2, 100, 2, 2, 20, 40), 3, torch.half, state_v_first=True),
        case((2, 500, 4, 4, 128, 128), 1, torch.bfloat16),
        case((1, 100, 1, 1, 256, 100), 1, torch.float),
        case((1, 1, 1, 1, 16, 16), 1, torch.float),
    ],
)
VARLEN_CASES = by_size(
    small=[
        varlen_case([1, 64, 0, 10], (1, 1, 20, 20), 1, torch.float),
        varlen_case([33, 3], (1, 2, 32, 16), 0.1, torch.half, state_v_first=True),
    ],
    full=[
        varlen_case([1, 64, 0, 70], (2, 2, 20, 20), 1, torch.float),
        varlen_case([1000, 3, 500, 497], (2, 4, 128, 64), 0.1, torch.half, state_v_first=True),
        varlen_case([15, 2000, 33], (2, 2, 100, 100), 1, torch.bfloat16),
    ],
)


def make_inputs(B, T, H, HV, K, V, N, strength, dtype, gate_sizes=(), is_normalised=True):
    """Inputs whose log decays are `[B, T, HV, *gate_sizes]`."""
    q, k = torch.randn(2, B, T, H, K, device=device)
    if is_normalised:
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
    return {
        'q': leaf(q.to(dtype)),
        'k': leaf(k.to(dtype)),
        'v': leaf(torch.randn(B, T, HV, V, device=device).to(dtype)),
        'g': leaf(F.logsigmoid(torch.randn(B, T, HV, *gate_sizes, device=device)) * strength),
        'beta': leaf(torch.rand(B, T, HV, device=device).to(dtype)),
        'initial_state': leaf(torch.randn(N, HV, K, V, device=device)),
    }
