# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The delta rule in chunks, under the name that older code uses."""

from fla.ops.delta_rule.chunk import chunk_delta_rule


def fused_chunk_delta_rule(**kwargs):
    """`chunk_delta_rule`."""
    return chunk_delta_rule(**kwargs)
