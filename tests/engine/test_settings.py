# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Settings: where they come from, what they refuse, and which rules they select."""

from pathlib import Path

import pytest

from flakelint.engine.config import SettingsError, load
from flakelint.engine.registry import collect
from flakelint.engine.settings import PRESETS, PREVIEW
from tests.tools import write


def selected(folder: Path, **overrides) -> set[str]:
    config = load(str(folder), None, overrides)
    return set(collect(config).selected(config.layers))


@pytest.mark.parametrize(('text', 'message'), [
    ('sellect = ["TRI"]', 'flakelint.toml: unknown key `sellect`; did you mean `select`?'),
    ('[header]\nyear = 2026', 'flakelint.toml: unknown key `header.year`; did you mean `start-year`?'),
    ('select = "TRI"', 'flakelint.toml: `select` must be a list of strings'),
    ('max-file-size = true', 'flakelint.toml: `max-file-size` must be a whole number'),
    ('preset = "flaa"', 'flakelint.toml: unknown preset `flaa`; did you mean `fla`?'),
    ('header = 1', 'flakelint.toml: `header` must be a table'),
    ('output-format = "jsn"', 'flakelint.toml: unknown output format `jsn`; did you mean `json`?'),
    ('select = [', 'flakelint.toml: not valid TOML: '),
    ('max-file-size = 0', 'flakelint.toml: `max-file-size` must be at least 1'),
    ('target-triton = "3.9"', 'flakelint.toml: `target-triton`: `3.9` is not a bound such as `>=3.3`'),
    ('severity = {TRI = "eror"}', 'flakelint.toml: unknown severity `eror` of `TRI`; did you mean `error`?'),
    ('per-file-ignores = {"a.py" = "TRI201"}', 'flakelint.toml: `per-file-ignores`, key `a.py`, must be a list of strings'),
])
def test_wrong_settings_say_what_is_wrong(tmp_path: Path, monkeypatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / 'flakelint.toml', text)
    with pytest.raises(SettingsError) as error:
        load('.')
    assert str(error.value).startswith(message)


@pytest.mark.parametrize('selector', ['TRI999', 'TRI9', 'OPS9', 'block-ponter', 'XYZ'])
def test_unknown_rules_are_refused(tmp_path: Path, selector: str) -> None:
    write(tmp_path / 'flakelint.toml', f'select = ["{selector}"]')
    with pytest.raises(SettingsError, match=f'unknown rule `{selector}`'):
        selected(tmp_path)


def test_the_nearest_rule_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match='did you mean `block-pointer`'):
        selected(tmp_path, select=('block-ponter',))


def test_the_nearest_file_upwards_is_taken(tmp_path: Path) -> None:
    write(tmp_path / 'pyproject.toml', '[tool.flakelint]\nmax-file-size = 5\n')
    write(tmp_path / 'a/pyproject.toml', '[project]\nname = "x"\n')
    (tmp_path / 'a/b').mkdir()
    config = load(str(tmp_path / 'a/b'))
    assert config.settings.max_file_size == 5
    assert config.root == str(tmp_path)
    write(tmp_path / 'a/flakelint.toml', 'max-file-size = 6\n')
    assert load(str(tmp_path / 'a/b')).settings.max_file_size == 6


def test_presets_differ_in_policies(tmp_path: Path) -> None:
    plain, strict = selected(tmp_path), selected(tmp_path, preset='fla')
    assert 'TRI201' in plain & strict
    assert {'TRI102', 'TRI402', 'TRI406', 'TRI506', 'REP101', 'DOC106'} <= strict - plain


def test_layers_select_ignore_and_extend(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', 'ignore = ["TRI2"]\nextend-select = ["TRI102"]\n')
    assert 'TRI201' not in selected(tmp_path)
    assert 'TRI102' in selected(tmp_path)
    assert selected(tmp_path, select=('TRI201',)) == {'TRI201'}
    assert selected(tmp_path, select=('TRI', 'OPS'), ignore=('TRI201',)).isdisjoint({'TRI201', 'REP101'})
    assert selected(tmp_path, select=('TRI201',), ignore=('TRI',)) == {'TRI201'}
    assert 'TRI201' not in selected(tmp_path, select=('TRI',), ignore=('block-pointer',))
    assert selected(tmp_path, select=('ALL',)) >= selected(tmp_path, preset='fla')
    assert selected(tmp_path, select=('tri201',)) == {'TRI201'}


@pytest.mark.parametrize('preset', sorted(PRESETS))
def test_preview_adds_to_a_preset(tmp_path: Path, preset: str) -> None:
    write(tmp_path / 'flakelint.toml', f'preset = "{preset}"\n')
    assert selected(tmp_path, preview=True) - selected(tmp_path) == set(PREVIEW)
    # what is named is on, and what is ignored is off, preview or not
    assert selected(tmp_path, select=PREVIEW) == set(PREVIEW)
    assert selected(tmp_path, preview=True, ignore=PREVIEW) == selected(tmp_path)
    write(tmp_path / 'flakelint.toml', f'preset = "{preset}"\npreview = true\n')
    assert set(PREVIEW) <= selected(tmp_path)


def test_origins_are_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / 'flakelint.toml', 'max-file-size = 5\n[header]\nowner = "me"\n')
    config = load('.', None, {'force_exclude': True})
    assert config.origins['max_file_size'] == 'flakelint.toml'
    assert config.origins['header.owner'] == 'flakelint.toml'
    assert config.origins['force_exclude'] == 'command line'
