# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Compile kernels in a process of its own, because Triton's interpreter replaces what the compiler needs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.compiler.ttir import Operation, Span

ROOT = Path(__file__).parents[2]
_MARK = 'compiled '


class Request(NamedTuple):
    """What to compile.

    Args:
        path (str):
            A file with kernels, or the name of a package whose kernels are meant.
        variants (list[tuple[str, dict, dict]], Optional):
            Names of kernels with the types and the constants of their arguments. Default: all kernels, in the variants that their signatures suggest.
        kernels (list[str], Optional):
            The kernels that are meant. Default: all.
    """

    path: str
    variants: list[tuple[str, dict, dict]] | None = None
    kernels: list[str] | None = None


class Compiled(NamedTuple):
    """One variant of a kernel, and what the compiler made of it.

    Args:
        path (str):
            The file.
        kernel (str):
            The name of the kernel; nothing for a file that could not be imported.
        types (dict[str, str]):
            The types of its run-time arguments.
        constants (dict[str, Any]):
            The values of its other arguments, as far as they are numbers, texts or `None`.
        error (str):
            Why the compiler refused it, or nothing.
        expressions (dict[Span, set[str]]):
            The types of its expressions, see `front_end.kind_of`.
        operations (set[Operation]):
            Its integer operations.
        offsets (dict[Span, set[str]]):
            The types of the offsets of its pointer additions.
        parts (dict[Span, set[Span]]):
            The expressions whose values become parts of addresses, by the places where addresses are made.
    """

    path: str
    kernel: str
    types: dict[str, str]
    constants: dict[str, Any]
    error: str
    expressions: dict[Span, set[str]]
    operations: set[Operation]
    offsets: dict[Span, set[str]]
    parts: dict[Span, set[Span]]


def compile_all(requests: list[Request], timeout: int = 1800) -> list[Compiled]:
    """Compile kernels as far as Triton's intermediate representation."""
    env = {name: value for name, value in os.environ.items() if name != 'TRITON_INTERPRET'}
    env['PYTHONPATH'] = str(ROOT)
    text = ''.join(f'{json.dumps(request)}\n' for request in requests)
    command = [sys.executable, __file__]
    result = subprocess.run(command, input=text, capture_output=True, text=True, env=env, cwd=ROOT, timeout=timeout)
    assert result.returncode == 0, result.stderr
    return [_decode(line.removeprefix(_MARK)) for line in result.stdout.splitlines() if line.startswith(_MARK)]


def _decode(line: str) -> Compiled:
    record = json.loads(line)
    spans = [Span(*span) for span in record.pop('spans')]
    record['expressions'] = {spans[number]: set(kinds) for number, kinds in record['expressions']}
    record['operations'] = {Operation(spans[number], name, kind) for number, name, kind in record['operations']}
    record['offsets'] = {spans[number]: set(kinds) for number, kinds in record['offsets']}
    record['parts'] = {spans[number]: {spans[part] for part in parts} for number, parts in record['parts']}
    return Compiled(**record)


def _encode(path: str, kernel: str, types: dict, constants: dict, result: Any) -> dict:
    plain = {name: value for name, value in constants.items() if isinstance(value, bool | int | float | str | None)}
    record = {'path': path, 'kernel': kernel, 'types': types, 'constants': plain, 'error': ''}
    if isinstance(result, Exception):
        cause = f' ({result.__cause__})' if result.__cause__ else ''
        empty = {'spans': [], 'expressions': [], 'operations': [], 'offsets': [], 'parts': []}
        return {**record, **empty, 'error': f'{type(result).__name__}: {result}{cause}'}
    expressions, ttir = result
    numbers = {}
    foreign = os.path.dirname(sys.modules['triton'].__file__)

    def number(span: Span) -> int:
        return numbers.setdefault(span, len(numbers))

    def own(spans: Any) -> list:
        return [span for span in spans if not span.path.startswith(foreign)]

    record['expressions'] = [(number(span), sorted(expressions[span])) for span in own(expressions)]
    record['operations'] = [(number(one.span), one.name, one.type) for one in ttir.operations if own([one.span])]
    record['offsets'] = [(number(span), sorted(ttir.offsets[span])) for span in own(ttir.offsets)]
    record['parts'] = [(number(span), list(map(number, own(ttir.parts[span])))) for span in own(ttir.parts)]
    return {**record, 'spans': list(numbers)}


def _found(request: Request, count: int, finder: Any) -> Iterator[tuple[str, Any, dict, dict]]:
    """The kernels of a request, each with its file and the types and constants of each variant."""
    from tests.compiler import variants
    from tests.rules import test_kernels

    if os.sep not in request.path:
        from tests.compiler import test_fla_compiles

        for name, jit in test_fla_compiles.discover_kernels().items():
            if request.kernels is None or name in request.kernels:
                for variant in variants.of_fla(jit):
                    yield jit.fn.__code__.co_filename, jit, *variant
        return
    path = Path(request.path)
    module = test_kernels.load(path, count, finder)
    if request.variants is not None:
        for name, types, constants in request.variants:
            yield request.path, _jits(module, module.__name__)[name], types, constants
        return
    given = test_kernels.given_types(path.read_text())
    for name, jit in _kernels_of(module).items():
        if any(isinstance(jit.fn.__globals__.get(word), test_kernels.Thing) for word in jit.fn.__code__.co_names):
            continue
        for variant in variants.variants(jit, *test_kernels.signature(jit, given.get(name, {}))):
            yield request.path, jit, *variant


def _kernels_of(module: Any) -> dict[str, Any]:
    """The functions that Triton compiles and that no other one of them calls."""
    jits = _jits(module, module.__name__)
    called = {word for name, jit in jits.items() for word in jit.fn.__code__.co_names if word != name}
    return {name: jit for name, jit in jits.items() if name not in called}


def _jits(owner: Any, module: str) -> dict[str, Any]:
    """The functions of a module, or of a class in it, that Triton compiles."""
    from tests.rules.test_kernels import unwrap

    found = {}
    for value in vars(owner).values():
        value = value.__func__ if isinstance(value, staticmethod) else value
        jit = unwrap(value)
        if jit is not None and jit.fn.__module__ == module:
            found[jit.fn.__name__] = jit
        elif isinstance(value, type) and value.__module__ == module:
            found |= _jits(value, module)
    return found


def main() -> None:
    from tests.compiler.front_end import compile_kernel
    from tests.rules import test_kernels

    finder = test_kernels.Finder()
    sys.meta_path.append(finder)
    for count, line in enumerate(sys.stdin):
        request = Request(*json.loads(line))
        try:
            found = list(_found(request, count, finder))
        except Exception as error:
            print(_MARK + json.dumps(_encode(request.path, '', {}, {}, error)), flush=True)
            continue
        for path, jit, types, constants in found:
            try:
                result = compile_kernel(jit, types, constants)
            except Exception as error:
                result = error
            print(_MARK + json.dumps(_encode(path, jit.fn.__name__, types, constants, result)), flush=True)


if __name__ == '__main__':
    main()
