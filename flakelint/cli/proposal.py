# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a repository seems to agree on: its header, the tags of its commits, the length of its lines."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from flakelint.source.text import DecodeError, decode

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HOLDER = re.compile(
    r'(?i)(?P<before>#.*?(?:copyright|\(c\)|\u00a9)[^\d\n]*)(?P<years>\d{4}(?:\s*[-\u2013]\s*\d{4})?)'
    r'(?P<between>,?\s+(?:by\s+)?)(?P<owner>[^\n]+?)\s*$',
)
_TAG = re.compile(r'\[(?P<tag>[A-Za-z][\w .-]{0,20})\]')
_SUBJECTS = 500
# a convention that fewer keep than one in so many is none
_SHARE = 3


@dataclass
class Proposal:
    """A configuration for a repository.

    Args:
        preset (str):
            The preset to start from.
        header (dict[str, Any], Optional):
            The table `header`. Default: none was found.
        tags (list[str], Optional):
            The tags of commit subjects. Default: none were found.
        columns (int, Optional):
            How long a line may be. Default: `0`, not known.
        notes (list[str], Optional):
            What each finding rests on, for a person. Default: nothing.
    """

    preset: str
    header: dict[str, Any] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    columns: int = 0
    notes: list[str] = field(default_factory=list)

    def as_toml(self, prefix: str = '', baseline: str = '') -> str:
        """The configuration as a settings file spells it.

        Args:
            prefix (str, Optional):
                What stands before the names of its tables: `tool.flakelint` in a `pyproject.toml`. Default: nothing.
            baseline (str, Optional):
                The name of the baseline file. Default: none.
        """
        lines = [f'[{prefix}]'] if prefix else []
        lines.append(f'preset = {_toml(self.preset)}')
        # the default preset has no rules for conventions
        rules = [code for code, has in (('REP101', self.header), ('REP106', self.tags)) if has and self.preset != 'fla']
        lines += [f'extend-select = {_toml(rules)}'] if rules else []
        lines += [f'baseline = {_toml(baseline)}'] if baseline else []
        before = f'{prefix}.' if prefix else ''
        if self.header:
            lines += ['', f'[{before}header]', *(f'{key} = {_toml(value)}' for key, value in self.header.items())]
        if self.tags:
            lines += ['', f'[{before}commits]', f'tags = {_toml(self.tags)}']
        if self.columns and self.preset == 'fla':
            lines += ['', f'[{before}rules.REP107]', f'columns = {self.columns}']
        return '\n'.join(lines) + '\n'


def propose(root: str, files: Sequence[str], preset: str | None) -> Proposal:
    """Look at a repository.

    Args:
        root (str):
            Its folder.
        files (Sequence[str]):
            Its Python files, as absolute paths.
        preset (str | None):
            The preset that was asked for, if one was.
    """
    found = Proposal(preset or _preset(root, files))
    _find_header(found, files)
    _find_tags(found, root)
    _find_columns(found, root)
    return found


def _preset(root: str, files: Sequence[str]) -> str:
    """`fla` for a repository that is laid out as flash-linear-attention is."""
    inside = [os.path.relpath(path, root).split(os.sep) for path in files]
    return 'fla' if any(len(parts) > 2 and parts[-1] == 'naive.py' and 'ops' in parts for parts in inside) else 'triton'


def _find_header(found: Proposal, files: Sequence[str]) -> None:
    blocks: Counter[tuple[str, ...]] = Counter()
    years: dict[tuple[str, ...], list[int]] = {}
    owners: dict[tuple[str, ...], str] = {}
    seen = 0
    for lines in _beginnings(files):
        seen += 1
        for at, line in enumerate(lines):
            match = _HOLDER.fullmatch(line)
            if match:
                owner = match['owner'].rstrip()
                template = f'{match["before"]}{{years}}{match["between"]}{{owner}}'
                block = (*lines[:at], template, *lines[at + 1:], owner)
                blocks[block] += 1
                years.setdefault(block, []).extend(int(year) for year in re.findall(r'\d{4}', match['years']))
                owners[block] = owner
                break
    if not blocks:
        return
    (block, count), = blocks.most_common(1)
    if count * _SHARE < seen:
        return
    found.header = {'owner': owners[block], 'start-year': min(years[block]), 'template': list(block[:-1])}
    found.notes.append(f'header: {count} of {seen} Python files begin with it')


def _beginnings(files: Iterable[str]) -> Iterator[list[str]]:
    """The comments with which files begin, without what is for the system; files that are empty are left out."""
    for path in files:
        try:
            with open(path, 'rb') as file:
                text = decode(file.read(1 << 16).rpartition(b'\n')[0]).text
        except (OSError, DecodeError):
            continue
        if not text.strip():
            continue
        lines = text.splitlines()
        while lines and (lines[0].startswith('#!') or re.match(r'#.*?coding[:=]', lines[0]) or not lines[0].strip()):
            lines.pop(0)
        end = next((number for number, line in enumerate(lines) if not line.startswith('#')), len(lines))
        yield [line.rstrip() for line in lines[:end]]


def _find_tags(found: Proposal, root: str) -> None:
    command = ['git', '-C', root, 'log', f'--max-count={_SUBJECTS}', '--no-merges', '--format=%s']
    try:
        result = subprocess.run(command, capture_output=True, text=True, encoding='utf-8', errors='replace', check=False)
    except OSError:
        return
    subjects = result.stdout.splitlines() if not result.returncode else []
    tags = Counter(match['tag'] for one in subjects if (match := _TAG.match(one)))
    if not subjects or sum(tags.values()) * _SHARE < len(subjects):
        return
    found.tags = sorted(tags)
    found.notes.append(f'commits: {sum(tags.values())} of the last {len(subjects)} subjects begin with a tag')


def _find_columns(found: Proposal, root: str) -> None:
    for name, keys in (('ruff.toml', ()), ('.ruff.toml', ()), ('pyproject.toml', ('tool', 'ruff'))):
        try:
            with open(os.path.join(root, name), 'rb') as file:
                table = tomllib.load(file)
        except (OSError, ValueError):
            continue
        for key in keys:
            table = table.get(key, {}) if isinstance(table, dict) else {}
        columns = table.get('line-length') if isinstance(table, dict) else None
        if isinstance(columns, int):
            found.columns = columns
            found.notes.append(f'columns: {columns}, as {name} says for ruff')
            return


def _toml(value: Any) -> str:
    if isinstance(value, list):
        inner = ''.join(f'    {_toml(item)},\n' for item in value)
        return f'[\n{inner}]' if len(inner) > 100 else '[' + ', '.join(map(_toml, value)) + ']'
    return json.dumps(value, ensure_ascii=False)
