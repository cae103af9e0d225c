# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The documentation of a rule, taken apart."""

import inspect
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.engine.rule import Rule

_FENCE_OR_HEADING = re.compile(r'^```.*?^```$|^## (?P<title>[^\n]+)$', re.MULTILINE | re.DOTALL)


def sections(rule: 'type[Rule]') -> dict[str, str]:
    """The sections of a rule's docstring below its summary, by title, in order."""
    text = inspect.cleandoc(rule.__doc__ or '')
    headings = [match for match in _FENCE_OR_HEADING.finditer(text) if match['title']]
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {heading['title']: text[heading.end():end].strip() for heading, end in zip(headings, ends, strict=True)}
