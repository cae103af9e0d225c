# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""One JSON object a line for each finding, for programs that read as they go."""

import json
from typing import TextIO

from flakelint.report.json_document import finding_object
from flakelint.report.model import Report


def render(report: Report, out: TextIO) -> None:
    """Write the findings; nothing where there are none."""
    for finding in report.findings:
        out.write(f'{json.dumps(finding_object(report, finding))}\n')
