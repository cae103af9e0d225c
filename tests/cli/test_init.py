# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint init`: what it finds in repositories, and that what it writes holds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import clean_environment, flakelint

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KERNEL = '''
import triton
import triton.language as tl


@triton.jit
def fill_fwd_kernel(x, T, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), tl.mean(x))
'''
ACME = '# Copyright (c) {years}, Acme Inc.\n#\n# Licensed under the Apache License, Version 2.0\n'


def files(folder: Path, headers: dict[str, str]) -> None:
    for name, header in headers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header + KERNEL)


def commits(folder: Path, subjects: list[str]) -> None:
    environment = clean_environment(
        GIT_AUTHOR_NAME='a',
        GIT_AUTHOR_EMAIL='a@example.com',
        GIT_COMMITTER_NAME='a',
        GIT_COMMITTER_EMAIL='a@example.com',
    )
    subprocess.run(['git', 'init', '-q', '.'], cwd=folder, check=True, env=environment)
    for subject in subjects:
        command = ['git', 'commit', '-q', '--allow-empty', '--no-verify', '-m', subject]
        subprocess.run(command, cwd=folder, check=True, env=environment)


def proposed(folder: Path, *options: str) -> dict:
    result = flakelint('init', *options, cwd=folder)
    assert result.returncode == 0, result.stderr
    return tomllib.loads(result.stdout)


def test_the_header_that_most_files_have_is_proposed(tmp_path: Path) -> None:
    files(tmp_path, {
        'a.py': '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n' + ACME.format(years='2021-2024'),
        'b.py': ACME.format(years='2023'),
        'c.py': ACME.format(years='2022-2023'),
        'd.py': '# Copyright 2019 Somebody Else\n',
        'e.py': '',
    })
    (tmp_path / 'empty.py').write_text('')
    header = proposed(tmp_path)['header']
    assert header['owner'] == 'Acme Inc.'
    assert header['start-year'] == 2021
    assert header['template'] == ['# Copyright (c) {years}, {owner}', '#', '# Licensed under the Apache License, Version 2.0']


def test_a_header_that_few_files_have_is_none(tmp_path: Path) -> None:
    files(tmp_path, {'a.py': ACME.format(years='2021'), **{f'm{number}.py': '' for number in range(5)}})
    assert 'header' not in proposed(tmp_path)


def test_the_tags_of_commits_are_proposed(tmp_path: Path) -> None:
    files(tmp_path, {'a.py': ''})
    commits(tmp_path, ['[Fix] Mend a', '[Ops] Add a', '[Fix] Mend b', '[Ops] Add b', 'no tag', '[Once] only'])
    assert proposed(tmp_path)['commits'] == {'tags': ['Fix', 'Once', 'Ops']}


@pytest.mark.parametrize('subjects', [[], ['Mend a', 'Mend b', 'fix: c', '[Fix] d']])
def test_without_tags_none_are_proposed(tmp_path: Path, subjects: list[str]) -> None:
    files(tmp_path, {'a.py': ''})
    if subjects:
        commits(tmp_path, subjects)
    assert 'commits' not in proposed(tmp_path)


@pytest.mark.parametrize(('name', 'text'), [
    ('pyproject.toml', '[tool.ruff]\nline-length = 100\n'),
    ('ruff.toml', 'line-length = 100\n'),
    ('.ruff.toml', 'line-length = 100\n'),
])
def test_the_length_of_lines_is_that_of_ruff(tmp_path: Path, name: str, text: str) -> None:
    files(tmp_path, {'a.py': ''})
    (tmp_path / name).write_text(text)
    assert proposed(tmp_path, '--preset', 'fla')['rules'] == {'REP107': {'columns': 100}}


def test_a_repository_that_is_laid_out_like_fla_gets_its_preset(tmp_path: Path) -> None:
    files(tmp_path, {'fla/ops/gla/naive.py': '', 'fla/ops/gla/__init__.py': ''})
    assert proposed(tmp_path)['preset'] == 'fla'
    assert proposed(tmp_path, '--preset', 'triton')['preset'] == 'triton'


@pytest.mark.parametrize('project', ['', '[project]\nname = "acme"'])
def test_what_is_written_holds_and_holds_back_what_is_there(tmp_path: Path, project: str) -> None:
    files(tmp_path, {'a.py': ACME.format(years='2021'), 'b.py': ACME.format(years='2022')})
    if project:
        (tmp_path / 'pyproject.toml').write_text(project)
    result = flakelint('init', '--write', cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / 'flakelint.toml').exists() != bool(project)
    if project:
        assert (tmp_path / 'pyproject.toml').read_text().startswith(project + '\n')
    assert len(json.loads((tmp_path / 'flakelint-baseline.json').read_text())['findings']) > 1
    assert flakelint('check', cwd=tmp_path).returncode == 0
    files(tmp_path, {'c.py': ''})
    result = flakelint('check', '--output-format', 'concise', cwd=tmp_path)
    assert 'c.py' in result.stdout and 'REP101' in result.stdout and 'a.py' not in result.stdout


def test_a_repository_that_is_configured_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / 'flakelint.toml').write_text('preset = "fla"\n')
    result = flakelint('init', '--write', cwd=tmp_path)
    assert result.returncode == 2 and 'flakelint.toml configures this folder already' in result.stderr
    assert (tmp_path / 'flakelint.toml').read_text() == 'preset = "fla"\n'


def test_nothing_to_find_is_no_error(tmp_path: Path) -> None:
    assert proposed(tmp_path) == {'preset': 'triton'}


@pytest.mark.parametrize(('text', 'message'), [
    ('[project\nname = "acme"\n', 'pyproject.toml: the settings cannot be added'),
    ('tool = { ruff = { line-length = 100 } }\n', 'pyproject.toml: the settings cannot be added'),
])
def test_a_project_file_that_cannot_hold_the_settings_is_left_alone(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / 'pyproject.toml').write_text(text)
    result = flakelint('init', '--write', cwd=tmp_path)
    assert result.returncode == 2 and message in result.stderr, result.stderr
    assert (tmp_path / 'pyproject.toml').read_text() == text
    assert not (tmp_path / 'flakelint-baseline.json').exists()


def test_a_folder_of_a_configured_repository_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / 'pyproject.toml').write_text('tool.flakelint.preset = "fla"\n')
    files(tmp_path, {'inner/a.py': ''})
    result = flakelint('init', '--write', 'inner', cwd=tmp_path)
    assert result.returncode == 2 and 'pyproject.toml configures this folder already' in result.stderr, result.stderr
    assert [path.name for path in (tmp_path / 'inner').iterdir()] == ['a.py']


def test_line_breaks_of_the_project_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / 'pyproject.toml').write_bytes(b'[project]\r\nname = "acme"')
    assert flakelint('init', '--write', cwd=tmp_path).returncode == 0
    data = (tmp_path / 'pyproject.toml').read_bytes()
    assert data.startswith(b'[project]\r\nname = "acme"\r\n\r\n[tool.flakelint]\r\n')
    assert b'\n' not in data.replace(b'\r\n', b'')


def test_a_baseline_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / 'flakelint-baseline.json').write_text('{}')
    result = flakelint('init', '--write', cwd=tmp_path)
    assert result.returncode == 2 and 'flakelint-baseline.json is there already' in result.stderr
    assert not (tmp_path / 'flakelint.toml').exists()
