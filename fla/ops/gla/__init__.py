# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.gla.chunk import chunk_gla
from fla.ops.gla.fused_chunk import fused_chunk_gla
from fla.ops.gla.fused_recurrent import fused_recurrent_gla

__all__ = [
    'chunk_gla',
    'fused_chunk_gla',
    'fused_recurrent_gla',
]
