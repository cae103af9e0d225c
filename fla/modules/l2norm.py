# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`l2norm` as a module."""

import torch
from torch import nn

from fla.ops.common.l2norm import l2norm, l2norm_bwd, l2norm_fwd

__all__ = ['L2Norm', 'l2norm', 'l2norm_bwd', 'l2norm_fwd']


class L2Norm(nn.Module):
    """Division of vectors by their L2 norm.

    Args:
        eps (float, Optional):
            What is added to the sum of squares. Default: `1e-6`.
        output_dtype (torch.dtype, Optional):
            Type of the result, that of the input if it is `None`. Default: `None`.
    """

    def __init__(self, eps: float = 1e-6, output_dtype: torch.dtype | None = None):
        super().__init__()
        self.eps = eps
        self.output_dtype = output_dtype

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return l2norm(x, self.eps, self.output_dtype)
