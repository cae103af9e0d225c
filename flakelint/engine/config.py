# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Read settings from `pyproject.toml` or `flakelint.toml`, check them, and lay them over each other."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, get_args, get_origin, get_type_hints

from flakelint.engine import versions
from flakelint.engine.settings import PRESETS, PREVIEW, SECTIONS, SELECTION_KEYS, Settings, keys_of
from flakelint.kernel.sizes import DEFAULTS as ROLES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SEVERITIES = ('error', 'warning', 'info')
OUTPUT_FORMATS = ('text', 'concise', 'json', 'json-lines', 'sarif', 'github', 'gitlab', 'junit')

_PROJECT = 'pyproject.toml'
SETTINGS_FILES = ('flakelint.toml', _PROJECT)

_OUR_TABLE = re.compile(rb'^\s*\[?\s*tool\s*\.\s*flakelint\b', re.MULTILINE)


class SettingsError(Exception):
    """The settings are wrong; the message names the place and the nearest right word."""


@dataclass(frozen=True)
class Layer:
    """What one place says: a preset, a file or the command line.

    Args:
        origin (str):
            The place, for people.
        select (tuple[str, ...] | None):
            The rules to start from, or None to start from the layer below.
        ignore (tuple[str, ...]):
            The rules to take away.
        extend_select (tuple[str, ...]):
            The rules to add.
    """

    origin: str
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    """The settings of a run with what is needed to explain them.

    Args:
        settings (Settings):
            The values in force.
        layers (tuple[Layer, ...]):
            Who selects rules, the strongest last.
        origins (dict[str, str]):
            For each dotted key that is not at its default, the place that set it.
        root (str):
            The folder of the settings file, or the folder of the run: patterns and paths in the settings are relative to it.
        file (str | None):
            The settings file.
    """

    settings: Settings
    layers: tuple[Layer, ...]
    origins: dict[str, str]
    root: str
    file: str | None


def load(
    start: str, file: str | None = None, overrides: Mapping[str, Any] | None = None, isolated: bool = False,
) -> Config:
    """The configuration that holds for a folder.

    The nearest folder upwards that has a `flakelint.toml`, or a `pyproject.toml` with a `[tool.flakelint]` table, is the root.

    Args:
        start (str):
            The folder.
        file (str, Optional):
            A settings file to take instead of searching. Default: `None`.
        overrides (Mapping[str, Any], Optional):
            Values of the command line, by field name. Default: `None`.
        isolated (bool, Optional):
            Whether to read no file at all. Default: `False`.

    Raises:
        SettingsError: a file cannot be read, or a key or value is wrong.
    """
    file = os.path.abspath(file) if file else None if isolated else _find(os.path.abspath(start))
    overrides = overrides or {}
    _check_target(overrides, 'command line')
    table = _read(file) if file else {}
    root = os.path.dirname(file) if file else _repository_top(os.path.abspath(start))
    shown = os.path.relpath(file) if file else ''
    values = _check_table(table, Settings, shown, '', SELECTION_KEYS)
    preset = overrides.get('preset') or values.get('preset') or Settings.preset
    if preset not in PRESETS:
        place = 'command line' if overrides.get('preset') else shown
        known = ' and '.join(f'`{name}`' for name in PRESETS)
        raise SettingsError(f'{place}: unknown preset `{preset}`{nearest(preset, PRESETS)}; there are {known}')
    chosen = PRESETS[preset]
    if overrides.get('preview', values.get('preview', Settings.preview)):
        chosen = {**chosen, 'ignore': tuple(code for code in chosen['ignore'] if code not in PREVIEW)}
    return _lay([(f'preset {preset}', chosen), (shown, values), ('command line', overrides)], preset, root, file)


