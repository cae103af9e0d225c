# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the editors' configurations and the documentation say of the settings is what the server reads."""

import json
import re
from dataclasses import MISSING, fields
from typing import Any

import pytest

from flakelint.engine.config import PRESETS, SEVERITIES
from flakelint.lsp.editor_settings import INLAYS, EditorSettings, read
from flakelint.lsp.features import DEBUG_INFORMATION
from flakelint.lsp.navigation import SHOW_LAUNCHES
from tests.tools import REPOSITORY

MANIFEST = json.loads((REPOSITORY / 'editors/vscode/package.json').read_text(encoding='utf-8'))
PROPERTIES = MANIFEST['contributes']['configuration']['properties']
DECLARED = {name.removeprefix('flakelint.'): one for name, one in PROPERTIES.items()}
OF_THE_EXTENSION = {'path', 'interpreter', 'trace.server'}
GUIDE = (REPOSITORY / 'docs/editors.md').read_text(encoding='utf-8')


def camel(name: str) -> str:
    return re.sub('_(.)', lambda found: found[1].upper(), name)


def default(field: Any) -> Any:
    value = field.default_factory() if field.default_factory is not MISSING else field.default
    return list(value) if isinstance(value, tuple) else value


SETTINGS = {camel(field.name): default(field) for field in fields(EditorSettings)}


def test_the_extension_declares_the_settings_with_their_defaults() -> None:
    declared = {name: one['default'] for name, one in DECLARED.items() if name not in OF_THE_EXTENSION}
    assert declared == SETTINGS
    assert read(declared) == (EditorSettings(), [])


def test_the_extension_declares_the_choices() -> None:
    assert DECLARED['inlayHints']['enum'] == list(INLAYS)
    assert DECLARED['preset']['enum'] == ['', *PRESETS]
    assert set(DECLARED['severity']['additionalProperties']['enum']) == set(SEVERITIES)
    for name, one in DECLARED.items():
        assert len(one.get('enumDescriptions', one.get('enum', []))) == len(one.get('enum', [])), name
    for value in ('minimum', 'maximum'):
        assert not read({'debounce': DECLARED['debounce'][value]})[1]
    assert read({'debounce': DECLARED['debounce']['maximum'] + 1})[1]


@pytest.mark.parametrize('command', [DEBUG_INFORMATION, SHOW_LAUNCHES])
def test_the_extension_declares_the_commands_of_the_server(command: str) -> None:
    assert command in [one['command'] for one in MANIFEST['contributes']['commands']]


def test_the_guide_lists_the_settings_with_their_defaults() -> None:
    rows = re.findall(r'^\| `(\w+)` +\|[^|]*\| `([^`]*)` +\|', GUIDE, re.MULTILINE)
    assert {name: json.loads(value) for name, value in rows} == SETTINGS


def test_the_files_that_the_guides_name_exist() -> None:
    editors = REPOSITORY / 'editors'
    for guide in (REPOSITORY / 'docs/editors.md', *editors.glob('*.md'), *editors.glob('*/*.md')):
        for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', guide.read_text(encoding='utf-8')):
            assert (guide.parent / link).exists(), f'{guide}: {link}'
