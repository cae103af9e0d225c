# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint header`: check the copyright block of each file, mend it, or move its closing year."""

import os
from datetime import date
from typing import TYPE_CHECKING

import click

from flakelint.cli.common import common_folder, config_option, fail, load_config, note
from flakelint.engine import diagnostics
from flakelint.engine.config import SettingsError
from flakelint.engine.fixes import apply, write
from flakelint.engine.repair import mend
from flakelint.engine.runner import Job, read
from flakelint.project.discovery import discover
from flakelint.report.model import slashed
from flakelint.rules.rep.copyright_block import Template
from flakelint.rules.rep.rep101_header import Header, applies, closing_year
from flakelint.source.text import DecodeError, LineTable, decode, encode

if TYPE_CHECKING:
    from flakelint.engine.findings import Finding

_THIS_YEAR = 'this year'
_CODES = (Header.code, diagnostics.UNREADABLE_FILE[0], diagnostics.TOO_COMPLEX[0], diagnostics.INTERNAL_ERROR[0])


@click.command('header', short_help='Check, mend or date copyright headers.')
@click.argument('paths', nargs=-1, type=click.Path())
@click.option('--check', 'only_check', is_flag=True, help='Say which files lack the header, and change nothing; the default.')
@click.option('--fix', is_flag=True, help='Add or replace headers.')
@click.option(
    '--year',
    is_flag=False,
    flag_value=_THIS_YEAR,
    metavar='[YEAR]',
    help='Move the closing year of headers up to YEAR, or to this year.',
)
@click.option('--force-exclude', is_flag=True, default=None, help='Leave excluded files out even where they are named.')
@config_option
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    only_check: bool,
    fix: bool,
    year: str | None,
    force_exclude: bool | None,
    config_file: str | None,
) -> None:
    """Compare the top of each Python file with the header that the settings describe.

    Exit codes: 0 all headers are right, 1 some are not or a file could not be read, 2 wrong usage.
    """
    # click hands over whatever follows an option whose value may be left out
    if year not in (None, _THIS_YEAR) and not (len(year) == 4 and year.isdigit()):
        paths, year = (year, *paths), _THIS_YEAR
    if only_check + fix + (year is not None) > 1:
        fail('--check, --fix and --year exclude each other')
    headers = _Headers(paths or ('.',), config_file, force_exclude)
    try:
        if year is not None:
            context.exit(headers.move_year(date.today().year if year == _THIS_YEAR else int(year)))
        context.exit(headers.mend() if fix else headers.check())
    except SettingsError as error:
        fail(error)


class _Headers:
    def __init__(self, paths: tuple[str, ...], config_file: str | None, force_exclude: bool | None) -> None:
        overrides = {} if force_exclude is None else {'force_exclude': force_exclude}
        config, registry = load_config(common_folder(paths), config_file, overrides)
        self._settings = config.settings.header
        if not self._settings.owner:
            where = os.path.relpath(config.file) if config.file else 'pyproject.toml'
            fail(f'no copyright owner is set: give `owner` in the section `header` of the settings, in {where}')
        self._job = Job(config, registry, _CODES, 1)
        try:
            self._checker = self._job.checker()
        except SettingsError as error:
            fail(error)
        found = discover(paths, self._job.excluded, config.settings.respect_gitignore, config.settings.force_exclude)
        for text in found.notes:
            note(f'warning: {text}')
        self._files = found.files
        self._wrong = 0

    def check(self) -> int:
        """Say what is wrong with each file."""
        for path in self._files:
            if (data := self._read(path)) is not None:
                self._complain(path, self._checker.check(self._job.name(path), data))
        return self._end()

    def mend(self) -> int:
        """Mend each file that can be mended, and say what is left."""
        for path in self._files:
            data = self._read(path)
            if data is None:
                continue
            name = self._job.name(path)
            before = self._checker.check(name, data)
            fixed = mend(data, name, self._checker, allow_unsafe=False) if before else None
            if fixed is not None and fixed.applied and self._write(path, data, fixed.data):
                _say(path, next(finding.fix.title for finding in before if finding.fix).lower())
            if fixed is not None:
                self._complain(path, fixed.findings)
        return self._end()

    def move_year(self, year: int) -> int:
        """Move the closing year of each header, and say which files have none."""
        if not Template(self._settings).has_years:
            fail('the `template` of the header has no `{years}`')
        for path in self._files:
            data = self._read(path)
            if data is None:
                continue
            findings = self._checker.check(self._job.name(path), data)
            self._complain(path, findings)
            if not findings and applies(self._settings, self._job.name(path)):
                self._move(path, data, year)
        return self._end()

    def _move(self, path: str, data: bytes, year: int) -> None:
        try:
            decoded = decode(data)
        except DecodeError:
            return
        lines = LineTable(decoded.text)
        edit = closing_year(lines, self._settings, year)
        if edit is None:
            return
        after = encode(apply([edit], decoded.text), decoded.encoding, decoded.bom)
        if self._write(path, data, after):
            before = decoded.text[lines.offset(edit.range.start):lines.offset(edit.range.end)]
            _say(path, f'{before} -> {edit.text}')

    def _read(self, path: str) -> bytes | None:
        try:
            return read(path)
        except OSError as error:
            self._refuse(path, f'cannot be read: {error.strerror or error}')
            return None

    def _write(self, path: str, before: bytes, after: bytes) -> bool:
        try:
            write(path, before, after)
            return True
        except OSError as error:
            self._refuse(path, f'cannot be written: {error.strerror or error}')
            return False

    def _refuse(self, path: str, reason: str) -> None:
        self._wrong += 1
        _say(path, reason)

    def _complain(self, path: str, findings: 'list[Finding]') -> None:
        if findings:
            self._wrong += 1
            first = findings[0]
            click.echo(f'{slashed(os.path.relpath(path))}:{first.range.start.line}: {first.message}')

    def _end(self) -> int:
        if self._wrong:
            note(f'{self._wrong} of {len(self._files)} files without a right header')
        return 1 if self._wrong else 0


def _say(path: str, text: str) -> None:
    click.echo(f'{slashed(os.path.relpath(path))}: {text}')
