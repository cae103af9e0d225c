# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the tests of a repository exercise of its operators."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from flakelint.coverage import calls, expressions, statements
from flakelint.coverage.axes import (
    AXES,
    BACKWARD,
    BY_BACKENDS,
    BY_GRADCHECK,
    BY_REFERENCE,
    DIRECTION,
    FORWARD,
    STATE,
    VERIFIER,
    Point,
    position,
    reachable,
)
from flakelint.coverage.modules import Modules
from flakelint.coverage.names import is_test_module
from flakelint.coverage.operators import Operator
from flakelint.coverage.run import UNREADABLE, Record, Run, SkippedError, TooMuchError
from flakelint.coverage.suite import Dimension, Example, Test, dimensions_of, examples_of, read, tests_of
from flakelint.coverage.values import FINAL_STATE, GRADIENT, OUTPUT, REFERENCE, REFERENCE_GRADIENT, Place, Source, Sources
from flakelint.project.ignore import Where
from flakelint.project.meanings import MEMBER, MODULE, source_lines

EXERCISED, HOLE, UNCLEAR, ACCEPTED = 'exercised', 'hole', 'unclear', 'accepted'


class Exercise(NamedTuple):
    """What one case of a test exercises of an operator.

    Args:
        operator (Place):
            The operator.
        test (str):
            The test, as pytest names it.
        points (frozenset[tuple[str, str]]):
            The values of the axes.
        unclear (frozenset[str]):
            The axes of which it is not known.
    """

    operator: Place
    test: str
    points: frozenset[Point]
    unclear: frozenset[str]


class Cell(NamedTuple):
    """What is known of a value of an axis, or of a pair of them.

    Args:
        points (tuple[tuple[str, str], ...]):
            The values.
        state (str):
            `exercised`, `hole`, `accepted` for a hole with a reason, `unclear` where a test may exercise it and cannot be read.
        tests (tuple[str, ...]):
            The tests that exercise it, or may.
        reason (str, Optional):
            Why a hole is accepted. Default: none.
    """

    points: tuple[Point, ...]
    state: str
    tests: tuple[str, ...]
    reason: str = ''


class Row(NamedTuple):
    """What the tests exercise of an operator.

    Args:
        operator (Operator):
            The operator.
        cells (list[Cell]):
            The values that its signature can reach, in order of the axes.
        pairs (list[Cell]):
            The pairs of values of two axes, those of the verifier aside.
    """

    operator: Operator
    cells: list[Cell]
    pairs: list[Cell]

    @property
    def all(self) -> list[Cell]:
        """Values and pairs of them."""
        return [*self.cells, *self.pairs]


class Suite:
    """The tests that have to do with operators.

    Args:
        modules (Modules):
            The files.
        operators (Sequence[Operator]):
            The operators.
        exclude (Sequence[str], Optional):
            Patterns of files that are named like tests, and are none. Default: none.
    """

    def __init__(self, modules: Modules, operators: Sequence[Operator], exclude: Sequence[str] = ()) -> None:
        self.modules = modules
        self._left_out = Where(tuple(exclude))
        self.operators = {one.place: one for one in operators}
        self._parameters = {one.place: tuple(one.defaults) for one in operators}

    def run(self) -> Run:
        """A new reading."""
        return Run(self.modules, self._parameters, expressions.evaluate, calls.call, statements.execute)

    def tests(self) -> Iterator[Test]:
        """The tests in files that name an operator, by themselves or through others of the tests."""
        words = re.compile(r'\b(?:' + '|'.join(map(re.escape, sorted({one.name for one in self.operators.values()}))) + r')\b')
        for path in self.modules.paths if self.operators else ():
            is_wanted = self.modules.is_test_file(path) and not self._left_out.covers(path)
            if is_wanted and any(words.search(self.modules.text(one)) for one in self._with_helpers(path)):
                yield from tests_of(path, self.run())

    def exercises(self, test: Test, example: Example) -> list[Exercise]:
        """What a case of a test exercises."""
        run = self.run()
        name = f'{test.id}[{example.id}]' if example.id else test.id
        try:
            read(test, example, run)
        except SkippedError:
            return []
        except (TooMuchError, *UNREADABLE):
            called = {one.operator for one in run.record.calls} or self.operators.keys()
            return [Exercise(place, name, frozenset(), frozenset(AXES)) for place in called]
        found = []
        for number, one in enumerate(run.record.calls):
            operator = self.operators[one.operator]
            verified = _verified(number, run.record)
            if verified and operator.backends and operator.backends & self._words(test):
                verified.add((VERIFIER, BY_BACKENDS))
            where = position(one, operator)
            if not where.may_have_state:
                verified.discard((STATE, 'final'))
            if verified:
                found.append(Exercise(one.operator, name, where.points | verified, where.unclear))
        checked = frozenset({(VERIFIER, BY_GRADCHECK)})
        found.extend(Exercise(place, name, checked, frozenset()) for place in self._checked_by_reference(run.record))
        return found

    def all(self) -> list[Exercise]:
        """What all tests exercise."""
        return [one for test in self.tests() for example in self.examples(test) for one in self.exercises(test, example)]

    def dimensions(self, test: Test) -> list[Dimension]:
        """What a test is run with; nothing where that cannot be read."""
        try:
            return dimensions_of(test, self.run())
        except (SkippedError, TooMuchError, *UNREADABLE):
            return []

    def examples(self, test: Test) -> Iterator[Example]:
        """The cases of a test."""
        return examples_of(self.dimensions(test))

    def _checked_by_reference(self, record: Record) -> Iterator[Place]:
        """The operators whose reference a test checks against differences."""
        for kind, what in record.checked:
            if kind == REFERENCE:
                folder = what.path.rpartition('/')[0] + '/'
                yield from (place for place, one in self.operators.items() if one.folder == folder)

    def _with_helpers(self, path: str) -> list[str]:
        found = [path]
        for one in found:
            for meanings in self.modules.names(one).meanings.values():
                for meaning in meanings:
                    name = meaning.text.rpartition(':')[0] if meaning.kind == MEMBER else meaning.text
                    target = self.modules.resolver.modules.find(name, one) if meaning.kind in (MEMBER, MODULE) else None
                    if target is not None and target not in found and is_test_module(target) and target.endswith('.py'):
                        found.append(target)
        return found

    def _words(self, test: Test) -> frozenset[str]:
        return frozenset(re.findall(r'\w+', source_lines(test.node, self.modules.file(test.path))))


