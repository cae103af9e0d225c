# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What several subcommands need."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TextIO, TypeVar

import click

from flakelint.engine.config import Config, SettingsError, load
from flakelint.engine.registry import Registry, check_option_tables, collect

_F = TypeVar('_F', bound=Callable)


def config_option(function: _F) -> _F:
    """The option `--config`, as each subcommand that reads settings has it."""
    return click.option(
        '--config',
        'config_file',
        type=click.Path(exists=True, dir_okay=False),
        help='Read the settings from this file.',
    )(function)


def fail(message: object) -> NoReturn:
    """Say in one line what is wrong, and leave with exit code 2."""
    click.echo(f'flakelint: error: {message}', err=True)
    raise SystemExit(2)


def note(message: str) -> None:
    """Tell a person something on standard error, where no program reads."""
    click.echo(f'flakelint: {message}', err=True)


def load_config(
    start: str, config_file: str | None, overrides: Mapping[str, Any] | None = None, isolated: bool = False,
) -> tuple[Config, Registry]:
    """The settings and the rules; wrong settings end the run with exit code 2."""
    try:
        config = load(start, config_file, overrides, isolated)
        registry = collect(config)
        check_option_tables(registry, config)
        return config, registry
    except SettingsError as error:
        fail(error)


def common_folder(paths: tuple[str, ...]) -> str:
    """The deepest folder that holds all the paths; the working folder where there is none."""
    folders = [os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path) or '.') for path in paths]
    try:
        return os.path.commonpath(folders) if folders else os.getcwd()
    except ValueError:
        return os.getcwd()


def wants_colour(choice: str, out: TextIO) -> bool:
    """Whether to colour what people read: by choice, else by `NO_COLOR`, `FORCE_COLOR` and whether it goes to a terminal."""
    if choice != 'auto':
        return choice == 'always'
    if os.environ.get('NO_COLOR'):
        return False
    if os.environ.get('FORCE_COLOR'):
        return True
    return out.isatty() and os.environ.get('TERM') != 'dumb'
