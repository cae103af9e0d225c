# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check` as its users run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import BLOCK_POINTER, clean_environment, command, flakelint, write

LOCAL_RULE = """\
from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe


class NoShouting(Rule):
    \"\"\"Words in capitals.\"\"\"

    code = 'ABC101'
    name = 'shouting'
    fix = 'safe'

    def visit_Name(self, node, unit, file):
        if node.value == 'LOUD':
            place = unit.range(node)
            yield self.finding(place, '`LOUD` shouts', fix=safe('Lower it', Edit(place, 'quiet')))
"""


def codes(result) -> list[str]:
    return [finding['code'] for finding in json.loads(result.stdout)['findings']]


def test_exit_codes(tmp_path: Path) -> None:
    write(tmp_path / 'good.py', 'x = 1\n')
    write(tmp_path / 'bad.py', BLOCK_POINTER)
    assert flakelint('check', 'good.py', cwd=tmp_path).returncode == 0
    assert flakelint('check', 'bad.py', cwd=tmp_path).returncode == 1
    assert flakelint('check', 'bad.py', '--exit-zero', cwd=tmp_path).returncode == 0
    assert flakelint('check', '--no-such-option', cwd=tmp_path).returncode == 2
    assert flakelint('check', '--select', 'NOPE1', cwd=tmp_path).returncode == 2


def test_checked_code_is_never_run(tmp_path: Path) -> None:
    mark = tmp_path / 'mark'
    write(tmp_path / 'evil.py', f'open({str(mark)!r}, "w").write("ran")\n{BLOCK_POINTER}')
    write(tmp_path / 'conftest.py', f'open({str(mark)!r}, "w").write("ran")\n')
    for name in ('tokenize', 'click', 'libcst', 'sqlite3'):
        write(tmp_path / f'{name}.py', f'open({str(mark)!r}, "w").write("ran")\n')
    write(tmp_path / 'triton/__init__.py', f'open({str(mark)!r}, "w").write("ran")\n')
    result = flakelint('check', '.', '--output-format', 'json', cwd=tmp_path)
    assert codes(result) == ['TRI201']
    assert not mark.exists()


def test_neither_torch_nor_triton_is_needed(tmp_path: Path) -> None:
    write(tmp_path / 'bad.py', BLOCK_POINTER)
    for name in ('torch', 'triton', 'numpy'):
        write(tmp_path / f'hidden/{name}.py', 'raise ImportError("hidden")\n')
    result = flakelint('check', 'bad.py', '--output-format', 'json', cwd=tmp_path, PYTHONPATH=str(tmp_path / 'hidden'))
    assert codes(result) == ['TRI201']


def test_selection_on_the_command_line(tmp_path: Path) -> None:
    write(tmp_path / 'bad.py', BLOCK_POINTER)
    assert codes(flakelint('check', '--output-format', 'json', '--select', 'TRI,OPS', cwd=tmp_path)) == ['TRI201']
    assert codes(flakelint('check', '--output-format', 'json', '--select', 'DOC', '--select', 'OPS', cwd=tmp_path)) == []
    assert codes(flakelint('check', '--output-format', 'json', '--ignore', 'block-pointer', cwd=tmp_path)) == []


