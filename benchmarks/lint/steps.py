# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What each step of checking a file costs, in units of `ast.parse`.

    python -m benchmarks.lint.steps [FOLDER] [--rounds 3]
"""

import argparse
import ast
import gc
import statistics
import tempfile
import time
import tokenize
from collections.abc import Callable
from pathlib import Path

import libcst
from libcst.metadata import MetadataWrapper, PositionProvider

from benchmarks.lint.generate import write_tree
from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.source import comments
from flakelint.source.parsing import parse
from flakelint.source.positions import Spans
from flakelint.source.syntax import nodes_in_order
from flakelint.source.walk import buckets


def cost_of_steps(folder: Path) -> dict[str, float]:
    """CPU seconds of each step over the files of a folder, the garbage collector off."""
    files = [File(path.name, path.read_bytes(), Settings()) for path in sorted(folder.rglob('*.py'))]
    units = [unit.text for file in files for unit in file.units]
    kernels = list({id(kernel.unit): kernel.unit.text for file in files for kernel in file.kernels}.values())
    trees = [libcst.parse_module(text) for text in units]
    steps: dict[str, Callable[[], object]] = {
        'ast.parse, whole files': lambda: [ast.parse(file.text) for file in files],
        'our walk over the syntax tree': lambda: [nodes_in_order([file.tree]) for file in files],
        'ast.walk': lambda: [list(ast.walk(file.tree)) for file in files],
        'our scan for comments': lambda: [comments.scan(file.text, file.lines) for file in files],
        'tokenize': lambda: [list(tokenize.generate_tokens(iter(file.text.splitlines(True)).__next__)) for file in files],
        'libcst, whole files': lambda: [libcst.parse_module(file.text) for file in files],
        'libcst, all statements apart': lambda: [libcst.parse_module(text) for text in units],
        'libcst, statements with kernels alone': lambda: [libcst.parse_module(text) for text in kernels],
        'the same, nodes not checking themselves': lambda: [parse(text) for text in kernels],
        'our walk over all libcst trees': lambda: [buckets(tree) for tree in trees],
        'our positions in all libcst trees': lambda: [Spans(tree) for tree in trees],
        'PositionProvider on all libcst trees': lambda: [
            MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider) for tree in trees
        ],
    }
    return {name: _seconds(step) for name, step in steps.items()}


def _seconds(step: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        step()
        return time.process_time() - start
    finally:
        gc.enable()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder', type=Path, nargs='?', help='measure this folder instead of a generated one of 60 files')
    parser.add_argument('--rounds', type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        if arguments.folder is None:
            write_tree(folder, 60, 16_800, 0)
        rounds = [cost_of_steps(folder) for _ in range(arguments.rounds)]
    base = statistics.median(costs['ast.parse, whole files'] for costs in rounds)
    for name in rounds[0]:
        print(f'{statistics.median(costs[name] for costs in rounds) / base:6.2f} x ast.parse  {name}')


if __name__ == '__main__':
    main()
