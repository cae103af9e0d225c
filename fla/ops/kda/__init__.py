# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.kda.chunk import chunk_kda
from fla.ops.kda.fused_recurrent import fused_recurrent_kda

__all__ = [
    'chunk_kda',
    'fused_recurrent_kda',
]
