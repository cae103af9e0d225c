# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What no editor should send, and some do: the server says what is wrong, and lives."""

import json
import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import KERNELS, PATIENCE, SERVER
from tests.tools import clean_environment, write

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602


class Wire:
    """A server, talked to in bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder.parent / 'server.log'
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [*SERVER, '--log-file', str(self.log)],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=clean_environment(),
        )
        self._heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        self.heard: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()
        capabilities = {'general': {'positionEncodings': ['utf-16']}}
        self.ask('initialize', {'processId': None, 'rootUri': folder.as_uri(), 'capabilities': capabilities})
        self.tell('initialized', {})

    def _listen(self) -> None:
        length = 0
        while line := self._process.stdout.readline():
            if line.lower().startswith(b'content-length:'):
                length = int(line.partition(b':')[2])
            elif not line.strip():
                self._heard.put(json.loads(self._process.stdout.read(length)))

    def send(self, body: bytes) -> None:
        """Send a body with its header."""
        self._process.stdin.write(b'Content-Length: %d\r\n\r\n%s' % (len(body), body))
        self._process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send(json.dumps({'jsonrpc': '2.0', 'method': method, 'params': params}).encode())

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request; gives the answer."""
        self._number += 1
        message = {'jsonrpc': '2.0', 'id': self._number, 'method': method, 'params': params}
        self.send(json.dumps(message).encode())
        return self.hear(lambda heard: heard.get('id') == self._number and 'method' not in heard)

    def hear(self, wanted: Any) -> dict[str, Any]:
        """The next message of some kind."""
        while True:
            heard = self._heard.get(timeout=PATIENCE)
            self.heard.append(heard)
            if wanted(heard):
                return heard

    def open(self, uri: str, text: str) -> None:
        """Open a file."""
        item = {'uri': uri, 'languageId': 'python', 'version': 1, 'text': text}
        self.tell('textDocument/didOpen', {'textDocument': item})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Change a file."""
        document = {'uri': uri, 'version': version}
        self.tell('textDocument/didChange', {'textDocument': document, 'contentChanges': list(changes)})

    def codes(self, uri: str) -> list[str]:
        """The codes of what is found in a file."""
        answer = self.ask('textDocument/diagnostic', {'textDocument': {'uri': uri}})
        return [one['code'] for one in answer['result']['items']]

    def is_alive(self) -> bool:
        """Whether the server still checks."""
        self.open('file:///alive.py', KERNELS)
        return self._process.poll() is None and self.codes('file:///alive.py') == ['TRI101']

    def leave(self) -> int:
        """Shut down; gives the exit code."""
        assert self.ask('shutdown', None)['result'] is None
        self.tell('exit', None)
        return self._process.wait(PATIENCE)

    def kill(self) -> None:
        """End it in any case."""
        self._process.kill()
        self._process.wait()


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    folder = tmp_path / 'work'
    folder.mkdir()
    made = Wire(folder)
    yield made
    made.kill()


@pytest.mark.parametrize('body', [
    b'{', b'', b'[]', b'null', b'7', b'"x"', b'{}', b'\xff\xfe', b'{"jsonrpc": "1.0", "method": "exit"}', b'[' * 100_000,
    b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": null, "method": 5}',
    b'{"jsonrpc": "2.0", "id": 99, "result": {}}', b'{"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "x"}}',
])
def test_what_is_no_message(wire: Wire, body: bytes) -> None:
    wire.send(body)
    assert wire.is_alive()


def test_a_parse_error_is_answered(wire: Wire) -> None:
    wire.send(b'{"jsonrpc": "2.0", "id": 1, "method": ')
    assert wire.hear(lambda heard: 'error' in heard)['error']['code'] == PARSE_ERROR
    assert wire.is_alive()


def test_unknown_methods(wire: Wire) -> None:
    assert wire.ask('textDocument/nonsense', {})['error']['code'] == UNKNOWN_METHOD
    wire.tell('textDocument/nonsense', {})
    wire.tell('$/nonsense', None)
    assert wire.ask('workspace/executeCommand', {'command': 'nonsense'})['error']['code'] == INVALID_PARAMS
    assert wire.is_alive()


@pytest.mark.parametrize('params', [{}, None, [], {'textDocument': 5}, {'textDocument': {}, 'position': {'line': 'x'}}])
def test_wrong_parameters_are_answered(wire: Wire, params: Any) -> None:
    assert wire.ask('textDocument/hover', params)['error']['code'] == INVALID_PARAMS
    wire.tell('textDocument/didChange', params)
    wire.tell('textDocument/didOpen', params)
    assert wire.is_alive()


def test_requests_about_files_that_are_not_open(wire: Wire) -> None:
    place = {'textDocument': {'uri': 'file:///none.py'}, 'position': {'line': 0, 'character': 0}}
    for method in ('hover', 'definition', 'signatureHelp', 'completion'):
        answer = wire.ask(f'textDocument/{method}', place)
        assert 'error' not in answer and not answer['result']
    for action in ({'title': 'x'}, {'title': 'x', 'data': {'do': 'fix', 'uri': 'file:///none.py', 'finding': []}}):
        assert 'edit' not in wire.ask('codeAction/resolve', action)['result']
    wire.change('file:///none.py', 2, {'text': 'x'})
    wire.tell('textDocument/didClose', {'textDocument': {'uri': 'file:///none.py'}})
    assert wire.is_alive()


def test_edits_out_of_range(wire: Wire) -> None:
    uri = 'file:///a.py'
    wire.open(uri, 'x = 1\n')
    far = {'start': {'line': 90, 'character': 90}, 'end': {'line': 99, 'character': 99}}
    wire.change(uri, 2, {'range': far, 'text': 'y = (\n'})
    assert wire.codes(uri) == ['ENG001']
    back = {'start': {'line': 5, 'character': 0}, 'end': {'line': 0, 'character': 0}}
    wire.change(uri, 3, {'range': back, 'text': KERNELS})
    assert wire.codes(uri) == ['TRI101']


@pytest.mark.parametrize(('text', 'expected'), [
    ('\ufeffx = 1\n', []), ('x = "\ud83d\ude00"\n', []), ('x = "\ud83d"\n', ['ENG001']), ('x = "\x00"\n', ['ENG001']),
    ('x = 1\r\ny = 2\r', []), ('# -*- coding: latin-1 -*-\nx = "é"\n', []), ('\x0c\nx = 1\n', []),
    ('(' * 3000, ['ENG001']), ('x = ' + '-' * 30_000 + '1\n', ['ENG003']),
])
def test_texts_of_all_kinds(wire: Wire, text: str, expected: list[str]) -> None:
    uri = 'file:///a.py'
    wire.open(uri, text)
    assert wire.codes(uri) == expected
    wire.change(uri, 2, {'text': text + KERNELS}, {'text': KERNELS})
    assert wire.codes(uri) == ['TRI101']


def test_characters_beyond_the_first_plane(wire: Wire) -> None:
    uri = 'file:///a.py'
    text = KERNELS.replace('i_n = tl.program_id(0)', 's = "\U0001f600\U0001f600"; i_n = tl.program_id(0)', 1)
    wire.open(uri, text)
    answer = wire.ask('textDocument/diagnostic', {'textDocument': {'uri': uri}})
    place = next(one['range'] for one in answer['result']['items'] if one['code'] == 'TRI101')
    line = text.split('\n')[6].encode('utf-16-le')
    found = line[2 * place['start']['character']:2 * place['end']['character']].decode('utf-16-le')
    assert found == 'tl.program_id(0)'


def test_a_very_large_file(wire: Wire) -> None:
    uri = 'file:///large.py'
    wire.open(uri, 'x = 1\n' * (20 * 1024 * 1024 // 6))
    assert wire.codes(uri) == ['ENG003']
    wire.change(uri, 2, {'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 0, 'character': 1}}, 'text': 'y'})
    assert wire.codes(uri) == ['ENG003']
    assert wire.is_alive()


def test_closing_while_it_is_checked(wire: Wire) -> None:
    many = KERNELS + ''.join(KERNELS.partition('@')[2].replace('_kernel', f'_{number}_kernel') for number in range(40))
    for number in range(10):
        uri = f'file:///{number}.py'
        wire.open(uri, many)
        wire.tell('textDocument/didClose', {'textDocument': {'uri': uri}})
        wire.tell('textDocument/didClose', {'textDocument': {'uri': uri}})
    assert wire.is_alive()
    told = [one['params'] for one in wire.heard if one.get('method') == 'textDocument/publishDiagnostics']
    assert {one['uri'] for one in told} >= {f'file:///{number}.py' for number in range(10)}
    assert all(not one['diagnostics'] for one in told if one['uri'] != 'file:///alive.py')


def test_a_workspace_that_is_gone(wire: Wire) -> None:
    path = write(wire.folder / 'sub/a.py', KERNELS)
    wire.open(path.as_uri(), KERNELS)
    assert wire.codes(path.as_uri()) == ['TRI101']
    shutil.rmtree(wire.folder / 'sub')
    event = {'uri': path.as_uri(), 'type': 3}
    wire.tell('workspace/didChangeWatchedFiles', {'changes': [event]})
    wire.change(path.as_uri(), 2, {'text': f'{KERNELS}\n'})
    assert wire.codes(path.as_uri()) == ['TRI101']
    os.rmdir(wire.folder)
    wire.change(path.as_uri(), 3, {'text': KERNELS})
    assert wire.codes(path.as_uri()) == ['TRI101']
    assert wire.is_alive()


def test_a_request_that_is_cancelled(wire: Wire) -> None:
    wire.open('file:///a.py', KERNELS * 20)
    message = {'jsonrpc': '2.0', 'id': 'mine', 'method': 'textDocument/hover', 'params': {
        'textDocument': {'uri': 'file:///a.py'}, 'position': {'line': 8, 'character': 10},
    }}
    wire.send(json.dumps(message).encode())
    wire.tell('$/cancelRequest', {'id': 'mine'})
    wire.tell('$/cancelRequest', {'id': 'never sent'})
    answer = wire.hear(lambda heard: heard.get('id') == 'mine')
    assert 'result' in answer or answer['error']['code'] == -32800
    assert wire.is_alive()


def test_what_a_change_overtakes_is_no_error(wire: Wire) -> None:
    many = KERNELS + ''.join(KERNELS.partition('@')[2].replace('_kernel', f'_{number}_kernel') for number in range(30))
    wire.open('file:///a.py', many)
    asked = range(1000, 1010)
    for number in asked:
        wire.change('file:///a.py', number, {'text': many.replace('D=64', f'D={number}')})
        params = {'textDocument': {'uri': 'file:///a.py'}}
        message = {'jsonrpc': '2.0', 'id': number, 'method': 'textDocument/diagnostic', 'params': params}
        wire.send(json.dumps(message).encode())
    answers = [wire.hear(lambda heard, number=number: heard.get('id') == number) for number in asked]
    assert 'error' in answers[0] and 'result' in answers[-1]
    assert wire.log.read_text() == ''


def test_requests_at_the_wrong_time(wire: Wire) -> None:
    again = wire.ask('initialize', {'processId': None, 'rootUri': None, 'capabilities': {}})
    assert again['error']['code'] == INVALID_REQUEST
    assert wire.is_alive()
    assert wire.ask('shutdown', None)['result'] is None
    place = {'textDocument': {'uri': 'file:///alive.py'}, 'position': {'line': 0, 'character': 0}}
    assert wire.ask('textDocument/hover', place)['error']['code'] == INVALID_REQUEST


def test_leaving(wire: Wire) -> None:
    assert wire.is_alive()
    assert wire.leave() == 0
