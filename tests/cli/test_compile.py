# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check --compile`, with the real compiler: what it says of kernels, and what keeps it from saying anything."""

import json
import os
from pathlib import Path

import pytest

pytest.importorskip('triton')

from tests.tools import flakelint, write

IMPORTS = 'import triton\nimport triton.language as tl\n\n\n'
SOUND = """\
@triton.jit
def gather_fwd_kernel(x, idx, y, n, BLOCK: tl.constexpr, USE_EXP: tl.constexpr):
    o = tl.arange(0, BLOCK)
    row = tl.load(idx + tl.program_id(0)).to(tl.int64)
    b_x = tl.load(x + row * n + o, mask=o < n, other=0)
    if USE_EXP:
        b_x = tl.exp(b_x)
    tl.store(y + o, b_x, mask=o < n)
"""
HALF = """\
@triton.jit
def scale_fwd_kernel(x, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    b_x = tl.load(x + o)
    tl.static_assert(b_x.dtype == tl.bfloat16)
    tl.store(y + o, b_x)
"""
BROKEN = """\
@triton.jit
def copy_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o) + tl.zeros([2 * BLOCK], tl.float32))
"""
HELPER = """\
@triton.jit
def twice(x):
    return x.to(tl.float32) * 2
"""


def check(folder: Path, *arguments: str) -> tuple[list[dict], str, int]:
    done = flakelint('check', '--isolated', '--no-cache', '--output-format', 'json', *arguments, '.', cwd=folder)
    return json.loads(done.stdout)['findings'] if done.stdout else [], done.stderr, done.returncode


def test_a_kernel_that_is_refused_is_a_finding_at_the_line_that_triton_names(tmp_path):
    write(tmp_path / 'pack/__init__.py', '')
    write(tmp_path / 'pack/sizes.py', 'WIDTH = 4\n')
    text = f'{IMPORTS}from .sizes import WIDTH\n\n\n' + '\n\n'.join((SOUND, HALF, BROKEN, HELPER))
    write(tmp_path / 'pack/kernels.py', text)
    found, said, code = check(tmp_path, '--select', 'ENG', '--compile', 'all', '--compile-target', 'cuda:80')
    assert [one['code'] for one in found] == ['ENG007']
    assert code == 1 and 'imports the files' in said
    place = found[0]['range']['start']
    assert text.split('\n')[place['line'] - 1].strip().startswith('tl.store(y + o, tl.load(x + o) + tl.zeros')
    assert place['column'] == 5
    assert '`copy_fwd_kernel` for cuda:80' in found[0]['message']
    assert 'incompatible' in found[0]['message'] and 'BLOCK=64' in found[0]['message']


def test_only_flagged_kernels_are_compiled_if_that_is_asked(tmp_path):
    # nothing of what TRI102 looks at is in the broken kernel
    write(tmp_path / 'kernels.py', f'{IMPORTS}{BROKEN}')
    assert check(tmp_path, '--select', 'TRI102', '--compile', 'flagged')[0] == []
    flagged = BROKEN.replace('tl.arange(0, BLOCK)', 'tl.program_id(0) * n + tl.arange(0, BLOCK)')
    write(tmp_path / 'kernels.py', f'{IMPORTS}{flagged}')
    found, _, _ = check(tmp_path, '--select', 'TRI102', '--compile', 'flagged')
    assert {one['code'] for one in found} == {'TRI102', 'ENG007'}


def test_what_cannot_be_imported_is_passed_over_with_a_warning(tmp_path):
    write(tmp_path / 'a.py', f'import no_such_module\n{IMPORTS}{BROKEN}')
    write(tmp_path / 'b.py', f'{IMPORTS}{BROKEN}')
    write(tmp_path / 'c.py', f'{IMPORTS}import sys\nsys.exit(3)\n\n\n{BROKEN}')
    found, said, _ = check(tmp_path, '--select', 'ENG', '--compile', 'all')
    assert [one['path'] for one in found] == ['b.py']
    assert "a.py: cannot be imported: ModuleNotFoundError: No module named 'no_such_module'" in said
    assert 'c.py: cannot be imported: SystemExit: 3' in said


def test_a_file_that_takes_too_long_is_passed_over_with_a_warning(tmp_path):
    write(tmp_path / 'a.py', f'{IMPORTS}import time\ntime.sleep(60)\n\n\n{BROKEN}')
    found, said, code = check(tmp_path, '--select', 'ENG', '--compile', 'all', '--compile-timeout', '2')
    assert (found, code) == ([], 0)
    assert 'a.py: compiling took more than 2 seconds' in said


def test_without_triton_it_says_what_to_install(tmp_path):
    write(tmp_path / 'a.py', f'{IMPORTS}{BROKEN}')
    write(tmp_path / 'elsewhere/triton.py', 'raise ImportError("none here")')
    path = os.pathsep.join((str(tmp_path / 'elsewhere'), os.environ.get('PYTHONPATH', '')))
    command = ('check', '--isolated', '--no-cache', '--select', 'ENG', '--compile', 'all', 'a.py')
    done = flakelint(*command, cwd=tmp_path, PYTHONPATH=path)
    assert done.returncode == 2
    assert 'install `flakelint[compiler]`' in done.stderr


def test_nothing_is_imported_unless_it_is_asked(tmp_path):
    write(tmp_path / 'a.py', f'open("imported", "w").close()\n{IMPORTS}{BROKEN}')
    check(tmp_path, '--select', 'ENG,TRI')
    assert not (tmp_path / 'imported').exists()
    check(tmp_path, '--select', 'ENG', '--compile', 'all')
    assert (tmp_path / 'imported').exists()
