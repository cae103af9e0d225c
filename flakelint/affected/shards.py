# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Shares of about equal length of the tests that a change needs, for machines that work side by side."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


# what takes longer, in seconds, is no measurement
_LONGEST = 1e7


class DurationsError(Exception):
    """A file of durations that cannot be read."""


def read_durations(path: str) -> dict[str, float]:
    """How long each test file took, in seconds.

    Args:
        path (str):
            What pytest wrote with `--junitxml`, or a JSON object of test ids and seconds, as pytest-split keeps it.

    Raises:
        DurationsError: It is neither.
    """
    try:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        pairs = _of_junit(text) if text.lstrip().startswith('<') else _of_json(text)
        found: dict[str, float] = {}
        for test, seconds in pairs:
            if test and 0 <= float(seconds) < _LONGEST:
                found[test] = found.get(test, 0.0) + float(seconds)
    except OSError as error:
        raise DurationsError(f'{path}: cannot be read: {error.strerror}') from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise DurationsError(f'{path}: neither what pytest writes with `--junitxml` nor JSON of tests and seconds') from None
    return found


def shares(paths: Iterable[str], durations: Mapping[str, float], number: int) -> list[list[str]]:
    """The files in shares, the longest first given to whichever has least; none is empty.

    Args:
        paths (Iterable[str]):
            The test files, from the root.
        durations (Mapping[str, float]):
            How long they take; one of which that is not known is taken for the median.
        number (int):
            How many shares there are at most.
    """
    known = sorted(seconds for seconds in durations.values() if seconds)
    usual = known[len(known) // 2] if known else 1.0
    # pytest rounds to milliseconds, and to start with a file takes longer than one
    least_of_all = usual / 1000
    measured = ((max(durations.get(path, usual), least_of_all), path) for path in paths)
    lengths = sorted(measured, key=lambda one: (-one[0], one[1]))
    found: list[list[str]] = [[] for _ in range(number)]
    sums = [0.0] * number
    for seconds, path in lengths:
        least = sums.index(min(sums))
        sums[least] += seconds
        found[least].append(path)
    return [sorted(one) for one in found if one]


def _of_json(text: str) -> list[tuple[str, float]]:
    return [(test.partition('::')[0], seconds) for test, seconds in json.loads(text).items()]


def _of_junit(text: str) -> list[tuple[str, str]]:
    # the library takes longer to import than most questions to answer
    from xml.etree.ElementTree import ParseError, fromstring

    try:
        cases = fromstring(text).iter('testcase')
    except ParseError as error:
        raise ValueError(error) from None
    return [(_file(case), case.attrib['time']) for case in cases if 'time' in case.attrib]


def _file(case: 'Element') -> str:
    """The file of a test: written out, or the module of its class."""
    if 'file' in case.attrib:
        return case.attrib['file']
    names = case.attrib.get('classname', '').split('.')
    if names == ['']:
        return ''
    modules = [place for place, name in enumerate(names) if name.startswith('test_') or name.endswith('_test')]
    return '/'.join(names[:(modules[-1] if modules else len(names) - 1) + 1]) + '.py'
