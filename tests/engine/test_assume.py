# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large sizes are taken to be is a setting: what it changes in findings, and which settings are refused."""

import json
import re
from pathlib import Path

import pytest

from flakelint.kernel.sizes import DEFAULTS
from tests.tools import REPOSITORY, flakelint, write

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def copy_bwd_kernel(x, y, table, foo, {parameter}):
    i_t = tl.program_id(0)
    o = {address} + tl.arange(0, 64)
    tl.store(y + o, tl.load(x + o) + tl.load(table + o))
"""


def codes(folder: Path, parameter: str, address: str, settings: str = '', file: str = 'pyproject.toml') -> list[str]:
    """What TRI101 and TRI106 find in a kernel, and nothing else."""
    write(folder / file, settings)
    write(folder / 'kernels.py', KERNEL.format(parameter=parameter, address=address))
    found = flakelint('check', '--select', 'TRI101,TRI106', '--output-format', 'json', '--no-cache', 'kernels.py', cwd=folder)
    assert found.returncode in (0, 1), found.stderr
    return [finding['code'] for finding in json.loads(found.stdout)['findings']]


def table(lines: str) -> str:
    return f'[tool.flakelint.assume.{lines}\n'


# 2**20 rows of 2**13 numbers break under the tight sizes, 2**20 rows of 2**10 only under the possible ones
@pytest.mark.parametrize(('parameter', 'address', 'settings', 'expected'), [
    ('stride', 'i_t * stride', '', ['TRI101']),
    ('stride', 'i_t * stride', table('tight]\nstride = 1024'), ['TRI106']),
    ('stride', 'i_t * stride', table('tight]\nstride = 64\n[tool.flakelint.assume.possible]\nstride = 64'), []),
    ('stride', 'i_t * stride', table('tight]\nlength = 1000\n[tool.flakelint.assume.possible]\nlength = 1000'), []),
    ('stride', 'i_t * stride', table('names]\nstride = 512'), ['TRI106']),
    ('stride', 'i_t * stride', table('names]\n"str*" = 256'), []),
    ('stride', 'i_t * stride', table('names]\nstride = "head-width"'), []),
    ('K: tl.constexpr', 'i_t * K', '', []),
    ('K: tl.constexpr', 'i_t * K', table('tight]\nhead-width = 4096'), ['TRI101']),
    ('K: tl.constexpr', 'i_t * K', table('possible]\nhead-width = 4096'), ['TRI106']),
    ('K: tl.constexpr', 'i_t * K', table('names]\nK = "hidden"'), ['TRI101']),
    ('K: tl.constexpr', 'i_t * K', table('names]\n"[HK]" = 4096'), ['TRI101']),
    # a possible size below the tight one counts as the tight one
    ('stride', 'i_t * stride', table('possible]\nstride = 1'), ['TRI101']),
    # a pattern of another case fits nothing
    ('K: tl.constexpr', 'i_t * K', table('names]\nk = "hidden"'), []),
])
def test_settings_change_what_is_found(tmp_path: Path, parameter, address, settings, expected) -> None:
    assert codes(tmp_path, parameter, address, settings) == expected


def test_the_first_pattern_that_fits_counts(tmp_path: Path) -> None:
    settings = table('names]\n"stride" = 8\n"str*" = 65536')
    assert codes(tmp_path, 'stride', 'i_t * stride', settings) == []
    assert codes(tmp_path, 'stride', 'i_t * stride', table('names]\n"str*" = 65536\n"stride" = 8')) == ['TRI101']


def test_a_size_that_the_settings_give_needs_nothing_that_speaks_for_it(tmp_path: Path) -> None:
    address = 'i_t * stride + tl.load(x) + tl.load(table)'
    kernel = KERNEL.replace('tl.store(y + o, tl.load(x + o) + tl.load(table + o))', 'tl.store(y + o, 0)')
    write(tmp_path / 'kernels.py', kernel.format(parameter='stride', address=address))
    check = ('check', '--select', 'TRI101', '--no-cache', 'kernels.py')
    assert flakelint(*check, cwd=tmp_path).returncode == 0
    write(tmp_path / 'flakelint.toml', '[assume.names]\nstride = 8192\n')
    assert flakelint(*check, cwd=tmp_path).returncode == 1


def test_a_file_of_its_own_holds_the_same_settings(tmp_path: Path) -> None:
    assert codes(tmp_path, 'stride', 'i_t * stride', '[assume.names]\nstride = 8\n', 'flakelint.toml') == []


def test_names_count_before_launches(tmp_path: Path) -> None:
    launch = '\n\ndef run(x, y, table):\n    copy_bwd_kernel[(4096,)](x, y, table, 1, 16)\n'
    write(tmp_path / 'kernels.py', KERNEL.format(parameter='stride', address='i_t * stride') + launch)
    check = ('check', '--select', 'TRI101,TRI106', '--no-cache', 'kernels.py')
    assert flakelint(*check, cwd=tmp_path).returncode == 0
    write(tmp_path / 'flakelint.toml', '[assume.names]\nstride = 16777216\n')
    assert flakelint(*check, cwd=tmp_path).returncode == 1


def test_sizes_that_change_are_not_answered_from_the_cache(tmp_path: Path) -> None:
    write(tmp_path / 'kernels.py', KERNEL.format(parameter='stride', address='i_t * stride'))
    write(tmp_path / 'flakelint.toml', '')
    check = ('check', '--select', 'TRI101', 'kernels.py')
    assert flakelint(*check, cwd=tmp_path).returncode == 1
    write(tmp_path / 'flakelint.toml', '[assume.tight]\nlength = 16\n')
    assert flakelint(*check, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(('settings', 'message'), [
    ('[assume.tight]\nlenght = 3', 'unknown role `assume.tight.lenght`; did you mean `length`?'),
    ('[assume.possible]\nouter_stride = 3', 'unknown role `assume.possible.outer_stride`; did you mean `outer-stride`?'),
    ('[assume.tight]\nlength = 0', '`assume.tight.length` must be at least 1'),
    ('[assume.possible]\nheads = -4', '`assume.possible.heads` must be at least 1'),
    ('[assume.tight]\nlength = "many"', '`assume.tight`, key `length`, must be a whole number'),
    ('[assume.tight]\nlength = 1.5', '`assume.tight`, key `length`, must be a whole number'),
    ('[assume.tight]\nlength = true', '`assume.tight`, key `length`, must be a whole number'),
    ('[assume]\ntight = 3', '`assume.tight` must be a table'),
    ('[assume]\ntite = {}', 'unknown key `assume.tite`; did you mean `tight`?'),
    ('[assume.names]\n"T*" = "lenght"', '`assume.names."T*"`: unknown role `lenght`; did you mean `length`?'),
    ('[assume.names]\nT = 0', '`assume.names."T"` must be a role or a whole number of at least 1'),
    ('[assume.names]\nT = true', '`assume.names."T"` must be a role or a whole number of at least 1'),
    ('[assume.names]\nT = [1]', '`assume.names."T"` must be a role or a whole number of at least 1'),
])
def test_wrong_roles_and_numbers_are_refused_in_one_line(tmp_path: Path, settings: str, message: str) -> None:
    write(tmp_path / 'flakelint.toml', settings)
    result = flakelint('check', cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, '')
    assert result.stderr == f'flakelint: error: flakelint.toml: {message}\n'


def test_the_settings_in_force_show_them(tmp_path: Path) -> None:
    write(tmp_path / 'flakelint.toml', '[assume.tight]\nlength = 4096\n[assume.names]\n"n_*" = "count"\n')
    shown = flakelint('config', cwd=tmp_path).stdout
    assert 'length' in shown and '4096' in shown and 'n_*' in shown


def test_the_documentation_lists_every_role_with_its_sizes() -> None:
    text = (REPOSITORY / 'docs/settings.md').read_text(encoding='utf-8').replace('\\*', '*')
    rows = re.findall(r'^\| `([\w-]+)` +\| [^|]+ \| ([^|]+) \| ([^|]+) \|$', text, re.MULTILINE)
    listed = {role: (number(tight), number(possible)) for role, tight, possible in rows}
    assert listed == DEFAULTS


def number(text: str) -> int:
    """A number as the table writes it: 4,096 or 2**20 or 2**31 - 1."""
    power, _, less = text.replace(',', '').partition(' - ')
    base, _, exponent = power.strip().partition('**')
    return int(base) ** int(exponent or 1) - int(less or 0)
