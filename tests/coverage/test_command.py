# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint coverage` as its users call it."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.tools import clean_environment, flakelint, write

_OPERATOR = '''
def chunk_op(q, k, v, initial_state=None, output_final_state=False, use_qk_l2norm_in_kernel=False, cu_seqlens=None):
    """Chunked."""
'''
_TEST = '''
import pytest
import torch
from pkg.ops.op import chunk_op
from pkg.ops.op.naive import naive_op

CASES = [
    (1, 63, 2, 16, 16),
    (2, 100, 2, 32, 32),
]


@pytest.mark.parametrize(('B', 'T', 'H', 'K', 'V'), CASES)
@pytest.mark.parametrize('normalise', [False])
def test_chunk(B, T, H, K, V, normalise):
    q, k = torch.randn(2, B, T, H, K).requires_grad_()
    v = torch.randn(B, T, H, V).requires_grad_()
    o, ht = chunk_op(q, k, v, torch.randn(B, H, K, V), True, use_qk_l2norm_in_kernel=normalise)
    ref, ref_ht = naive_op(q, k, v)
    for x in (torch.autograd.grad(one.sum(), [q, k, v]) for one in (ref, o)):
        torch.testing.assert_close(ref, o)
    torch.testing.assert_close(torch.autograd.grad(ref.sum(), [q, k, v]), torch.autograd.grad(o.sum(), [q, k, v]))
    torch.testing.assert_close(ht, ref_ht)
'''
HOLES = {'layout=varlen', 'q/k norm=l2', 'head sizes=different', 'verifier=gradcheck'}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    files = {
        'pyproject.toml': '[tool.flakelint]\n',
        'pkg/__init__.py': '',
        'pkg/ops/__init__.py': '',
        'pkg/ops/op/__init__.py': 'from .chunk import chunk_op\n',
        'pkg/ops/op/chunk.py': _OPERATOR,
        'pkg/ops/op/naive.py': 'def naive_op(q, k, v):\n    return q, k\n',
        'tests/ops/test_op.py': _TEST,
    }
    for path, text in files.items():
        write(tmp_path / path, text)
    return tmp_path


def _holes(folder: Path, *arguments: str) -> set[str]:
    document = json.loads(flakelint('coverage', '--output-format', 'json', *arguments, cwd=folder).stdout)
    cells = [cell for one in document['operators'] for cell in [*one['values'], *one.get('pairs', [])]]
    holes = [one['points'].items() for one in cells if one['state'] == 'hole']
    return {' and '.join(f'{axis}={value}' for axis, value in points) for points in holes}


def test_holes(repository: Path) -> None:
    assert _holes(repository) == HOLES


def test_text(repository: Path) -> None:
    done = flakelint('coverage', cwd=repository)
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.splitlines() == [
        'chunk_op  pkg/ops/op/chunk.py:2',
        '  layout       dense 2   varlen HOLE',
        '  direction    forward 2   backward 2',
        '  q/k norm     l2 HOLE   without 2',
        '  state        initial 2   final 2',
        '  head sizes   same 2   different HOLE',
        '  verifier     reference 2   gradcheck HOLE',
        '',
        '1 operator: 8 values exercised, 4 holes',
    ]


def test_fails_on_holes_only(repository: Path) -> None:
    assert flakelint('coverage', '--fail-on-holes', cwd=repository).returncode == 1
    reasons = ''.join(f'"chunk_op: {hole}" = "not yet"\n' for hole in HOLES)
    write(repository / 'pyproject.toml', f'[tool.flakelint.coverage.accepted]\n{reasons}')
    done = flakelint('coverage', '--fail-on-holes', cwd=repository)
    assert done.returncode == 0
    assert 'chunk_op: layout=varlen is accepted: not yet' in done.stdout


def test_suggested_cases_fill_their_holes(repository: Path) -> None:
    document = json.loads(flakelint('coverage', '--suggest', '--output-format', 'json', cwd=repository).stdout)
    found = {f'{axis}={value}': one for one in document['suggestions'] for axis, value in one['points'].items()}
    assert found.keys() == HOLES
    assert found['head sizes=different']['where'] == 'tests/ops/test_op.py:13 (tests/ops/test_op.py::test_chunk)'
    text = _TEST.replace('\n]\n', f'\n    {found["head sizes=different"]["code"]},\n]\n')
    text = text.replace('[False]', f'[False, {found["q/k norm=l2"]["code"]}]')
    write(repository / 'tests/ops/test_op.py', text)
    assert _holes(repository) == {'layout=varlen', 'verifier=gradcheck'}


def test_a_call_is_suggested_where_no_test_comes_near(repository: Path) -> None:
    done = flakelint('coverage', '--suggest', cwd=repository)
    told = 'chunk_op: layout=varlen\n  no case of a test comes near; a call that does:\n    chunk_op(q=q, k=k, v=v,'
    assert told in done.stdout


def test_pairs(repository: Path) -> None:
    alone = _holes(repository)
    found = _holes(repository, '--pairs')
    assert alone < found
    assert 'layout=varlen and direction=backward' in found
    assert 'direction=backward and state=initial' not in found


def test_markdown_is_a_table(repository: Path) -> None:
    head, rule, row, *_ = flakelint('coverage', '--output-format', 'markdown', cwd=repository).stdout.splitlines()
    assert len({len(head), len(rule), len(row)}) == 1
    assert row.count('HOLE') == len(HOLES)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        given = dict(attrs)
        self.anchors.add(given.get('id', ''))
        self.links.extend([given['href']] if 'href' in given else [])


