# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What would fill a hole: a further case of a test that there is, tried by reading the test with it; or else a call."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from flakelint.coverage.axes import (
    BACKWARD,
    BETA,
    BY_BACKENDS,
    BY_GRADCHECK,
    BY_REFERENCE,
    DIRECTION,
    FORWARD,
    GATE,
    HEAD_SIZES,
    LAYOUT,
    NORM,
    STATE,
    VALUE_HEADS,
    VERIFIER,
    Point,
)
from flakelint.coverage.matrix import HOLE, Cell, Exercise, Row, Suite
from flakelint.coverage.operators import Operator
from flakelint.coverage.suite import Dimension, Example, Test, examples_of
from flakelint.coverage.values import Named, Tested

# from how many cases of a test others are made, how many of a test are tried, and how many for an operator
_BASES, _TRIES, _MOST_TRIES = 4, 300, 1500

# how a call reaches a value of an axis: what is passed, and what is said of it
_PASSED: dict[Point, tuple[dict[str, str], str]] = {
    (LAYOUT, 'dense'): ({}, 'without `cu_seqlens`'),
    (LAYOUT, 'varlen'): ({'cu_seqlens': 'cu_seqlens'}, 'a batch of one, and the offsets of its sequences'),
    (DIRECTION, FORWARD): ({}, 'compare `o` with that of the reference'),
    (DIRECTION, BACKWARD): ({}, 'compare the gradients of all inputs with those of the reference'),
    (GATE, 'safe'): ({'safe_gate': 'True', 'lower_bound': '-5.0'}, 'gates above the lower bound'),
    (GATE, 'non-safe'): ({}, 'without a safe gate'),
    (BETA, 'raw'): ({}, '`beta` between 0 and 1'),
    (BETA, 'sigmoid'): ({'use_beta_sigmoid_in_kernel': 'True'}, '`beta` before its sigmoid'),
    (NORM, 'l2'): ({'use_qk_l2norm_in_kernel': 'True'}, '`q` and `k` before they are normalised'),
    (NORM, 'without'): ({}, '`q` and `k` as they are'),
    (STATE, 'initial'): ({'initial_state': 'h0'}, 'a state for each sequence'),
    (STATE, 'final'): ({'output_final_state': 'True'}, 'compare the state as well'),
    (VALUE_HEADS, 'grouped'): ({}, '`v` with a multiple of the heads of `k`'),
    (VALUE_HEADS, 'plain'): ({}, '`v` with as many heads as `k`'),
    (HEAD_SIZES, 'same'): ({}, 'V = K'),
    (HEAD_SIZES, 'different'): ({}, 'V unlike K'),
    (VERIFIER, BY_REFERENCE): ({}, 'compare with the naive form'),
    (VERIFIER, BY_GRADCHECK): ({}, '`torch.autograd.gradcheck` of the naive form in float64'),
    (VERIFIER, BY_BACKENDS): ({}, 'compare the backends with each other'),
}


class Suggestion(NamedTuple):
    """What would fill a hole.

    Args:
        operator (str):
            The operator.
        points (tuple[tuple[str, str], ...]):
            The values of the axes.
        where (str):
            The place of the cases to which to add one, and the test; nothing where no test comes near.
        code (str):
            The case, or the call.
    """

    operator: str
    points: tuple[Point, ...]
    where: str
    code: str


def suggestions(suite: Suite, rows: Iterable[Row], exercises: Iterable[Exercise]) -> Iterator[Suggestion]:
    """What would fill the holes of a matrix, in its order.

    Args:
        suite (Suite):
            The tests.
        rows (Iterable[Row]):
            What counts of the matrix.
        exercises (Iterable[Exercise]):
            What the tests exercise.
    """
    near: dict[Any, set[str]] = {}
    for one in exercises:
        near.setdefault(one.operator, set()).add(one.test.partition('[')[0])
    tests = list(suite.tests())
    for row in rows:
        holes = [cell for cell in row.all if cell.state == HOLE]
        own = near.get(row.operator.place, ())
        found = _filled(suite, row.operator, holes, sorted(tests, key=lambda one: one.id not in own)) if holes else {}
        for cell in holes:
            yield found.get(cell.points) or Suggestion(row.operator.name, cell.points, '', _call(row.operator, cell.points))


