# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Show findings: to people, to editors, to code hosts and to other programs."""

import importlib
from typing import TextIO

from flakelint.report.model import Report

_MODULES = {
    'text': 'text',
    'concise': 'concise',
    'json': 'json_document',
    'json-lines': 'json_lines',
    'sarif': 'sarif',
    'github': 'github',
    'gitlab': 'gitlab',
    'junit': 'junit',
}


def render(output_format: str, report: Report, out: TextIO) -> None:
    """Write a report in one of the formats that `OUTPUT_FORMATS` names."""
    importlib.import_module(f'flakelint.report.{_MODULES[output_format]}').render(report, out)