def test_per_file_ignores(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', '[per-file-ignores]\n"vendor/" = ["TRI2"]\n"*_old.py" = ["block-pointer"]\n')
    for name in ('vendor/deep/a.py', 'b_old.py', 'c.py'):
        write(tmp_path / name, BLOCK_POINTER)
    findings = json.loads(flakelint('check', '--output-format', 'json', cwd=tmp_path).stdout)['findings']
    assert [finding['path'] for finding in findings] == ['c.py']


def test_severities_of_the_settings(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', BLOCK_POINTER)
    cases = {'TRI = "info"': 'info', 'TRI = "info"\nTRI201 = "error"': 'error', 'block-pointer = "info"': 'info'}
    for table, expected in cases.items():
        write(tmp_path / 'flakelint.toml', f'[severity]\n{table}\n')
        result = flakelint('check', '.', '--output-format', 'json', cwd=tmp_path)
        assert [finding['severity'] for finding in json.loads(result.stdout)['findings']] == [expected]
    write(tmp_path / 'flakelint.toml', '[severity]\nTRI999 = "info"\n')
    result = flakelint('check', '.', cwd=tmp_path)
    assert result.returncode == 2 and 'severity: unknown rule `TRI999`' in result.stderr


def test_paths_are_relative_to_the_working_folder(tmp_path: Path) -> None:
    write(tmp_path / 'a/b/bad.py', BLOCK_POINTER)
    (tmp_path / 'c').mkdir()
    findings = json.loads(flakelint('check', '../a', '--output-format', 'json', cwd=tmp_path / 'c').stdout)['findings']
    assert [finding['path'] for finding in findings] == ['../a/b/bad.py']


def test_a_repository_can_keep_its_own_rules(tmp_path: Path) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n')
    write(tmp_path / 'a.py', 'LOUD = 1\nprint(LOUD)\n')
    assert codes(flakelint('check', '--output-format', 'json', cwd=tmp_path)) == ['ABC101', 'ABC101']
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE.replace('LOUD', 'LOUDER'))
    assert codes(flakelint('check', '--output-format', 'json', cwd=tmp_path)) == []
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE.replace("'shouting'", "'whispering'"))
    result = flakelint('check', cwd=tmp_path)
    assert result.returncode == 2
    assert 'rule ABC101 calls itself `whispering`, not `shouting`' in result.stderr


def test_rules_of_installed_distributions(tmp_path: Path) -> None:
    write(tmp_path / 'site/abc_rules.py', LOCAL_RULE)
    write(tmp_path / 'site/abc_rules-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: abc-rules\nVersion: 1.0\n')
    entry_points = '[flakelint.rules]\nABC101-shouting = abc_rules:NoShouting\n'
    write(tmp_path / 'site/abc_rules-1.0.dist-info/entry_points.txt', entry_points)
    write(tmp_path / 'project/a.py', 'LOUD = 1\n')
    arguments = ('check', '--output-format', 'json', '--extend-select', 'ABC101')
    result = flakelint(*arguments, cwd=tmp_path / 'project', PYTHONPATH=str(tmp_path / 'site'))
    assert codes(result) == ['ABC101']


def test_a_rule_that_fails_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE.replace('place = unit.range(node)', 'place = 1 / 0'))
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n')
    write(tmp_path / 'a.py', 'LOUD = 1\n')
    write(tmp_path / 'b.py', BLOCK_POINTER)
    for _ in range(2):
        result = flakelint('check', '--output-format', 'json', cwd=tmp_path)
        assert codes(result) == ['ENG005', 'TRI201']
        assert 'rule ABC101 shouting failed here: ZeroDivisionError' in result.stdout
        assert result.returncode == 2


@pytest.mark.skipif(os.name == 'nt', reason='a process cannot interrupt itself there')
def test_an_interrupted_run_is_not_one_with_findings(tmp_path: Path) -> None:
    interrupt = '__import__("signal").default_int_handler(2, None)'
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE.replace('place = unit.range(node)', interrupt))
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n')
    write(tmp_path / 'a.py', 'LOUD = 1\n')
    result = flakelint('check', cwd=tmp_path)
    assert result.returncode == 130
    assert result.stdout == ''
    assert 'interrupted' in result.stderr
    assert 'Traceback' not in result.stderr


def test_options_of_local_rules_may_have_postponed_annotations(tmp_path: Path) -> None:
    head = 'from __future__ import annotations\nfrom dataclasses import dataclass\n'
    options = '@dataclass(frozen=True)\nclass Options:\n    words: tuple[str, ...] = ()\n\n\nclass NoShouting'
    rule = LOCAL_RULE.replace('class NoShouting', options).replace("== 'LOUD'", 'in self.options.words')
    rule = rule.replace("name = 'shouting'", "name = 'shouting'\n    Options = Options")
    write(tmp_path / 'lint/abc101_shouting.py', head + rule)
    settings = 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n[rules.ABC101]\nwords = {}\n'
    write(tmp_path / 'a.py', 'LOUD = 1\n')
    for words, expected in (('["LOUD"]', ['ABC101']), ('["QUIET"]', [])):
        write(tmp_path / 'flakelint.toml', settings.format(words))
        assert codes(flakelint('check', '--output-format', 'json', cwd=tmp_path)) == expected


