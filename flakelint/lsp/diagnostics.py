# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Findings as a client shows them."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from flakelint.engine.findings import Finding, Related
from flakelint.lsp.positions import Places
from flakelint.report.model import BUILT_IN, url
from flakelint.source.text import DecodeError, LineTable, Range, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flakelint.lsp.projects import Project
    from flakelint.lsp.session import Checked
    from flakelint.lsp.views import View

SOURCE = 'flakelint'
_SEVERITIES = {
    'error': types.DiagnosticSeverity.Error,
    'warning': types.DiagnosticSeverity.Warning,
    'info': types.DiagnosticSeverity.Information,
}
_TAGS = {'unnecessary': types.DiagnosticTag.Unnecessary, 'deprecated': types.DiagnosticTag.Deprecated}


def diagnostics(checked: 'Checked', view: 'View') -> list[types.Diagnostic]:
    """What was found in a document."""
    return [diagnostic(finding, checked, view) for finding in checked.findings if view.holds(finding.range.start.line)]


def diagnostic(finding: Finding, checked: 'Checked', view: 'View') -> types.Diagnostic:
    """A finding for the client."""
    project = checked.project
    reference = project.registry.rules.get(finding.code)
    is_ours = reference is None or reference.origin == BUILT_IN
    tags = reference.load().tags if reference is not None else ()
    return types.Diagnostic(
        range=view.range(finding.range),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(url(finding.code)) if is_ours else None,
        source=SOURCE,
        message=finding.message,
        tags=[_TAGS[tag] for tag in tags if tag in _TAGS] or None,
        related_information=list(_related(finding, project, view)) or None,
    )


def _related(finding: Finding, project: 'Project', view: 'View') -> 'Iterator[types.DiagnosticRelatedInformation]':
    for one in finding.related:
        location = place_of(one, finding.path, project, view)
        if location is not None:
            yield types.DiagnosticRelatedInformation(location, one.message)


def place_of(one: Related, path: str, project: 'Project', view: 'View') -> types.Location | None:
    """Where a related place is; None for a cell that is not that of the finding, or a file that cannot be read."""
    if one.path in ('', path):
        return types.Location(view.uri, view.range(one.range)) if view.holds(one.range.start.line) else None
    return location(project, one.path, one.range, view.whole.encoding)


def location(project: 'Project', path: str, place: Range, encoding: str) -> types.Location | None:
    """A place in another file, by its path from the root; None where it cannot be read."""
    full = os.path.join(project.config.root, path)
    try:
        status = os.stat(full)
        places = Places(_lines(full, status.st_mtime_ns, status.st_size), encoding)
    except (OSError, DecodeError):
        return None
    return types.Location(from_fs_path(full), places.range(place))


@lru_cache(maxsize=32)
def _lines(path: str, changed: int, size: int) -> LineTable:
    with open(path, 'rb') as file:
        return LineTable(decode(file.read()).text)
