# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint init`: a configuration and a baseline for a repository that has none."""

import os
import sys

import click

from flakelint.cli.common import fail, load_config, note
from flakelint.cli.proposal import Proposal, propose
from flakelint.engine.runner import read
from flakelint.engine.settings import PRESETS
from flakelint.project.discovery import discover
from flakelint.project.ignore import Patterns

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_BASELINE = 'flakelint-baseline.json'


@click.command('init', short_help='Propose a configuration for a repository.')
@click.argument('path', required=False, default='.', type=click.Path(exists=True, file_okay=False))
@click.option('--preset', type=click.Choice(sorted(PRESETS)), help='Start from this preset, instead of the one that fits.')
@click.option('--write', is_flag=True, help='Write the configuration, and a baseline of what is found with it.')
def command(path: str, preset: str | None, write: bool) -> None:
    """Look at a repository, and propose a configuration: the header of its files, the tags of its commits, its line length.

    With --write the configuration is added to `pyproject.toml`, or to a new `flakelint.toml` where there is none, and what is found with it now is written into a baseline, so that only new findings are shown.
    """
    root = os.path.abspath(path)
    config, _ = load_config(root, None)
    if config.file is not None:
        fail(f'{os.path.relpath(config.file)} configures this folder already')
    files = discover([root], Patterns(root, ())).files
    found = propose(root, files, preset)
    for text in found.notes:
        note(text)
    if not write:
        click.echo(found.as_toml(), nl=False)
        note('nothing is written; `flakelint init --write` does so')
        return
    _write(root, found)


def _write(root: str, found: Proposal) -> None:
    from flakelint.cli.check import command as check

    baseline = os.path.join(root, _BASELINE)
    if os.path.exists(baseline):
        fail(f'{os.path.relpath(baseline)} is there already: move it away')
    project = os.path.join(root, 'pyproject.toml')
    is_project = os.path.exists(project)
    target = project if is_project else os.path.join(root, 'flakelint.toml')
    before = read(project) if is_project else b''
    after = _extended(before, found) if is_project else found.as_toml('', _BASELINE).encode()
    # the file appears before the baseline that it names, since the check that makes it reads the settings
    with open(target, 'wb') as file:
        file.write(after)
    note(f'{os.path.relpath(target)}: written')
    code = check.main(['--update-baseline', '--no-cache', root], standalone_mode=False)
    if code:
        raise SystemExit(code)


def _extended(before: bytes, found: Proposal) -> bytes:
    """The content of a `pyproject.toml` with the configuration behind it; what is no TOML then is not written."""
    newline = '\r\n' if b'\r\n' in before else '\n'
    gap = newline * (1 + (not before.endswith(b'\n'))) if before.strip() else ''
    text = found.as_toml('tool.flakelint', _BASELINE).replace('\n', newline)
    after = before + f'{gap}{text}'.encode()
    try:
        tomllib.loads(after.decode('utf-8'))
    except ValueError as error:
        fail(f'pyproject.toml: the settings cannot be added, {error}')
    return after
