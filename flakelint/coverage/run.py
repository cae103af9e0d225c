# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is noted while a test is read, and what reading it needs."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flakelint.coverage.modules import Modules
from flakelint.coverage.values import GRADIENT, LEAF, OUTPUT, REFERENCE, REFERENCE_GRADIENT, Place, Source, Sources

_DERIVED = {OUTPUT: GRADIENT, REFERENCE: REFERENCE_GRADIENT, GRADIENT: GRADIENT, REFERENCE_GRADIENT: REFERENCE_GRADIENT}

# how many nodes of one test are read at most
_MAX_STEPS = 60_000


class TooMuchError(Exception):
    """A test that is not read to its end."""


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
        comparisons (list[tuple[frozenset, ...]], Optional):
            What is compared, each as what its sides are made of. Default: nothing.
        checked (set[tuple[str, Any]], Optional):
            The outputs whose gradients are checked against differences. Default: none.
        is_whole (bool, Optional):
            Whether the test was read to its end. Default: `True`.
    """

    calls: list[Call] = field(default_factory=list)
    comparisons: list[tuple[Sources, ...]] = field(default_factory=list)
    checked: set[Source] = field(default_factory=set)
    is_whole: bool = True


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
    """

    def __init__(
        self, modules: Modules, operators: Mapping[Place, tuple[str, ...]], evaluate: Callable, call: Callable,
    ) -> None:
        self.modules = modules
        self.operators = operators
        self.evaluate = evaluate
        self.call = call
        self.record = Record()
        self.depth = 0
        self._left = _MAX_STEPS
        self._leaves = itertools.count()
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
        return frozenset({(LEAF, next(self._leaves))})

    def backward(self, sources: Sources) -> None:
        """Take gradients of what is made of something."""
        self._latest = derived(sources)
        self._gradients.update((source, self._latest) for source in sources if source[0] == LEAF)

    def gradient(self, sources: Sources) -> Sources:
        """What the gradient of a tensor is made of."""
        found = [self._gradients[source] for source in sources if source in self._gradients]
        return frozenset().union(*found) if found else self._latest

    def compare(self, sides: Iterable[Sources]) -> None:
        """Note a comparison."""
        self.record.comparisons.append(tuple(frozenset(one for one in side if one[0] != LEAF) for side in sides))


def derived(sources: Sources) -> Sources:
    """What gradients of something are made of."""
    return frozenset((_DERIVED[kind], what) for kind, what in sources if kind in _DERIVED)
