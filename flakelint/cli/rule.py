# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint rule`: what rules there are, and what each is about."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import click

from flakelint.cli.common import config_option, fail, load_config
from flakelint.engine.config import SettingsError, nearest
from flakelint.engine.documentation import as_markdown, documentation, no_preset, presets_of
from flakelint.engine.registry import Registry, RuleReference
from flakelint.engine.rule import Rule
from flakelint.report.model import url

_HEADING = re.compile(r'^## (.*)$', re.MULTILINE)
_FIXES = {'safe': 'safe fix', 'unsafe': 'unsafe fix', 'none': 'no fix'}


@click.command('rule', short_help='Explain rules.')
@click.argument('words', nargs=-1, metavar='[CODE|NAME]...')
@click.option('--all', 'everything', is_flag=True, help='Explain all rules.')
@click.option('--output-format', type=click.Choice(['text', 'markdown', 'json']), default='text', help='How to show rules.')
@config_option
def command(words: tuple[str, ...], everything: bool, output_format: str, config_file: str | None) -> None:
    """Explain rules, by their codes or names; the beginning of codes lists these rules, nothing lists all."""
    _, registry = load_config(os.getcwd(), config_file)
    presets = {code: presets_of(code, registry) for code in registry.codes()}
    references = _all(registry) if everything or not words else [one for word in words for one in _find(registry, word)]
    explain = everything or 0 < len(words) == len(references)
    try:
        rules = [reference.load() for reference in references]
    except SettingsError as error:
        fail(error)
    if output_format == 'json':
        pairs = zip(rules, references, strict=True)
        explained = [describe(rule, reference.origin, presets[rule.code]) for rule, reference in pairs]
        click.echo(json.dumps(explained, indent=2, ensure_ascii=False))
    elif explain:
        show = as_markdown if output_format == 'markdown' else _as_text
        click.echo('\n'.join(show(rule, presets[rule.code]) for rule in rules), nl=False)
    elif output_format == 'markdown':
        click.echo(_table(rules))
    else:
        click.echo('\n'.join(_line(rule) for rule in rules))


def describe(rule: type[Rule], origin: str, presets: list[str]) -> dict[str, Any]:
    """All there is to say about a rule, for other programs."""
    return {
        'code': rule.code,
        'name': rule.name,
        'summary': rule.summary(),
        'severity': rule.severity,
        'fix': rule.fix,
        'presets': presets,
        'since': rule.since,
        'triton': rule.triton,
        'origin': origin,
        'options': _options(rule.Options),
        'documentation': documentation(rule),
        'url': url(rule.code),
    }


def _as_text(rule: type[Rule], presets: list[str]) -> str:
    body = _HEADING.sub(lambda match: f'{match[1]}\n{"-" * len(match[1])}', _outside_code(documentation(rule)))
    triton = [f'Triton {rule.triton}'] if rule.triton else []
    enabled = f'on in {" and ".join(presets)}' if presets else no_preset(rule).replace('none', 'off in every preset')
    facts = [rule.severity, _FIXES[rule.fix], enabled, *triton, f'since {rule.since}']
    title = f'{rule.code} {rule.name} ({", ".join(facts)})'
    return f'{title}\n{"=" * len(title)}\n\n{rule.summary()}\n\n{body}\n'


def _outside_code(text: str) -> str:
    """Markdown with its code blocks indented instead of fenced, so that nothing in them looks like a heading."""
    lines = []
    fenced = False
    for line in text.split('\n'):
        if line.startswith('```'):
            fenced = not fenced
        else:
            lines.append(f'    {line}' if fenced and line else line)
    return '\n'.join(lines)


def _line(rule: type[Rule]) -> str:
    return f'{rule.code}  {rule.name:<26}{_FIXES[rule.fix]:<12}{rule.summary()}'


def _table(rules: list[type[Rule]]) -> str:
    rows = [('Code', 'Name', 'Fix', 'What it finds')]
    for rule in rules:
        rows.append((f'[{rule.code}]({url(rule.code)})', rule.name, rule.fix, rule.summary().replace('|', '\\|')))
    return table(rows)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, the head first, as a Markdown table whose pipes line up."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = [f'| {" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |' for row in rows]
    lines.insert(1, f'| {" | ".join("-" * width for width in widths)} |')
    return '\n'.join(lines)


def _options(options: type) -> list[dict[str, Any]]:
    hints = get_type_hints(options)
    described = []
    for one in fields(options):
        default = getattr(options(), one.name)
        described.append({
            'name': one.name.replace('_', '-'),
            'type': str(hints[one.name]) if get_args(hints[one.name]) else hints[one.name].__name__,
            'default': list(default) if isinstance(default, tuple) else default,
        })
    return described


def _all(registry: Registry) -> list[RuleReference]:
    return [registry.rules[code] for code in registry.codes()]


def _find(registry: Registry, word: str) -> list[RuleReference]:
    reference = registry.find(word)
    family = [registry.rules[code] for code in registry.codes() if code.startswith(word.upper())]
    if reference is None and not family:
        known = [*registry.rules, *(one.name for one in registry.rules.values())]
        looks_like_code = word[-1:].isdigit()
        fail(f'unknown rule `{word}`{nearest(word.upper() if looks_like_code else word, known)}')
    return [reference] if reference else family
