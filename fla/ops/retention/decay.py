# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The decays of retention, which differ from head to head and are never learned."""

import torch


def log_decays(H: int, device: torch.device) -> torch.Tensor:
    """The log decay of a step of each head, `log(1 - 2^(-5-h))`, `[H]` in fp32."""
    return torch.log1p(-torch.exp2(-5 - torch.arange(H, dtype=torch.float, device=device)))
