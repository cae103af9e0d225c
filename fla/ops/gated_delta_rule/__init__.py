# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.gated_delta_rule.chunk import chunk_gated_delta_rule, chunk_gdn
from fla.ops.gated_delta_rule.fused_recurrent import fused_recurrent_gated_delta_rule, fused_recurrent_gdn

__all__ = [
    'chunk_gated_delta_rule',
    'chunk_gdn',
    'fused_recurrent_gated_delta_rule',
    'fused_recurrent_gdn',
]
