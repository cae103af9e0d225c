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
    from collections.abc import Iterable, Iterator

    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model

_PLACE = re.compile(r'(?P<path>.+?):(?P<line>\d+)(?::(?P<column>\d+))?')
_MAX_KERNELS = 5


@click.command('explain', short_help='Say what is known of an expression in a kernel.')
@click.argument('place', metavar='FILE:LINE[:COLUMN]')
@config_option
def command(place: str, config_file: str | None) -> None:
    """Say of an expression in a kernel what type, shape and size it has, where it comes from, and the steps that led to this.

    Without a column, the largest expressions on the line are explained. Lines and columns count from 1, columns in characters.

    What differs between compile-time variants is said for each of them, and what a helper computes for each of its calls. A size is what is assumed of common launches, and what of possible ones; `[tool.flakelint.assume]` in the settings changes both.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        fail(f'`{place}` is no place; write FILE:LINE or FILE:LINE:COLUMN')
    path, line = match['path'], int(match['line'])
    column = None if match['column'] is None else int(match['column'])
    file = _open(path, config_file)
    found = _explain(file, line, _offset(file, path, line, column))
    if not found:
        fail(f'no kernel computes anything at {place}; {_kernels(file)}')
    for number, text in enumerate(found):
        # an expression may be reached through several kernels and calls
        if number and not text.startswith(' '):
            click.echo()
        click.echo(text)


def _offset(file: 'File', path: str, line: int, column: int | None) -> int | None:
    """The offset in bytes of a column of a line; places that are not in the file end the run with exit code 2."""
    lines = len(file.lines.starts)
    if not 1 <= line <= lines:
        fail(f'{path} has no line {line}, but lines 1 to {lines}')
    if column is None:
        return None
    text = file.lines.line(line)
    if not 1 <= column <= max(1, len(text)):
        fail(f'line {line} of {path} has no column {column}, but columns 1 to {len(text)}' if text else f'line {line} of {path} is empty')
    return len(text[:column - 1].encode())


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
    """What is known at a place; of the whole line where nothing is computed at the column, as in the target of an assignment."""
    called = [kernel for kernel in file.kernels if file.repository.is_called_by_kernels(kernel)]
    own = [kernel for kernel in file.kernels if kernel not in called]
    for kernels in (own, called):
        # what only kernels of other files call is explained for any arguments
        models = list(_models(file, kernels))
        for column in (offset, None):
            found = _texts(file, models, line, column)
            if found:
                return found
    return []


def _models(file: 'File', kernels: 'Iterable[Kernel]') -> 'Iterator[Model]':
    from flakelint.kernel.model import analyse
    from flakelint.source.unit import TooDeepError

    for kernel in kernels:
        try:
            yield analyse(kernel, file.repository, record=True)
        except TooDeepError as error:
            fail(f'{file.path}: {error}')


def _texts(file: 'File', models: 'Iterable[Model]', line: int, offset: int | None) -> list[str]:
    from flakelint.kernel.explanation import Explained

    sizes = file.settings.assume.sizes
    # kernels that share a helper say the same of it
    found = dict.fromkeys('\n'.join(Explained(model, sizes).lines(file.path, line, offset)) for model in models)
    return [row for text in found if text for row in text.split('\n')]


def _kernels(file: 'File') -> str:
    """Where the kernels of a file are, in words."""
    found = [f'`{kernel.name}` in lines {kernel.definition.lineno} to {kernel.definition.end_lineno}' for kernel in file.kernels]
    if not found:
        return 'the file holds no kernel'
    return f'its kernels are {", ".join(found[:_MAX_KERNELS])}{" and more" if len(found) > _MAX_KERNELS else ""}'
