# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Releases in words."""

from collections.abc import Sequence

from flakelint.kernel.api import Version


def spelled(missing: Sequence[Version], every: Sequence[Version]) -> str:
    """Some releases in words, to stand behind a negation: `from Triton 3.9 on`, `before Triton 3.4`, `outside Triton 3.4 to 3.5`.

    Args:
        missing (Sequence[Version]):
            The releases, in order, at least one.
        every (Sequence[Version]):
            All that there are, in order.
    """
    present = [version for version in every if version not in missing]
    if not present:
        return f'in Triton {_plain(every[0])} and all later releases'
    first, last = every.index(present[0]), every.index(present[-1])
    if len(present) != last - first + 1:
        return f'in Triton {", ".join(map(_plain, missing))}'
    if not first:
        return f'from Triton {_plain(every[last + 1])} on'
    if last == len(every) - 1:
        return f'before Triton {_plain(present[0])}'
    one = _plain(present[0])
    return f'outside Triton {one} to {_plain(present[-1])}' if first != last else f'outside Triton {one}'


def _plain(version: Version) -> str:
    return '.'.join(map(str, version if any(version[2:]) else version[:2]))
