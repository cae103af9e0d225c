# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint clean`: remove the cache."""

import os

import click

from flakelint.cli.common import config_option, fail, load_config
from flakelint.engine.cache import cache_folder, clear


@click.command('clean', short_help='Remove the cache.')
@config_option
@click.option('--cache-dir', metavar='FOLDER', help='The cache is here.')
def command(config_file: str | None, cache_dir: str | None) -> None:
    """Remove the findings that earlier runs have left in the cache.

    The cache is where --cache-dir says, else FLAKELINT_CACHE_DIR, else `cache-dir` in the settings, else `.flakelint_cache` in the root.
    """
    config, _ = load_config(os.getcwd(), config_file)
    folder = cache_folder(config, cache_dir)
    try:
        removed = clear(folder)
    except OSError as error:
        fail(f'{folder}: cannot be removed: {error.strerror}')
    shown = os.path.relpath(folder)
    click.echo(f'removed the cache from {shown}' if removed else f'nothing to remove at {shown}')
