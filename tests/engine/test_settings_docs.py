# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`docs/settings.md` beside the settings that there are."""

import re
from dataclasses import fields

import pytest

from flakelint.engine.config import load, tomllib
from flakelint.engine.settings import SECTIONS, SELECTION_KEYS, Settings, keys_of
from tests.tools import REPOSITORY, write

TEXT = REPOSITORY.joinpath('docs', 'settings.md').read_text(encoding='utf-8')
ENTRIES = {
    match['key']: match['body']
    for match in re.finditer(r'^### `(?P<key>[\w.-]+)`\n(?P<body>.*?)(?=^##|\Z)', TEXT, re.MULTILINE | re.DOTALL)
}
TYPES = {'bool': '`true` or `false`', 'int': 'whole number', 'str': 'string', 'tuple': 'list of strings', 'dict': 'table of'}


def known() -> dict[str, object]:
    """The default of each dotted key."""
    defaults = {}
    for one in fields(Settings):
        key, value = one.name.replace('_', '-'), getattr(Settings(), one.name)
        if key in SECTIONS:
            defaults.update({f'{key}.{name}': getattr(value, name.replace('-', '_')) for name in keys_of(SECTIONS[key])})
        else:
            defaults[key] = value
    return defaults


def examples(body: str) -> list[str]:
    return re.findall(r'^```toml\n(.*?)^```', body, re.MULTILINE | re.DOTALL)


def test_every_key_and_no_other_is_described():
    assert set(ENTRIES) == {*known(), *(key.replace('_', '-') for key in SELECTION_KEYS)}


@pytest.mark.parametrize(('key', 'default'), known().items())
def test_type_and_default(key, default):
    (kind,) = re.findall(r'^- Type: (.*)$', ENTRIES[key], re.MULTILINE)
    assert kind.startswith(TYPES[type(default).__name__])
    (shown,) = re.findall(r'^- Default: `(.*)`$', ENTRIES[key], re.MULTILINE)
    value = tomllib.loads(f'x = {shown}')['x']
    assert value == (list(default) if isinstance(default, tuple) else default)


@pytest.mark.parametrize('key', ENTRIES)
def test_examples_are_settings(key, tmp_path):
    (example,) = examples(ENTRIES[key])
    config = load(str(tmp_path), str(write(tmp_path / 'flakelint.toml', example)))
    if key in known():
        by_file = [name for name, origin in config.origins.items() if not origin.startswith('preset ')]
        assert [name.replace('_', '-') for name in by_file] == [key]
    else:
        assert getattr(config.layers[1], key.replace('-', '_'))


def test_first_example_is_a_pyproject(tmp_path):
    config = load(str(tmp_path), str(write(tmp_path / 'pyproject.toml', examples(TEXT)[0])))
    assert (config.settings.preset, config.settings.header.start_year) == ('fla', 2024)
