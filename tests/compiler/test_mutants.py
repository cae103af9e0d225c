# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Mutants of sound kernels: what Triton refuses of them is to be found, what it takes is not; as a script it does the compiling.

CI tries a sample, `scripts/full_checks.sh` 1,500. The mutants that are missed are listed by kind in `docs/missed_mutants.md`.
"""

import ast
import functools
import json
import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.compiler.apart import front_end, records
from tests.compiler.mutant_outcomes import ROOT, assert_found
from tests.compiler.mutations import Mutant, mutants

FIXTURES = ROOT / 'tests' / 'fixtures'
FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
COUNT = 1500 if FULL else 400
SOURCES = sorted([
    *(ROOT / 'fla' / 'ops').rglob('*.py'),
    *(path for path in FIXTURES.glob('TRI[12]*/sound_*.py')),
])
# the choices between flags with which each kernel is compiled
_VARIANTS = 6


class Case(NamedTuple):
    """A mutant, and the kernel that it was.

    Args:
        source (Path):
            The file.
        kernel (str):
            The kernel.
        mutant (Mutant):
            The mutant.
    """

    source: Path
    kernel: str
    mutant: Mutant


@functools.cache
def cases() -> list[Case]:
    """The mutants, spread over all kernels."""
    kernels = [(path, name) for path in SOURCES for name in launched(path)]
    share = -(-COUNT // len(kernels)) + 2
    found = [
        (number, Case(path, name, one))
        for path, name in kernels for number, one in enumerate(mutants(path.read_text(), name, share, seed=0))
    ]
    # every kernel has its turn before any has its second, and a new one leaves the others as they are
    found.sort(key=lambda item: (item[0], sha256(f'{item[1].source.name} {item[1].kernel}'.encode()).digest()))
    return [case for _, case in found[:COUNT]]


def launched(path: Path) -> list[str]:
    """The kernels of a file that nothing in it calls."""
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    called = {inner.id for node in functions for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return [
        node.name for node in functions
        if node.name not in called - {''} and any('jit' in ast.unparse(one) for one in node.decorator_list)
        and not any(isinstance(inner, ast.Return) and inner.value for inner in ast.walk(node))
    ]


def main(folder: Path) -> None:
    """Compile the kernels and their mutants, and print the error of each."""
    from tests.rules import test_kernels

    finder = test_kernels.Finder()
    sys.meta_path.append(finder)
    known: dict[tuple[Path, str], list[tuple[dict, dict]]] = {}
    for number, case in enumerate(cases()):
        key = (case.source, case.kernel)
        if key not in known:
            known[key] = _arguments(case.source, case.kernel, len(known), finder)
        record: dict[str, Any] = {'number': number, 'error': None}
        if known[key]:
            path = folder / f'mutant_{number}.py'
            path.write_text(case.mutant.text)
            record['error'] = _compiled(path, case.kernel, 10000 + number, finder, known[key])
        print(json.dumps(record), flush=True)


def _arguments(path: Path, kernel: str, number: int, finder: Any) -> list[tuple[dict, dict]]:
    """The types and constants with which a kernel compiles, for several choices between its flags."""
    from tests.compiler import test_fla_compiles, variants
    from tests.rules import test_kernels

    if 'fla' in path.parts and FIXTURES not in path.parents:
        jit = test_fla_compiles.discover_kernels().get(kernel)
        if jit is None:
            return []
        given = [(dict(types), dict(constants)) for types, constants in variants.of_fla(jit, _VARIANTS)]
    else:
        jit = test_kernels.unwrap(getattr(test_kernels.load(path, number, finder), kernel))
        kinds, constants = test_kernels.signature(jit, test_kernels.given_types(path.read_text()).get(kernel, {}))
        given = [(dict(types), dict(fixed)) for types, fixed in variants.variants(jit, kinds, constants, _VARIANTS)]
    return [one for one in given if not _error(jit, *one)]


def _compiled(path: Path, kernel: str, number: int, finder: Any, variants: list[tuple[dict, dict]]) -> str:
    from tests.rules import test_kernels

    try:
        jit = test_kernels.unwrap(getattr(test_kernels.load(path, number, finder), kernel))
    except Exception as error:
        return f'{type(error).__name__}: {error}'
    return next(filter(None, (_loosened(jit, *one) for one in variants)), '')


def _loosened(jit: Any, types: dict, constants: dict) -> str:
    """The error of a mutant; what is no constant in it any more comes as a number."""
    free = {one.name for one in jit.params if not one.is_constexpr}
    given = {name: value for name, value in constants.items() if name in free and value is not None}
    loose = {name: 'i1' if isinstance(value, bool) else 'i32' for name, value in given.items()}
    kept = {name: value for name, value in constants.items() if name not in loose}
    return _error(jit, {**types, **loose}, kept)


def _error(jit: Any, types: dict, constants: dict) -> str:
    signature = {name: types.get(name, 'constexpr') for name in jit.arg_names}
    try:
        front_end(jit, signature, {name: constants.get(name) for name in signature if name not in types})
    except Exception as error:
        return f'{type(error).__name__}: {error}'.strip() + (f' ({error.__cause__})' if error.__cause__ else '')
    return ''


@pytest.fixture(scope='module')
def errors(tmp_path_factory) -> dict[int, str | None]:
    pytest.importorskip('triton')
    cache, folder = tmp_path_factory.mktemp('triton'), tmp_path_factory.mktemp('mutants')
    told = records(__file__, folder, cache=cache, timeout=3000)
    return {record['number']: record['error'] for record in told}


def test_mutants_that_triton_refuses_are_found_and_others_are_not(errors, tmp_path):
    assert_found(cases(), errors, tmp_path)


if __name__ == '__main__':
    main(Path(sys.argv[1]))
