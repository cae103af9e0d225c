# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What earlier runs found and learned, by the hash of everything it depends on.

The findings of a file are kept by its content, its path and the settings, together with a hash of what other files said that they depend on. The summaries of files, from which that hash is computed, are kept by their content alone.

One SQLite file, which gives atomic writes and lets several runs share it. Whatever is wrong with it, a run goes on without.
"""

import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import flakelint
from flakelint.engine.findings import Finding, pack, unpack
from flakelint.engine.settings import SECTIONS

if TYPE_CHECKING:
    from flakelint.engine.config import Config
    from flakelint.engine.registry import Registry, RuleReference

FOLDER = '.flakelint_cache'
_FOLDER_VARIABLE = 'FLAKELINT_CACHE_DIR'
_FILE = 'findings-2.sqlite'
_TABLES = (
    'CREATE TABLE IF NOT EXISTS findings'
    ' (key TEXT PRIMARY KEY, payload TEXT, consulted TEXT, state TEXT, checksum TEXT, day INTEGER)',
    'CREATE TABLE IF NOT EXISTS summaries (key TEXT PRIMARY KEY, head TEXT, body TEXT, checksum TEXT, day INTEGER)',
)
_IGNORE = '.gitignore'
_IGNORE_ALL = '# made by flakelint\n*\n'
_DAYS_KEPT = 30
_SECONDS_A_DAY = 86_400
_LOCK_SECONDS = 10
_BATCH = 500

_T = TypeVar('_T')


class Known(NamedTuple):
    """What an earlier run found in a file.

    Args:
        findings (list[Finding]):
            The findings.
        consulted (str):
            The hash of what other files said that they may depend on; nothing where they depend on no other file.
        state (str):
            The state of the repository in which that was last so.
    """

    findings: list[Finding]
    consulted: str = ''
    state: str = ''


class Cache:
    """The findings of earlier runs.

    Args:
        folder (str):
            The folder that holds the cache; made when first written to.
        environment (str):
            The hash of all but the files that findings depend on.
    """

    def __init__(self, folder: str, environment: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, _FILE)
        self._environment = environment

    def key(self, path: str, content: str) -> str:
        """The key of a file.

        Args:
            path (str):
                Its path from the root.
            content (str):
                The hash of its content.
        """
        text = f'{content}\0{path}\0{self._environment}'
        return hashlib.blake2b(text.encode(errors='surrogateescape'), digest_size=20).hexdigest()

    def read(self, paths: Mapping[str, str]) -> dict[str, Known]:
        """What is known, by key.

        Args:
            paths (Mapping[str, str]):
                The path from the root for each key wanted.
        """
        return self._reading(lambda connection: self._findings(connection, paths), {})

    def write(self, results: Mapping[str, Known]) -> None:
        """Remember what was found in files, by key."""
        rows = []
        for key, known in results.items():
            payload = json.dumps([pack(item) for item in known.findings], separators=(',', ':'))
            rows.append((key, payload, known.consulted, known.state, _checksum(key, payload, known.consulted), _today()))
        self._insert('INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?, ?, ?)', rows)

    def confirm(self, keys: Iterable[str], state: str) -> None:
        """Remember that what is known under some keys is so in this state of the repository."""
        self._insert('UPDATE findings SET state = ? WHERE key = ?', [(state, key) for key in keys])

    def read_summaries(self, hashes: Iterable[str]) -> dict[str, tuple[str, str]]:
        """The summaries that are known, as two texts each, by the hash of the file's content."""
        keys = {f'{_own_digest()}{content}': content for content in hashes}
        return self._reading(lambda connection: self._summaries(connection, keys), {})

    def write_summaries(self, summaries: Mapping[str, tuple[str, str]]) -> None:
        """Remember summaries, by the hash of the file's content."""
        rows = []
        for content, (head, body) in summaries.items():
            key = f'{_own_digest()}{content}'
            rows.append((key, head, body, _checksum(key, head, body), _today()))
        self._insert('INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)', rows)

    def _reading(self, read: Callable[[sqlite3.Connection], _T], nothing: _T) -> _T:
        if not os.path.exists(self._path):
            return nothing
        try:
            with closing(self._connect()) as connection:
                return read(connection)
        except sqlite3.OperationalError:
            return nothing
        except sqlite3.DatabaseError:
            self._discard()
            return nothing

    def _insert(self, statement: str, rows: list[tuple]) -> None:
        if not rows:
            return
        for _ in range(2):
            try:
                self._make_folder()
                with closing(self._connect()) as connection, connection:
                    for table in _TABLES:
                        connection.execute(table)
                    connection.executemany(statement, rows)
                    for table in ('findings', 'summaries'):
                        connection.execute(f'DELETE FROM {table} WHERE day < ?', (_today() - _DAYS_KEPT,))
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

    def _findings(self, connection: sqlite3.Connection, paths: Mapping[str, str]) -> dict[str, Known]:
        found = {}
        columns = 'key, payload, consulted, state, checksum'
        for key, payload, consulted, state, checksum in _rows(connection, columns, 'findings', paths):
            if isinstance(payload, str) and checksum == _checksum(key, payload, consulted):
                found[key] = Known([unpack(item, paths[key]) for item in json.loads(payload)], consulted, state)
        return found

    def _summaries(self, connection: sqlite3.Connection, keys: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        rows = _rows(connection, 'key, head, body, checksum', 'summaries', keys)
        return {keys[key]: (head, body) for key, head, body, checksum in rows if checksum == _checksum(key, head, body)}

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
    tables = [getattr(settings, section) for section in SECTIONS]
    relevant = (tables, settings.rules, settings.max_file_size, settings.target_triton, sorted(settings.severity.items()))
    ignores = sorted(settings.per_file_ignores.items())
    rules = sorted((reference.code, reference.name, reference.fingerprint) for reference in references)
    digest.update(repr((relevant, ignores, rules, _own_digest())).encode())
    return digest.hexdigest()


def cache_folder(config: 'Config', option: str | None) -> str:
    """Where the cache is: what the option says, else the environment, else the settings, else the root."""
    folder = option or os.environ.get(_FOLDER_VARIABLE)
    if folder:
        return os.path.abspath(folder)
    return os.path.join(config.root, config.settings.cache_dir or FOLDER)


def open_cache(config: 'Config', registry: 'Registry', codes: 'Iterable[str]', option: str | None) -> Cache:
    """The cache for a run with these rules."""
    return Cache(cache_folder(config, option), environment(config, [registry.rules[code] for code in codes]))


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


@lru_cache(maxsize=1)
def _own_digest() -> str:
    """The hash of this package's own source, the rules included, and of the interpreter."""
    digest = hashlib.blake2b(repr((flakelint.__version__, sys.version_info[:3])).encode(), digest_size=20)
    for path in _own_sources():
        with open(path, 'rb') as file:
            digest.update(file.read())
    return digest.hexdigest()


def _own_sources() -> list[str]:
    from importlib.util import find_spec

    package = os.path.dirname(os.path.abspath(flakelint.__file__))
    folders = [os.path.join(package, house) for house in ('source', 'project', 'kernel', 'engine')]
    rules = find_spec('flakelint.rules')
    folders.extend(rules.submodule_search_locations if rules else ())
    found = []
    for folder in folders:
        for base, _, names in os.walk(folder):
            found.extend(os.path.join(base, name) for name in names if name.endswith(('.py', '.json')))
    return sorted(found)


def _rows(connection: sqlite3.Connection, columns: str, table: str, keys: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    """The rows of a table with some keys."""
    wanted = list(keys)
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start:start + _BATCH]
        marks = ','.join('?' * len(batch))
        yield from connection.execute(f'SELECT {columns} FROM {table} WHERE key IN ({marks})', batch)


def _today() -> int:
    return int(time.time()) // _SECONDS_A_DAY


def _checksum(*texts: str) -> str:
    return hashlib.blake2b('\0'.join(map(str, texts)).encode(errors='surrogatepass'), digest_size=12).hexdigest()
