# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large what a program holds at once can be: there are only so many registers, and so much shared memory."""

from math import prod
from typing import TYPE_CHECKING

from flakelint.kernel.graph import each_value
from flakelint.kernel.launches import NUMBER
from flakelint.kernel.relations import upper_limits
from flakelint.kernel.strides import stripped
from flakelint.kernel.unrolled import ROUNDS, unrolled

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

# a block of as many rows as columns, such as the state of a head
_SQUARE = 1 << 7
# a dimension of what is multiplied as a matrix, with sixteen rows or more beside it
_MULTIPLIED = 1 << 9
# what the registers of a multiprocessor hold
_REGISTERS = 1 << 16


def held(model: 'Model') -> dict[str, int]:
    """How large parameters commonly are at most, since blocks hold a dimension of that length whole.

    Args:
        model (Model):
            The kernel.
    """
    found = _in_blocks(model)
    covers = found | {name: ROUNDS for name, step in unrolled(model.kernel).items() if not step}
    lengths = {id(one): one.operands[1] for one in model.aranges}
    for small, large in upper_limits(model.comparisons):
        for lane in map(stripped, each_value([small])):
            # what the lanes of one block are kept below is no longer than the block
            names = {one.name for one in each_value([lengths[id(lane)]])} if id(lane) in lengths else set()
            limits = [covers[name] for name in names & covers.keys()]
            if limits:
                bounded = [one.name for one in each_value([large]) if one.op == 'parameter']
                found.update((name, min(*limits, found.get(name, limits[0]))) for name in bounded)
    return found


def _in_blocks(model: 'Model') -> dict[str, int]:
    """How large the dimensions of blocks can be."""
    numbers = _numbers(model)
    found: dict[str, int] = {}
    shapes = {value.shape for value in model.made if value.shape and len(value.shape) > 1}
    multiplied = {operand.shape for value in model.made if value.op == 'dot' for operand in each_value(value.operands)}
    for shape in shapes:
        names = [name for name in shape if name in model.parameters]
        beside = prod(numbers.get(name, 1) for name in shape)
        most = _SQUARE if len(set(names)) < len(names) else _MULTIPLIED if shape in multiplied else _REGISTERS
        for name in names:
            if name not in numbers:
                found[name] = min(most, max(1, _REGISTERS // beside), found.get(name, _REGISTERS))
    return {name: most for name, most in found.items() if most < _REGISTERS}


def _numbers(model: 'Model') -> dict[str, int]:
    """The numbers that constants are at least, as the configurations and the launches show them."""
    found = {name: min(sizes) for name, sizes in model.kernel.block_sizes.items()}
    for name in model.parameters.keys() - found.keys():
        passed = [launch.parameters.get(name) for launch in model.facts.launches]
        values = [one.value for one in passed if one is not None and type(one.value) is int and one.kind == NUMBER]
        if values and len(values) == len(passed):
            found[name] = min(values)
    return found
