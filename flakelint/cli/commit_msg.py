# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint commit-msg`: check the subject of a commit message, as git's hook of that name."""

import os

import click

from flakelint.cli.common import config_option, fail, load_config
from flakelint.rules.rep.rep106_commit_subject import CommitSubject, problems, subject_of


@click.command('commit-msg', short_help='Check the subject of a commit message.')
@click.argument('file', type=click.Path())
@config_option
def command(file: str, config_file: str | None) -> None:
    """Check the subject of the commit message in FILE, which git names when it calls the hook.

    Exit codes: 0 the subject is fine, or the message is empty, which git refuses itself; 1 it is not; 2 the file cannot be read.
    """
    config, _ = load_config(os.getcwd(), config_file)
    if not config.settings.commits.tags:
        return
    try:
        with open(file, encoding='utf-8', errors='replace') as stream:
            message = stream.read()
    except OSError as error:
        fail(f'{file}: cannot be read: {error.strerror}')
    found = problems(message, config.settings.commits)
    for text in found:
        click.echo(f'{CommitSubject.code} {text}', err=True)
    if found:
        click.echo(f'the subject is: {subject_of(message)}', err=True)
        raise SystemExit(1)
