# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a grid may have one program only along an axis, by the launches of a kernel and the compile-time conditions in it."""

import re
from typing import TYPE_CHECKING

from flakelint.kernel.launches import EITHER, NUMBER, PARAMETER

if TYPE_CHECKING:
    from flakelint.kernel.graph import Guard
    from flakelint.kernel.launches import Launch, Passed
    from flakelint.kernel.model import Model

# comparisons that tell one part from several
_FEW = re.compile(r'[<=>] ?[012](?![\w.])')
_WORD = re.compile(r'[A-Za-z_]\w*')
_NO_NAMES = frozenset({'META', 'None', 'cdiv', 'else', 'if', 'is', 'len', 'max', 'meta', 'min', 'not', 'shape', 'triton'})


def may_be_alone(model: 'Model', guard: 'Guard', axis: int) -> bool:
    """Whether the grid may have one program only along an axis, where compile-time conditions hold.

    Args:
        model (Model):
            The kernel.
        guard (Guard):
            The conditions.
        axis (int):
            The axis.
    """
    facts = model.facts
    # what is known of tests only is better than nothing
    launches = facts.launches or (facts.repository.launches(facts.kernel) if facts.repository is not None else ())
    known = [launch for launch in launches if launch.grid is not None]
    if known and all(axis >= len(launch.grid) or _is_one(model, launch, launch.grid[axis]) for launch in known):
        return True
    return any(_FEW.search(text) or any(_tells(text, launch, axis) for launch in known) for text, _ in guard)


def _is_one(model: 'Model', launch: 'Launch', passed: 'Passed') -> bool:
    """Whether an axis of the grid of a launch is 1."""
    if any(limited.identity == passed.identity and most <= 1 for limited, most in launch.limits):
        return True
    if passed.head == PARAMETER:
        return model.kernel.block_sizes.get(passed.text) == (1,) or launch.parameters.get(passed.text, passed).value == 1
    if passed.head == 'cdiv':
        size, block = passed.operands
        return _covers(launch.parameters.get(block.text, block) if block.head == PARAMETER else block, size)
    return passed.kind == NUMBER and passed.value == 1


def _covers(block: 'Passed', size: 'Passed') -> bool:
    """Whether a tile is as long as a dimension."""
    if block.head == EITHER:
        return all(_covers(one, size) for one in block.operands)
    if block.head in ('max', 'next_power_of_2'):
        return any(_covers(one, size) for one in block.operands)
    return block.identity == size.identity


def _tells(text: str, launch: 'Launch', axis: int) -> bool:
    """Whether a launch computes a condition and an axis of its grid from the same."""
    if axis >= len(launch.grid):
        return False
    words = _words(text)
    asked = words.union(*(_spelled(launch.parameters[word]) for word in words & launch.parameters.keys()))
    return not asked.isdisjoint(_spelled(launch.grid[axis]))


def _spelled(passed: 'Passed') -> set[str]:
    """The names in what is passed, and in what its variables stand for."""
    return _words(passed.text).union(*map(_spelled, passed.operands))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text)) - _NO_NAMES
