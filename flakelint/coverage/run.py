# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is noted while a test is read, and what reading it needs."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flakelint.coverage.modules import Modules
from flakelint.coverage.values import DIFFERENCE, GRADIENT, LEAF, OUTPUT, REFERENCE, REFERENCE_GRADIENT, Place, Source, Sources

_DERIVED = {OUTPUT: GRADIENT, REFERENCE: REFERENCE_GRADIENT, GRADIENT: GRADIENT, REFERENCE_GRADIENT: REFERENCE_GRADIENT}

# what says nothing of where a value comes from
_UNTOLD = frozenset({DIFFERENCE, LEAF})
# how many nodes of one test are read at most
_MAX_STEPS = 60_000
# tensors that modules make and those of a test are told apart
_LEAVES = itertools.count()


# by what the reading of code may end that is odder than its reader knows
UNREADABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


class TooMuchError(Exception):
    """A test that is not read to its end."""


class SkippedError(Exception):
    """A test that is left before its end."""


@dataclass(frozen=True)
class Call:
    """A call of an operator.

    Args:
        operator (Place):
            The operator.
        arguments (dict[str, Any]):
            What is passed, by parameter.
        is_complete (bool):
            Whether nothing else may be passed.
    """

    operator: Place
    arguments: Mapping[str, Any]
    is_complete: bool


@dataclass
class Record:
    """What a test does with operators.

    Args:
        calls (list[Call], Optional):
            The calls, each known by its number in the list. Default: none.
        comparisons (list[tuple[frozenset, frozenset]], Optional):
            What is asserted to be alike, as what the two are made of. Default: nothing.
        checked (set[tuple[str, Any]], Optional):
            The outputs whose gradients are checked against differences. Default: none.
    """

    calls: list[Call] = field(default_factory=list)
    comparisons: list[tuple[Sources, Sources]] = field(default_factory=list)
    checked: set[Source] = field(default_factory=set)


class Run:
    """One reading of a test.

    Args:
        modules (Modules):
            The files of the repository.
        operators (Mapping[Place, tuple[str, ...]]):
            The operators, each with its parameters.
        evaluate (Callable):
            Gives the value of an expression in a scope: `evaluate(node, scope, run)`.
        call (Callable):
            Calls a value: `call(function, arguments, run)`.
        execute (Callable):
            Goes through statements in a scope: `execute(statements, scope, run)`.
    """

    def __init__(
        self, modules: Modules, operators: Mapping[Place, tuple[str, ...]], evaluate: Callable, call: Callable,
        execute: Callable,
    ) -> None:
        self.modules = modules
        self.operators = operators
        self.evaluate = evaluate
        self.call = call
        self.execute = execute
        self.record = Record()
        self.depth = 0
        # how many conditions around are not known, and how much around expects assertions to fail
        self.unsure = 0
        self.muted = 0
        self._differences: list[tuple[Sources, Sources]] = []
        self._left = _MAX_STEPS
        self._gradients: dict[Source, Sources] = {}
        self._latest: Sources = frozenset()

    def step(self) -> None:
        """Count a node.

        Raises:
            TooMuchError: It was one too many.
        """
        self._left -= 1
        if self._left < 0:
            raise TooMuchError

    def leaf(self) -> Sources:
        """What a new tensor is made of."""
        return frozenset({(LEAF, next(_LEAVES))})

    def backward(self, sources: Sources) -> None:
        """Take gradients of what is made of something."""
        self._latest = derived(sources)
        self._gradients.update((source, self._latest) for source in sources if source[0] == LEAF)

    def gradient(self, sources: Sources) -> Sources:
        """What the gradient of a tensor is made of."""
        found = [self._gradients[source] for source in sources if source in self._gradients]
        return frozenset().union(*found) if found else self._latest

    def difference(self, left: Sources, right: Sources) -> Sources:
        """What the difference of two values is made of."""
        self._differences.append((left, right))
        return left | right | {(DIFFERENCE, len(self._differences) - 1)}

    def is_asserted(self, sources: Sources) -> None:
        """Note that a test asserts something of a value: that the differences that it is made of are small."""
        for kind, number in sources if not self.muted else ():
            if kind == DIFFERENCE:
                left, right = (frozenset(one for one in side if one[0] not in _UNTOLD) for side in self._differences[number])
                self.record.comparisons.append((left, right))


def derived(sources: Sources) -> Sources:
    """What gradients of something are made of."""
    return frozenset((_DERIVED[kind], what) for kind, what in sources if kind in _DERIVED)
