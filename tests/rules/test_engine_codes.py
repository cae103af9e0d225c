# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The rules of family ENG, which document what the engine itself finds."""

from flakelint.engine import diagnostics
from flakelint.engine.config import load
from flakelint.engine.registry import collect
from flakelint.engine.runner import Job
from tests.rule_harness import rules
from tests.tools import write

KINDS = {value for value in vars(diagnostics).values() if isinstance(value, tuple) and value[0].startswith('ENG')}


def test_codes_and_names_agree_with_the_engine():
    documented = {(code, rule.name) for code, rule in rules().items() if code.startswith('ENG')}
    assert documented == KINDS


def test_severities_and_fixes_agree_with_the_engine(tmp_path):
    folder = tmp_path / 'rules'
    write(
        folder / 'abc101_always_fails.py',
        'from flakelint.engine.rule import Rule\n'
        'class AlwaysFails(Rule):\n'
        '    """Fails."""\n'
        '    code, name = "ABC101", "always-fails"\n'
        '    def check_file(self, file):\n'
        '        raise ValueError("on purpose")\n'
    )
    file = write(tmp_path / 'flakelint.toml', 'rule-paths = ["rules"]\nmax-file-size = 200\n')
    config = load(str(tmp_path), str(file))
    registry = collect(config)
    checker = Job(config, registry, tuple(registry.codes()), 1).checker()
    texts = (b'x = (\n', b'"\xff"\n', b'#' * 300, b'x = 1  # flakelint: ignore[TRI201]\n', b'x = 1  # flakelint: ignore\n')
    findings = [finding for text in texts for finding in checker.check('x.py', text)]
    found = {finding.code: finding for finding in findings if finding.code.startswith('ENG')}
    # the compiler is asked by the command line only
    assert set(found) == {code for code, _ in KINDS} - {'ENG007'}
    for code, finding in found.items():
        rule = registry.rules[code].load()
        assert (finding.severity, finding.name) == (rule.severity, rule.name)
        assert (finding.fix.applicability if finding.fix else 'none') == rule.fix
