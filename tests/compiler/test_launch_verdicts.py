# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether Triton refuses the launches that TRI401 finds, and takes the others; as a script it does the launching.

The statements of the functions in the fixtures are run one by one, with a driver that stands in for that of a GPU, and kernels that are bound but not compiled.
"""

import ast
import json
import sys
import types
from pathlib import Path

import pytest

from tests.compiler.apart import records
from tests.rule_harness import checker, read_fixture

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / 'tests' / 'fixtures' / 'TRI401'
FILES = [FOLDER / f'{name}.py' for name in ('arguments', 'decorated', 'grids', 'sound_launches')]
# options of other backends, and arguments that the test does not have
_STRANGE = ('waves_per_eu', 'isCloseCoreTiling', '*meta')


class Driver:
    """Says what a driver is asked before a kernel is launched."""

    def get_current_target(self) -> object:
        from triton.backends.compiler import GPUTarget

        return GPUTarget('cuda', 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_benchmarker(self) -> object:
        return lambda launch, quantiles: (launch(), [1.0] * 3)[1]


class Compiled:
    """A kernel that launches nothing."""

    function = 0
    packed_metadata = ()

    def launch_metadata(self, *arguments: object) -> None:
        return None

    def run(self, *arguments: object) -> None:
        return None


def statements(path: Path) -> list[tuple[str, ast.stmt]]:
    """The statements of the functions of a fixture that are no kernels, with the names of the functions."""
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    host = [node for node in functions if not node.decorator_list and node.args.args]
    return [
        (node.name, statement) for node in host for statement in node.body
        if not isinstance(statement, ast.Return) and not any(word in ast.unparse(statement) for word in _STRANGE)
    ]


def main() -> None:
    """Run the statements, and print those that raise."""
    import torch
    from triton.runtime import driver, jit

    from tests.rules import test_kernels

    finder = test_kernels.Finder()
    sys.meta_path.append(finder)
    driver.set_active(Driver())
    jit.JITFunction._do_compile = lambda *arguments: Compiled()
    for number, path in enumerate(FILES):
        module = test_kernels.load(path, number, finder)
        scopes: dict[str, dict] = {}
        for name, statement in statements(path):
            values = {'x': torch.ones(4, 4), 'bias': torch.ones(4), 'fast': True, 'hip': True, 'a': 1.5}
            meta = types.MappingProxyType({'grid': (1,), 'num_warps': 4})
            scope = scopes.setdefault(name, {**vars(module), **values, 'meta': meta})
            try:
                exec(compile(ast.Module([statement], []), str(path), 'exec'), scope)
            except Exception as error:
                print(json.dumps({'path': path.name, 'line': statement.lineno, 'error': f'{type(error).__name__}: {error}'}))


@pytest.fixture(scope='module')
def raised(tmp_path_factory) -> dict[str, dict[int, str]]:
    pytest.importorskip('triton')
    found: dict[str, dict[int, str]] = {path.name: {} for path in FILES}
    for record in records(__file__, cache=tmp_path_factory.mktemp('triton'), timeout=600):
        found[record['path']][record['line']] = record['error']
    return found


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_launches_raise_what_is_found(path, raised, tmp_path):
    findings = checker(tmp_path, {}, 'TRI401').check(path.name, read_fixture(path).text.encode())
    # what only a device refuses, and what a heuristic drops, raises nothing
    loud = {one.range.start.line for one in findings if one.severity == 'error' and 'no device' not in one.message}
    tried = {line: node for _, node in statements(path) for line in range(node.lineno, node.end_lineno + 1)}
    assert raised[path.name].keys() == {tried[line].lineno for line in loud if line in tried}, raised[path.name]
    assert path.name.startswith('sound_') or loud


if __name__ == '__main__':
    main()
