# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The former name of chunked GLA."""

import torch

from fla.ops.gla.chunk import chunk_gla


def fused_chunk_gla(**kwargs) -> tuple[torch.Tensor, torch.Tensor | None]:
    """`chunk_gla`, under the name of a form that is gone."""
    return chunk_gla(**kwargs)
