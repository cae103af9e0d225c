# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.delta_rule.chunk import chunk_delta_rule
from fla.ops.delta_rule.fused_chunk import fused_chunk_delta_rule
from fla.ops.delta_rule.fused_recurrent import fused_recurrent_delta_rule

__all__ = [
    'chunk_delta_rule',
    'fused_chunk_delta_rule',
    'fused_recurrent_delta_rule',
]
