# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint rule`."""

import json

import pytest
from click.testing import CliRunner

from flakelint.cli.main import cli
from flakelint.engine.config import load
from flakelint.engine.registry import collect
from tests.tools import REPOSITORY


def run(*arguments):
    return CliRunner().invoke(cli, ['rule', *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes():
    return collect(load('.')).codes()


def test_lists_every_rule_on_one_line():
    result = run()
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == codes()


@pytest.mark.parametrize('word', ['ENG004', 'eng004', 'unused-suppression'])
def test_explains_a_rule_by_code_and_by_name(word):
    result = run(word)
    assert result.exit_code == 0
    assert result.stdout.startswith('ENG004 unused-suppression (warning, safe fix, on in triton and fla')
    assert 'Why is this bad?\n----------------\n' in result.stdout
    assert '```' not in result.stdout


def test_markdown_is_the_page_of_the_rule():
    for code in ('ENG001', 'TRI201'):
        page = REPOSITORY / 'docs' / 'rules' / f'{code}.md'
        assert run(code, '--output-format', 'markdown').stdout == page.read_text(encoding='utf-8')


def test_json_holds_everything_and_nothing_else():
    result = run('--all', '--output-format', 'json')
    rules = json.loads(result.stdout)
    assert [rule['code'] for rule in rules] == codes()
    for rule in rules:
        assert set(rule) == {
            'code', 'name', 'summary', 'severity', 'fix', 'presets', 'since', 'triton', 'origin', 'options', 'documentation',
            'url',
        }
        assert rule['documentation'].startswith('## What it does\n')
    presets = {rule['code']: rule['presets'] for rule in rules}
    assert (presets['TRI102'], presets['TRI201']) == (['fla'], ['triton', 'fla'])


def test_options_are_told_with_type_and_default(folder):
    folder.joinpath('rules').mkdir()
    folder.joinpath('rules', 'abc101_own_rule.py').write_text(
        'from dataclasses import dataclass\n'
        'from flakelint.engine.rule import Rule\n'
        '@dataclass(frozen=True)\n'
        'class Options:\n'
        '    some_names: tuple[str, ...] = ("a",)\n'
        '    limit: int = 3\n'
        'class OwnRule(Rule):\n'
        '    """A rule of the repository."""\n'
        '    code, name, Options = "ABC101", "own-rule", Options\n'
    )
    folder.joinpath('flakelint.toml').write_text('rule-paths = ["rules"]\n')
    (rule,) = json.loads(run('own-rule', '--output-format', 'json').stdout)
    assert rule['origin'] == 'rules/abc101_own_rule.py'
    assert rule['options'] == [
        {'name': 'some-names', 'type': 'tuple[str, ...]', 'default': ['a']},
        {'name': 'limit', 'type': 'int', 'default': 3},
    ]


def test_all_explains_every_rule():
    result = run('--all')
    for code in codes():
        assert f'\n{code} ' in f'\n{result.stdout}'


@pytest.mark.parametrize(('word', 'near'), [('ENG044', 'ENG004'), ('unused-supression', 'unused-suppression')])
def test_unknown_rule_names_the_nearest(word, near):
    result = run(word)
    assert result.exit_code == 2
    assert result.stdout == ''
    assert f'unknown rule `{word}`; did you mean `{near}`?' in result.stderr


def test_markdown_list_is_a_table_with_aligned_pipes():
    lines = run('--output-format', 'markdown').stdout.splitlines()
    assert len(lines) == len(codes()) + 2
    assert len({len(line) for line in lines}) == 1


def test_the_beginning_of_codes_lists_their_rules():
    result = run('TRI4')
    assert [line.split()[0] for line in result.stdout.splitlines()] == [code for code in codes() if code.startswith('TRI4')]
