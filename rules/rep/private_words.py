# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What in a text belongs inside one organisation: paths of one machine, hosts of one network, words of a list."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakelint.source.text import shortened

# accounts that stand for any, or that images and services bring along
_ANYBODY = """
account admin alias anon anonymous app appuser bar builder circleci coder conda default dev docker ec2-user example foo
gitlab-runner gitpod guest home jovyan linuxbrew login mambauser me my myname mynames myuser myusername name node nonroot
ollama owner path public root runner runneradmin shared someone somebody test tester testuser travis ubuntu user username
users vagrant vscode vsts whoever work workspace www-data xxx xyz you yourname youruser your yourself your-name your-user
your-username your_name your_user your_username
"""
_NOBODY = re.compile(rf'(?:{"|".join(_ANYBODY.split())})\d*|[a-z]', re.IGNORECASE)
_NAME = r'[A-Za-z0-9][\w.-]*'
_START = r'(?:(?<![\w./~$})>-])|(?<=file://)|(?<=["\'`(=:, ]))'
_PATHS = (
    re.compile(rf'{_START}/home/(?P<name>{_NAME})/'),
    re.compile(rf'{_START}/Users/(?P<name>{_NAME})/'),
    re.compile(rf'(?<![A-Za-z0-9])[A-Za-z]:(?:\\\\|[\\/])Users(?:\\\\|[\\/])(?P<name>{_NAME}(?: [A-Z]\w*)?)(?:\\\\|[\\/])'),
    re.compile(rf'{_START}/nfs/(?P<name>{_NAME})(?=[/\s"\'`)\],:;]|$)'),
    re.compile(rf'{_START}/scratch/(?P<name>{_NAME})(?:/|(?=["\'`)\s,;]|$))'),
)
# what follows a path, to show where it leads
_REST = re.compile(r'[\w./\\~@%+=-]*')
_LABEL = r'[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
_HOST = re.compile(
    rf'(?<![\w.@/$}}-])(?P<before>(?:[a-z]+://|[\w.-]+@)?)(?P<host>{_LABEL}(?:\.{_LABEL})+)(?P<port>:\d{{2,5}}\b)?'
    r'(?![\w(]|\.\w)',
)
_ADDRESS = re.compile(
    r'(?<![\w.=<>~^-])(?<!version )(?<!Version )'
    r'(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})'
    r'(?![\w.-]|/\d)',
)
# addresses that manuals and routers bring along
_MANUAL = re.compile(
    r'10\.0\.[0-2]\.\d+|10\.1\.1\.\d+|10\.10\.10\.\d+|10\.1\.2\.3|192\.168\.[01]\.\d+|172\.1[67]\.0\.\d+'
    r'|10\.(\d+)\.\1\.\1|.*\.0\.0|.*\.255',
)
_PUBLIC_HOSTS = re.compile(
    r'(?:.*\.)?(?:docker|containers|google|lima|orb|example|test|invalid)\.(?:internal|local)|instance-data\.ec2\.internal'
    r'|(?:any|attacker|evil|example|foo|host|hostname|my|server|some|test|your)(?:[-\d]\w*)?\..*',
)
_CANDIDATE = re.compile(r'/home/|[\\/]Users[\\/]|/nfs/|/scratch/|\b(?:10|172|192\.168)\.\d')


class Problem(NamedTuple):
    """Something private in a text.

    Args:
        start (int):
            Where it begins, as an offset into the text.
        end (int):
            Where it ends.
        message (str):
            What it is.
    """

    start: int
    end: int
    message: str


