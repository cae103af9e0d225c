# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How many of the mutants that Triton refuses are found, and how many that it takes are not left alone."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tests.compiler.mutations import Mutant
from tests.rule_harness import checker, rules

ROOT = Path(__file__).parents[2]
RECALL, FALSE_ALARMS = 0.95, 0.01


class Case(Protocol):
    """A mutant, and the file that it is of."""

    source: Path
    mutant: Mutant


@functools.cache
def _codes() -> tuple[str, ...]:
    return tuple(code for code in rules() if code.startswith(('TRI3', 'TRI201', 'TRI206', 'TRI208', 'TRI4', 'TRI5')))


def found(path: Path, text: str, folder: Path) -> set[tuple[str, str]]:
    """What is found in a text by the rules that say that something does not compile, or cannot be launched."""
    name = path.relative_to(ROOT).as_posix()
    findings = checker(folder, {}, *_codes()).check(name, text.encode())
    return {(one.code, one.message) for one in findings if one.severity == 'error' and one.code != 'TRI402'}


def assert_found(cases: Sequence[Case], errors: Mapping[int, str | None], folder: Path) -> None:
    """Print how many mutants are found, and those that are not by kind, and hold it against the bounds.

    Args:
        cases (Sequence[Case]):
            The mutants.
        errors (Mapping[int, str | None]):
            Why Triton refuses each of them, by its position; empty where it takes it, None where it could not be tried.
        folder (Path):
            The folder in which they are checked.
    """
    before: dict[Path, set] = {}
    outcomes: Counter = Counter()
    missed: list[tuple[str, str, str]] = []
    alarms: list[str] = []
    for number, case in enumerate(cases):
        error = errors.get(number)
        if error is None:
            continue
        if case.source not in before:
            before[case.source] = found(case.source, case.source.read_text(), folder)
        fresh = found(case.source, case.mutant.text, folder) - before[case.source]
        outcomes[bool(error), bool(fresh)] += 1
        where = f'{case.source.name}:{case.mutant.line}'
        if error and not fresh:
            missed.append((case.mutant.kind, error.strip().splitlines()[-1][:120], where))
        elif fresh and not error:
            alarms.append(f'{case.mutant.kind} {where}: {sorted(fresh)[0]}')
    refused = outcomes[True, True] + outcomes[True, False]
    taken = outcomes[False, True] + outcomes[False, False]
    print(
        f'{refused + taken} mutants, {refused} refused by Triton, {outcomes[True, True]} of them found '
        f'({outcomes[True, True] / refused:.1%}); {len(alarms)} false alarms on {taken} that it takes')
    for kind, count in Counter(kind for kind, _, _ in missed).most_common():
        print(f'  missed: {count} {kind}, e.g. {next(one[1:] for one in missed if one[0] == kind)}')
    for alarm in alarms:
        print(f'  false alarm: {alarm}')
    assert refused > taken / 4
    assert outcomes[True, True] >= RECALL * refused
    assert len(alarms) <= max(FALSE_ALARMS * taken, 1)
