# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Measure `flakelint affected` beside `ast.parse` alone on the same files, and beside an empty Python process, in one run.

    python -m benchmarks.affected.run [--rounds 5] [--sources 500] [--tests 120] [--lines 250]

CPU seconds are those of all processes of a command, the start of Python and git included.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.affected.generate import write_tree
from benchmarks.lint.run import measure

PARSE = 'import ast, gc, pathlib; gc.disable(); [ast.parse(path.read_bytes()) for path in pathlib.Path().rglob("*.py")]'
COLD, WARM = 4.0, 0.35
# what is measured, with its bound in CPU seconds
BOUNDS = {
    'an empty Python process': None,
    '`ast.parse` of all files, and nothing else': None,
    'no cache, a file': COLD,
    'no cache, `--base`': COLD,
    'cache, nothing changed since, a file': WARM,
    'cache, nothing changed since, `--base`': WARM,
    'cache, the body of a function changed since, a file': WARM,
    'cache, the body of a function changed since, `--base`': WARM,
    'cache, a function added since, `--base`': None,
    'cache, a file added since, `--base`': None,
}


class Tree:
    """A generated repository, and the files of it that change one after the other."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.folder = folder
        self.lines = write_tree(folder, arguments.sources, arguments.tests, arguments.lines, arguments.seed)
        (folder / 'pyproject.toml').write_text('[tool.flakelint]\n')
        self.git('init', '-q')
        self._commit()
        self.files = sorted(path for path in folder.glob('pkg/ops/*/m*.py'))
        self._number = 0

    def git(self, *arguments: str) -> None:
        """Run git."""
        subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *arguments], cwd=self.folder, check=True)

    def _commit(self) -> None:
        self.git('add', '-A')
        self.git('commit', '-qm', 'first')

    def next(self) -> Path:
        """Another file."""
        self._number += 7
        return self.files[self._number % len(self.files)]

    def cost(self, *options: str, is_base: bool) -> float:
        """The CPU seconds of a question."""
        asked = ['--base', 'HEAD'] if is_base else [str(self.next().relative_to(self.folder))]
        return measure([sys.executable, '-m', 'flakelint', 'affected', *options, *asked], self.folder).cpu

    def after(self, change: Callable[[Path], None], is_base: bool) -> float:
        """The CPU seconds of a question for the first time after a change, which is then taken back."""
        self.cost(is_base=is_base)
        path = self.next()
        change(path)
        found = self.cost(is_base=is_base)
        self.git('checkout', '-q', '.')
        self.git('clean', '-qfd')
        return found


def _change_body(path: Path) -> None:
    path.write_text(path.read_text().replace('    return o\n', '    return o + 1\n', 1))


def _add_function(path: Path) -> None:
    path.write_text(f'{path.read_text()}\n\ndef added(x):\n    return x\n')


def _add_file(path: Path) -> None:
    path.with_name('added.py').write_text('def added(x):\n    return x\n')


def _round(tree: Tree) -> list[float]:
    # the last round ended with another state
    tree.cost(is_base=False)
    return [
        measure([sys.executable, '-c', ''], tree.folder).cpu,
        measure([sys.executable, '-c', PARSE], tree.folder).cpu,
        tree.cost('--no-cache', is_base=False),
        tree.cost('--no-cache', is_base=True),
        tree.cost(is_base=False),
        tree.cost(is_base=True),
        tree.after(_change_body, is_base=False),
        tree.after(_change_body, is_base=True),
        tree.after(_add_function, is_base=True),
        tree.after(_add_file, is_base=True),
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--sources', type=int, default=500)
    parser.add_argument('--tests', type=int, default=120)
    parser.add_argument('--lines', type=int, default=250)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder), arguments)
        rounds = [_round(tree) for _ in range(arguments.rounds)]
    print(f'{arguments.sources + arguments.tests} files, {tree.lines} lines, {arguments.rounds} rounds')
    for (name, bound), costs in zip(BOUNDS.items(), zip(*rounds, strict=True), strict=True):
        ratio = statistics.median(cost / one[1] for cost, one in zip(costs, rounds, strict=True))
        asked = f', asked for {bound}' if bound is not None else ''
        seconds = f'{statistics.median(costs):.2f} s ({min(costs):.2f} to {max(costs):.2f})'
        print(f'{name}: {seconds}, {ratio:.2f} of parsing{asked}')


if __name__ == '__main__':
    main()