def test_each_hole_of_the_page_leads_to_what_fills_it(repository: Path) -> None:
    page = _Page()
    text = flakelint('coverage', '--pairs', '--output-format', 'html', cwd=repository).stdout
    page.feed(text)
    assert len(set(page.links)) == len(_holes(repository, '--pairs'))
    assert all(link.startswith('#') and link[1:] in page.anchors for link in page.links)
    assert not re.search(r'https?://', text)


def test_asks_for_operators_by_name_and_folder(repository: Path) -> None:
    for name in ('op', 'chunk_op'):
        assert 'chunk_op' in flakelint('coverage', name, cwd=repository).stdout
    done = flakelint('coverage', 'chunk_pp', cwd=repository)
    assert (done.returncode, done.stderr) == (
        2, 'flakelint: error: no operator or folder is named chunk_pp: did you mean chunk_op?\n',
    )


def test_without_operators(tmp_path: Path) -> None:
    done = flakelint('coverage', cwd=tmp_path)
    assert done.returncode == 2
    assert '`coverage.operators`' in done.stderr


def test_files_that_cannot_be_read_are_left_out(repository: Path) -> None:
    write(repository / 'tests/ops/test_broken.py', 'from pkg.ops.op import chunk_op\ndef test_(:\n')
    (repository / 'tests/ops/test_bytes.py').write_bytes(b'\xff\xfe chunk_op')
    done = flakelint('coverage', cwd=repository)
    assert done.returncode == 0 and 'forward 2' in done.stdout
    assert done.stderr == ''.join(
        f'flakelint: tests/ops/{name}.py cannot be parsed, and is left out\n' for name in ('test_broken', 'test_bytes')
    )


def test_what_is_accepted_by_itself_is_so_in_pairs(repository: Path) -> None:
    before = _holes(repository, '--pairs')
    write(repository / 'pyproject.toml', '[tool.flakelint.coverage.accepted]\n"chunk_op: layout=varlen" = "not yet"\n')
    assert _holes(repository, '--pairs') == {hole for hole in before if 'layout=varlen' not in hole}
    key = 'chunk_op: layout=dense and head sizes=different'
    write(repository / 'pyproject.toml', f'[tool.flakelint.coverage.accepted]\n"{key}" = "not yet"\n')
    assert _holes(repository, '--pairs') == before - {'layout=dense and head sizes=different'}


@pytest.mark.parametrize(('key', 'told'), [
    ('chunk_op: layout=dense', 'is no hole any more: take it out'),
    ('chunk_op: layout = varlen', 'is nothing that an operator can reach'),
    ('nosuch: layout=varlen', 'is nothing that an operator can reach'),
])
def test_what_is_accepted_and_no_hole_is_told(repository: Path, key: str, told: str) -> None:
    write(repository / 'pyproject.toml', f'[tool.flakelint.coverage.accepted]\n"{key}" = "not yet"\n')
    done = flakelint('coverage', cwd=repository)
    assert done.returncode == 0
    assert done.stderr == f'flakelint: `coverage.accepted."{key}"` {told}\n'


@pytest.mark.parametrize('name', ['pkg/ops/op', 'pkg/ops/op/', 'pkg/ops/op/chunk.py', 'pkg'])
def test_asks_for_operators_by_path(repository: Path, name: str) -> None:
    assert flakelint('coverage', name, cwd=repository).stdout == flakelint('coverage', cwd=repository).stdout


def test_names_of_cases_are_those_of_pytest(repository: Path) -> None:
    case = '''
import enum
from typing import NamedTuple
class Shape(NamedTuple):
    K: int
    V: int
@pytest.fixture(params=[0, 1], ids=['zero', 'one'])
def offset(request):
    return request.param
def name(value):
    return f'K{value.K}' if isinstance(value, Shape) else str(value).split('.')[-1]
class TestIt:
    @pytest.mark.parametrize('shape', [Shape(4, 4), Shape(4, 8)], ids=['same', None])
    @pytest.mark.parametrize(('dtype', 'flag'), [(torch.float16, True), pytest.param(torch.float, None, id='plain')])
    def test_a(self, shape, dtype, flag, offset):
        x = [torch.randn(1, 5, 2, shape.K)] * 2 + [torch.randn(1, 5, 2, shape.V)]
        torch.testing.assert_close(chunk_op(*x)[0], naive_op(*x)[0])
    @pytest.mark.parametrize('dtype', [torch.float16, torch.bfloat16], ids=name)
    @pytest.mark.parametrize('x', [1.5, 1.5, 'a', -1])
    @pytest.mark.parametrize('op', [chunk_op, lambda *x: chunk_op(*x)])
    def test_b(self, dtype, x, op):
        x = [torch.randn(1, 5, 2, 4)] * 3
        torch.testing.assert_close(op(*x)[0], naive_op(*x)[0])
'''
    write(repository / 'tests/ops/test_op.py', _TEST.partition('CASES')[0] + case)
    command = [sys.executable, '-m', 'pytest', '--collect-only', '-q', '-p', 'no:cacheprovider', 'tests']
    environment = clean_environment(PYTHONPATH=str(repository))
    collected = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=True).stdout
    document = json.loads(flakelint('coverage', '--output-format', 'json', cwd=repository).stdout)
    told = {test for one in document['operators'][0]['values'] for test in one['tests']}
    assert told == {line for line in collected.splitlines() if '::' in line}
