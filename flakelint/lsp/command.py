# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint server`: what editors start."""

import click

_MISSING = 'the language server needs pygls; install it with `pip install "flakelint[lsp]"`'


@click.command('server', short_help='Run the language server.')
@click.option('--stdio', is_flag=True, help='Talk on standard input and output, which is the default.')
@click.option('--tcp', metavar='[HOST:]PORT', help='Wait for an editor on a port instead; the host is 127.0.0.1 unless given.')
@click.option('--log-file', type=click.Path(dir_okay=False, writable=True), help='Write what happens to this file.')
@click.option('--log-level', type=click.Choice(['error', 'warning', 'info', 'debug']), default='warning', help='How much.')
def command(stdio: bool, tcp: str | None, log_file: str | None, log_level: str) -> None:
    """Run the language server, which editors talk to by the Language Server Protocol."""
    if stdio and tcp:
        raise click.UsageError('`--stdio` and `--tcp` exclude each other')
    address = None if tcp is None else _address(tcp)
    try:
        import pygls  # noqa: F401
    except ImportError:
        click.echo(f'flakelint: error: {_MISSING}', err=True)
        raise SystemExit(2) from None
    from flakelint.lsp.server import run

    run(address, log_file, log_level)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(':')
    if not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise click.BadParameter(f'`{text}` is no [HOST:]PORT', param_hint='--tcp')
    return host or '127.0.0.1', int(port)
