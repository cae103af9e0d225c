# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint explain`, as people run it."""

from pathlib import Path

import pytest

from tests.tools import REPOSITORY, flakelint, write

KERNELS = """\
import triton
import triton.language as tl

from helpers import address


@triton.jit
def scale_fwd_kernel(x, y, cu, T, stride_t, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, IS_VARLEN: tl.constexpr):
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    if IS_VARLEN:
        bos = tl.load(cu + i_bh // H).to(tl.int64)
    else:
        bos = i_bh // H * T
    o_t = i_t * BT + tl.arange(0, BT)
    for j in range(0, K, 16):
        tl.store(address(y, o_t, stride_t) + j, tl.load(x + (bos + o_t) * H * K + j), mask=o_t < T)
    tl.store(address(y, bos, stride_t), 0)


def scale(x):
    return x
"""
HELPERS = """\
import triton
import triton.language as tl


@triton.jit
def address(p, i, stride):
    return p + i * stride


@triton.jit
def lonely(p, i):
    return tl.load(p + i)
"""
LAUNCH = """\
import torch
from kernels import scale_fwd_kernel


def run(x, cu):
    y = torch.empty_like(x)
    B, T, D = x.shape
    scale_fwd_kernel[(triton.cdiv(T, 64), B)](x, y, cu, T, x.stride(1), 8, 64, 64, True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / 'flakelint.toml', '')
    write(tmp_path / 'kernels.py', KERNELS)
    write(tmp_path / 'helpers.py', HELPERS)
    return tmp_path


def place(text: str, part: str, source: str = KERNELS) -> str:
    """The line and column of a part of the line with a text."""
    number, line = next((number, line) for number, line in enumerate(source.split('\n'), 1) if text in line)
    return f'{number}:{line.index(part) + 1}'


def explain(where: str, cwd: Path, *options: str) -> str:
    result = flakelint('explain', where, *options, cwd=cwd)
    assert (result.returncode, result.stderr) == (0, '')
    return result.stdout


def test_an_expression_with_its_steps(project: Path) -> None:
    line = place('o_t =', 'o_t').partition(':')[0]
    assert explain(f'kernels.py:{place("mask=o_t", "o_t < T")}', project).startswith("""\
