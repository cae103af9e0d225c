# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The steps from one part to another, by their kinds."""

from typing import NamedTuple

# a file and one of its names; the body where that is empty
Node = tuple[str, str]

MEMBER, REEXPORT, WHOLE, RUNS, CHANGES = 'member', 're-export', 'whole module', 'import', 'changed by'
DISPATCH, REGISTERS = 'dispatch', 'registration'


class Step(NamedTuple):
    """An edge.

    Args:
        node (tuple[str, str]):
            To what it leads.
        kind (str):
            How: `use`, `decorator`, `base class`, `string`, `re-export`, `import` for the body that an import runs, and so on.
        line (int):
            Where in the file of the part that it leaves.
    """

    node: Node
    kind: str
    line: int


class Registered(NamedTuple):
    """What decorators register in one place.

    Args:
        writers (list[tuple[str, str]]):
            Who puts it there.
        nodes (list[tuple[str, str]]):
            What it is.
    """

    writers: list[Node]
    nodes: list[Node]
