# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether Triton refuses what the rules of the family TRI3 say that it refuses, and takes the rest; as a script it does the compiling.

In the fixtures of these rules a file whose name starts with `broken_` holds kernels that Triton refuses, each with what is expected in it, and their twins, which it takes. Each kernel is tried apart from the other broken ones, since some are refused as soon as their module is imported. Where the compiler names another line than the finding, that line ends with `# refused`.
Whatever stands in other files compiles, faulty or not; there the fault is what it compiles to.
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.compiler.apart import records

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / 'tests' / 'fixtures'
FILES = sorted(
    path for folder in ('TRI206', 'TRI3*', 'TRI403', 'TRI407') for path in FIXTURES.glob(f'{folder}/**/broken_*.py')
    if not path.name.endswith('fixed.py')
)
_EXPECTED = re.compile(r'# expect: ')
_REFUSED = re.compile(r'# refused$')


class Kernel(NamedTuple):
    """A kernel of a fixture.

    Args:
        path (Path):
            The fixture.
        name (str):
            Its name.
        first (int):
            The line of `def`.
        is_broken (bool):
            Whether something is expected in it.
        lines (frozenset[int]):
            The lines that the compiler may name.
        text (str):
            A module with it and without the broken ones beside it.
    """

    path: Path
    name: str
    first: int
    is_broken: bool
    lines: frozenset[int]
    text: str


def kernels_in(path: Path) -> list[Kernel]:
    """The kernels of a fixture that no other function in it calls."""
    text = path.read_text()
    lines = text.split('\n')
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    spans = {node.name: range(_start(node), node.end_lineno + 1) for node in functions}
    marked = {name: [line for line in span if _EXPECTED.search(lines[line - 1])] for name, span in spans.items()}
    used_by = {node.name: {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} for node in functions}
    called = {name for owner, names in used_by.items() for name in names if name != owner}
    found = []
    for node in functions:
        is_kernel = any('jit' in ast.unparse(one) for one in node.decorator_list)
        if not is_kernel or (node.name in called and not marked[node.name]):
            continue
        used = used_by[node.name]
        left_out = {line for name, span in spans.items() if name not in {node.name, *used} and marked[name] for line in span}
        kept = '\n'.join('' if number in left_out else line for number, line in enumerate(lines, 1))
        refused = {line for line in spans[node.name] if _REFUSED.search(lines[line - 1])}
        broken = bool(marked[node.name]) or any(marked.get(name) for name in used if name != node.name)
        found.append(Kernel(path, node.name, node.lineno, broken, frozenset(refused or marked[node.name]), kept))
    return found


def _start(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


KERNELS = [kernel for path in FILES for kernel in kernels_in(path)]


def main(folder: Path) -> None:
    """Compile the kernels, and print what came of each: its error, and the line that names."""
    from triton.compiler.errors import CompilationError

    from tests.rules import test_kernels

    finder = test_kernels.Finder()
    sys.meta_path.append(finder)
    for number, kernel in enumerate(KERNELS):
        path = folder / f'case_{number}.py'
        path.write_text(kernel.text)
        record = {'number': number, 'error': '', 'line': 0}
        try:
            jit = test_kernels.unwrap(getattr(test_kernels.load(path, number, finder), kernel.name))
            test_kernels.compile_kernel(jit, test_kernels.given_types(kernel.text).get(kernel.name, {}))
        except Exception as error:
            is_placed = isinstance(error, CompilationError) and hasattr(getattr(error, 'node', None), 'lineno')
            cause = f' ({error.__cause__})' if error.__cause__ else ''
            # an error of the compiler without a line cannot be spelled
            text = f'{error}' if is_placed or not isinstance(error, CompilationError) else ''
            record['error'] = f'{type(error).__name__}: {text}{cause}'
            if is_placed:
                record['line'] = kernel.first + error.node.lineno - 1
        print(json.dumps(record), flush=True)


@pytest.fixture(scope='module')
def compiled(tmp_path_factory) -> dict[int, dict]:
    pytest.importorskip('triton')
    cache, folder = tmp_path_factory.mktemp('triton'), tmp_path_factory.mktemp('cases')
    told = records(__file__, folder, cache=cache, timeout=600)
    return {record['number']: record for record in told}


@pytest.mark.parametrize('number', range(len(KERNELS)), ids=[f'{one.path.parent.name}/{one.name}' for one in KERNELS])
def test_the_compiler_agrees(number, compiled):
    kernel, record = KERNELS[number], compiled[number]
    assert bool(record['error']) == kernel.is_broken, record['error'] or 'compiles'
    if record['line'] and kernel.lines:
        assert record['line'] in kernel.lines, record['error']


if __name__ == '__main__':
    main(Path(sys.argv[1]))
