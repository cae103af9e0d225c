# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Mutants of sound launches: what Triton refuses to bind is to be found, what it binds is not; as a script it does the binding.

Each launch is made with stand-ins for its arguments, and with a driver that stands in for that of a GPU; kernels are bound but not compiled.
CI tries a sample, `scripts/full_checks.sh` all of them. The mutants that are missed are listed by kind in `docs/missed_mutants.md`.
"""

import ast
import functools
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.compiler.apart import records
from tests.compiler.launch_mutations import mutants, places
from tests.compiler.mutant_outcomes import ROOT, assert_found
from tests.compiler.mutations import Mutant

FIXTURES = ROOT / 'tests' / 'fixtures'
FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
# of each launch
COUNT = 12 if FULL else 2
SOURCES = sorted([*(ROOT / 'fla' / 'ops').rglob('*.py'), *FIXTURES.glob('TRI[145]*/sound_*.py')])
_NUMBER = re.compile(r'[A-Z].*|(?:row_)?stride.*|n_.*|num.*|scale.*|[nmk]')


class Case(NamedTuple):
    """A mutant of a launch.

    Args:
        source (Path):
            The file.
        number (int):
            Which of the launches of the file it is.
        mutant (Mutant):
            The mutant.
    """

    source: Path
    number: int
    mutant: Mutant


@functools.cache
def cases() -> list[Case]:
    """The mutants of all launches."""
    return [
        Case(path, number, one)
        for path in SOURCES for number, place in enumerate(places(path.read_text()))
        for one in mutants(path.read_text(), place, COUNT, seed=number)
    ]


def main(folder: Path) -> None:
    """Make the launches and their mutants, and print the error of each."""
    from triton.runtime import driver, jit

    from tests.compiler.test_launch_verdicts import Compiled, Driver
    from tests.rules import test_kernels

    driver.set_active(Driver())
    jit.JITFunction._do_compile = lambda *arguments: Compiled()
    from fla.ops.utils import cache

    # as on a machine with a GPU
    cache.IS_MEASURED = True
    finder = test_kernels.Finder()
    sys.meta_path.append(finder)
    sound: dict[tuple[Path, int], bool] = {}
    for number, case in enumerate(cases()):
        key, text = (case.source, case.number), case.source.read_text()
        kernel = places(text)[case.number].kernel
        if key not in sound:
            sound[key] = _error(folder, text, kernel, finder, len(sound)) == ''
        record: dict[str, Any] = {'number': number, 'error': None}
        if sound[key]:
            record['error'] = _error(folder, case.mutant.text, kernel, finder, 10000 + number)
        print(json.dumps(record), flush=True)


def _error(folder: Path, text: str, definition: ast.FunctionDef, finder: Any, number: int) -> str | None:
    """Why the launch of a kernel in a text is refused; `None` where it cannot be tried."""
    from tests.rules import test_kernels

    path = folder / f'launch_{number}.py'
    path.write_text(text)
    name = definition.name
    try:
        module = test_kernels.load(path, number, finder)
    except Exception as error:
        return f'{type(error).__name__}: {error}'
    kernel, parameters = getattr(module, name), definition.args.args
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and _launched(node) == name]
    for call in calls:
        if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
            return None
        names = [*(one.arg for one in parameters), *(f'more_{number}' for number in range(len(call.args)))]
        given = [_stand_in(name, value) for name, value in zip(names, call.args, strict=False)]
        named = {one.arg: _stand_in(one.arg, one.value) for one in call.keywords}
        try:
            (kernel[(1,)] if isinstance(call.func, ast.Subscript) else kernel)(*given, **named)
        except Exception as error:
            return f'{type(error).__name__}: {error}'
    return ''


def _launched(node: ast.Call) -> str:
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return function.id if isinstance(function, ast.Name) else ''


def _stand_in(name: str, value: ast.expr) -> object:
    """Something to pass for a parameter: what is written out, else a number where its name is one of a number, else a tensor."""
    import torch

    if isinstance(value, ast.Constant):
        return value.value
    return 16 if _NUMBER.fullmatch(name) else torch.ones(4, 4)


@pytest.fixture(scope='module')
def errors(tmp_path_factory) -> dict[int, str | None]:
    pytest.importorskip('triton')
    cache, folder = tmp_path_factory.mktemp('triton'), tmp_path_factory.mktemp('launches')
    told = records(__file__, folder, cache=cache, timeout=3000)
    return {record['number']: record['error'] for record in told}


def test_launches_that_triton_refuses_are_found_and_others_are_not(errors, tmp_path):
    # launches are judged with the modules around them
    shutil.copytree(ROOT / 'fla', tmp_path / 'fla')
    assert_found(cases(), errors, tmp_path)


if __name__ == '__main__':
    main(Path(sys.argv[1]))