class PrivateWords:
    """What counts as private.

    Args:
        words (Sequence[str]):
            Patterns of words, as in a shell.
        paths (Sequence[str]):
            Patterns of the beginnings of paths, beside the home directories.
        hosts (Sequence[str]):
            Patterns of host names.
    """

    def __init__(self, words: Sequence[str], paths: Sequence[str], hosts: Sequence[str]) -> None:
        self._words = _pattern(words, r'(?<![A-Za-z0-9])', r'(?![A-Za-z0-9])', r'[^\s"\'`]*')
        self._paths = _pattern([path.rstrip('/') for path in paths], _START, r'(?=[/\s"\'`)\],:;]|$)', r'[^\s"\'`/]*')
        self._hosts = _pattern(hosts, r'\A', r'\Z', r'.*')
        ends = [host.rpartition('.')[2] for host in hosts]
        # any line may hold one whose last part is not known
        known = [re.escape(end) for end in ends if '*' not in end and '?' not in end]
        self._host_ends = re.compile(rf'\.(?:{"|".join(known)})\b' if len(known) == len(ends) else r'\.\w', re.IGNORECASE)

    def problems(self, text: str) -> Iterator[Problem]:
        """What is private in a text, in order, each place once."""
        if not self._may_have_any(text):
            return
        end = 0
        for problem in sorted([*self._in_paths(text), *self._in_hosts(text), *self._in_words(text)]):
            if problem.start >= end:
                yield problem
                end = problem.end

    def _may_have_any(self, text: str) -> bool:
        if _CANDIDATE.search(text) or any(one is not None and one.search(text) for one in (self._words, self._paths)):
            return True
        return self._hosts is not None and self._host_ends.search(text) is not None

    def _in_paths(self, text: str) -> Iterator[Problem]:
        for pattern in _PATHS:
            for match in pattern.finditer(text):
                if not _NOBODY.fullmatch(match['name']):
                    yield _path(text, match)
        if self._paths:
            for match in self._paths.finditer(text):
                yield _path(text, match)

    def _in_hosts(self, text: str) -> Iterator[Problem]:
        for match in _ADDRESS.finditer(text):
            if all(int(part) < 256 for part in match[0].split('.')) and not _MANUAL.fullmatch(match[0]):
                advice = 'write a name or an address for documentation, such as `192.0.2.1`'
                yield Problem(*match.span(), f'`{match[0]}` is an address of one network: {advice}')
        if self._hosts is None:
            return
        end = 0
        for known in self._host_ends.finditer(text):
            if known.start() < end:
                continue
            start, end = text.rfind('\n', 0, known.start()) + 1, text.find('\n', known.end())
            end = len(text) if end < 0 else end
            for match in _HOST.finditer(text, start, end):
                if self._hosts.match(match['host']) and _is_private_host(match):
                    advice = 'write one that all know, such as `example.com`'
                    yield Problem(*match.span('host'), f'`{match["host"]}` is a host of one network: {advice}')

    def _in_words(self, text: str) -> Iterator[Problem]:
        if self._words:
            for match in self._words.finditer(text):
                if match[0]:
                    yield Problem(*match.span(), f'`{match[0]}` is a private word: write what it stands for')


def _path(text: str, match: re.Match[str]) -> Problem:
    end = _REST.match(text, match.end()).end()
    shown = text[match.start():end].rstrip('.')
    advice = 'take it from an argument or the environment, or write a placeholder'
    return Problem(match.start(), match.start() + len(shown), f'`{shortened(shown, 60)}` is a path of one machine: {advice}')


def _is_private_host(match: re.Match[str]) -> bool:
    """Whether a dotted name is one of a host that only one network has, and not an attribute of a module."""
    if _PUBLIC_HOSTS.fullmatch(match['host'].lower()):
        return False
    labels = match['host'].split('.')
    if match['before'] or match['port']:
        return True
    return not labels[0][0].isdigit() and any('-' in label or label[-1].isdigit() for label in labels[:-1])


def _pattern(patterns: Sequence[str], before: str, after: str, anything: str) -> re.Pattern[str] | None:
    if not patterns:
        return None
    parts = '|'.join(re.escape(pattern).replace(r'\*', anything).replace(r'\?', '.') for pattern in patterns)
    return re.compile(f'{before}(?:{parts}){after}', re.IGNORECASE | re.MULTILINE)
