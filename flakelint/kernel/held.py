# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large what a program holds at once can be: there are only so many registers, and so much shared memory."""

from typing import TYPE_CHECKING

from flakelint.kernel.graph import each_value
from flakelint.kernel.relations import upper_limits
from flakelint.kernel.strides import stripped

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

# a block of as many rows as columns, such as the state of a head
_SQUARE = 1 << 7
# a dimension of what is multiplied as a matrix, with sixteen rows or more beside it
_MULTIPLIED = 1 << 9


def held(model: 'Model') -> dict[str, int]:
    """How large parameters commonly are at most, since blocks hold a dimension of that length whole.

    Args:
        model (Model):
            The kernel.
    """
    found: dict[str, int] = {}
    for value in model.made:
        if value.op == 'dot':
            for operand in each_value(value.operands):
                found.update(dict.fromkeys(set(operand.shape or ()) & model.parameters.keys() - found.keys(), _MULTIPLIED))
    lengths = {id(one): one.operands[1] for one in model.aranges}
    for small, large in upper_limits(model.comparisons):
        for lane in map(stripped, each_value([small])):
            end = lengths.get(id(lane))
            names = {one.name for one in each_value([end])} if end is not None else set()
            if names & found.keys():
                found.update({one.name: _MULTIPLIED for one in each_value([large]) if one.op == 'parameter'})
    for value in model.made:
        if value.shape and len(value.shape) > 1 and value.shape[-1] == value.shape[-2] and value.shape[-1] in model.parameters:
            found[value.shape[-1]] = _SQUARE
    return found
