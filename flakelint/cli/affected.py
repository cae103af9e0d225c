# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint affected`: which tests a change needs."""

import os
import sys
from collections.abc import Iterator

import click

from flakelint.affected.git import GitError, was_there
from flakelint.affected.output import FORMATS, GITHUB, github, why, why_everything
from flakelint.affected.question import Answer, Tree, of_difference, of_paths
from flakelint.affected.shards import DurationsError, read_durations
from flakelint.cli.common import config_option, fail, load_config, note
from flakelint.engine.cache import open_cache


@click.command('affected', short_help='Say which tests a change needs.')
@click.argument('paths', nargs=-1)
@click.option('--base', metavar='REF', help='Take what differs from where the branch left this one, part by part.')
@click.option('-0', '--null', is_flag=True, help='Read paths from standard input, each ended by a zero byte.')
@click.option('--output-format', type=click.Choice([*FORMATS, GITHUB]), default='lines', help='How to print the tests.')
@click.option('--shards', type=click.IntRange(1), metavar='N', help='Share the tests of the format `github` out among N jobs.')
@click.option('--durations', metavar='FILE', help='How long tests took: what pytest wrote with `--junitxml`, or JSON.')
@click.option('--why', 'asked', metavar='TEST', help='Print the shortest way from a test file to the change.')
@click.option('--cache-dir', help='The folder of the cache.')
@click.option('--no-cache', is_flag=True, help='Neither read nor write the cache.')
@config_option
def command(
    paths: tuple[str, ...], base: str | None, null: bool, output_format: str, shards: int | None, durations: str | None,
    asked: str | None, cache_dir: str | None, no_cache: bool, config_file: str | None,
) -> None:
    """Say which test files reach what changed: the files and folders that are given, or all that differs from a branch.

    Nothing is imported or run. Names are followed through imports, re-exports and aliases, decorators, base classes, fixtures and the strings that name modules; where it is not seen what is asked of a module, all of it counts.
    """
    given = [*paths, *(_read_null() if null else ())]
    if base is not None and given:
        fail('`--base` finds the files by itself; leave out the paths')
    if base is None and not given and not null:
        fail('nothing to look at: give the files that changed, or `--base`')
    if output_format != GITHUB and (shards is not None or durations is not None):
        fail(f'`--shards` and `--durations` are for `--output-format {GITHUB}`')
    config, registry = load_config(os.getcwd(), config_file)
    store = None if no_cache else open_cache(config, registry, (), cache_dir)
    tree = Tree(config, store)
    try:
        if base is not None:
            answer = of_difference(tree, base)
        else:
            answer = of_paths(tree, [tree.name(path) for path in _known(given, tree)])
    except GitError as error:
        fail(error)
    if asked is not None:
        # a test stands for its file
        _explain(answer, tree.name(os.path.abspath(asked.partition('::')[0])), tree)
        return
    if answer.everything:
        note(f'all {answer.total} test files: {why_everything(answer)}')
    shown = answer._replace(selected=[one._replace(path=tree.from_here(one.path)) for one in answer.selected])
    if output_format == GITHUB:
        click.echo(github(answer, shards or 1, _durations(durations)), nl=False)
    else:
        click.echo(FORMATS[output_format](shown), nl=False)


def _durations(path: str | None) -> dict[str, float]:
    try:
        return {} if path is None else read_durations(path)
    except DurationsError as error:
        fail(error)


def _known(paths: list[str], tree: Tree) -> Iterator[str]:
    if '' in paths:
        fail('a path is empty')
    for path in map(os.path.abspath, paths):
        if tree.name(path).startswith('../'):
            fail(f'{path} is not below {tree.root}')
        if not os.path.lexists(path) and not was_there(tree.root, tree.name(path)):
            fail(f'{path} is not there, and in no commit')
        yield path


def _read_null() -> list[str]:
    return [os.fsdecode(one) for one in sys.stdin.buffer.read().split(b'\0') if one]


def _explain(answer: Answer, path: str, tree: Tree) -> None:
    if tree.data(path) is None:
        fail(f'{path} is no Python file of {tree.root}')
    told = why(answer, path)
    if told is None:
        fail(f'{path} does not reach what changed')
    click.echo(told, nl=False)