`o_t` in `scale_fwd_kernel`
  type:   int32
  shape:  [BT]
  size:   at most 2**20""")
    told = explain(f'kernels.py:{line}', project)
    assert told.startswith('`i_t * BT + tl.arange(0, BT)` in `scale_fwd_kernel`\n')
    assert 'from:   program id 0, argument `BT`, `tl.arange`\n' in told
    steps = told.split('steps:\n')[1].split('\n')
    assert [step.split(' (line')[0].strip() for step in steps[:-1]] == [
        '`o_t` = `i_t * BT + tl.arange(0, BT)`', '`i_t * BT`', '`i_t` = `tl.program_id(0)`', '`BT`', '`tl.arange(0, BT)`',
        '`BT`',
    ]
    # what something is made of stands below it
    assert [len(step) - len(step.lstrip()) for step in steps[:-1]] == [4, 6, 8, 8, 6, 8]


def test_variants_are_told_apart_and_what_they_share_is_told_once(project: Path) -> None:
    told = explain(f'kernels.py:{place("tl.load(x", "bos")}', project)
    varlen, fixed = told.split('where `IS_VARLEN` is true:')[1].split('where `IS_VARLEN` is false:')
    assert 'type:   int64' in varlen and '`tl.load(cu + i_bh // H)`' in varlen
    assert 'type:   int32' in fixed and 'program id 1' in fixed
    assert 'where' not in explain(f'kernels.py:{place("tl.load(x", "tl.load")}', project)


def test_a_line_tells_the_parts_of_a_tuple_and_the_arguments_of_a_store(project: Path) -> None:
    def heads(text: str) -> list[str]:
        told = explain(f'kernels.py:{place(text, text).partition(":")[0]}', project)
        return [row.split('` in `')[0].strip('`') for row in told.split('\n') if row.startswith('`')]

    assert heads('i_t, i_bh') == ['tl.program_id(0)', 'tl.program_id(1)']
    assert heads('mask=') == ['address(y, o_t, stride_t) + j', 'tl.load(x + (bos + o_t) * H * K + j)', 'o_t < T']
    assert heads('for j') == ['K', 'j']
    assert heads('if IS_VARLEN') == ['IS_VARLEN']


def test_the_target_of_an_assignment_is_told_by_what_is_assigned(project: Path) -> None:
    line = place('o_t =', 'o_t').partition(':')[0]
    assert explain(f'kernels.py:{line}:5', project) == explain(f'kernels.py:{line}', project)


def test_a_helper_is_told_for_each_call_with_the_files_on_the_way(project: Path) -> None:
    told = explain('helpers.py:7', project)
    assert told.startswith('`p + i * stride` in `address`\n')
    first = explain(f'kernels.py:{place("mask=", "address")}', project)
    second = explain(f'kernels.py:{place(", stride_t), 0)", "address")}', project)
    assert '(helpers.py:7)' in first and '[BT]' in first
    assert 'where `IS_VARLEN`' in second


def test_a_helper_of_the_same_file_is_told_for_each_of_its_calls(tmp_path: Path) -> None:
    helper = HELPERS.partition('@triton.jit\ndef lonely')[0]
    body = KERNELS.partition('@triton.jit')[2]
    source = f'{helper}@triton.jit{body}'
    write(tmp_path / 'one.py', source)
    told = explain('one.py:7', tmp_path)
    heads = [row for row in told.split('\n') if row.startswith('`')]
    calls = [place(text, text, source).partition(':')[0] for text in ('address(y, o_t', 'address(y, bos')]
    assert heads == [f'`p + i * stride` in `address`, called in line {line} in `scale_fwd_kernel`' for line in calls]
    # calls are parted by an empty line
    assert told.count('\n\n`') == 1


def test_launches_in_other_files_count(project: Path) -> None:
    write(project / 'launch.py', LAUNCH)
    write(project / 'notes.py', 'x = 1\n')
    assert 'size:   64\n' in explain(f'kernels.py:{place("tl.load(x", "K + j")}', project)
    assert 'size:   at most 256, ' in explain(f'kernels.py:{place("i_bh // H * T", "i_bh")}', project)


def test_settings_count(project: Path) -> None:
    told = explain(f'kernels.py:{place("i_bh // H * T", "T")}', project)
    assert 'size:   at most 2**20, possibly 2**22 (length)' in told
    write(project / 'flakelint.toml', '[assume.tight]\nlength = 1000\n')
    assert 'size:   at most 1,000, possibly 2**22 (length)' in explain(f'kernels.py:{place("i_bh // H * T", "T")}', project)
    write(project / 'other.toml', '[assume.names]\nT = 77\n')
    assert 'size:   77 (number)' in explain(f'kernels.py:{place("i_bh // H * T", "T")}', project, '--config', 'other.toml')


def test_columns_count_characters(tmp_path: Path) -> None:
    body = '    tl.device_print("äöü🎉", n); é = tl.program_id(0) * n'
    source = f'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, n):\n{body}\n'
    write(tmp_path / 'a.py', source)
    assert explain(f'a.py:7:{body.index("tl.program_id") + 4}', tmp_path).startswith('`tl.program_id(0)` in `k`\n')


@pytest.mark.parametrize(('where', 'message'), [
    ('kernels.py', '`kernels.py` is no place; write FILE:LINE or FILE:LINE:COLUMN'),
    ('kernels.py:x', '`kernels.py:x` is no place; write FILE:LINE or FILE:LINE:COLUMN'),
    ('kernels.py:0', 'kernels.py has no line 0, but lines 1 to 21'),
    ('kernels.py:99', 'kernels.py has no line 99, but lines 1 to 21'),
    ('kernels.py:9:400', 'line 9 of kernels.py has no column 400, but columns 1 to 50'),
    ('kernels.py:9:0', 'line 9 of kernels.py has no column 0, but columns 1 to 50'),
    ('kernels.py:21', 'no kernel computes anything at kernels.py:21; its kernels are `scale_fwd_kernel` in lines 8 to 17'),
    ('nothing.py:3', 'nothing.py: cannot be read: No such file or directory'),
    ('.:3', '.: cannot be read: not a regular file'),
    ('C:\\x.py:3:4', 'C:\\x.py: cannot be read: No such file or directory'),
    ('plain.py:1', 'no kernel computes anything at plain.py:1; the file holds no kernel'),
    ('wrong.py:1', 'no kernel computes anything at wrong.py:1; the file cannot be parsed: '),
    ('bytes.py:1', 'bytes.py: not text: byte 0xff is not valid utf-8'),
])
def test_what_cannot_be_explained_is_said_in_one_line(project: Path, where: str, message: str) -> None:
    write(project / 'plain.py', 'x = 1\n')
    write(project / 'wrong.py', 'def f(:\n    pass\n')
    (project / 'bytes.py').write_bytes(b'x = 1 # \xff\n')
    result = flakelint('explain', where, cwd=project)
    assert (result.returncode, result.stdout) == (2, '')
    assert result.stderr.startswith(f'flakelint: error: {message}')
    assert result.stderr.count('\n') == 1


def test_a_drive_letter_is_part_of_the_path(tmp_path: Path) -> None:
    write(tmp_path / 'C:\\k.py', HELPERS)
    assert explain('C:\\k.py:7:12', tmp_path).startswith('`p` in `address`\n')


def test_wrong_settings_are_said_in_one_line(project: Path) -> None:
    write(project / 'flakelint.toml', '[assume.tight]\nlenght = 3\n')
    result = flakelint('explain', 'kernels.py:9', cwd=project)
    assert (result.returncode, result.stdout) == (2, '')
    assert result.stderr == 'flakelint: error: flakelint.toml: unknown role `assume.tight.lenght`; did you mean `length`?\n'


def test_nothing_is_written(project: Path) -> None:
    before = sorted(path.name for path in project.iterdir())
    explain('kernels.py:9', project)
    assert sorted(path.name for path in project.iterdir()) == before


def test_a_line_of_the_package() -> None:
    path = 'fla/ops/common/chunk_gate.py'
    lines = (REPOSITORY / path).read_text(encoding='utf-8').split('\n')
    number = next(number for number, line in enumerate(lines, 1) if 'tl.load(' in line)
    told = explain(f'{path}:{number}', REPOSITORY)
    assert 'type:' in told and 'from:   `tl.load(' in told


def test_the_help_says_what_it_shows(tmp_path: Path) -> None:
    result = flakelint('explain', '--help', cwd=tmp_path)
    assert result.returncode == 0
    for word in ('type', 'shape', 'size', 'steps', 'column', 'variants', 'helper'):
        assert word in result.stdout


MASKS = """\
import triton
import triton.language as tl


