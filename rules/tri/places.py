# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where findings in a kernel stand, whose accesses may lie in helpers of other files."""

import ast
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.rule import Rule
    from flakelint.kernel.frames import Access, Frame
    from flakelint.kernel.graph import Value
    from flakelint.kernel.kernels import Kernel


def is_to_tell(rule: 'Rule', node: 'ast.AST', frame: 'Frame', file: 'File') -> bool:
    """Whether something lies in the file, and the rule has told nothing there yet; it counts as told from then on."""
    return frame.kernel.path == file.path and file.is_first(rule.code, file.range(node))


def beside(shown: 'Access | Value', note: str, file: 'File') -> list[Related]:
    """A place that belongs to a finding, if it lies in the same file."""
    return [Related(file.range(shown.node), note)] if shown.frame.kernel.path == file.path else []


def may_be_launched(kernel: 'Kernel', file: 'File') -> bool:
    """Whether nothing shows that a kernel is called by others only: that it returns something, or is a method."""
    return takes_arguments(kernel, file) or not (kernel.returns_value or kernel.owners)


def takes_arguments(kernel: 'Kernel', file: 'File') -> bool:
    """Whether a kernel is evidently launched, so that what is no constant of its parameters is an argument of the run time."""
    launches = file.launches
    return launches.is_launched(kernel) or launches.is_whole(kernel) or bool(file.repository.launches(kernel))
