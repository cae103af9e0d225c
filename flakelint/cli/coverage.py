# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint coverage`: what the tests exercise of the operators."""

import difflib
import os

import click

from flakelint.affected.question import Tree
from flakelint.cli.common import config_option, fail, load_config, note
from flakelint.coverage.matrix import Suite, idle, rows_of
from flakelint.coverage.modules import Modules
from flakelint.coverage.operators import Operator, operators_of
from flakelint.coverage.output import FORMATS, Report
from flakelint.coverage.page import page
from flakelint.coverage.suggest import suggestions

_HTML = 'html'


@click.command('coverage', short_help='Say what the tests exercise of the operators.')
@click.argument('operators', nargs=-1, metavar='[OP]...')
@click.option('--pairs', is_flag=True, help='Ask for every pair of values of two axes as well.')
@click.option('--suggest', is_flag=True, help='Print what would fill each hole: a case of a test, or a call.')
@click.option('--output-format', type=click.Choice([*FORMATS, _HTML]), default='text', help='How to print the matrix.')
@click.option('--fail-on-holes', is_flag=True, help='Exit with 1 if there is a hole.')
@config_option
def command(
    operators: tuple[str, ...], pairs: bool, suggest: bool, output_format: str, fail_on_holes: bool, config_file: str | None,
) -> None:
    """Say what the tests exercise of operators, along the nine axes on which kernels of linear attention differ.

    OP is an operator or the folder of some; without any, all are meant. What an operator can reach is read from its signature, what a test exercises from its code: nothing is imported or run.
    """
    config, _ = load_config(os.getcwd(), config_file)
    settings = config.settings
    tree = Tree(config)
    modules = Modules(tree)
    known = operators_of(modules, settings.coverage)
    if not known:
        fail(f'no operators below {tree.root}: `coverage.operators` names the files that export them')
    asked = _asked(known, operators, tree)
    suite = Suite(modules, known, settings.affected.exclude)
    exercises = suite.all()
    rows = rows_of(known, exercises, settings.coverage.accepted)
    for key, is_known in idle(rows, settings.coverage.accepted):
        told = 'is no hole any more: take it out' if is_known else 'is nothing that an operator can reach'
        note(f'`coverage.accepted."{key}"` {told}')
    for path in modules.unread():
        note(f'{path} cannot be parsed, and is left out')
    chosen = [row if pairs else row._replace(pairs=[]) for row in rows if row.operator in asked]
    wants_suggestions = suggest or output_format == _HTML
    report = Report(chosen, pairs, list(suggestions(suite, chosen, exercises)) if wants_suggestions else [])
    click.echo(page(report) if output_format == _HTML else FORMATS[output_format](report), nl=False)
    if fail_on_holes and report.holes():
        raise SystemExit(1)


def _asked(known: list[Operator], names: tuple[str, ...], tree: Tree) -> list[Operator]:
    """The operators that are named, by themselves, by one of their folders, or by a path."""
    found = list(known) if not names else []
    for name in names:
        path = tree.name(os.path.abspath(name)) if os.path.exists(name) else None
        below = () if path is None else [one for one in known if f'{one.place.path}/'.startswith(f'{path}/')]
        meant = [one for one in known if name in _names(one) or one in below]
        if not meant:
            words = sorted({word for one in known for word in _names(one)})
            near = difflib.get_close_matches(name.lower(), words, 1)
            fail(f'no operator or folder is named {name}' + (f': did you mean {near[0]}?' if near else ''))
        found.extend(one for one in meant if one not in found)
    return found


def _names(operator: Operator) -> set[str]:
    return {operator.name, *operator.folder.split('/')[:-1]}
