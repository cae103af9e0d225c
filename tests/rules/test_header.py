# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""REP101 header, where it depends on bytes, on the day, or on any text at all."""

import codecs
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakelint.engine.config import Config
from flakelint.engine.repair import mend
from flakelint.engine.runner import Job
from flakelint.engine.settings import HeaderSettings, Settings
from flakelint.source.text import decode
from tests.rule_harness import registry

OWNER = 'The Kernel Authors'
BLOCK = (
    '# Copyright (c) {years}, The Kernel Authors\n'
    '#\n'
    '# This source code is licensed under the MIT License found in the LICENSE file in the root directory of '
    'this source tree.\n'
    '# For a list of all contributors, see the git history of this repository.\n'
)
FUTURE = 2999
HEADER = BLOCK.format(years=FUTURE)


def checker(header):
    config = Config(Settings(header=header), (), {}, '.', None)
    return Job(config, registry(), ('REP101',), 1).checker()


CHECKER = checker(HeaderSettings(owner=OWNER, start_year=FUTURE))


def fixed(data, name='ops/norm.py', run=CHECKER):
    result = mend(data, name, run, allow_unsafe=False)
    assert not result.refused
    return result.data


@pytest.mark.parametrize('newline', ['\n', '\r\n', '\r'], ids=['lf', 'crlf', 'cr'])
def test_keeps_line_endings(newline):
    after = fixed(f'import torch{newline}EPS = 1{newline}'.encode())
    assert after.decode() == (HEADER + '\nimport torch\nEPS = 1\n').replace('\n', newline)


def test_keeps_the_byte_order_mark():
    assert fixed(codecs.BOM_UTF8 + b'EPS = 1\n') == codecs.BOM_UTF8 + f'{HEADER}\nEPS = 1\n'.encode()


def test_keeps_the_encoding_and_its_cookie_in_force():
    before = '# a note\n# -*- coding: latin-1 -*-\nNAME = "é"\n'.encode('latin-1')
    after = fixed(before)
    assert after.endswith('\nNAME = "é"\n'.encode('latin-1'))
    assert decode(after).encoding == decode(before).encoding


@pytest.mark.parametrize('text', ['#!/usr/bin/env python3', '#!/usr/bin/env python3\n', '# coding: utf-8', 'EPS = 1'])
def test_files_that_end_early(text):
    lines = fixed(text.encode()).decode().split('\n')
    top = [text.strip(), *HEADER.splitlines()] if text.startswith('#') else [*HEADER.splitlines(), '', text]
    assert lines[:len(top)] == top


def test_a_new_header_runs_up_to_this_year():
    this_year = date.today().year
    run = checker(HeaderSettings(owner=OWNER, start_year=2020))
    assert fixed(b'EPS = 1\n', run=run).decode() == BLOCK.format(years=f'2020-{this_year}') + '\nEPS = 1\n'


def test_a_new_header_without_start_year():
    run = checker(HeaderSettings(owner=OWNER))
    assert fixed(b'EPS = 1\n', run=run).decode() == BLOCK.format(years=date.today().year) + '\nEPS = 1\n'


def test_an_old_header_keeps_its_years():
    run = checker(HeaderSettings(owner=OWNER, start_year=2020))
    after = fixed(b'# copyright 2021 - 2023, the kernel authors\n\nEPS = 1\n', run=run)
    assert after.decode() == BLOCK.format(years='2021-2023') + '\nEPS = 1\n'


def test_an_own_header_is_never_doubled():
    run = checker(HeaderSettings(owner=OWNER, start_year=2020, license='Apache License'))
    after = fixed(BLOCK.format(years=2021).encode() + b'\nEPS = 1\n', run=run).decode()
    assert after == BLOCK.format(years=2021).replace('MIT', 'Apache') + '\nEPS = 1\n'


@pytest.mark.parametrize('text', ['', ' \n\t\n'])
def test_empty_files_need_no_header(text):
    assert CHECKER.check('fla/__init__.py', text.encode()) == []


TOP_LINES = st.sampled_from([
    '#!/usr/bin/env python3', '# coding: utf-8', '', '#', '# Copyright (c) 2020, Acme Kernels Ltd.', '# adapted from a paper',
    '# Copyright 2999 The Kernel Authors', '# flakelint: file-ignore[TRI201] on purpose', '"""A module."""', 'EPS = 1',
    'import math', *HEADER.splitlines(), '# Licensed under the BSD license.', '########',
])


@given(st.lists(TOP_LINES, max_size=10), st.sampled_from(['\n', '\r\n']), st.booleans())
def test_any_top_is_mended_at_once_and_keeps_what_is_not_ours(lines, newline, ends):
    text = newline.join(lines) + (newline if ends else '')
    after = fixed(text.encode()).decode()
    assert CHECKER.check('ops/norm.py', after.encode()) == []
    assert fixed(after.encode()).decode() == after
    ours = [line for line in lines if not line.strip('# ') or line in HEADER or 'icense' in line or 'The Kernel' in line]
    kept = [line for line in lines if line not in ours]
    left = after.splitlines()
    assert [line for line in left if line in kept] == kept
    if text.strip():
        assert all(line in left for line in HEADER.splitlines())
    if lines[:1] == ['#!/usr/bin/env python3']:
        assert left[0] == lines[0]
