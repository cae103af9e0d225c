# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Every rule's documentation: its sections, its examples run, and the pages generated from it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from flakelint.engine.documentation import sections
from flakelint.engine.rule import REQUIRED_SECTIONS, SECTIONS
from tests.rule_harness import checker, examples, fences, reads_files, registry, rules

ROOT = Path(__file__).parents[2]
RULES = rules()
EXAMPLES = [
    pytest.param(code, title, settings, name, content, id=f'{code}-{title.lower().replace(" ", "-")}-{number}')
    for code, rule in RULES.items()
    for title in ('Example', 'Use instead')
    for number, (settings, name, content) in enumerate(examples(sections(rule).get(title, '')))
]


@pytest.mark.parametrize('code', RULES)
def test_sections(code):
    rule = RULES[code]
    found = list(sections(rule))
    assert rule.summary().endswith('.')
    assert set(REQUIRED_SECTIONS) <= set(found)
    assert found == [title for title in SECTIONS if title in found]
    assert all(text.strip() for text in sections(rule).values())
    assert (rule.fix != 'none') <= ('Fix safety' in found)
    assert (rule.Options.__dataclass_fields__ != {}) == ('Options' in found)


@pytest.mark.parametrize('code', RULES)
def test_options_are_documented(code):
    rule = RULES[code]
    documented = re.findall(r'^- `([a-z-]+)`', sections(rule).get('Options', ''), re.MULTILINE)
    assert documented == [name.replace('_', '-') for name in rule.Options.__dataclass_fields__]


@pytest.mark.parametrize('code', sorted(code for code, rule in RULES.items() if reads_files(rule)))
def test_rule_has_an_example(code):
    assert any(language in ('python', 'markdown') for language, _ in fences(sections(RULES[code])['Example']))


@pytest.mark.parametrize(('code', 'title', 'settings', 'name', 'content'), EXAMPLES)
def test_example(code, title, settings, name, content, tmp_path):
    # the engine's own codes come from other rules' work: a suppression is unused only if the rule that it names is enabled
    enabled = registry().codes() if code.startswith('ENG') else [code]
    findings = checker(tmp_path, settings, *enabled).check(name, content.encode())
    found = {finding.code for finding in findings}
    assert (code in found) == (title == 'Example'), findings
    if not code.startswith('ENG'):
        assert found <= {code}, findings


def test_pages_are_up_to_date():
    script = ROOT / 'scripts' / 'generate_rule_docs.py'
    result = subprocess.run([sys.executable, str(script), '--check'], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
