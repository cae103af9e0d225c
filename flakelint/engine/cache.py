# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Findings of files that were checked before, by the hash of everything they depend on.

One SQLite file, which gives atomic writes and lets several runs share it. Whatever is wrong with it, a run goes on without.
"""

import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import flakelint
from flakelint.engine.findings import Finding, pack, unpack

if TYPE_CHECKING:
    from flakelint.engine.config import Config
    from flakelint.engine.registry import RuleReference

FOLDER = '.flakelint_cache'
_FILE = 'findings-1.sqlite'
_IGNORE = '.gitignore'
_IGNORE_ALL = '# made by flakelint\n*\n'
_DAYS_KEPT = 30
_SECONDS_A_DAY = 86_400
_LOCK_SECONDS = 10
_BATCH = 500


class Cache:
    """The findings of earlier runs.

    Args:
        folder (str):
            The folder that holds the cache; made when first written to.
        environment (str):
            The hash of all but the file that findings depend on.
    """

    def __init__(self, folder: str, environment: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, _FILE)
        self._environment = environment

    def key(self, path: str, data: bytes) -> str:
        """The key of a file with this path from the root and this content."""
        digest = hashlib.blake2b(data, digest_size=20)
        digest.update(f'\0{path}\0{self._environment}'.encode(errors='surrogateescape'))
        return digest.hexdigest()

    def read(self, paths: Mapping[str, str]) -> dict[str, list[Finding]]:
        """The findings that are known, by key.

        Args:
            paths (Mapping[str, str]):
                The path from the root for each key wanted.
        """
        if not os.path.exists(self._path):
            return {}
        try:
            with closing(self._connect()) as connection:
                return self._rows(connection, paths)
        except sqlite3.OperationalError:
            return {}
        except sqlite3.DatabaseError:
            self._discard()
            return {}

    def write(self, findings: Mapping[str, list[Finding]]) -> None:
        """Remember the findings of files, by key."""
        if not findings:
            return
        today = int(time.time()) // _SECONDS_A_DAY
        rows = []
        for key, items in findings.items():
            payload = json.dumps([pack(item) for item in items], separators=(',', ':'))
            rows.append((key, payload, _checksum(key, payload), today))
        for _ in range(2):
            try:
                self._make_folder()
                with closing(self._connect()) as connection, connection:
                    connection.execute(
                        'CREATE TABLE IF NOT EXISTS findings (key TEXT PRIMARY KEY, payload TEXT, checksum TEXT, day INTEGER)'
                    )
                    connection.executemany('INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?)', rows)
                    connection.execute('DELETE FROM findings WHERE day < ?', (today - _DAYS_KEPT,))
                return
            except (OSError, sqlite3.OperationalError):
                return
            except sqlite3.DatabaseError:
                self._discard()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_LOCK_SECONDS)
        # the worst that a power cut can do is to damage a cache
        connection.execute('PRAGMA synchronous = OFF')
        return connection

    def _rows(self, connection: sqlite3.Connection, paths: Mapping[str, str]) -> dict[str, list[Finding]]:
        found = {}
        keys = list(paths)
        for start in range(0, len(keys), _BATCH):
            batch = keys[start:start + _BATCH]
            marks = ','.join('?' * len(batch))
            query = f'SELECT key, payload, checksum FROM findings WHERE key IN ({marks})'
            for key, payload, checksum in connection.execute(query, batch):
                if isinstance(payload, str) and checksum == _checksum(key, payload):
                    found[key] = [unpack(item, paths[key]) for item in json.loads(payload)]
        return found

    def _make_folder(self) -> None:
        if os.path.isdir(self._folder):
            return
        os.makedirs(self._folder, exist_ok=True)
        with open(os.path.join(self._folder, _IGNORE), 'w', encoding='utf-8') as file:
            file.write(_IGNORE_ALL)

    def _discard(self) -> None:
        for suffix in ('', '-journal'):
            with suppress(OSError):
                os.remove(self._path + suffix)


def environment(config: 'Config', references: 'Iterable[RuleReference]') -> str:
    """The hash of the settings, the rules, this package's own source and the interpreter."""
    digest = hashlib.blake2b(digest_size=20)
    settings = config.settings
    tables = (settings.header, settings.commits, settings.kernel, settings.rules)
    relevant = (tables, settings.max_file_size, settings.target_triton)
    ignores = sorted(settings.per_file_ignores.items())
    rules = sorted((reference.code, reference.name, reference.fingerprint) for reference in references)
    digest.update(repr((flakelint.__version__, sys.version_info[:3], relevant, ignores, rules)).encode())
    for path in _own_sources():
        with open(path, 'rb') as file:
            digest.update(file.read())
    return digest.hexdigest()


def clear(folder: str) -> bool:
    """Remove the cache from a folder, and the folder if nothing else is in it; says whether there was a cache."""
    if not os.path.isfile(os.path.join(folder, _FILE)):
        return False
    for name in (_FILE, f'{_FILE}-journal'):
        with suppress(FileNotFoundError):
            os.remove(os.path.join(folder, name))
    ignore = os.path.join(folder, _IGNORE)
    with suppress(OSError):
        with open(ignore, encoding='utf-8') as file:
            is_ours = file.read() == _IGNORE_ALL
        if is_ours:
            os.remove(ignore)
    with suppress(OSError):
        os.rmdir(folder)
    return True


def _own_sources() -> list[str]:
    from importlib.util import find_spec

    package = os.path.dirname(os.path.abspath(flakelint.__file__))
    folders = [os.path.join(package, house) for house in ('source', 'project', 'kernel', 'engine')]
    rules = find_spec('flakelint.rules')
    folders.extend(rules.submodule_search_locations if rules else ())
    found = []
    for folder in folders:
        for base, _, names in os.walk(folder):
            found.extend(os.path.join(base, name) for name in names if name.endswith('.py'))
    return sorted(found)


def _checksum(key: str, payload: str) -> str:
    return hashlib.blake2b(f'{key}{payload}'.encode(), digest_size=12).hexdigest()
