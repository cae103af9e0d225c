# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint config`."""

import json

import pytest
from click.testing import CliRunner

from flakelint.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, ['config', *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('FLAKELINT_CACHE_DIR', raising=False)
    return tmp_path


def test_defaults_where_there_is_no_file(folder):
    document = json.loads(run('--output-format', 'json').stdout)
    assert document['file'] is None
    assert document['root'] == str(folder)
    assert document['settings']['preset'] == 'triton'
    assert document['origins'] == {}
    assert document['cache'] == str(folder / '.flakelint_cache')
    assert 'ENG001' in document['selected']


def test_origins_name_file_and_preset(folder):
    folder.joinpath('flakelint.toml').write_text('preset = "fla"\nmax-file-size = 5\n[header]\nstart-year = 2024\n')
    document = json.loads(run('--output-format', 'json').stdout)
    assert document['file'] == str(folder / 'flakelint.toml')
    assert document['settings']['max-file-size'] == 5
    assert document['settings']['header']['start-year'] == 2024
    assert document['origins']['max-file-size'] == 'flakelint.toml'
    assert document['origins']['header.start-year'] == 'flakelint.toml'
    assert document['origins']['kernel.autotune'] == 'preset fla'
    assert 'header.license' not in document['origins']


def test_text_shows_value_and_origin_of_each_key(folder):
    folder.joinpath('flakelint.toml').write_text('extend-exclude = ["build/"]\nignore = ["ENG003"]\n')
    result = run()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert 'extend-exclude = ["build/"]  # flakelint.toml' in lines
    assert 'ignore = ["ENG003"]  # flakelint.toml' in lines
    assert 'commits.max-length = 0  # default' in lines
    (selected,) = (line for line in lines if line.startswith('rules: '))
    assert 'ENG002' in selected and 'ENG003' not in selected


def test_settings_of_a_path(folder):
    folder.joinpath('flakelint.toml').write_text('max-file-size = 1\n')
    folder.joinpath('inner').mkdir()
    folder.joinpath('inner', 'flakelint.toml').write_text('max-file-size = 2\n')
    folder.joinpath('inner', 'kernel.py').touch()
    assert json.loads(run('--output-format', 'json').stdout)['settings']['max-file-size'] == 1
    assert json.loads(run('inner/kernel.py', '--output-format', 'json').stdout)['settings']['max-file-size'] == 2


def test_wrong_settings_end_with_2(folder):
    folder.joinpath('flakelint.toml').write_text('extend-exlude = []\n')
    result = run()
    assert result.exit_code == 2
    assert 'flakelint.toml: unknown key `extend-exlude`; did you mean `extend-exclude`?' in result.stderr


def test_shown_settings_can_be_read_back(folder):
    file = folder / 'flakelint.toml'
    file.write_text('preset = "fla"\n[per-file-ignores]\n"tests/" = ["ENG004"]\n')
    before = json.loads(run('--output-format', 'json').stdout)
    lines = [line for line in run().stdout.splitlines() if ' = ' in line]
    file.write_text('\n'.join(lines))
    after = json.loads(run('--output-format', 'json').stdout)
    assert after['settings'] == before['settings']
    assert after['selected'] == before['selected']