@triton.jit
def scale_fwd_kernel(x, w, b, y, N, BLOCK: tl.constexpr, EVEN_N: tl.constexpr):
    o_n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b_x = tl.load(x + o_n, mask=o_n < N)
    b_w = tl.load(w + o_n)
    if EVEN_N:
        b_x += tl.load(b + o_n)
    tl.store(y + o_n, b_x * b_w / tl.sum(b_x, 0), mask=o_n < N)
"""


@pytest.mark.parametrize(('part', 'expected'), [
    ('b_x = tl.load', ['reads `x`', '`o_n < N` keeps BLOCK from BLOCK * program id 0 below N', 'by `tl.sum` in line 12']),
    ('b_w = tl.load', ['reads `w`', 'mask:   none', 'below `N`; nothing excuses this access']),
    ('b_x += tl.load', ['reads `b`', 'below `N`; a flag on the way says that there is no tail']),
    ('tl.store', ['writes `y`', '`o_n < N` keeps BLOCK']),
])
def test_an_access_is_told_with_its_tile_its_mask_and_what_excuses_it(tmp_path: Path, part: str, expected: list[str]) -> None:
    write(tmp_path / 'flakelint.toml', '')
    write(tmp_path / 'masks.py', MASKS)
    line = place(part, part, MASKS).partition(':')[0]
    shown = flakelint('explain', f'masks.py:{line}', cwd=tmp_path)
    assert shown.returncode == 0
    assert all(text in shown.stdout for text in expected), shown.stdout
