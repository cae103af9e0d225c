# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Find what is wrong with a Triton kernel by reading it, and keep a repository's conventions."""

__version__ = '0.1.0'
