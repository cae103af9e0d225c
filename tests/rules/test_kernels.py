# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Every fixture that holds kernels, compiled by Triton for a GPU that need not be there; as a script it does the compiling.

A fixture whose name starts with `broken_` shows what Triton refuses, and is left out.
The types of a kernel's arguments are guessed from their names;
a comment `# signature: copy_kernel: x=*fp32, T=i32, BT=64, h0=None` anywhere in the fixture overrules the guess.
Helpers are compiled with the kernels that call them.

Triton's interpreter replaces what the compiler needs, so the compiling is done in a process of its own.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import re
import sys
import types
from pathlib import Path

import pytest

from tests.compiler.apart import front_end, records

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / 'tests' / 'fixtures'
# the package in which fixtures pretend to stand
PACKAGE = 'stand_in'
FILES = sorted(
    path for path in FIXTURES.rglob('*.py')
    if not path.name.startswith('broken_') and re.search(r'^@.*jit\b', path.read_text(errors='replace'), re.MULTILINE)
)

_SIGNATURE = re.compile(r'# signature: (?P<kernel>\w+): (?P<types>.*?)[ \t]*$', re.MULTILINE)
_INTEGER = re.compile(
    r'[BDHKLMNSTVWZmn]|bos|eos|N_CTX|numel|start|end|offset|step|seed|window|.*stride.*|[in]_\w+|num_\w+|rows_per_program'
    r'|(?i:\w*(_len|_size|_dim|_count|_elements|cols|rows|_tokens|len|seqlen|columns))'
)
_FLOAT = re.compile(r'(?i)\w*(scale|eps|alpha|beta1|beta2|lr|momentum|decay|dropout_p|slope)|p')
_TABLE = re.compile(
    r'(?i)\w*(seqlens|seq_lens|indices|index|idx|offsets|table|ids?|lengths|splits|slots|counter|target)(_ptr)?'
)
_CHOICES = {'LAYOUT': 'rows', 'MODE': 0}
_FLAG = re.compile(r'(IS|USE|HAS|STORE|EVEN|OUTPUT|SAVE|LOAD|NEED|DO|APPLY|WITH)_?\w*|CAUSAL|REVERSE|\w*_(CAUSAL|FLAG)')


class StandIn(types.ModuleType):
    """A module that a fixture imports and that is not installed, such as a repository's own compatibility module."""

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        if name in ('tl', 'triton'):
            return importlib.import_module({'tl': 'triton.language'}.get(name, name))
        if name.endswith('kwargs'):
            return {}
        if 'autotune' in name:
            return importlib.import_module('triton').autotune
        return Thing(name)


