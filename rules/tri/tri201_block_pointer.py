# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule

if TYPE_CHECKING:
    import libcst as cst

    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.source.unit import Unit


class BlockPointer(Rule):
    """Block pointers, which Triton 3.9 has removed.

    ## What it does
    x
    """

    code = 'TRI201'
    name = 'block-pointer'
    severity = 'error'
    triton = '>=3.9'
    words = ('make_block_ptr', 'advance')

    def visit_Call(self, node: 'cst.Call', unit: 'Unit', file: 'File') -> 'Iterator[Finding]':
        """Flag calls that make or move a block pointer."""
        if unit.source(node.func).endswith(('tl.make_block_ptr', 'tl.advance')):
            yield self.finding(unit.range(node), 'bp')
