# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a rule finds, and how it would mend it."""

from typing import Any, NamedTuple

from flakelint.source.text import Position, Range


class Edit(NamedTuple):
    """Put `text` in the place of a stretch of the file."""

    range: Range
    text: str


class Fix(NamedTuple):
    """Edits that belong together.

    Args:
        applicability (str):
            `safe` where the meaning of the program stays as it was meant, `unsafe` where a person should look.
        title (str):
            What the fix does, as an imperative.
        edits (tuple[Edit, ...]):
            The edits, which do not overlap.
    """

    applicability: str
    title: str
    edits: tuple[Edit, ...]


class Related(NamedTuple):
    """Another place that explains a finding.

    Args:
        range (Range):
            Where.
        message (str):
            What is there.
        path (str, Optional):
            The file, as for a finding; empty for the file of the finding. Default: empty.
    """

    range: Range
    message: str
    path: str = ''


class Finding(NamedTuple):
    """Something wrong at one place.

    Args:
        code (str):
            The code of the rule.
        name (str):
            The name of the rule.
        severity (str):
            `error`, `warning` or `info`.
        message (str):
            What is wrong, with the values that show it.
        path (str):
            The file, as a path from the folder in which the run began.
        range (Range):
            Where.
        related (tuple[Related, ...], Optional):
            Places that explain it. Default: none.
        fix (Fix, Optional):
            How it can be mended. Default: `None`.
    """

    code: str
    name: str
    severity: str
    message: str
    path: str
    range: Range
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    def sort_key(self) -> tuple:
        """The order in which findings are shown."""
        return (self.path, self.range, self.code, self.message)


def pack(finding: Finding) -> list[Any]:
    """A finding without its path, as plain lists for the cache."""
    return [
        finding.code, finding.name, finding.severity, finding.message, _pack_range(finding.range),
        [[_pack_range(related.range), related.message, related.path] for related in finding.related],
        finding.fix and [finding.fix.applicability, finding.fix.title,
                         [[_pack_range(edit.range), edit.text] for edit in finding.fix.edits]],
    ]


def unpack(packed: list[Any], path: str) -> Finding:
    """The finding that `pack` made a list of."""
    code, name, severity, message, place, related, fix = packed
    return Finding(
        code, name, severity, message, path, _unpack_range(place),
        tuple(Related(_unpack_range(where), text, other) for where, text, other in related),
        fix and Fix(fix[0], fix[1], tuple(Edit(_unpack_range(where), text) for where, text in fix[2])),
    )


def _pack_range(place: Range) -> list[int]:
    return [*place.start, *place.end]


def _unpack_range(numbers: list[int]) -> Range:
    line, column, end_line, end_column = numbers
    return Range(Position(line, column), Position(end_line, end_column))
