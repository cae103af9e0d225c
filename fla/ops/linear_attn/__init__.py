# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.linear_attn.chunk import chunk_linear_attn
from fla.ops.linear_attn.fused_chunk import fused_chunk_linear_attn
from fla.ops.linear_attn.fused_recurrent import fused_recurrent_linear_attn

__all__ = [
    'chunk_linear_attn',
    'fused_chunk_linear_attn',
    'fused_recurrent_linear_attn',
]
