# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.retention.chunk import chunk_retention
from fla.ops.retention.fused_chunk import fused_chunk_retention
from fla.ops.retention.fused_recurrent import fused_recurrent_retention
from fla.ops.retention.parallel import parallel_retention

__all__ = [
    'chunk_retention',
    'fused_chunk_retention',
    'fused_recurrent_retention',
    'parallel_retention',
]