class Thing:
    """Anything else that a stand-in holds: a decorator that changes nothing, or a value that no kernel reads."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args, **kwargs):
        return args[0] if args and callable(args[0]) else self

    def keys(self) -> list[str]:
        """Makes `**thing` add nothing."""
        return []

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        return Thing(f'{self.name}.{name}')


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for each module that nothing else finds, if a fixture asks for it."""

    wanted: frozenset[str] = frozenset()

    def find_spec(self, fullname, path=None, target=None):
        if fullname in self.wanted or fullname.partition('.')[0] == PACKAGE:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def imported_modules(text: str) -> frozenset[str]:
    """The modules that a text imports, with the packages that hold them."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            parts = name.split('.')
            found.update('.'.join(parts[:end]) for end in range(1, len(parts) + 1))
    return frozenset(found)


def load(path: Path, number: int, finder: Finder):
    """A fixture as a module."""
    finder.wanted = imported_modules(path.read_text())
    # deep enough for relative imports
    name = f'{PACKAGE}.ops.rows.fixture_{number}'
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def unwrap(obj):
    """The jitted function below autotuners and heuristics, `None` if there is none."""
    from triton.runtime.jit import JITFunction, KernelInterface

    while isinstance(obj, KernelInterface) and not isinstance(obj, JITFunction):
        obj = obj.fn
    return obj if isinstance(obj, JITFunction) else None


def kernels_of(module) -> dict:
    """The jitted functions of a module that no other one of them calls, by name."""
    jits = {}
    for obj in vars(module).values():
        jit = unwrap(obj)
        if jit is not None and jit.fn.__module__ == module.__name__:
            jits[jit.fn.__name__] = jit
    called = {name for jit in jits.values() for name in jit.fn.__code__.co_names if name != jit.fn.__name__}
    return {name: jit for name, jit in jits.items() if name not in called}


def given_types(text: str) -> dict[str, dict[str, str]]:
    """What the `# signature:` comments of a text say of the arguments of its kernels."""
    return {
        match['kernel']: dict(item.split('=') for item in re.split(r',\s*', match['types']))
        for match in _SIGNATURE.finditer(text)
    }


def signature(jit, given: dict[str, str]) -> tuple[dict, dict]:
    """The types and the constants with which a kernel is compiled."""
    kinds, constants = {}, {}
    for name, parameter in inspect.signature(jit.fn).parameters.items():
        is_constexpr = 'constexpr' in str(parameter.annotation)
        if name in given:
            value = given[name]
            is_constexpr = is_constexpr or value in ('None', '1')
            value = ast.literal_eval(value) if is_constexpr else value
        elif is_constexpr:
            value = constant(name, parameter.default)
        else:
            value = run_time_type(name)
        kinds[name] = 'constexpr' if is_constexpr else value
        if is_constexpr:
            constants[name] = value
    return kinds, constants


def constant(name: str, default: object) -> object:
    """What a constexpr argument is."""
    if default is not inspect.Parameter.empty:
        return default
    return _CHOICES.get(name, True if _FLAG.fullmatch(name) else 64)


def run_time_type(name: str) -> str:
    """What a run-time argument is."""
    if name == 'ptrs':
        return '*i64'
    if _FLOAT.fullmatch(name):
        return 'fp32'
    if _INTEGER.fullmatch(name):
        return 'i32'
    return '*i32' if _TABLE.fullmatch(name) else '*fp32'


def compile_kernel(jit, given: dict[str, str]) -> None:
    """Compile a kernel to Triton's intermediate representation."""
    front_end(jit, *signature(jit, given))


def compile_file(path: Path, number: int, finder: Finder) -> dict:
    """Compile the kernels of a fixture."""
    given = given_types(path.read_text())
    errors, count, foreign = {}, 0, 0
    try:
        kernels = kernels_of(load(path, number, finder))
    except Exception as error:
        return {'compiled': 0, 'foreign': 0, 'errors': {'import': f'{type(error).__name__}: {error}'}}
    for name, jit in kernels.items():
        if any(isinstance(jit.fn.__globals__.get(word), Thing) for word in jit.fn.__code__.co_names):
            foreign += 1
            continue
        try:
            compile_kernel(jit, given.get(name, {}))
            count += 1
        except Exception as error:
            cause = f' ({error.__cause__})' if error.__cause__ else ''
            errors[name] = f'{type(error).__name__}: {error}{cause}'
    return {'compiled': count, 'foreign': foreign, 'errors': errors}


def main() -> None:
    finder = Finder()
    sys.meta_path.append(finder)
    for number, path in enumerate(map(Path, sys.argv[1:])):
        print(json.dumps({'path': str(path), **compile_file(path, number, finder)}), flush=True)


@pytest.fixture(scope='module')
def compiled(tmp_path_factory) -> dict[str, dict]:
    told = records(__file__, *FILES, cache=tmp_path_factory.mktemp('triton'), timeout=600)
    return {record['path']: record for record in told}


@pytest.mark.parametrize('path', FILES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_fixture_compiles(path, compiled):
    record = compiled[str(path)]
    assert not record['errors']
    # a kernel that calls what only another repository has is not compiled
    assert record['compiled'] + record['foreign'] > 0


if __name__ == '__main__':
    main()
