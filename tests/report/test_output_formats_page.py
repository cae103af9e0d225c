# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The samples in the documentation are what flakelint writes."""

import json
import re
from pathlib import Path

import pytest

from flakelint.engine.config import OUTPUT_FORMATS
from tests.tools import REPOSITORY, flakelint, write

TEXT = (REPOSITORY / 'docs' / 'output-formats.md').read_text(encoding='utf-8')
SECTIONS = dict(re.findall(r'^## ([a-z-]+)\n(.*?)(?=^## |\Z)', TEXT, re.MULTILINE | re.DOTALL))


def _block(text: str, language: str) -> str:
    return re.search(rf'^```{language}\n(.*?)^```', text, re.MULTILINE | re.DOTALL)[1]


def _written(output_format: str, folder: Path) -> str:
    write(folder / 'kernels' / 'copy.py', _block(TEXT, 'python'))
    options = ('--no-cache', '--select', 'TRI201,ENG004', '--output-format', output_format)
    return flakelint('check', *options, cwd=folder).stdout


def test_every_format_has_a_section() -> None:
    assert set(SECTIONS) == set(OUTPUT_FORMATS)
    assert all(f'](#{output_format})' in TEXT for output_format in OUTPUT_FORMATS)


@pytest.mark.parametrize(('output_format', 'language'), [
    ('text', 'text'), ('concise', 'text'), ('json-lines', 'json'), ('github', 'text'), ('gitlab', 'json'), ('junit', 'xml'),
])
def test_sample(output_format: str, language: str, tmp_path: Path) -> None:
    assert _written(output_format, tmp_path) == _block(SECTIONS[output_format], language)


def test_json_sample(tmp_path: Path) -> None:
    assert json.loads(_written('json', tmp_path)) == json.loads(_block(SECTIONS['json'], 'json'))


def test_sarif_sample(tmp_path: Path) -> None:
    logs = [json.loads(_written('sarif', tmp_path)), json.loads(_block(SECTIONS['sarif'], 'json'))]
    for log in logs:
        driver = log['runs'][0]['tool']['driver']
        # these change with each release and with the documentation of the rule
        assert driver.pop('version')
        assert [set(rule.pop('help')) for rule in driver['rules']] == [{'text', 'markdown'}]
    assert logs[0] == logs[1]