def nearest(word: str, known: Any) -> str:
    """A clause that names the known word most like `word`, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), 1, 0.5)
    return f'; did you mean `{close[0]}`?' if close else ''


def _lay(places: list[tuple[str, Mapping[str, Any]]], preset: str, root: str, file: str | None) -> Config:
    settings = replace(Settings(), preset=preset)
    layers = []
    origins: dict[str, str] = {}
    for origin, values in places:
        layers.append(Layer(origin, values.get('select'), values.get('ignore', ()), values.get('extend_select', ())))
        changes: dict[str, Any] = {}
        for key, value in values.items():
            if key in SELECTION_KEYS or value is None:
                continue
            if key in SECTIONS:
                changes[key] = replace(getattr(settings, key), **value)
                origins.update({f'{key}.{name}': origin for name in value})
                continue
            changes[key] = {**getattr(settings, key), **value} if isinstance(value, dict) else value
            origins[key] = origin
        settings = replace(settings, **changes)
    return Config(settings, tuple(layers), origins, root, file)


def candidates(folder: str) -> Iterator[str]:
    """Where the settings of a folder may stand, the nearest first."""
    while True:
        yield from (os.path.join(folder, name) for name in SETTINGS_FILES)
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _find(folder: str) -> str | None:
    for path in candidates(folder):
        if os.path.isfile(path) and (os.path.basename(path) != _PROJECT or _mentions_us(path)):
            return path
    return None


def _mentions_us(project: str) -> bool:
    try:
        with open(project, 'rb') as file:
            return _OUR_TABLE.search(file.read()) is not None
    except OSError:
        return False


def _repository_top(folder: str) -> str:
    current = folder
    while not os.path.exists(os.path.join(current, '.git')):
        parent = os.path.dirname(current)
        if parent == current:
            return folder
        current = parent
    return current


def _read(path: str) -> dict[str, Any]:
    shown = os.path.relpath(path)
    try:
        with open(path, 'rb') as file:
            table = tomllib.load(file)
    except OSError as error:
        raise SettingsError(f'{shown}: cannot be read: {error.strerror}') from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f'{shown}: not valid TOML: {error}') from None
    if os.path.basename(path) == _PROJECT:
        tools = table.get('tool', {})
        return tools.get('flakelint', {}) if isinstance(tools, dict) else {}
    return table


def _check_table(table: Any, settings_class: type, file: str, prefix: str, extra: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise SettingsError(f'{file}: `{prefix.rstrip(".")}` must be a table')
    hints = get_type_hints(settings_class)
    known = [*keys_of(settings_class), *(key.replace('_', '-') for key in extra)]
    checked = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f'{file}: unknown key `{prefix}{key}`{nearest(key, known)}')
        name = key.replace('-', '_')
        if name in SECTIONS and settings_class is Settings:
            checked[name] = _check_table(value, SECTIONS[name], file, f'{key}.')
            if name == 'assume':
                _check_sizes(checked[name], file)
        elif name in extra:
            checked[name] = check_value(value, tuple[str, ...], f'{file}: `{prefix}{key}`')
        else:
            checked[name] = check_value(value, hints[name], f'{file}: `{prefix}{key}`')
    _check_target(checked, file)
    if checked.get('max_file_size', 1) < 1:
        raise SettingsError(f'{file}: `max-file-size` must be at least 1')
    if checked.get('output_format', 'text') not in OUTPUT_FORMATS:
        wrong = checked['output_format']
        raise SettingsError(f'{file}: unknown output format `{wrong}`{nearest(wrong, OUTPUT_FORMATS)}')
    unknown = checked.get('affected', {}).get('unknown', 'nothing')
    if unknown not in ('everything', 'nothing'):
        raise SettingsError(f'{file}: `affected.unknown` must be `everything` or `nothing`, not `{unknown}`')
    for selector, severity in checked.get('severity', {}).items():
        if severity not in SEVERITIES:
            raise SettingsError(f'{file}: unknown severity `{severity}` of `{selector}`{nearest(severity, SEVERITIES)}')
    return checked


def _check_sizes(values: Mapping[str, Any], file: str) -> None:
    for profile in ('tight', 'possible'):
        for role, size in values.get(profile, {}).items():
            if role not in ROLES:
                raise SettingsError(f'{file}: unknown role `assume.{profile}.{role}`{nearest(role, ROLES)}')
            if size < 1:
                raise SettingsError(f'{file}: `assume.{profile}.{role}` must be at least 1')
    for pattern, found in values.get('names', {}).items():
        place = f'{file}: `assume.names."{pattern}"`'
        if isinstance(found, str) and found not in ROLES:
            raise SettingsError(f'{place}: unknown role `{found}`{nearest(found, ROLES)}')
        if isinstance(found, bool) or not isinstance(found, int | str) or (isinstance(found, int) and found < 1):
            raise SettingsError(f'{place} must be a role or a whole number of at least 1')


def _check_target(values: Mapping[str, Any], place: str) -> None:
    try:
        versions.parse(values.get('target_triton', ''))
    except ValueError as error:
        raise SettingsError(f'{place}: `target-triton`: {error}') from None


def check_value(value: Any, hint: Any, place: str) -> Any:
    """A TOML value as the type that a field asks for.

    Raises:
        SettingsError: it is of another type.
    """
    origin = get_origin(hint) or hint
    if origin is tuple:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise SettingsError(f'{place} must be a list of strings')
        return tuple(value)
    if origin is dict:
        if not isinstance(value, dict):
            raise SettingsError(f'{place} must be a table')
        return {key: check_value(item, get_args(hint)[1], f'{place}, key `{key}`,') for key, item in value.items()}
    if origin is Any:
        return value
    if not isinstance(value, origin) or (origin is int and isinstance(value, bool)):
        raise SettingsError(f'{place} must be {_TYPE_NAMES[origin]}')
    return value


_TYPE_NAMES = {bool: '`true` or `false`', int: 'a whole number', str: 'a string'}


def rule_options(options_class: type, table: Mapping[str, Any], place: str) -> object:
    """The options of a rule from its table in the settings.

    Raises:
        SettingsError: a key is unknown or a value of the wrong type.
    """
    hints = get_type_hints(options_class)
    known = keys_of(options_class)
    values = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f'{place}: unknown option `{key}`{nearest(key, known)}')
        name = key.replace('-', '_')
        values[name] = check_value(value, hints[name], f'{place}: `{key}`')
    return options_class(**values)


def as_table(settings: Any) -> dict[str, Any]:
    """Settings as nested tables with the keys of a settings file."""
    table = {}
    for one in fields(settings):
        value = getattr(settings, one.name)
        table[one.name.replace('_', '-')] = as_table(value) if one.name in SECTIONS else value
    return table
