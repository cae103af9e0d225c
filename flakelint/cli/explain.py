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
from flakelint.engine.cache import open_cache
from flakelint.engine.config import SettingsError

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

    What differs between compile-time variants is said for each of them, and what a helper computes for each of its calls.
    A size is the largest that common launches reach, and then that possible ones do, where these differ:
    by the launches in the repository, or else as `[tool.flakelint.assume]` in the settings says.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        fail(f'`{place}` is no place; write FILE:LINE or FILE:LINE:COLUMN')
    path, line = match['path'], int(match['line'])
    column = None if match['column'] is None else int(match['column'])
    file = _open(path, config_file)
    found = _explain(file, line, _offset(file, path, line, column))
    if not found:
        fail(f'no kernel computes anything at {place}; {_excuse(file)}')
    for number, text in enumerate(found):
        # an expression may be reached through several kernels and calls
        if number and not text.startswith(' '):
            click.echo()
        click.echo(text)


def _offset(file: 'File', path: str, line: int, column: int | None) -> int | None:
    """The offset in bytes of a column of a line; places that are not in the file end the run with exit code 2."""
    # the last line break begins no line
    lines = max(1, len(file.lines.starts) - file.text.endswith(('\n', '\r')))
    if not 1 <= line <= lines:
        fail(f'{path} has no line {line}, but lines 1 to {lines}')
    if column is None:
        return None
    text = file.lines.line(line)
    if text and not 1 <= column <= len(text):
        fail(f'line {line} of {path} has no column {column}, but columns 1 to {len(text)}')
    return len(text[:column - 1].encode())


def _open(path: str, config_file: str | None) -> 'File':
    from flakelint.engine.context import File
    from flakelint.engine.runner import Job, read
    from flakelint.source.text import DecodeError

    config, registry = load_config(os.path.dirname(os.path.abspath(path)), config_file)
    try:
        data = read(path)
        codes = tuple(registry.selected(config.layers))
        # what other files hold was perhaps summarised by a check
        job = Job(config, registry, codes, workers=1, store=open_cache(config, registry, codes, None))
        return File(job.name(path), data, config.settings, lambda: job.repository([os.path.abspath(path)]))
    except OSError as error:
        fail(f'{path}: cannot be read: {error.strerror or error}')
    except DecodeError as error:
        fail(f'{path}: not text: {error.reason}')
    except SettingsError as error:
        fail(error)


def _explain(file: 'File', line: int, offset: int | None) -> list[str]:
    """What is known at a place; of its line where nothing is computed at the column, as in the target of an assignment."""
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
    from flakelint.source.unit import TooDeepError

    for kernel in kernels:
        try:
            yield file.model(kernel)
        except TooDeepError as error:
            fail(f'{file.path}: {error}')


def _texts(file: 'File', models: 'list[Model]', line: int, offset: int | None) -> list[str]:
    from flakelint.kernel.access_explanation import access_lines
    from flakelint.kernel.explanation import Explained
    from flakelint.kernel.tiles import Tiles

    sizes, root = file.settings.assume.sizes, file.repository.index.files.root
    # kernels that share a helper say the same of it
    found = dict.fromkeys('\n'.join(Explained(model, sizes, root).lines(file.path, line, offset)) for model in models)
    accesses = dict.fromkeys(row for model in models for row in access_lines(Tiles(model), file.path, line))
    return [row for text in found if text for row in text.split('\n')] + list(accesses)


def _excuse(file: 'File') -> str:
    """Why there is nothing to tell: where the kernels of the file are, or why there is none."""
    if not file.kernels and file.problem is not None:
        return f'the file cannot be parsed: {file.problem.reason} in line {file.problem.position.line}'
    if not file.kernels:
        return 'the file holds no kernel'
    places = [f'`{one.name}` in lines {one.definition.lineno} to {one.definition.end_lineno}' for one in file.kernels]
    return f'its kernels are {", ".join(places[:_MAX_KERNELS])}{" and more" if len(places) > _MAX_KERNELS else ""}'
