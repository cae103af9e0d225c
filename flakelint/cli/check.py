# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check`: find, show, mend."""

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from flakelint.cli.common import common_folder, config_option, fail, load_config, note, wants_colour
from flakelint.engine.baseline import Baseline
from flakelint.engine.cache import open_cache
from flakelint.engine.config import OUTPUT_FORMATS, Config, SettingsError
from flakelint.engine.runner import Job, run
from flakelint.engine.settings import READS_MARKDOWN
from flakelint.project import discovery
from flakelint.project.discovery import Found, discover
from flakelint.source import markdown

if TYPE_CHECKING:
    from flakelint.engine.cache import Cache
    from flakelint.engine.findings import Finding
    from flakelint.engine.registry import Registry

_CODES = 'CODES'


def _split(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    words = tuple(word for value in values for word in value.replace(',', ' ').split())
    return words or None


@click.command('check', short_help='Check files and folders.')
@click.argument('paths', nargs=-1, type=click.Path(allow_dash=True))
@click.option('--fix', is_flag=True, help='Mend what can be mended safely.')
@click.option('--unsafe-fixes', is_flag=True, help='With --fix or --diff: also apply fixes that a person should look at.')
@click.option('--diff', 'show_diff', is_flag=True, help='Show what --fix would change, and change nothing.')
@click.option('--statistics', is_flag=True, help='Show how often each rule is broken, instead of where.')
@click.option('--output-format', type=click.Choice(OUTPUT_FORMATS), help='How to show findings.')
@click.option('--output-file', '-o', type=click.Path(dir_okay=False), help='Write the findings to a file.')
@click.option('--select', multiple=True, metavar=_CODES, callback=_split, help='Check these rules only.')
@click.option('--ignore', multiple=True, metavar=_CODES, callback=_split, help='Leave these rules out.')
@click.option('--extend-select', multiple=True, metavar=_CODES, callback=_split, help='Check these rules as well.')
@click.option('--preview', is_flag=True, default=None, help='Also report what is right less often, to try it out.')
@click.option('--preset', help='Start from this preset: triton or fla.')
@click.option('--exclude', multiple=True, metavar='PATTERN', help='Leave these paths out as well.')
@click.option('--force-exclude', is_flag=True, default=None, help='Leave excluded files out even where they are named.')
@click.option('--baseline', metavar='FILE', help='Hold back the findings that this file lists.')
@click.option('--update-baseline', is_flag=True, help='Write what is found now into the baseline file.')
@click.option('--add-ignore', is_flag=True, help='Add a suppression comment wherever something is found.')
@click.option('--reason', default='', metavar='TEXT', help='With --add-ignore: why it is suppressed.')
@click.option('--compile', 'compiled', type=click.Choice(['all', 'flagged']), help='Ask Triton, too; imports the files.')
@click.option('--compile-target', multiple=True, metavar='TARGET', help='With --compile: such as cuda:90 or hip:gfx942.')
@click.option('--compile-timeout', type=click.IntRange(min=1), default=300, help='With --compile: seconds for each file.')
@click.option('--target-triton', metavar='RANGE', help='Check for these versions of Triton, such as ">=3.6".')
@config_option
@click.option('--isolated', is_flag=True, help='Read no settings file.')
@click.option('--show-files', is_flag=True, help='List the files that would be checked, and check none.')
@click.option('--no-cache', is_flag=True, help='Neither read nor write the cache.')
@click.option('--cache-dir', metavar='FOLDER', help='Keep the cache here.')
@click.option('--jobs', '-j', type=click.IntRange(min=1), help='Check in this many processes.')
@click.option('--stdin-filename', metavar='PATH', help='With `-`: the path that standard input stands for.')
@click.option('--exit-zero', is_flag=True, help='Leave with 0 even where something is found.')
@click.option('--quiet', '-q', is_flag=True, help='Show findings only.')
@click.option('--color', type=click.Choice(['auto', 'always', 'never']), default='auto', help='Whether to colour text.')
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Check files and folders, the working folder if none is named; `-` is standard input.

    Exit codes: 0 nothing found, 1 something found, 2 wrong usage or internal error.
    """
    context.exit(_Check(options).run())


class _Check:
    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.paths: tuple[str, ...] = options['paths'] or ('.',)
        self.stdin = '-' in self.paths
        if self.stdin and len(self.paths) > 1:
            fail('`-` cannot be checked together with other paths')
        one_of = [name for name in ('fix', 'show_diff', 'update_baseline', 'add_ignore') if options[name]]
        if options['statistics'] and (options['output_file'] or options['output_format']):
            fail('`--statistics` has a format of its own')
        if len(one_of) > 1:
            shown = ' and '.join(f'`--{name.removeprefix("show_").replace("_", "-")}`' for name in one_of)
            fail(f'{shown} do not go together')
        self.config, self.registry = self._load()
        self.job = self._job()
        # what is read from standard input is not remembered, but what is learned of other files is
        self.cache: Cache | None = None if self.stdin else self.job.store

    def run(self) -> int:
        try:
            if self.stdin:
                from flakelint.cli.stdin import check_stdin

                return check_stdin(self.job, self.options)
            found = self._discover()
            if self.options['show_files']:
                click.echo(''.join(f'{os.path.relpath(path)}\n' for path in found.files), nl=False)
                return 0
            if any(os.path.abspath(path) == self.config.root for path in self.paths):
                self.job = replace(self.job, everything=tuple(found.files))
            results = run(found.files, self.job, self.cache, _progress(self.options['quiet']))
            if self.options['compiled']:
                self._compile(results)
            return self._finish(found, results)
        except SettingsError as error:
            fail(error)

    def _compile(self, results: 'dict[str, list[Finding]]') -> None:
        from flakelint.cli.compiling import ask_compiler

        targets = self.options['compile_target'] or ('cuda:90',)
        ask_compiler(results, self.options['compiled'], targets, self.options['compile_timeout'], self.job)

    def _load(self) -> 'tuple[Config, Registry]':
        keys = ('select', 'ignore', 'extend_select', 'preset', 'preview', 'force_exclude', 'output_format', 'target_triton')
        overrides = {key: self.options[key] for key in keys if self.options[key] is not None}
        if self.options['baseline']:
            overrides['baseline'] = os.path.abspath(self.options['baseline'])
        if self.options['isolated'] and self.options['config_file']:
            fail('`--isolated` and `--config` do not go together')
        named = self.options['stdin_filename']
        start = common_folder((named,) if named else () if self.stdin else self.paths)
        return load_config(start, self.options['config_file'], overrides, self.options['isolated'])

    def _job(self) -> Job:
        try:
            codes = self.registry.selected(self.config.layers)
        except SettingsError as error:
            fail(error)
        if not codes:
            note('warning: no rule is selected')
        workers = self.options['jobs'] or min(os.cpu_count() or 1, 8)
        store = None
        if not self.options['no_cache']:
            store = open_cache(self.config, self.registry, codes, self.options['cache_dir'])
        return Job(self.config, self.registry, tuple(codes), workers, self.options['exclude'], store)

    def _discover(self) -> Found:
        settings = self.config.settings
        suffixes = discovery.SUFFIXES
        if READS_MARKDOWN.intersection(self.job.codes):
            suffixes += markdown.SUFFIXES
        found = discover(self.paths, self.job.excluded, settings.respect_gitignore, settings.force_exclude, suffixes)
        for text in found.notes:
            note(f'warning: {text}')
        if not found.files:
            note('warning: no files found')
        return found

    def _finish(self, found: Found, results: 'dict[str, list[Finding]]') -> int:
        from flakelint.cli.outcome import Outcome

        outcome = Outcome(self.job, self.cache, self.options, results, len(found.files))
        if self.options['update_baseline']:
            return outcome.update_baseline(self._baseline_path())
        baseline = Baseline.read(self._baseline_path()) if self.config.settings.baseline else None
        if self.options['show_diff']:
            return outcome.show_difference(baseline)
        if self.options['fix']:
            outcome.fix(baseline)
        if baseline is not None:
            outcome.hold_back(baseline)
        if self.options['add_ignore']:
            return outcome.add_ignores(self.options['reason'])
        output_format = self.config.settings.output_format
        return outcome.show(output_format, wants_colour(self.options['color'], sys.stdout))

    def _baseline_path(self) -> str:
        if not self.config.settings.baseline:
            fail('name the baseline file, with --baseline FILE or `baseline` in the settings')
        return os.path.join(self.config.root, self.config.settings.baseline)


def _progress(quiet: bool) -> Any:
    if quiet or not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = '\r\x1b[K' if done == total else ''
        sys.stderr.write(f'\r\x1b[Kchecked {done} of {total} files{end}')
        sys.stderr.flush()

    return show
