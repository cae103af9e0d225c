# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run one rule over one text, with the settings that a fixture or an example asks for."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from flakelint.engine.checker import Checker
from flakelint.engine.config import Config, load
from flakelint.engine.registry import Registry, collect
from flakelint.engine.rule import Rule
from flakelint.engine.runner import Job

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FIXTURES = Path(__file__).parent / 'fixtures'
FIXED = ('.fixed.py', '.unsafe-fixed.py')

_PLACE = r'[A-Z]{3}[0-9]{3}(?:@[0-9]+)?'
_EXPECT = re.compile(rf'[ \t]*# expect: (?P<places>{_PLACE}(?:, {_PLACE})*)[ \t]*$', re.MULTILINE)
_SETTINGS = re.compile(r'# settings: (?P<table>\{.*\})[ \t]*\n')
_DEFAULTS = {'preset': 'fla', 'header': {'owner': 'The flakelint Authors', 'start-year': 2026}}
_NAMES = {'python': 'example.py', 'markdown': 'example.md'}
_HOOKS = ('check_file', 'check_comment', 'check_kernel', 'check_launch', 'check_markdown', 'visit_')


@dataclass(frozen=True)
class Fixture:
    """A fixture, apart from what it says about itself.

    Args:
        text (str):
            The text to check, without the `# settings:` line and the `# expect:` comments.
        expected (list[tuple[int, str, int | None]]):
            The lines, in `text`, the codes and the columns of the findings, in their order; a column is `None` where the fixture leaves it open.
        settings (dict[str, Any]):
            The `[tool.flakelint]` table.
    """

    text: str
    expected: list[tuple[int, str, int | None]]
    settings: dict[str, Any]


def read_fixture(path: Path) -> Fixture:
    """The fixture in a file."""
    text = path.read_bytes().decode()
    settings = {}
    if match := _SETTINGS.match(text):
        settings = json.loads(match['table'])
        text = text[match.end():]
    expected = []
    for match in _EXPECT.finditer(text):
        line = text.count('\n', 0, match.start('places')) + 1
        for place in match['places'].split(', '):
            code, _, column = place.partition('@')
            expected.append((line, code, int(column) if column else None))
    return Fixture(_EXPECT.sub('', text), expected, settings)


def fixture_files(code: str, suffix: str = '.py') -> list[Path]:
    """The fixtures of a rule of one kind, without the texts that fixing makes of them."""
    return sorted(path for path in (FIXTURES / code).rglob(f'*{suffix}') if not path.name.endswith(fixed_names(suffix)))


def fixed_names(suffix: str) -> tuple[str, ...]:
    """How the names of texts end that fixing makes of fixtures."""
    return tuple(name.removesuffix('.py') + suffix for name in FIXED)


@cache
def registry() -> Registry:
    """The rules that exist."""
    return collect(load(str(FIXTURES.parents[1])))


def rules() -> dict[str, type[Rule]]:
    """The built-in rules, by code."""
    return {code: registry().rules[code].load() for code in registry().codes() if registry().rules[code].origin == 'built in'}


def reads_files(rule: type[Rule]) -> bool:
    """Whether a rule finds things in files; commit subjects are none, and the engine speaks for its own codes."""
    return any(name.startswith(_HOOKS) for name in dir(rule))


def config(folder: Path, settings: dict[str, Any]) -> Config:
    """The configuration that a table gives, read from a file as a run would."""
    file = folder / 'flakelint.toml'
    file.write_text(''.join(f'{_toml(key)} = {_toml(value)}\n' for key, value in (_DEFAULTS | settings).items()))
    return load(str(folder), str(file))


def checker(folder: Path, settings: dict[str, Any], *codes: str) -> Checker:
    """A checker with some rules only, as the command line makes it."""
    return Job(config(folder, settings), registry(), codes, 1).checker()


def fences(text: str) -> Iterator[tuple[str, str]]:
    """The language and the content of each fenced block of a Markdown text."""
    for match in re.finditer(r'^```(?P<language>\w*)\n(?P<content>.*?)^```$', text, re.MULTILINE | re.DOTALL):
        yield match['language'], match['content']


def examples(section: str) -> Iterator[tuple[dict[str, Any], str, str]]:
    """The examples of a section, each with the settings that stand before it and the name of a file that could hold it."""
    settings: dict[str, Any] = {}
    for language, content in fences(section):
        if language == 'toml':
            settings = tomllib.loads(content)
        elif language in _NAMES:
            yield settings, _NAMES[language], content


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return '{' + ', '.join(f'{json.dumps(key)} = {_toml(item)}' for key, item in value.items()) + '}'
    if isinstance(value, list):
        return '[' + ', '.join(map(_toml, value)) + ']'
    return json.dumps(value, ensure_ascii=False)
