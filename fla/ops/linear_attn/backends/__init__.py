# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from fla.ops.backends import BackendRegistry
from fla.ops.linear_attn.backends.matmul import MatmulBackend

__all__ = ['MatmulBackend', 'linear_attn_registry']

linear_attn_registry = BackendRegistry('linear_attn')
linear_attn_registry.register(MatmulBackend())
