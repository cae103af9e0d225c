# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Showing findings needs no parser."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flakelint.engine.config import OUTPUT_FORMATS
from flakelint.report import _MODULES
from tests.tools import REPOSITORY, clean_environment, flakelint, write

RENDER = """\
import sys
from flakelint.engine.findings import Edit, Finding, Fix
from flakelint.report import render
from flakelint.report.model import Report
from flakelint.source.text import Position, Range

place = Range(Position(1, 1), Position(1, 2))
finding = Finding('TRI201', 'block-pointer', 'error', 'a message', 'a.py', place, (), Fix('safe', 'Mend', (Edit(place, ''),)))
for findings in ([], [finding]):
    render(sys.argv[1], Report(findings, 1, {}, contents={'a.py': b'x\\n'}), sys.stdout)
assert 'libcst' not in sys.modules
"""

LOCAL_RULE = '''\
from flakelint.engine.rule import Rule


class Call(Rule):
    """A call.

    ## What it does
    Reports each call, so that each file is parsed.
    """

    code = 'ABC101'
    name = 'call'

    def visit_Call(self, node, unit, file):
        yield self.finding(unit.range(node), 'a call')
'''

CHECK = """\
import sys
from flakelint.cli.main import cli
try:
    cli()
finally:
    sys.stderr.write(f'libcst: {"libcst" in sys.modules}')
"""


def _write_project(folder: Path) -> None:
    write(folder / 'call.py', 'print(1)\n')
    write(folder / 'local' / 'abc101_call.py', LOCAL_RULE)
    write(folder / 'flakelint.toml', 'rule-paths = ["local"]\nexclude = ["local/"]\n')


def _python(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, '-c', script, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding='utf-8',
        env=clean_environment(PYTHONPATH=str(REPOSITORY)),
        check=False,
    )


def test_every_format_of_the_command_line_has_a_module() -> None:
    assert set(OUTPUT_FORMATS) == set(_MODULES)


@pytest.mark.parametrize('output_format', OUTPUT_FORMATS)
def test_rendering_imports_no_parser(output_format: str, tmp_path: Path) -> None:
    result = _python(RENDER, output_format, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, '')


@pytest.mark.parametrize('output_format', OUTPUT_FORMATS)
def test_a_warm_run_imports_no_parser(output_format: str, tmp_path: Path) -> None:
    write(tmp_path / 'clean.py', 'x = 1\n')
    _write_project(tmp_path)
    arguments = ('check', '--select', 'ABC101', '--jobs', '1', '--cache-dir', 'cache', '--output-format', output_format)
    cold, warm = (_python(CHECK, *arguments, cwd=tmp_path) for _ in range(2))
    assert cold.stderr.endswith('libcst: True')
    assert warm.stderr.endswith('libcst: False')
    assert warm.stdout == cold.stdout
    assert 'ABC101' in warm.stdout


def test_a_rule_from_elsewhere_has_no_page_of_ours(tmp_path: Path) -> None:
    _write_project(tmp_path)
    options = ('check', '--no-cache', '--select', 'ABC101', '--output-format')
    item, = json.loads(flakelint(*options, 'json', cwd=tmp_path).stdout)['findings']
    assert (item['code'], item['url']) == ('ABC101', None)
    rule, = json.loads(flakelint(*options, 'sarif', cwd=tmp_path).stdout)['runs'][0]['tool']['driver']['rules']
    assert 'helpUri' not in rule
    assert rule['shortDescription']['text'] == 'A call.'
