# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What TRI102 says and what its fix does, judged by the compiler: the fixtures are compiled for a GPU that need not be there.

Run as a script it does the compiling, in a process of its own, because Triton's interpreter replaces what the compiler needs.
"""

import ast
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = 'TRI102'
TARGET = ('cuda', 90, 32)
# what these import is in no package
FOREIGN = {'sound_foreign', 'vendored'}

# the types of the arguments of the fixtures' kernels; all others are pointers to `fp32`
INTEGERS = {
    'H', 'K', 'L', 'M', 'N', 'N_CTX', 'T', 'W', 'Z', 'm', 'n', 'n_bins', 'n_cols', 'n_elements', 'n_locks', 'n_rows',
    'n_splits', 'offset', 'rows_per_program', 'seed', 'stride', 'vocab_size',
}
FLOATS = {'eps', 'p', 'scale'}
TABLES = {
    'block_table', 'chunk_indices', 'counter', 'cu_seqlens', 'expert_ids', 'index', 'lengths', 'seq_lens', 'slots', 'table',
    'target',
}
WIDE_TABLES = {'ptrs'}
FLAGS = {
    'CAUSAL', 'DENSE', 'GATHER', 'HEAD_FIRST', 'IS_VARLEN', 'SCALAR', 'SMALL', 'TWICE', 'USE_INITIAL_STATE', 'USE_INT64',
}
CHOICES = {'LAYOUT': ('rows', 'padded', 'plain'), 'MODE': (0, 1, 2)}
SIZES = {'GROUP': 4, 'GROUP_M': 4, 'H': 2, 'LOG_BLOCK': 4, 'R': 2, 'SEQ_LEN': 4096}
# factors below this are the rows of index tables
SMALL = 16
# kernels with tiles that a comparison bounds, and with a switch that decides when to pay for 64 bits
SPARED = {'grouped_gemm_fwd_kernel', 'linear_attn_fwd_kernel_h', 'split_reduce_bwd_kernel', 'widening_switch_fwd_kernel'}

_OPERATION = re.compile(r'(?:(?P<results>%[\w:]+(?:, %[\w:]+)*) = )?"?(?P<name>[a-z_]+(?:\.[a-z_]+)+)"?(?P<rest>.*)')
_LOCATION = re.compile(r' loc\((#loc\d*|unknown|"[^"]*"(?::\d+:\d+|\(#loc\d*\)))\)')
_VALUE = re.compile(r'%[\w]+(?:#\d+)?')


class Ttir:
    """The program ids of a compiled kernel, and the widths of the addresses to which they lead.

    A value is described by the program ids in it, each with whether it has been multiplied in 32 bits.
    """

    def __init__(self, text: str) -> None:
        self.ids: dict[str, dict] = {}
        self._places = dict(re.findall(r'^(#loc\d*) = loc\((.*)\)$', text, re.MULTILINE))
        self._lines = [line.strip() for line in text.splitlines() if not line.startswith('#loc')]
        self._taint: dict[str, frozenset[tuple[str, bool]]] = {}
        self._constants: dict[str, int] = {}
        size = -1
        # what loops carry back is known only after they have been read
        while size != sum(map(len, self._taint.values())):
            size = sum(map(len, self._taint.values()))
            self._read()

    def _read(self) -> None:
        regions: list[tuple[list[str], list[str]]] = []
        for line in self._lines:
            place = _LOCATION.search(line)
            plain = _LOCATION.sub('', line)
            if plain.startswith('} else'):
                continue
            if plain.startswith('}'):
                if regions:
                    regions.pop()
                continue
            match = _OPERATION.match(plain)
            if match:
                self._operation(match, place[1] if place else '', regions)
            if plain.endswith('{') and (not match or not match['name'].startswith('scf.')):
                regions.append(([], []))

    def _operation(self, match: re.Match, place: str, regions: list) -> None:
        name, rest = match['name'], match['rest']
        results = _expand(match['results'])
        operands = _VALUE.findall(rest)
        if name == 'tt.get_program_id':
            where = self._place(place)
            self.ids.setdefault(where, {'narrow': False, 'offsets': []})
            self._add(results[0], {(where, False)})
        elif name == 'arith.constant':
            number = re.match(r' (?:dense<)?(-?\d+)', rest)
            if number:
                self._constants[results[0]] = int(number[1])
        elif name == 'scf.for':
            self._loop(results, rest, regions)
        elif name == 'scf.while':
            pairs = re.findall(r'(%\w+) = (%[\w#]+)', rest)
            for inner, outer in pairs:
                self._add(inner, self._of(outer))
            regions.append((results, [inner for inner, _ in pairs]))
        elif name == 'scf.if':
            regions.append((results, []))
        elif name in ('scf.yield', 'scf.condition'):
            carried = operands[1:] if name == 'scf.condition' else operands
            for targets in regions[-1]:
                for target, operand in zip(targets, carried, strict=False):
                    self._add(target, self._of(operand))
        elif name == 'tt.addptr':
            self._addptr(operands, rest)
        elif name not in ('tt.load', 'arith.cmpi') and not name.startswith('tt.atomic'):
            found = frozenset().union(*map(self._of, operands))
            if name in ('arith.muli', 'arith.shli') and 'i64' not in rest and not self._is_small(name, operands):
                found = frozenset((where, True) for where, _ in found)
            for result in results:
                self._add(result, found)

    def _loop(self, results: list[str], rest: str, regions: list) -> None:
        counter, start, stop, step = _VALUE.findall(rest)[:4]
        self._add(counter, self._of(start) | {(where, False) for where, _ in self._of(stop) | self._of(step)})
        pairs = re.findall(r'(%\w+) = (%[\w#]+)', rest.partition('iter_args')[2])
        for inner, outer in pairs:
            self._add(inner, self._of(outer))
        regions.append((results, [inner for inner, _ in pairs]))

    def _addptr(self, operands: list[str], rest: str) -> None:
        width = rest.rstrip(' {').removesuffix('>').rpartition('i')[2]
        for where, narrow in self._of(operands[1]):
            entry = self.ids[where]
            entry['narrow'] = entry['narrow'] or narrow
            if width not in entry['offsets']:
                entry['offsets'].append(width)

    def _is_small(self, name: str, operands: list[str]) -> bool:
        limit = SMALL if name == 'arith.muli' else SMALL.bit_length() - 1
        return any(abs(self._constants.get(operand, limit)) < limit for operand in operands)

    def _of(self, value: str) -> frozenset[tuple[str, bool]]:
        return self._taint.get(value, frozenset())

    def _add(self, value: str, found: set | frozenset) -> None:
        if found:
            self._taint[value] = self._of(value) | found

    def _place(self, place: str) -> str:
        """The line and column that a location comes down to: of an inlined call, those of what was called."""
        while place in self._places:
            inner = self._places[place]
            match = re.match(r'callsite\((#loc\d*) at', inner) or re.match(r'"[^"]*"\((#loc\d*)\)$', inner)
            if match is None:
                return ':'.join(inner.rpartition('"')[2].split(':')[1:])
            place = match[1]
        return place


def _expand(results: str | None) -> list[str]:
    names = []
    for one in (results or '').split(', '):
        name, _, count = one.partition(':')
        names.extend(f'{name}#{i}' for i in range(int(count))) if count else names.append(name)
    return names


def signatures(jit) -> Iterator[tuple[dict, dict]]:
    """The types and the constants of each variant: no flag, each alone, all; and each choice."""
    constants = {parameter.name for parameter in jit.params if parameter.is_constexpr}
    flags = sorted(constants & FLAGS)
    base = {name: SIZES.get(name, 16) for name in constants - FLAGS - CHOICES.keys()}
    types = {parameter.name: 'constexpr' if parameter.is_constexpr else _type(parameter) for parameter in jit.params}
    choices = [{}] + [{name: value} for name in sorted(constants & CHOICES.keys()) for value in CHOICES[name]]
    for chosen in ([], *([flag] for flag in flags), flags) if flags else ([],):
        for choice in choices[1:] or choices:
            yield types, base | {flag: flag in chosen for flag in flags} | choice


def _type(parameter) -> str:
    name = parameter.name
    if parameter.annotation_type:
        return parameter.annotation_type
    if name in INTEGERS or name.startswith(('stride_', 'n_')) or name.endswith('_stride'):
        return 'i32'
    if name in FLOATS:
        return 'fp32'
    return '*i64' if name in WIDE_TABLES else '*i32' if name in TABLES else '*fp32'


def compile_kernel(jit, types: dict, constants: dict) -> str:
    from triton._C.libtriton import ir, passes
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    source = ASTSource(fn=jit, signature=types, constexprs=constants)
    target = GPUTarget(*TARGET)
    backend = make_backend(target)
    # the checks of the sanitizer redo everything in 64 bits
    options = backend.parse_options({'sanitize_overflow': False})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    manager = ir.pass_manager(context)
    passes.common.add_inliner(manager)
    manager.run(module, 'inline')
    return str(module)


def main(folder: Path) -> None:
    for path in sorted(folder.glob('*.py')):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, jit in vars(module).items():
            if '_kernel' not in name:
                continue
            while not hasattr(jit, 'params'):
                jit = jit.fn
            for types, constants in signatures(jit):
                record = {'file': path.stem, 'kernel': name, 'constants': constants}
                try:
                    record['ids'] = Ttir(compile_kernel(jit, types, constants)).ids
                except Exception as error:
                    record['error'] = f'{type(error).__name__}: {error}'
                print(json.dumps(record), flush=True)


if __name__ == '__main__':
    main(Path(sys.argv[1]))
    sys.exit()

pytest.importorskip('torch')
pytest.importorskip('triton')

from flakelint.engine.repair import mend  # noqa: E402
from tests.compiler.apart import records  # noqa: E402
from tests.rule_harness import checker, fixture_files, read_fixture  # noqa: E402

FILES = [path for path in fixture_files(CODE) if path.stem not in FOREIGN]


def compile_all(folder: Path) -> list[dict]:
    return records(__file__, folder)


@pytest.fixture(scope='module')
def linted(tmp_path_factory) -> dict:
    """Each fixture with its findings, and folders that hold the texts before and after the safe fixes."""
    before, after = tmp_path_factory.mktemp('before'), tmp_path_factory.mktemp('after')
    found = {}
    for path in FILES:
        fixture = read_fixture(path)
        run = checker(tmp_path_factory.mktemp('settings'), fixture.settings, CODE)
        found[path.stem] = run.check(path.name, fixture.text.encode())
        (before / path.name).write_text(fixture.text)
        (after / path.name).write_bytes(mend(fixture.text.encode(), path.name, run, False).data)
    return {'findings': found, 'before': compile_all(before), 'after': compile_all(after)}


def narrow_ids(records: list[dict], file: str, spared: Container[str] = ()) -> set[str]:
    """The places of the program ids that the compiler multiplies in 32 bits on the way to an address, in any variant."""
    return {
        where
        for record in records if record['file'] == file and record['kernel'] not in spared
        for where, entry in record['ids'].items() if entry['narrow']
    }


def line_of(where: str) -> int:
    return int(where.partition(':')[0])


def place(finding) -> str:
    return f'{finding.range.start.line}:{finding.range.start.column}'


@pytest.mark.parametrize('moment', ['before', 'after'])
def test_every_fixture_compiles(linted, moment):
    errors = [record for record in linted[moment] if 'error' in record]
    assert not errors, errors[0]
    kernels = {(record['file'], record['kernel']) for record in linted[moment]}
    written = {
        (path.stem, node.name)
        for path in FILES for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and '_kernel' in node.name
    }
    assert kernels == written


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_findings_are_true(linted, path):
    found = {place(one) for one in linted['findings'][path.stem]}
    assert found <= narrow_ids(linted['before'], path.stem)


@pytest.mark.parametrize('path', [path for path in FILES if path.stem != 'sound_tiles'], ids=lambda path: path.stem)
def test_nothing_is_missed(linted, path):
    found = {place(one) for one in linted['findings'][path.stem]}
    assert narrow_ids(linted['before'], path.stem, SPARED) <= found


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_fixed_ids_are_wide_in_every_address(linted, path):
    fixable = [one for one in linted['findings'][path.stem] if one.fix is not None]
    safe = Counter(one.range.start.line for one in fixable if one.fix.applicability == 'safe')
    # a fix moves what stands behind it, so an id is known by its line where all on that line are fixed
    before = [one for one in linted['before'] if one['file'] == path.stem]
    ids = Counter(line_of(where) for where in {where for one in before for where in one['ids']})
    lines = {line for line, count in safe.items() if ids[line] == count}
    entries = [
        entry
        for record in linted['after'] if record['file'] == path.stem
        for where, entry in record['ids'].items() if line_of(where) in lines
    ]
    assert bool(entries) == bool(lines)
    assert all(not entry['narrow'] and set(entry['offsets']) <= {'64'} for entry in entries)
