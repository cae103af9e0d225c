# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Type into a large kernel file as an editor does, and measure what the server spends on it.

    python -m benchmarks.editor.run [FILE] [--edits 300] [--many 2000] [--preset triton]

The file is a generated one of about 2,000 lines unless one is given. Times are CPU time of the server's process, all threads together, as the Linux kernel counts it.
"""

import argparse
import json
import queue
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.lint.generate import write_tree

LINES = 2_000
FLOOD = 200
_TYPED = (
    'o_x = i_t * BT + tl.arange(0, BT)', 'b_x = tl.load(x + o_x, mask=o_x < T, other=0)', '# as above', 'b_s = tl.sum(b_x)',
)


class Server:
    """A server with one file open.

    Args:
        folder (Path):
            The folder that it is told to be in.
        settings (dict[str, Any]):
            What the editor sets.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        pipe = subprocess.PIPE
        self.began = time.perf_counter()
        self.process = subprocess.Popen([sys.executable, '-m', 'flakelint', 'server'], stdin=pipe, stdout=pipe, cwd=folder)
        self._heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        self.version = 1
        threading.Thread(target=self._listen, daemon=True).start()
        options = {'processId': None, 'rootUri': folder.as_uri(), 'capabilities': {}, 'initializationOptions': settings}
        self.ask('initialize', options)
        self.tell('initialized', {})

    def _listen(self) -> None:
        length = 0
        while line := self.process.stdout.readline():
            if line.startswith(b'Content-Length:'):
                length = int(line.partition(b':')[2])
            elif not line.strip():
                self._heard.put(json.loads(self.process.stdout.read(length)))

    def _send(self, **message: Any) -> None:
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n%s' % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send(method=method, params=params)

    def ask(self, method: str, params: Any) -> Any:
        """Send a request; gives the result."""
        self._number += 1
        self._send(id=self._number, method=method, params=params)
        while True:
            heard = self._heard.get(timeout=120)
            if heard.get('id') == self._number:
                return heard['result']

    def published(self) -> int:
        """The version of the file of which the server tells next what it found."""
        while True:
            heard = self._heard.get(timeout=120)
            if heard.get('method') == 'textDocument/publishDiagnostics':
                return heard['params']['version']

    def count(self, seconds: float) -> int:
        """How often the server tells what it found, within some seconds."""
        found = 0
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                found += self._heard.get(timeout=left).get('method') == 'textDocument/publishDiagnostics'
            except queue.Empty:
                break
        return found

    def change(self, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line."""
        self.version += 1
        place = {'start': {'line': line, 'character': start}, 'end': {'line': line, 'character': end}}
        document = {'uri': URI, 'version': self.version}
        self.tell('textDocument/didChange', {'textDocument': document, 'contentChanges': [{'range': place, 'text': text}]})

    def cpu(self) -> float:
        """The CPU time that the process has spent, in seconds."""
        return sum(int(_read(one / 'schedstat').split()[0]) for one in Path(f'/proc/{self.process.pid}/task').iterdir()) / 1e9

    def memory(self) -> float:
        """The memory that the process holds, in MiB."""
        line = next(one for one in _read(Path(f'/proc/{self.process.pid}/status')).splitlines() if one.startswith('VmRSS'))
        return int(line.split()[1]) / 1024


URI = 'file:///kernels.py'


def typed(text: str, seed: int) -> Iterator[tuple[int, int, int, str]]:
    """What somebody types into the kernels of a text, without end: lines, key by key, which are then taken out again."""
    rng = random.Random(seed)
    lines = text.split('\n')
    bodies = [number for number, line in enumerate(lines) if line.startswith(('    b_', '    o_'))]
    while True:
        number = rng.choice(bodies)
        words = rng.choice(_TYPED)
        yield number, 0, 0, '    \n'
        for column, key in enumerate(words):
            yield number, 4 + column, 4 + column, key
        for column in range(len(words), 0, -8):
            yield number, 4 + max(column - 8, 0), 4 + column, ''
        # the line break is taken out with the line
        yield number, -1, -1, ''


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('file', nargs='?')
    parser.add_argument('--edits', type=int, default=300)
    parser.add_argument('--many', type=int, default=2_000)
    parser.add_argument('--preset', default='triton')
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = Path(arguments.file).read_text() if arguments.file else _generated(Path(folder), arguments.seed)
        root = Path(folder) / 'empty'
        root.mkdir()
        server = Server(root, {'preset': arguments.preset, 'debounce': 0})
        try:
            _measure(server, text, arguments)
        finally:
            server.process.kill()
            server.process.wait()


def _measure(server: Server, text: str, arguments: argparse.Namespace) -> None:
    item = {'uri': URI, 'languageId': 'python', 'version': 1, 'text': text}
    server.tell('textDocument/didOpen', {'textDocument': item})
    server.published()
    print(f'lines {text.count(chr(10))}, preset {arguments.preset}')
    print(f'first diagnostics {time.perf_counter() - server.began:.2f} s after the start, CPU {server.cpu():.2f} s')
    edits = typed(text, arguments.seed)
    _show('edit to diagnostics', [_edit(server, *next(edits)) for _ in range(arguments.edits)])
    lines = text.split('\n')
    rng = random.Random(arguments.seed)
    places = [number for number, line in enumerate(lines) if ' = tl.' in line]
    _show('hover', [_hover(server, line, lines[line].index('tl.') + 4) for line in rng.choices(places, k=arguments.edits)])
    values = [number for number, line in enumerate(lines) if line.startswith('    o_')]
    _show('hover on values', [_hover(server, line, 5) for line in rng.choices(values or places, k=arguments.edits)])
    _flood(server)
    _remember(server, edits, arguments)


def _edit(server: Server, line: int, start: int, end: int, text: str) -> float:
    before = server.cpu()
    _send_edit(server, line, start, end, text)
    while server.published() != server.version:
        pass
    return server.cpu() - before


def _send_edit(server: Server, line: int, start: int, end: int, text: str) -> None:
    if start >= 0:
        server.change(line, start, end, text)
        return
    server.version += 1
    place = {'start': {'line': line, 'character': 0}, 'end': {'line': line + 1, 'character': 0}}
    document = {'uri': URI, 'version': server.version}
    server.tell('textDocument/didChange', {'textDocument': document, 'contentChanges': [{'range': place, 'text': ''}]})


def _hover(server: Server, line: int, column: int) -> float:
    before = server.cpu()
    server.ask('textDocument/hover', {'textDocument': {'uri': URI}, 'position': {'line': line, 'character': column}})
    return server.cpu() - before


def _flood(server: Server) -> None:
    server.tell('workspace/didChangeConfiguration', {'settings': {'debounce': 150}})
    server.count(2)
    for _ in range(FLOOD):
        server.change(0, 0, 0, '#')
        time.sleep(1 / FLOOD)
    print(f'{FLOOD} changes within a second are answered {server.count(2)} times')
    server.change(0, 0, FLOOD, '')
    server.count(1)
    server.tell('workspace/didChangeConfiguration', {'settings': {'debounce': 0}})
    server.count(1)


def _remember(server: Server, edits: Iterator[tuple[int, int, int, str]], arguments: argparse.Namespace) -> None:
    sizes = {}
    for number in range(1, arguments.many + 1):
        _edit(server, *next(edits))
        if number in (arguments.many // 10, arguments.many):
            sizes[number] = server.memory()
    few, many = sizes.values()
    first, last = sizes
    print(f'memory {few:.0f} MiB after {first} edits, {many:.0f} MiB after {last}: {100 * (many / few - 1):+.1f} %')


def _show(name: str, times: list[float]) -> None:
    ordered = sorted(1000 * one for one in times)
    middle, high = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
    print(f'{name}: median {middle:.1f} ms, p95 {high:.1f} ms, most {ordered[-1]:.1f} ms of CPU, {len(ordered)} times')


def _generated(folder: Path, seed: int) -> str:
    write_tree(folder / 'tree', 1, LINES, seed)
    return next((folder / 'tree').rglob('*.py')).read_text()


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        # the thread ended
        return '0'


if __name__ == '__main__':
    main()
