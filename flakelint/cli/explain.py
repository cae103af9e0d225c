# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint explain`: what the kernel model knows of an expression, and why."""

import os
import re
from typing import TYPE_CHECKING

import click

from flakelint.cli.common import config_option, fail, load_config
from flakelint.engine.runner import read

if TYPE_CHECKING:
    from flakelint.engine.context import File

_PLACE = re.compile(r'(?P<path>.+?):(?P<line>\d+)(?::(?P<column>\d+))?')


@click.command('explain', short_help='Say what is known of an expression in a kernel.')
@click.argument('place', metavar='FILE:LINE[:COLUMN]')
@config_option
def command(place: str, config_file: str | None) -> None:
    """Say of an expression in a kernel what type, shape and size it has, where it comes from, and the steps that led to this.

    Without a column, the largest expressions on the line are explained. Lines and columns count from 1.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        fail(f'`{place}` is no place; write FILE:LINE or FILE:LINE:COLUMN')
    path, line, column = match['path'], int(match['line']), match['column']
    file = _open(path, config_file)
    if not 1 <= line <= len(file.lines.starts):
        fail(f'{path} has {len(file.lines.starts)} lines')
    offset = None if column is None else len(file.lines.line(line)[:int(column) - 1].encode())
    found = list(_explain(file, line, offset))
    if not found:
        fail(f'no kernel computes anything at {place}')
    for number, text in enumerate(found):
        # an expression may be reached through several kernels and calls
        if number and not text.startswith(' '):
            click.echo()
        click.echo(text)


def _open(path: str, config_file: str | None) -> 'File':
    from flakelint.engine.context import File
    from flakelint.source.text import DecodeError

    config, _ = load_config(os.path.dirname(os.path.abspath(path)), config_file)
    try:
        data = read(path)
        name = os.path.relpath(path, config.root).replace(os.sep, '/')
        return File(name, data, config.settings)
    except OSError as error:
        fail(f'{path}: cannot be read: {error.strerror or error}')
    except DecodeError as error:
        fail(f'{path}: not text: {error.reason}')


def _explain(file: 'File', line: int, offset: int | None) -> list[str]:
    from flakelint.kernel.explanation import Explained
    from flakelint.kernel.model import analyse
    from flakelint.source.unit import TooDeepError

    found: dict[str, None] = {}
    for kernel in file.kernels:
        if file.repository.is_called_by_kernels(kernel):
            continue
        try:
            model = analyse(kernel, file.repository, record=True)
        except TooDeepError as error:
            fail(f'{file.path}: {error}')
        text = '\n'.join(Explained(model, file.settings.assume.sizes).lines(file.path, line, offset))
        if text:
            found[text] = None
    return [row for text in found for row in text.split('\n')]
