# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint config`: the settings in force, and where each came from."""

import json
import os
from collections.abc import Iterator
from typing import Any

import click

from flakelint.cli.common import common_folder, config_option, fail, load_config
from flakelint.engine.cache import cache_folder
from flakelint.engine.config import Config, SettingsError, as_table
from flakelint.engine.settings import SECTIONS

_DEFAULT = 'default'


@click.command('config', short_help='Show the settings in force.')
@click.argument('path', required=False, type=click.Path())
@click.option('--output-format', type=click.Choice(['text', 'json']), default='text', help='How to show settings.')
@config_option
def command(path: str | None, output_format: str, config_file: str | None) -> None:
    """Show the settings that hold for a path, the working folder if none is named, and where each came from."""
    config, registry = load_config(common_folder((path,)) if path else os.getcwd(), config_file)
    try:
        codes = registry.selected(config.layers)
    except SettingsError as error:
        fail(error)
    if output_format == 'json':
        click.echo(json.dumps(_document(config, codes), indent=2, ensure_ascii=False))
    else:
        _show(config, codes)


def _document(config: Config, codes: list[str]) -> dict[str, Any]:
    return {
        'root': config.root,
        'file': config.file,
        'cache': cache_folder(config, None),
        'selected': codes,
        'layers': [
            {
                'origin': layer.origin,
                'select': layer.select,
                'ignore': layer.ignore,
                'extend-select': layer.extend_select,
            }
            for layer in config.layers
        ],
        'settings': as_table(config.settings),
        'origins': {key: origin for key, _, origin in _rows(config) if origin != _DEFAULT},
    }


def _show(config: Config, codes: list[str]) -> None:
    click.echo(f'root: {config.root}')
    click.echo(f'file: {config.file or "none"}')
    click.echo(f'cache: {cache_folder(config, None)}')
    click.echo(f'rules: {", ".join(codes) or "none"}')
    for layer in config.layers:
        for key, selectors in (('select', layer.select), ('extend-select', layer.extend_select), ('ignore', layer.ignore)):
            if selectors:
                click.echo(f'{key} = {_value(selectors)}  # {layer.origin}')
    for key, value, origin in _rows(config):
        click.echo(f'{key} = {_value(value)}  # {origin}')


def _rows(config: Config) -> Iterator[tuple[str, Any, str]]:
    """Each dotted key with its value and the place that set it."""
    origins = {key.replace('_', '-'): origin for key, origin in config.origins.items()}
    for key, value in as_table(config.settings).items():
        if key in SECTIONS:
            for name, item in value.items():
                yield f'{key}.{name}', item, origins.get(f'{key}.{name}', _DEFAULT)
        else:
            yield key, value, origins.get(key, _DEFAULT)


def _value(value: Any) -> str:
    """A value as a settings file would spell it."""
    if isinstance(value, dict):
        return '{ ' + ', '.join(f'{json.dumps(key)} = {_value(item)}' for key, item in value.items()) + ' }' if value else '{}'
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(_value(item) for item in value) + ']'
    return json.dumps(value, ensure_ascii=False)
