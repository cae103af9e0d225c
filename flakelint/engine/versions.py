# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Ranges of Triton versions, as far as rules and settings need them: bounds joined by commas."""

import re
from typing import NamedTuple

_BOUND = re.compile(r'\s*(?P<operator>>=|<=|==|>|<)\s*(?P<version>\d+(?:\.\d+)*)\s*')
_ANY = (10**6,)

Version = tuple[int, ...]


class Bounds(NamedTuple):
    """The versions from `low` up to, but not with, `high`."""

    low: Version
    high: Version


def parse(text: str) -> Bounds:
    """The bounds that `>=3.3,<3.10` means; the empty text means all versions.

    Raises:
        ValueError: the text is no such range.
    """
    low: Version = (0,)
    high: Version = _ANY
    for part in text.split(',') if text.strip() else ():
        match = _BOUND.fullmatch(part)
        if match is None:
            raise ValueError(f'`{part.strip()}` is not a bound such as `>=3.3`')
        version = tuple(int(number) for number in match['version'].split('.'))
        # the version just past this one, whatever comes behind its last number
        past = (*version[:-1], version[-1] + 1)
        if match['operator'] in ('>=', '==', '>'):
            low = max(low, past if match['operator'] == '>' else version)
        if match['operator'] in ('<', '<=', '=='):
            high = min(high, version if match['operator'] == '<' else past)
    return Bounds(low, high)


def overlap(one: str, other: str) -> bool:
    """Whether some version lies in both ranges."""
    first, second = parse(one), parse(other)
    return max(first.low, second.low) < min(first.high, second.high)