def test_fix_and_diff(tmp_path: Path) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n')
    path = write(tmp_path / 'a.py', 'LOUD = 1\r\nprint(LOUD, LOUD)\r\n')
    shown = flakelint('check', '--diff', cwd=tmp_path)
    assert shown.returncode == 1
    assert '-print(LOUD, LOUD)' in shown.stdout
    assert '+print(quiet, quiet)' in shown.stdout
    assert path.read_bytes() == b'LOUD = 1\r\nprint(LOUD, LOUD)\r\n'
    fixed = flakelint('check', '--fix', cwd=tmp_path)
    assert fixed.returncode == 0
    assert path.read_bytes() == b'quiet = 1\r\nprint(quiet, quiet)\r\n'
    assert flakelint('check', '--diff', cwd=tmp_path).stdout == ''


def test_baseline(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', 'baseline = "known.json"\n')
    path = write(tmp_path / 'a.py', BLOCK_POINTER)
    assert flakelint('check', '--update-baseline', cwd=tmp_path).returncode == 0
    assert flakelint('check', cwd=tmp_path).returncode == 0
    path.write_text('import os\n\n' + BLOCK_POINTER)
    assert flakelint('check', cwd=tmp_path).returncode == 0
    path.write_text(BLOCK_POINTER + BLOCK_POINTER)
    result = flakelint('check', '--output-format', 'json', cwd=tmp_path)
    assert codes(result) == ['TRI201']
    path.write_text('x = 1\n')
    result = flakelint('check', cwd=tmp_path)
    assert result.returncode == 0
    assert '1 baseline entries are no longer found' in result.stderr
    write(tmp_path / 'known.json', '{}')
    result = flakelint('check', cwd=tmp_path)
    assert result.returncode == 2
    assert 'known.json: not a baseline file' in result.stderr


@pytest.mark.parametrize(('target', 'expected'), [('>=3.3', ['TRI201']), ('>=3.3,<3.9', []), ('==3.9', ['TRI201'])])
def test_rules_hold_for_the_targeted_versions(tmp_path: Path, target: str, expected: list[str]) -> None:
    write(tmp_path / 'flakelint.toml', f'target-triton = "{target}"\n')
    write(tmp_path / 'a.py', BLOCK_POINTER)
    assert codes(flakelint('check', '--output-format', 'json', cwd=tmp_path)) == expected


def test_statistics(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', BLOCK_POINTER)
    assert flakelint('check', '--statistics', cwd=tmp_path).stdout == '1\tTRI201\tblock-pointer\n'


def test_output_file(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', BLOCK_POINTER)
    result = flakelint('check', '--output-format', 'json', '-o', 'out.json', cwd=tmp_path)
    assert result.stdout == ''
    assert json.loads((tmp_path / 'out.json').read_text())['findings'][0]['code'] == 'TRI201'


@pytest.mark.parametrize('jobs', ['1', '2', '4'])
def test_many_processes_find_the_same(tmp_path: Path, jobs: str) -> None:
    for number in range(40):
        write(tmp_path / f'f{number:02d}.py', BLOCK_POINTER if number % 3 else 'x = 1\n')
    result = flakelint('check', '--no-cache', '--jobs', jobs, '--output-format', 'concise', cwd=tmp_path)
    assert result.stdout.count('TRI201') == sum(number % 3 > 0 for number in range(40))
    shown = [line.split(':')[0] for line in result.stdout.splitlines() if 'TRI201' in line]
    assert shown == [f'f{number:02d}.py' for number in range(40) if number % 3]


def test_a_warm_run_does_not_import_libcst(tmp_path: Path) -> None:
    write(tmp_path / 'lint/abc101_shouting.py', LOCAL_RULE)
    write(tmp_path / 'flakelint.toml', 'rule-paths = ["lint"]\nselect = ["ABC"]\n')
    for number in range(3):
        write(tmp_path / f'src/f{number}.py', 'LOUD = 1\n')
    script = "import sys\nfrom flakelint.cli.main import cli\ntry:\n    cli()\nfinally:\n    print('libcst' in sys.modules)\n"
    write(tmp_path / 'script.txt', script)
    outcomes = []
    for _ in range(2):
        result = subprocess.run(
            [sys.executable, 'script.txt', 'check', 'src', '--output-format', 'concise', '-q'],
            cwd=tmp_path,
            env={**os.environ, 'FLAKELINT_CACHE_DIR': str(tmp_path / 'cache')},
            capture_output=True,
            text=True,
            check=False,
        )
        outcomes.append(result.stdout.splitlines())
    assert outcomes[0][-1] == 'True'
    assert outcomes[1][-1] == 'False'
    assert outcomes[0][:-1] == outcomes[1][:-1]
    assert sum('ABC101' in line for line in outcomes[0]) == 3


def test_broken_pipe_is_quiet(tmp_path: Path) -> None:
    for number in range(2000):
        write(tmp_path / f'f{number}.py', 'x = (\n')
    shown = subprocess.Popen(
        command('check', '--output-format', 'concise', '--no-cache'),
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert 'ENG001' in shown.stdout.readline()
    shown.stdout.close()
    assert 'Traceback' not in shown.stderr.read()
    shown.stderr.close()
    shown.wait()


def own_rule(folder: Path, rule: str = LOCAL_RULE, settings: str = '') -> None:
    write(folder / 'lint/abc101_shouting.py', rule)
    write(folder / 'flakelint.toml', f'rule-paths = ["lint"]\nextend-select = ["ABC"]\nexclude = ["lint/"]\n{settings}')


def test_a_baseline_keeps_what_a_run_did_not_look_at(tmp_path: Path) -> None:
    own_rule(tmp_path, settings='baseline = "known.json"\n')
    for name in ('a.py', 'b.py'):
        write(tmp_path / name, f'{BLOCK_POINTER}LOUD = 1\n')
    assert flakelint('check', '--update-baseline', cwd=tmp_path).returncode == 0
    for arguments in (('a.py',), ('--select', 'TRI'), ('b.py', '--select', 'ABC101')):
        assert flakelint('check', *arguments, '--update-baseline', cwd=tmp_path).returncode == 0
        assert flakelint('check', cwd=tmp_path).returncode == 0
    write(tmp_path / 'a.py', BLOCK_POINTER)
    assert flakelint('check', 'a.py', '--update-baseline', cwd=tmp_path).returncode == 0
    assert len(json.loads((tmp_path / 'known.json').read_text())['findings']) == 3


def test_known_findings_are_not_fixed(tmp_path: Path) -> None:
    own_rule(tmp_path, settings='baseline = "known.json"\n')
    path = write(tmp_path / 'a.py', 'x = LOUD\n')
    assert flakelint('check', '--update-baseline', cwd=tmp_path).returncode == 0
    write(path, 'y = LOUD\nx = LOUD\n')
    assert '+x' not in flakelint('check', '--diff', cwd=tmp_path).stdout
    assert flakelint('check', '--fix', cwd=tmp_path).returncode == 0
    assert path.read_text() == 'y = quiet\nx = LOUD\n'
    assert flakelint('check', '--fix', '--ignore', 'TRI', cwd=tmp_path).returncode == 0
    assert path.read_text() == 'y = quiet\nx = LOUD\n'
    (tmp_path / 'known.json').write_text('{"version": 1, "findings": []}')
    assert flakelint('check', '--fix', cwd=tmp_path).returncode == 0
    assert path.read_text() == 'y = quiet\nx = quiet\n'


def test_a_file_that_does_not_parse_is_not_fixed(tmp_path: Path) -> None:
    own_rule(tmp_path)
    path = write(tmp_path / 'a.py', 'x = LOUD\ny = (\n')
    assert codes(flakelint('check', '--fix', '--output-format', 'json', cwd=tmp_path)) == ['ABC101', 'ENG001']
    assert path.read_text() == 'x = LOUD\ny = (\n'


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ("self.finding(place, '`LOUD` shouts', fix=safe('Lower it', Edit(place, 'quiet')))", '5', 'which is no finding'),
    ('yield self.finding(', 'raise KeyError(', 'abc101_shouting.py:15'),
])
def test_a_failing_rule_says_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    own_rule(tmp_path, LOCAL_RULE.replace(old, new))
    write(tmp_path / 'a.py', 'LOUD = 1\n')
    result = flakelint('check', '--output-format', 'json', cwd=tmp_path)
    assert codes(result) == ['ENG005']
    assert message in result.stdout


def test_a_misspelled_hook_is_refused(tmp_path: Path) -> None:
    own_rule(tmp_path, LOCAL_RULE.replace('visit_Name', 'check_kernal'))
    write(tmp_path / 'a.py', 'LOUD = 1\n')
    result = flakelint('check', cwd=tmp_path)
    assert result.returncode == 2
    assert 'has a method `check_kernal`, which nothing calls; did you mean `check_kernel`?' in result.stderr


@pytest.mark.parametrize('arguments', [('--fix', '--diff'), ('--add-ignore', '--fix'), ('--update-baseline', '--diff')])
def test_options_that_do_not_go_together(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = flakelint('check', *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert 'do not go together' in result.stderr


def test_selecting_no_rule_is_told(tmp_path: Path) -> None:
    write(tmp_path / 'a.py', BLOCK_POINTER)
    assert 'no rule is selected' in flakelint('check', '--select', 'TRI201', '--ignore', 'TRI201', cwd=tmp_path).stderr
    assert flakelint('check', '--select', 'TRI9', cwd=tmp_path).returncode == 2


def test_options_of_rules_that_are_off_are_checked(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', '[rules.TRI402]\nname = ["T"]\n')
    result = flakelint('check', cwd=tmp_path)
    assert result.returncode == 2
    assert 'unknown option `name`; did you mean `names`?' in result.stderr


def test_settings_files_can_be_passed_over(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', 'ignore = ["TRI201"]\n')
    write(tmp_path / 'a.py', BLOCK_POINTER)
    assert codes(flakelint('check', '--output-format', 'json', cwd=tmp_path)) == []
    assert codes(flakelint('check', '--isolated', '--output-format', 'json', cwd=tmp_path)) == ['TRI201']
    arguments = ('check', '--isolated', '--target-triton', '<3.9', '--output-format', 'json')
    assert codes(flakelint(*arguments, cwd=tmp_path)) == []
    assert flakelint('check', '--target-triton', '3.9', cwd=tmp_path).returncode == 2


def test_files_can_be_listed(tmp_path: Path) -> None:
    for name in ('b.py', 'a/c.py', 'a/d.txt'):
        write(tmp_path / name, '')
    assert flakelint('check', '--show-files', cwd=tmp_path).stdout == 'a/c.py\nb.py\n'


def test_an_editable_rule_is_not_remembered(tmp_path: Path) -> None:
    information = tmp_path / 'site/abc_rules-1.0.dist-info'
    write(information / 'METADATA', 'Metadata-Version: 2.1\nName: abc-rules\nVersion: 1.0\n')
    write(information / 'entry_points.txt', '[flakelint.rules]\nABC101-shouting = abc_rules:NoShouting\n')
    write(information / 'direct_url.json', '{"url": "file:///abc", "dir_info": {"editable": true}}')
    write(tmp_path / 'project/a.py', 'LOUD = 1\n')
    found = []
    for word in ('LOUD', 'LOUDER'):
        write(tmp_path / 'site/abc_rules.py', LOCAL_RULE.replace('LOUD', word))
        arguments = ('check', '--output-format', 'json', '--extend-select', 'ABC101')
        environment = {'PYTHONPATH': str(tmp_path / 'site'), 'PYTHONDONTWRITEBYTECODE': '1'}
        found.append(codes(flakelint(*arguments, cwd=tmp_path / 'project', **environment)))
    assert found == [['ABC101'], []]


def test_a_comment_about_flakelint_is_no_settings_file(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', 'ignore = ["TRI201"]\n')
    write(tmp_path / 'sub/pyproject.toml', '# see [tool.flakelint] above\n[project]\nname = "x"\n')
    write(tmp_path / 'sub/a.py', BLOCK_POINTER)
    assert codes(flakelint('check', 'sub', '--output-format', 'json', cwd=tmp_path)) == []


def test_known_findings_in_standard_input_are_not_fixed(tmp_path: Path) -> None:
    own_rule(tmp_path, settings='baseline = "known.json"\n')
    write(tmp_path / 'a.py', 'x = LOUD\n')
    assert flakelint('check', '--update-baseline', cwd=tmp_path).returncode == 0
    result = flakelint('check', '-', '--stdin-filename', 'a.py', '--fix', cwd=tmp_path, stdin='y = LOUD\nx = LOUD\n')
    assert result.stdout == 'y = quiet\nx = LOUD\n'
    assert result.returncode == 0
