# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The `flakelint` command and its subcommands, each imported when it is called."""

import importlib
import sys
from typing import Any

import click

from flakelint import __version__

_COMMANDS = {
    'affected': 'cli.affected',
    'check': 'cli.check',
    'clean': 'cli.clean',
    'commit-msg': 'cli.commit_msg',
    'config': 'cli.config',
    'coverage': 'cli.coverage',
    'explain': 'cli.explain',
    'header': 'cli.header',
    'init': 'cli.init',
    'rule': 'cli.rule',
    'server': 'lsp.command',
}


# what a shell gives back for a program that Ctrl-C ended; click's own 1 would mean that something was found
_INTERRUPTED = 130


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        return importlib.import_module(f'flakelint.{_COMMANDS[name]}').command

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            click.echo('\nflakelint: interrupted', err=True)
            context.exit(_INTERRUPTED)


@click.command(cls=_Commands, context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100})
@click.version_option(__version__, '-V', '--version', prog_name='flakelint', message='%(prog)s %(version)s')
def cli() -> None:
    """Find what is wrong with a Triton kernel by reading it, and keep a repository's conventions."""


def main() -> None:
    """Run the command line. Exit codes: 0 clean, 1 findings, 2 wrong usage or internal error, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(errors='backslashreplace')
    try:
        cli()
    except OSError as error:
        # such as a full disk; what concerns one file has been said of it
        click.echo(f'flakelint: error: {error.strerror or error}', err=True)
        sys.exit(2)
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo('flakelint: internal error; please report it with the lines above', err=True)
        sys.exit(2)