def _filled(suite: Suite, operator: Operator, holes: list[Cell], tests: list[Test]) -> dict[tuple[Point, ...], Suggestion]:
    """The first case that fills each hole, of those that differ in one argument from one that there is."""
    found: dict[tuple[Point, ...], Suggestion] = {}
    for test, dimension, values, example in islice(_all_variants(suite, operator, tests), _MOST_TRIES):
        for one in suite.exercises(test, example):
            filled = [cell for cell in holes if one.operator == operator.place and one.points.issuperset(cell.points)]
            text = _param(dimension, values) if filled else None
            for cell in filled if text is not None else ():
                where = f'{dimension.path}:{dimension.line} ({test.id})'
                found.setdefault(cell.points, Suggestion(operator.name, cell.points, where, text))
        if len(found) == len(holes):
            break
    return found


def _all_variants(
    suite: Suite, operator: Operator, tests: list[Test],
) -> Iterator[tuple[Test, Dimension, Example, Example]]:
    for test in tests:
        variants = _variants(suite.dimensions(test), operator)
        yield from ((test, *one) for one in islice(variants, _TRIES))


def _variants(dimensions: list[Dimension], operator: Operator) -> Iterator[tuple[Dimension, Example, Example]]:
    """Cases that differ in one argument from one that there is: what is varied, its values, and all values."""
    for base in islice(examples_of(dimensions), _BASES):
        for dimension in dimensions:
            for name in dimension.names:
                for value in _others(base.values[name], name, dimension, operator):
                    values = {one: base.values[one] for one in dimension.names} | {name: value}
                    yield dimension, Example(_id(values), values), Example(base.id, base.values | values)


def _others(value: Any, name: str, dimension: Dimension, operator: Operator) -> Iterator[Any]:
    seen = [value]
    for one in (*(choice.values[name] for choice in dimension.choices), *_near(value, operator)):
        if one not in seen:
            seen.append(one)
            yield one


def _near(value: Any, operator: Operator) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (2 * value, value // 2 or 1)
    elif isinstance(value, Tested):
        yield Tested(operator.place)
    elif isinstance(value, tuple | list) and all(isinstance(one, int) for one in value):
        for place, one in enumerate(value):
            yield type(value)([*value[:place], 2 * one, *value[place + 1:]])


def _param(dimension: Dimension, example: Example) -> str | None:
    texts = [_source(example.values[name]) for name in dimension.names]
    return None if None in texts else f"pytest.param({', '.join(texts)}, id='{example.id}')"


def _source(value: Any) -> str | None:
    if isinstance(value, Named):
        return value.name
    if isinstance(value, Tested):
        return value.place.name
    if isinstance(value, list | tuple):
        parts = [_source(one) for one in value]
        if None in parts:
            return None
        text = ', '.join(parts)
        return f'[{text}]' if isinstance(value, list) else f'({text}{"," if len(parts) == 1 else ""})'
    return repr(value) if value is None or isinstance(value, bool | int | float | str) else None


def _id(values: dict[str, Any]) -> str:
    return '-'.join(f'{name}{_short(value)}' for name, value in values.items())


def _short(value: Any) -> str:
    if isinstance(value, list | tuple):
        return '_'.join(map(_short, value))
    return (_source(value) or '').replace("'", '').rpartition('.')[2] if not isinstance(value, float) else str(value)


def _call(operator: Operator, points: tuple[Point, ...]) -> str:
    passed = {name: name for name, default in operator.defaults.items() if default is None and name != 'kwargs'}
    notes = []
    for point in points:
        given, note = _PASSED[point]
        passed |= {name: value for name, value in given.items() if name in operator.defaults}
        notes.append(note)
    arguments = ', '.join(value if name == value and not notes else f'{name}={value}' for name, value in passed.items())
    return f'{operator.name}({arguments})  # {"; ".join(notes)}'