def _verified(number: int, record: Record) -> set[Point]:
    """What of a call is verified, and by what."""
    found: set[Point] = set()
    for kind, direction in ((OUTPUT, FORWARD), (GRADIENT, BACKWARD)):
        for other in _others((kind, number), record):
            found.add((DIRECTION, direction))
            # another operator is no reference
            if any(one[0] in (REFERENCE, REFERENCE_GRADIENT) for one in other) or not other:
                found.add((VERIFIER, BY_REFERENCE))
    if any(True for _ in _others((FINAL_STATE, number), record)):
        found.add((STATE, 'final'))
    if (OUTPUT, number) in record.checked:
        found |= {(DIRECTION, FORWARD), (DIRECTION, BACKWARD), (VERIFIER, BY_GRADCHECK)}
    return found


def _others(source: Source, record: Record) -> Iterator[Sources]:
    """What something is asserted to be like: what is not made of it."""
    number = source[1]
    for sides in record.comparisons:
        for side, other in (sides, sides[::-1]):
            if source in side and not {(OUTPUT, number), (GRADIENT, number)} & other:
                yield other


def rows_of(operators: Sequence[Operator], exercises: Sequence[Exercise], accepted: Mapping[str, str]) -> list[Row]:
    """The matrix.

    Args:
        operators (Sequence[Operator]):
            The operators.
        exercises (Sequence[Exercise]):
            What the tests exercise.
        accepted (Mapping[str, str]):
            The reasons of holes that are accepted, by what `key_of` gives: `chunk_gla: layout=varlen`.
    """
    rows = []
    for operator in operators:
        own = [one for one in exercises if one.operator == operator.place]
        reasons = {key: reason for key, reason in accepted.items() if key.startswith(f'{operator.name}: ')}
        points = reachable(operator)
        cells = [_cell((point,), own, reasons.get(key_of(operator, (point,)))) for point in points]
        refused = {cell.points[0]: cell.reason for cell in cells if cell.state == ACCEPTED}
        free = [point for point in points if point[0] != VERIFIER]
        pairs = [pair for pair in combinations(free, 2) if pair[0][0] != pair[1][0]]
        # what is accepted by itself is so in every pair
        why = [reasons.get(key_of(operator, pair)) or refused.get(pair[0]) or refused.get(pair[1]) for pair in pairs]
        rows.append(Row(operator, cells, [_cell(pair, own, reason) for pair, reason in zip(pairs, why, strict=True)]))
    return rows


def idle(rows: Sequence[Row], accepted: Mapping[str, str]) -> list[tuple[str, bool]]:
    """What is accepted and is no hole, each with whether an operator can reach it."""
    states = {key_of(row.operator, cell.points): cell.state for row in rows for cell in row.all}
    return [(key, key in states) for key in sorted(accepted) if states.get(key) != ACCEPTED]


def key_of(operator: Operator, points: Iterable[Point]) -> str:
    """The name of values of an operator in the settings."""
    return f'{operator.name}: {described(points)}'


def described(points: Iterable[Point]) -> str:
    """Values of axes in words."""
    return ' and '.join(f'{axis}={value}' for axis, value in points)


def _cell(points: tuple[Point, ...], own: Sequence[Exercise], reason: str | None) -> Cell:
    tests = tuple(dict.fromkeys(one.test for one in own if one.points.issuperset(points)))
    if tests:
        return Cell(points, EXERCISED, tests)
    if reason is not None:
        return Cell(points, ACCEPTED, (), reason)
    maybe = tuple(dict.fromkeys(
        one.test for one in own if all(point in one.points or point[0] in one.unclear for point in points)
    ))
    return Cell(points, UNCLEAR if maybe else HOLE, maybe)
